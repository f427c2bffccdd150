"""Comparing with neighbours: what merges, what supersedes, what waits, and what is kept."""

from itertools import permutations
from typing import Any

import pytest

from hindwise.domain.drafts import Edit
from hindwise.domain.memory import Mark, Status
from hindwise.domain.scope import Origin
from hindwise.usecases.edit import edit
from hindwise.usecases.settle import State
from tests.unit.usecases.desk import at, home, residence
from tests.unit.usecases.settling import FULLER, KITCHEN, SettlingDesk, always

TEA, TEA_TOO = "The user loves tea", "I like tea"


def test_what_is_near_and_the_same_in_other_words_becomes_one() -> None:
    desk = SettlingDesk()
    desk.alike(TEA, TEA_TOO)
    first = desk.known(TEA)
    desk.clock.forward(days=1)
    again = desk.known(TEA_TOO)
    desk.drain()
    assert desk.current() == [TEA] and desk.unsettled() == []
    assert desk.read(again.id).superseded_by == first.id
    assert desk.contents("tea") == [TEA]


def test_a_merge_keeps_the_fuller_text_and_unites_what_stands_beside_it() -> None:
    desk = SettlingDesk(always("duplicate"))
    desk.alike(KITCHEN, FULLER)
    turn = desk.said("we repaint again")
    short = desk.known(KITCHEN, tags=("home",), evidence_ids=(turn.id,), importance=0.9)
    desk.clock.forward(days=3)
    long = desk.known(FULLER, entities=("kitchen",))
    desk.drain()
    stays, gone = desk.read(long.id), desk.read(short.id)
    assert desk.current() == [FULLER]
    assert (gone.status, gone.superseded_by, gone.content) == (
        Status.SUPERSEDED,
        long.id,
        KITCHEN,
    )
    assert (stays.evidence_ids, stays.tags, stays.entities) == ((turn.id,), ("home",), ("kitchen",))
    assert stays.importance == 0.9 and stays.last_seen_at == stays.event_time
    assert short.id in stays.supersedes
    assert [one.verdict for one in stays.verdicts] == ["duplicate"]
    assert [one.verdict for one in gone.verdicts] == ["duplicate"]
    assert long.id in desk.store.dependants(home(), turn.id)


def test_what_was_merged_away_and_is_said_again_is_the_one_that_stays() -> None:
    desk = SettlingDesk(always("duplicate"))
    desk.alike(KITCHEN, FULLER)
    desk.known(KITCHEN)
    long = desk.known(FULLER)
    desk.drain()
    again = desk.known(KITCHEN)
    assert (again.id, again.outcome) == (long.id, "duplicate")
    desk.forget(long.id)
    assert desk.known(KITCHEN).outcome == "created"


def test_of_equally_full_texts_the_older_stays_and_knows_when_it_was_said_last() -> None:
    desk = SettlingDesk()
    desk.alike("I like tea", "I like tea.")
    old = desk.known("I like tea", scene=None)
    desk.clock.forward(days=9)
    new = desk.known("i like tea.")
    desk.drain()
    assert desk.current() == ["I like tea"]
    assert desk.read(old.id).last_seen_at == desk.read(new.id).event_time


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("用户爱吃面", "用户爱吃米饭"),
        ("用户爱吃面", "用户不爱吃面"),
        ("I can drive", "I can't drive"),
    ],
)
def test_without_a_judge_doubt_keeps_both_as_they_were_said(one: str, other: str) -> None:
    desk = SettlingDesk(dedup_threshold=0.85)
    desk.alike(one, other)
    for text in (one, other):
        desk.known(text, type="preference")
    assert {each.state for each in desk.drain()} == {State.SETTLED}
    assert desk.current() == sorted([one, other])
    assert all(each.settled and each.version == 1 for each in desk.all())


@pytest.mark.parametrize("late", [False, True])
def test_the_value_that_was_said_last_stays_whichever_arrives_first(late: bool) -> None:
    desk = SettlingDesk(always("contradiction"))
    texts = {"at Blue Kettle": "2024-05-02T09:00:00Z", "at Pine & Co": "2026-02-10T09:00:00Z"}
    desk.alike(*texts, cosine=0.7)
    ids = {}
    for text in sorted(texts, reverse=late):
        ids[text] = desk.known(text, event_time=at(texts[text])).id
        desk.drain()
    old, new = desk.read(ids["at Blue Kettle"]), desk.read(ids["at Pine & Co"])
    assert desk.current() == ["at Pine & Co"]
    assert old.superseded_by == new.id and old.id in new.supersedes
    assert old.valid_until == new.event_time
    for record in (old, new):
        assert [(one.verdict, one.policy) for one in record.verdicts] == [
            ("contradiction", "supersede")
        ]


