"""What becomes of a memory with time: the tables of the rules, row by row."""

from datetime import datetime, timedelta
from typing import Any

import pytest

from hindwise.domain.archived import packed, stub_of
from hindwise.domain.fading import (
    SWEEPS,
    Fate,
    Sweep,
    Tier,
    due_at,
    fate,
    tier,
    trend_at,
    turned,
    with_time,
)
from hindwise.domain.memory import Cardinality, Episode, Mark, Outcome, Status, Type
from hindwise.domain.retention import Retention
from tests.builders import NOW, episode, fact

TONIGHT = datetime.fromisoformat("2026-07-01T03:00:00+00:00")


def ago(days: float) -> datetime:
    return TONIGHT - timedelta(days=days)


def aged(importance: float, hits: int, days: float, **given: Any) -> Episode:
    return episode(at=ago(days), importance=importance, access_count=hits, **given)


@pytest.mark.parametrize(
    ("name", "memory", "expected"),
    [
        ("a", aged(0.2, 0, 8), Fate.PURGE),
        ("b", aged(0.2, 1, 8), None),
        ("c", aged(0.3, 0, 8), None),
        ("d", aged(0.2, 0, 6), None),
        ("e", aged(0.2, 1, 31), Fate.UNIMPORTANT),
        ("f", aged(0.3, 1, 31), None),
        ("g", aged(0.2, 1, 29), None),
        ("h", aged(0.2, 0, 0, event_time=ago(900)), None),
        ("semantic", fact(at=ago(8), importance=0.2), None),
        ("old semantic", fact(at=ago(31), importance=0.2), Fate.UNIMPORTANT),
    ],
)
def test_what_is_unimportant_is_purged_or_archived(name, memory, expected):
    assert fate(memory, TONIGHT) == expected, name


@pytest.mark.parametrize(
    ("name", "days", "hits", "expected", "becomes"),
    [
        ("a", 10, 0, Tier.HOT, None),
        ("b", 90, 12, Tier.HOT, None),
        ("c", 200, 0, Tier.WARM, None),
        ("d", 400, 0, Tier.COLD, Fate.COLD),
        ("e", 400, 3, Tier.WARM, None),
    ],
)
def test_tiers_go_by_age_and_by_hits(name, days, hits, expected, becomes):
    memory = aged(0.5, hits, days, confidence=0.2)
    assert (tier(memory, TONIGHT), fate(memory, TONIGHT)) == (expected, becomes), name


def test_a_hit_makes_hot_again_and_a_pin_keeps_hot():
    assert tier(aged(0.5, 1, 400, last_access_at=ago(2)), TONIGHT) is Tier.HOT
    assert tier(aged(0.5, 0, 400, marks=(Mark.PINNED,)), TONIGHT) is Tier.HOT


@pytest.mark.parametrize("status", [one for one in Status if one not in ("active", "obsolete")])
def test_only_what_lives_fades(status):
    memory = aged(0.1, 0, 900, status=status)
    assert fate(memory, TONIGHT) is None
    assert due_at(memory) is None


@pytest.mark.parametrize("days", [8, 31, 400])
def test_what_is_pinned_neither_goes_nor_cools(days):
    memory = aged(0.1, 0, days, marks=(Mark.PINNED,), confidence=0.2)
    assert fate(memory, TONIGHT) is None


def test_what_is_marked_obsolete_keeps_its_trail():
    memory = aged(0.1, 0, 31, status=Status.OBSOLETE, marks=(Mark.OBSOLETE,))
    assert fate(memory, TONIGHT) is Fate.UNIMPORTANT


def test_what_others_rest_on_is_not_purged_but_archived_in_its_time():
    assert fate(aged(0.2, 0, 8), TONIGHT, rests=True) is None
    assert fate(aged(0.2, 0, 31), TONIGHT, rests=True) is Fate.UNIMPORTANT


def test_the_value_of_a_slot_stays_until_it_is_cold():
    slot = {"subject": "user", "attribute": "city", "cardinality": Cardinality.ONE}
    assert fate(fact(at=ago(40), importance=0.1, confidence=0.2, **slot), TONIGHT) is None
    assert fate(fact(at=ago(366), importance=0.1, **slot), TONIGHT) is Fate.COLD


def test_a_closed_todo_is_archived_in_its_time():
    def todo(done: float, made: float = 100, **given: Any) -> Any:
        return fact(at=ago(made), type=Type.TODO, done_at=ago(done), access_count=9, **given)

    assert fate(todo(29), TONIGHT) is None
    assert fate(todo(31), TONIGHT) is Fate.DONE
    assert fate(todo(800, made=1), TONIGHT) is None
    assert fate(fact(at=ago(100), done_at=ago(90), access_count=9), TONIGHT) is None


