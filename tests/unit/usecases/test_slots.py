"""What is current in a slot, and what was: by event time, authority and certainty."""

from datetime import timedelta
from itertools import pairwise, permutations

import pytest

from hindwise.domain.changes import Replace
from hindwise.domain.memory import Status
from hindwise.domain.query import View
from hindwise.domain.scope import Origin
from tests.unit.usecases.desk import Desk, at, current, residence


def test_a_newer_value_takes_the_slot_and_keeps_the_old_one(desk: Desk) -> None:
    old = desk.write(residence("用户住在北京", "2026-01-10T00:00:00Z"))
    new = desk.write(residence("用户住在上海", "2026-02-20T00:00:00Z"))
    assert new.superseded == (old.id,)
    before = desk.read(old.id)
    assert (before.status, before.superseded_by) == (Status.SUPERSEDED, new.id)
    assert before.valid_until == at("2026-02-20T00:00:00Z")
    assert before.content == "用户住在北京"
    assert [v.other for v in before.verdicts] == [new.id]
    assert [v.other for v in desk.read(new.id).verdicts] == [old.id]
    assert current(desk) == ["用户住在上海"]


@pytest.mark.parametrize("order", list(permutations(range(3))))
def test_the_newest_by_event_time_is_current_whatever_arrives_first(
    desk: Desk, order: tuple[int, ...]
) -> None:
    drafts = [
        residence(f"用户住在{city}", f"2026-0{n + 1}-01T00:00:00Z")
        for n, city in enumerate("甲乙丙")
    ]
    for n in order:
        desk.write(drafts[n])
    assert current(desk) == ["用户住在丙"]


def test_a_value_that_comes_back_is_a_new_record(desk: Desk) -> None:
    for city, month in (("北京", 1), ("上海", 2), ("北京", 3)):
        desk.write(residence(f"用户住在{city}", f"2026-0{month}-01T00:00:00Z"))
    assert current(desk) == ["用户住在北京"]
    assert len(desk.store.page(desk.call().scope, after=None, examine=10).memories) == 3


def test_a_much_less_sure_value_is_contested_until_it_is_surer(desk: Desk) -> None:
    old = desk.write(residence("用户对青霉素过敏", "2026-01-10T00:00:00Z", confidence=0.95))
    new = desk.write(residence("用户对青霉素不过敏", "2026-02-10T00:00:00Z", confidence=0.4))
    assert new.contested and desk.read(new.id).status is Status.CONTESTED
    assert current(desk) == ["用户对青霉素过敏"]
    desk.edit(new.id, confidence=0.95)
    assert current(desk) == ["用户对青霉素不过敏"]
    assert desk.read(old.id).superseded_by == new.id


def test_lower_authority_never_supersedes_higher(desk: Desk) -> None:
    desk.write(residence("用户住在北京", "2026-01-10T00:00:00Z"))
    rumour = desk.write(
        residence("用户住在火星", "2026-03-10T00:00:00Z", confidence=1.0), ceiling=Origin.AGENT
    )
    assert rumour.contested
    assert current(desk) == ["用户住在北京"]


def test_scenes_are_slots_of_their_own(desk: Desk) -> None:
    for scene in ("work", "weekend", None):
        desk.write(residence(f"wears {scene}", "2026-01-01T00:00:00Z", scene=scene))
    assert len(current(desk)) == 3


def test_many_valued_attributes_do_not_supersede(desk: Desk) -> None:
    for city in "甲乙":
        desk.write(residence(f"去过{city}", "2026-01-01T00:00:00Z", cardinality="many"))
    assert len(current(desk)) == 2


def test_words_that_hold_only_later_are_no_repeat_now(desk: Desk) -> None:
    desk.known("店开着", valid_from=at("2026-06-01T00:00:00Z"))
    desk.known("店开着")
    assert current(desk) == ["店开着"]


def test_a_late_older_value_keeps_the_end_that_it_was_given(desk: Desk) -> None:
    desk.write(residence("用户住在北京", "2026-03-01T00:00:00Z"))
    ended = at("2026-01-31T00:00:00Z")
    old = desk.write(residence("用户住在上海", "2026-01-01T00:00:00Z", valid_until=ended))
    assert desk.read(old.id).valid_until == ended


@pytest.mark.parametrize("order", list(permutations(range(4))))
def test_each_value_ends_where_the_next_begins_whatever_arrives_first(
    desk: Desk, order: tuple[int, ...]
) -> None:
    drafts = [
        residence(f"用户住在{city}", f"2025-0{n + 1}-01T00:00:00Z")
        for n, city in enumerate("甲乙丙丁")
    ]
    ids = {n: desk.write(drafts[n]).id for n in order}
    records = [desk.read(ids[n]) for n in range(4)]
    for this, following in pairwise(records):
        assert (this.status, this.superseded_by) == (Status.SUPERSEDED, following.id)
        assert this.valid_until == following.valid_from == following.event_time
        assert this.id in following.supersedes
    assert records[3].status is Status.ACTIVE and records[3].valid_until is None
    desk.project()
    for n in range(4):
        view = View(as_of=at(f"2025-0{n + 1}-15T00:00:00Z"))
        assert desk.contents("住在哪里", view=view) == [drafts[n].content]