def test_a_weakened_memory_stays_behind_and_a_coexisting_one_beside() -> None:
    for policy, share in (("weaken", 0.7), ("coexist", 1.0)):
        desk = SettlingDesk(always("contradiction"))
        desk.alike("likes tea", "likes mate", cosine=0.7)
        old = desk.known("likes tea")
        desk.clock.forward(days=1)
        desk.known("likes mate", policy=policy)
        desk.drain()
        before = desk.read(old.id)
        assert desk.current() == ["likes mate", "likes tea"]
        assert before.confidence == pytest.approx(0.8 * share)
        assert [one.policy for one in before.verdicts] == [policy]
        desk.clock.forward(days=1)
        desk.edit(old.id, tags=("x",))
        desk.drain()
        assert desk.read(old.id).confidence == pytest.approx(0.8 * share)


@pytest.mark.parametrize("where", ["policies", "tenant_policies"])
def test_a_stage_or_a_tenant_may_have_another_policy_for_a_type(where: str) -> None:
    for kind, left in (("preference", 2), ("fact", 1)):
        usual: dict[str, object] = {"preference": "coexist"}
        rules: dict[str, Any] = {where: usual if where == "policies" else {"acme": usual}}
        desk = SettlingDesk(always("update"), **rules)
        desk.alike("likes tea", "likes mate", cosine=0.7)
        desk.known("likes tea", type=kind)
        desk.clock.forward(days=1)
        desk.known("likes mate", type=kind)
        desk.drain()
        assert len(desk.current()) == left


def test_lower_authority_and_a_much_less_sure_value_are_contested() -> None:
    for who, fields in (({"ceiling": Origin.AGENT}, {}), ({}, {"confidence": 0.3})):
        desk = SettlingDesk(always("contradiction"))
        desk.alike("lives in Rome", "lives on Mars", cosine=0.7)
        old = desk.known("lives in Rome")
        desk.clock.forward(days=1)
        draft = residence("lives on Mars", "2026-03-14T19:00:00Z", **fields)
        plain = draft.model_copy(update={"subject": None, "attribute": None})
        new = desk.write(plain, **who)
        desk.drain()
        assert desk.read(new.id).status is Status.CONTESTED
        assert desk.current() == ["lives in Rome"]
        assert [one.other for one in desk.read(old.id).verdicts] == [new.id]
        desk.clock.forward(days=1)
        if not who:
            desk.edit(new.id, confidence=0.9)
            desk.drain()
            assert desk.current() == ["lives on Mars"]


@pytest.mark.parametrize("marks", [(), (Mark.OBSOLETE,), (Mark.PINNED,)])
@pytest.mark.parametrize("slot", [True, False])
def test_no_mark_shows_what_lost_to_a_higher_word(marks: tuple[Mark, ...], slot: bool) -> None:
    desk = SettlingDesk(always("contradiction"))
    desk.alike("lives in Rome", "lives on Mars", cosine=0.7)
    draft = residence("lives on Mars", "2026-03-02T19:00:00Z")
    if not slot:
        draft = draft.model_copy(update={"subject": None, "attribute": None})
    desk.write(residence("lives in Rome", "2026-03-01T18:00:00Z"))
    new = desk.write(draft, ceiling=Origin.AGENT)
    desk.drain()
    for said in ((Mark.WRONG,), (Mark.OBSOLETE, Mark.WRONG), marks):
        assert desk.read(new.id).status in (Status.CONTESTED, Status.REJECTED)
        change = Edit(reason="I think again", marks=frozenset(said))
        edit(new.id, change, ledger=desk.ledger(ceiling=Origin.AGENT))
    assert desk.read(new.id).status is Status.CONTESTED
    desk.drain()
    assert desk.contents("lives where") == ["lives in Rome"]
    assert desk.read(new.id).status is Status.CONTESTED


def test_who_takes_the_place_of_a_slots_holder_takes_its_slot() -> None:
    desk = SettlingDesk(always("update"))
    desk.alike("住在北京", "搬到上海了", cosine=0.7)
    old = desk.write(residence("住在北京", "2026-01-10T00:00:00Z"))
    moved = desk.known("搬到上海了")
    desk.drain()
    assert desk.current() == ["搬到上海了"]
    heir = desk.read(moved.id)
    assert (heir.subject, heir.attribute) == ("用户", "居住地")
    desk.clock.forward(days=5)
    desk.write(residence("住在成都", "2026-03-15T00:00:00Z"))
    assert desk.current() == ["住在成都"]
    assert desk.read(old.id).superseded_by == moved.id


@pytest.mark.parametrize("order", list(permutations(range(3))))
def test_verdicts_do_not_depend_on_the_order_of_comparing(order: tuple[int, ...]) -> None:
    def opinion(new: str, other: str) -> str:
        return "duplicate" if {new, other} == {FULLER, KITCHEN} else "contradiction"

    desk = SettlingDesk(opinion)
    texts = [KITCHEN, "The user leaves the kitchen as it is", FULLER]
    desk.alike(*texts, cosine=0.7)
    ids = []
    for text in texts:
        ids.append(desk.known(text).id)
        desk.clock.forward(days=1)
    desk.project()
    for n in order:
        desk.settle(ids[n])
    desk.drain()
    assert desk.current() == [FULLER]