def test_moments_ahead_are_no_age():
    ahead = aged(0.1, 0, -500)
    assert (fate(ahead, TONIGHT), tier(ahead, TONIGHT)) == (None, Tier.HOT)
    hit = aged(0.5, 1, 400, last_access_at=ago(-90))
    assert tier(hit, TONIGHT) is Tier.HOT


def test_what_is_not_compared_yet_waits():
    assert fate(fact(at=ago(400), settled=False), TONIGHT) is None


def test_said_again_or_brought_back_is_as_new():
    assert fate(aged(0.2, 0, 90, last_seen_at=ago(3)), TONIGHT) is None
    assert fate(aged(0.2, 0, 90, restored_at=ago(3)), TONIGHT) is None
    assert fate(aged(0.2, 0, 90, last_seen_at=ago(900)), TONIGHT) is Fate.PURGE


def test_time_sets_flags_and_takes_them_away():
    memory = fact(
        at=ago(310), access_count=9, valid_until=ago(1), review_at=ago(2), flags=("lesson",)
    )
    assert turned(memory, TONIGHT) == {"expired", "decision_review", "faded"}
    assert fate(memory, TONIGHT) is Fate.TURN
    after = with_time(memory, TONIGHT)
    assert after.flags == ("lesson", "decision_review", "expired", "faded")
    assert (after.version, after.updated_at) == (2, TONIGHT)
    assert fate(after, TONIGHT) is None
    revived = after.model_copy(
        update={
            "valid_until": None,
            "outcome": Outcome(result="success"),
            "last_access_at": TONIGHT,
        }
    )
    assert fate(revived, TONIGHT) is Fate.TURN
    assert with_time(revived, TONIGHT).flags == ("lesson",)


def test_a_decision_that_was_looked_at_is_not_due_before_its_next_date():
    memory = fact(at=ago(20), type=Type.DECISION, review_at=ago(5))
    assert turned(memory, TONIGHT) == {"decision_review"}
    assert turned(memory.model_copy(update={"reviewed_at": ago(1)}), TONIGHT) == frozenset()
    again = {"reviewed_at": ago(9), "review_at": ago(5)}
    assert turned(memory.model_copy(update=again), TONIGHT) == {"decision_review"}


def test_what_was_never_sure_has_not_faded():
    assert turned(fact(at=ago(300), confidence=0.2), TONIGHT) == frozenset()


def test_every_fate_is_the_work_of_one_sweep():
    assert {*SWEEPS} == {*Fate}
    assert {*SWEEPS.values()} == {*Sweep}


def test_every_number_can_be_set_otherwise():
    rules = Retention.model_validate_json('{"purge_after": "PT1H", "unimportant": 0.6}')
    assert fate(aged(0.5, 0, 0.1), TONIGHT, rules) is Fate.PURGE
    assert tier(aged(0.5, 2, 200), TONIGHT, Retention(hot_hits=2)) is Tier.HOT


def test_a_date_is_never_later_than_the_first_thing_to_do():
    memory = aged(0.2, 1, 90, updated_at=ago(1))
    due = due_at(memory)
    assert due is not None
    assert due <= ago(1)


def test_a_date_after_a_look_lies_ahead_or_nowhere():
    seen = aged(0.2, 3, 8)
    assert due_at(seen, after=TONIGHT) == seen.created_at + timedelta(days=30)
    kept = aged(0.2, 0, 8)
    assert due_at(kept, after=TONIGHT, rests=True) == kept.created_at + timedelta(days=30)
    assert due_at(aged(0.5, 3, 800, confidence=0.2), after=TONIGHT) is None


def test_cold_episodes_of_a_month_wait_for_each_other():
    cold = episode(at=datetime.fromisoformat("2025-05-03T10:00:00+00:00"))
    stub = stub_of(cold, packed(cold, ()), "cold", at=TONIGHT)
    assert trend_at(stub) == datetime.fromisoformat("2026-06-01T00:00:00+00:00")
    assert due_at(stub) == trend_at(stub)
    assert fate(stub, TONIGHT) is Fate.TREND
    assert fate(stub, TONIGHT - timedelta(days=40)) is None
    december = stub.model_copy(update={"created_at": NOW.replace(month=12)})
    assert trend_at(december) == datetime.fromisoformat("2028-01-01T00:00:00+00:00")
    other = stub_of(cold, packed(cold, ()), "unimportant", at=TONIGHT)
    assert (trend_at(other), fate(other, TONIGHT)) == (None, None)