def test_an_announced_value_leaves_the_present_one_in_place(desk: Desk) -> None:
    begins = desk.clock() + timedelta(days=90)
    oslo = desk.write(residence("lives in Oslo", "2026-01-01T00:00:00Z"))
    bergen = desk.write(residence("will live in Bergen", begins.isoformat()))
    assert desk.contents("where do I live") == ["lives in Oslo"]
    moved = desk.write(residence("lives in Molde", "2026-02-01T00:00:00Z"))
    for _ in range(2):
        assert desk.contents("where do I live") == ["lives in Molde"]
        desk.project()
    assert desk.read(oslo.id).status is Status.SUPERSEDED
    assert desk.read(moved.id).valid_until == begins
    assert desk.read(moved.id).superseded_by == bergen.id
    desk.clock.forward(days=91)
    assert desk.contents("where do I live") == ["will live in Bergen"]


def test_a_value_that_is_over_retires_nobody(desk: Desk) -> None:
    desk.write(residence("lives in Oslo", "2026-01-01T00:00:00Z"))
    rome = residence(
        "lived in Rome", "2026-02-01T00:00:00Z", valid_until=at("2026-03-01T00:00:00Z")
    )
    assert desk.write(rome).superseded == ()
    assert desk.contents("where do I live") == ["lives in Oslo"]
    then = View(as_of=at("2026-02-10T00:00:00Z"))
    assert desk.contents("where do I live", view=then) == ["lived in Rome"]


@pytest.mark.parametrize(("old", "new"), [(0.9, 0.6), (0.4, 0.1), (0.95, 0.65), (0.8, 0.5)])
def test_less_sure_by_just_the_limit_still_supersedes(desk: Desk, old: float, new: float) -> None:
    desk.write(residence("住在北京", "2026-01-10T00:00:00Z", confidence=old))
    late = desk.write(residence("住在上海", "2026-02-10T00:00:00Z", confidence=new))
    assert not late.contested and current(desk) == ["住在上海"]


def test_asking_for_contested_values_hides_no_current_one(desk: Desk) -> None:
    desk.write(residence("住在北京", "2026-01-10T00:00:00Z", confidence=0.95))
    desk.write(residence("住在火星", "2026-02-10T00:00:00Z", confidence=0.4))
    view = View(include=frozenset({Status.CONTESTED}))
    assert set(desk.contents("住在哪里", view=view)) == {"住在北京", "住在火星"}


def test_a_weakened_value_stays_behind_the_newer_one_and_says_so(desk: Desk) -> None:
    old = desk.write(residence("住在北京", "2026-01-10T00:00:00Z", confidence=0.8))
    new = desk.write(residence("住在上海", "2026-02-10T00:00:00Z", policy="weaken"))
    before = desk.read(old.id)
    assert (before.status, before.confidence) == (Status.ACTIVE, pytest.approx(0.56))
    assert [one.policy for one in before.verdicts] == ["weaken"]
    assert [one.policy for one in desk.read(new.id).verdicts] == ["weaken"]
    assert new.superseded == () and before.superseded_by is None
    desk.project()
    assert desk.contents("住在哪里") == ["住在上海", "住在北京"]


def test_values_that_coexist_both_stay_as_they_are(desk: Desk) -> None:
    old = desk.write(residence("住在北京", "2026-01-10T00:00:00Z"))
    desk.write(residence("住在上海", "2026-02-10T00:00:00Z", policy="coexist"))
    assert desk.read(old.id).confidence == 0.8
    assert set(desk.contents("住在哪里")) == {"住在北京", "住在上海"}


def test_what_was_said_again_later_is_newer_than_what_was_said_between(desk: Desk) -> None:
    old = desk.write(residence("住在北京", "2026-01-10T00:00:00Z"))
    record = desk.read(old.id)
    again = record.model_copy(update={"last_seen_at": at("2026-02-20T00:00:00Z"), "version": 2})
    desk.store.commit(desk.call().scope, [Replace(before=record, after=again)])
    desk.write(residence("住在上海", "2026-02-10T00:00:00Z"))
    assert current(desk) == ["住在北京"]
    desk.write(residence("住在成都", "2026-02-25T00:00:00Z"))
    assert current(desk) == ["住在成都"]


def test_the_same_value_in_other_words_is_a_repeat_with_the_evidence_of_both(desk: Desk) -> None:
    turns = [desk.said(text).id for text in ("在北京住", "还在北京")]
    ids = [
        desk.write(residence(text, when, value=value, evidence_ids=(turn,))).id
        for text, when, value, turn in (
            ("住在北京", "2026-01-10T00:00:00Z", "北京", turns[0]),
            ("家在北京", "2026-02-10T00:00:00Z", "北京 ", turns[1]),
        )
    ]
    old, new = (desk.read(one) for one in ids)
    assert [one.verdict for one in (*old.verdicts, *new.verdicts)] == ["duplicate"] * 2
    assert (old.superseded_by, new.evidence_ids) == (new.id, tuple(turns))
    assert desk.write(residence("住在北京", "2026-03-10T00:00:00Z")).id == new.id
    denied = desk.write(residence("不住在北京", "2026-03-11T00:00:00Z", value="北京"))
    assert [one.verdict for one in desk.read(denied.id).verdicts] == ["update"]
