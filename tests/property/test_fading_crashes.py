"""Sweeps in any order, any number of times, beside each other, killed anywhere: the same end."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hindwise.domain import changes as c
from hindwise.domain.fading import Sweep
from hindwise.domain.ids import ulid
from hindwise.domain.memory import Cardinality, Mark, Outcome, Type, millis
from hindwise.domain.retention import Retention
from hindwise.usecases.archive import restore
from tests.builders import fact, newer, scope
from tests.fading_lab import SWEEPS, TONIGHT, FadingLab, ago
from tests.lab import Killed, Port, die

SETTLED = 3
"""Nights after which nothing changes any more."""


def planted(lab: FadingLab, numbers: range = range(22)) -> FadingLab:
    """A scope with something of everything, under the same ids in each laboratory."""

    def made(number: int, days: float) -> dict[str, Any]:
        return {"id": ulid(millis(ago(days)), bytes([number]) * 10)}

    kinds = [
        (8, 0.2, 0, {}), (8, 0.2, 1, {}), (31, 0.2, 0, {}), (31, 0.2, 1, {}), (400, 0.2, 0, {}),
        (400, 0.5, 3, {}), (200, 0.5, 0, {}), (90, 0.5, 12, {}),
        (400, 0.1, 0, {"marks": (Mark.PINNED,)}),
        (420, 0.9, 0, {"domain": "deploy", "outcome": Outcome(result="failure", note="x")}),
        (421, 0.8, 0, {"domain": "deploy"}), (422, 0.7, 0, {"domain": "deploy"}),
        (423, 0.2, 3, {"domain": "deploy"}), (419, 0.6, 0, {"task_id": "t"}),
    ]  # fmt: skip
    for number in numbers:
        if number < len(kinds):
            days, importance, hits, more = kinds[number]
            lab.happened(days, importance, hits, **made(number, days), **more)
    slot = {"subject": "u", "attribute": "a", "cardinality": Cardinality.ONE}
    known = [
        fact("over", at=ago(5), valid_until=ago(1), **made(30, 5)),
        fact("due", at=ago(5), type=Type.DECISION, review_at=ago(1), **made(31, 5)),
        fact("faded", at=ago(310), importance=0.9, **made(32, 310)),
        fact("done", at=ago(90), type=Type.TODO, done_at=ago(40), **made(33, 90)),
        fact("slot", at=ago(90), importance=0.1, confidence=0.2, **slot, **made(34, 90)),
    ]
    for one in known:
        lab.plant(one)
    edited = newer(known[3], content="done twice", updated_at=ago(80))
    lab.store.commit(scope(), [c.Replace(before=known[3], after=edited)])
    return lab


def settled() -> Any:
    lab = planted(FadingLab())
    for _ in range(SETTLED):
        lab.night()
    return lab.picture()


EXPECTED = settled()


def test_a_night_is_enough():
    lab = planted(FadingLab())
    lab.night()
    assert lab.picture() == EXPECTED


@pytest.mark.parametrize("nights", [1, 2, 5])
def test_more_nights_change_nothing(nights: int):
    lab = planted(FadingLab())
    for _ in range(nights):
        lab.night()
    assert lab.picture() == EXPECTED


@settings(max_examples=40, deadline=None)
@given(st.lists(st.sampled_from(SWEEPS), max_size=8))
def test_sweeps_in_any_order_come_to_the_same(order: list[Sweep]):
    lab = planted(FadingLab())
    for sweep in order:
        lab.sweep(sweep)
    lab.night()
    assert lab.picture() == EXPECTED


@settings(max_examples=25, deadline=None)
@given(st.lists(st.tuples(st.sampled_from(SWEEPS), st.integers(0, 40)), max_size=6))
def test_nights_at_any_time_before_come_to_the_same(before: list[tuple[Sweep, int]]):
    lab = planted(FadingLab())
    for sweep, days in before:
        lab.clock.now = TONIGHT - timedelta(days=days)
        lab.sweep(sweep)
    lab.clock.now = TONIGHT
    lab.night()
    lab.night()
    assert _ids(lab.picture()) == _ids(EXPECTED)


def _ids(picture: Any) -> Any:
    """Which memories are in which state; versions depend on when something was noticed."""
    records = {one["id"]: (one["status"], one["content"], one["flags"]) for one in picture[0]}
    return records, picture[2], picture[5], picture[6]


def calls_of(sweep: Sweep) -> list[int]:
    """The calls of a sweep, by number; of those that look for what is due only some."""
    lab = planted(FadingLab())
    lab.wire.arm(100_000, die)
    lab.sweep(sweep, lab.fragile())
    named = enumerate(lab.wire.names, 1)
    return [one for one, name in named if not name.endswith(".overdue") or one % 8 == 0]


@pytest.mark.parametrize("sweep", SWEEPS)
@pytest.mark.parametrize("after", [False, True])
def test_a_sweep_that_is_killed_at_any_call_is_made_good_by_the_next(sweep: Sweep, after: bool):
    for number in calls_of(sweep):
        lab = planted(FadingLab())
        lab.wire.arm(number, die, after=after)
        with pytest.raises(Killed):
            lab.sweep(sweep, lab.fragile())
        lab.clock.forward(seconds=61)
        lab.night()
        assert lab.picture() == EXPECTED, (sweep, number)


@pytest.mark.parametrize("sweep", SWEEPS)
def test_two_runs_that_overlap_come_to_the_same(sweep: Sweep):
    for number in calls_of(sweep)[::2]:
        lab = planted(FadingLab())
        lab.wire.arm(number, lambda lab=lab: lab.sweep(sweep))
        lab.sweep(sweep, lab.fragile())
        lab.clock.forward(seconds=61)
        lab.night()
        assert lab.picture() == EXPECTED, (sweep, number)


@pytest.mark.parametrize("number", range(1, 12))
def test_a_restore_that_is_killed_at_any_call_is_made_good_by_the_next(number: int):
    lab = planted(FadingLab())
    lab.night()
    cold = next(one for one, status in lab.states().items() if status == "archived")
    blobs, ledger = Port(lab.blobs, lab.wire), lab.ledger()
    lab.wire.arm(number, die)
    try:
        restore(cold, ledger=replace(ledger, store=Port(lab.store, lab.wire)), blobs=blobs)
    except Killed:
        assert lab.states()[cold] in ("archived", "active")
    back = lab.restore(cold)
    assert back.status.value == "active"
    assert back.content
    assert [row.decision for row in lab.store.audit(scope(), cold)].count("restored") == 1


def test_a_rule_that_is_set_otherwise_is_followed():
    lab = FadingLab(**Retention(purge_after=timedelta(days=9)).model_dump())
    spared = lab.happened(8, 0.2)
    lab.sweep(Sweep.PURGE)
    assert lab.states() == {spared: "active"}
