"""What waits, is lost or comes twice: a judge that is down, races, redeliveries, edits."""

import json
from dataclasses import replace
from typing import Any

import pytest

from hindwise.domain.changes import PutVerdict, Replace, Settled
from hindwise.domain.memory import SemanticMemory, Status
from hindwise.domain.ports import Nominations
from hindwise.domain.scope import Origin
from hindwise.errors import Misconfigured, Unavailable
from hindwise.usecases.settle import State
from tests.lab import Port, Tripwire
from tests.unit.usecases.desk import home, residence
from tests.unit.usecases.settling import FULLER, KITCHEN, SettlingDesk, always

TEA = "The user loves tea"


class NotFilled:
    """An index that does not answer, and is not asked for anything else."""

    def nominate(self, *asked: object) -> Nominations:
        raise Unavailable("there is no index", details={"dependency": "index"})


class Partly(NotFilled):
    """A table of which only the newest is known."""

    def nominate(self, *asked: object) -> Nominations:
        return Nominations(candidates=(), coverage=0.5, skipped=("older_memories",))


def without_index(desk: SettlingDesk, fallback: object) -> None:
    given: Any = {"index": NotFilled(), "fallback": fallback}
    desk.engine = replace(desk.engine, **given)


def test_while_the_index_is_filled_the_table_tells_the_neighbours() -> None:
    desk = SettlingDesk(always("duplicate"))
    desk.alike(KITCHEN, FULLER)
    for text in (KITCHEN, FULLER):
        desk.known(text)
    desk.project()
    without_index(desk, desk.index)
    assert {desk.settle(one).state for one in desk.unsettled()} == {State.SETTLED}
    assert desk.current() == [FULLER]


@pytest.mark.parametrize("fallback", [Partly(), None])
def test_an_index_that_nobody_can_stand_in_for_is_waited_for(fallback: object) -> None:
    desk = SettlingDesk(always("duplicate"))
    desk.alike(KITCHEN, FULLER)
    for text in (KITCHEN, FULLER):
        desk.known(text)
    desk.project()
    whole = desk.engine
    without_index(desk, fallback)
    new = desk.unsettled()[-1]
    settled = desk.settle(new)
    assert (settled.state, settled.reason) == (State.WAITING, "index")
    assert len(desk.unsettled()) == 2
    desk.engine = whole
    desk.clock.forward(minutes=2)
    assert desk.overdue() == 2
    desk.drain()
    assert desk.unsettled() == [] and desk.current() == [FULLER]


def test_a_judge_that_is_down_leaves_the_memory_waiting_and_the_sweep_sends_it_again() -> None:
    desk = SettlingDesk(always("duplicate"))
    desk.alike(KITCHEN, FULLER)
    desk.known(KITCHEN)
    desk.drain()
    assert desk.judge is not None
    desk.judge.error = Unavailable("down", details={"reason": "timeout"})
    new = desk.known(FULLER)
    assert [(one.state, one.reason) for one in desk.drain()] == [(State.WAITING, "timeout")]
    assert desk.unsettled() == [new.id] and len(desk.current()) == 2
    desk.judge.error = Misconfigured("LLM_API_KEY: refused")
    assert desk.settle(new.id).reason == "misconfigured"
    desk.judge.error = None
    assert desk.overdue() == 0
    sent = []
    for _ in range(8):
        desk.clock.forward(minutes=1, seconds=1)
        sent.append(desk.overdue())
    assert sent == [1, 0, 0, 0, 0, 1, 0, 0]
    desk.drain()
    assert desk.unsettled() == [] and desk.current() == [FULLER]


def test_a_used_up_budget_lets_it_wait_for_the_next_day() -> None:
    desk = SettlingDesk(always("duplicate"), daily_calls=0)
    desk.alike(KITCHEN, FULLER)
    desk.known(KITCHEN)
    new = desk.known(FULLER)
    assert "budget" in {one.reason for one in desk.drain()}
    assert new.id in desk.unsettled()


def test_of_two_that_come_together_the_judge_is_asked_once_about_the_new_one() -> None:
    asked: list[str] = []

    def opinion(new: str, other: str) -> str:
        asked.append(new)
        return "duplicate"

    desk = SettlingDesk(opinion)
    desk.alike(KITCHEN, FULLER)
    desk.known(KITCHEN)
    desk.known(FULLER)
    desk.drain()
    assert asked == [FULLER] and desk.current() == [FULLER]


def test_a_verdict_on_two_may_name_either_but_nobody_else() -> None:
    for target, left in (("new", ["at Pine & Co"]), ("other", ["at Blue Kettle", "at Pine & Co"])):
        desk = SettlingDesk(always("coexist"))
        desk.alike("at Blue Kettle", "at Pine & Co", cosine=0.7)
        desk.known("at Blue Kettle")
        desk.clock.forward(days=1)
        new = desk.known("at Pine & Co")
        assert desk.judge is not None
        said = {"action": "supersede", "target_id": new.id if target == "new" else "01INVENTED"}
        desk.judge.replies = [json.dumps(said)]
        desk.drain()
        assert desk.current() == left


def test_one_that_was_done_without_seeing_this_is_not_left_to_itself() -> None:
    desk = SettlingDesk(always("duplicate"))
    desk.alike(KITCHEN, FULLER)
    first, second = desk.known(KITCHEN), desk.known(FULLER)
    desk.project()
    store, wire = desk.store, Tripwire()
    desk.store = Port(store, wire)  # type: ignore[assignment]

    def done() -> None:
        store.commit(home(), [Settled(memory=desk.read(second.id))])

    wire.arm(3, done)
    desk.settle(first.id)
    assert wire.names[2] == "InMemoryStore.get"
    desk.store = store
    assert desk.current() == [FULLER] and desk.unsettled() == []


def test_comparing_leaves_some_of_the_budget_for_what_is_new() -> None:
    desk = SettlingDesk(always("coexist"), daily_calls=5)
    texts = [f"The kitchen is {colour}" for colour in ("white", "green", "red", "blue", "pink")]
    desk.alike(*texts, cosine=0.7)
    for text in (*texts, "The kitchen is grey", "The kitchen is teal"):
        desk.known(text)
        desk.drain()
    assert desk.judge is not None and desk.judge.asked == 4
    assert len(desk.unsettled()) == 2
    desk.clock.forward(days=1)
    desk.overdue()
    desk.drain()
    assert desk.unsettled() == []


def test_an_answer_of_no_use_is_asked_for_once_more_then_both_are_kept() -> None:
    desk = SettlingDesk(always("duplicate"))
    desk.alike(KITCHEN, FULLER)
    desk.known(KITCHEN)
    desk.drain()
    assert desk.judge is not None
    desk.judge.replies = ["what?", "well"]
    desk.known(FULLER)
    assert [(one.state, one.asked) for one in desk.drain()] == [(State.SETTLED, 2)]
    assert len(desk.current()) == 2 and desk.unsettled() == []


def test_a_guard_outweighs_a_judge() -> None:
    desk = SettlingDesk(always("duplicate"))
    desk.alike("The budget is $500", "The budget is $800")
    ids = [desk.known(f"The budget is ${n}").id for n in (500, 800)]
    desk.drain()
    assert len(desk.current()) == 2
    told = desk.store.jobs.verdict(home(), *ids)
    assert told is not None and (told.verdict, told.by) == ("coexist", "guard:numbers")


@pytest.mark.parametrize("kind", [PutVerdict, Replace, Settled])
def test_a_lost_race_is_decided_again_without_asking_twice(kind: Any) -> None:
    desk = SettlingDesk(always("duplicate"))
    desk.alike(KITCHEN, FULLER)
    desk.known(KITCHEN)
    desk.drain()
    desk.known(FULLER)
    desk.store.faults.race_next(on=kind)
    desk.drain()
    assert desk.judge is not None and desk.judge.asked == 1
    assert desk.current() == [FULLER] and desk.unsettled() == []


def test_settling_again_changes_nothing() -> None:
    desk = SettlingDesk(always("update"))
    desk.alike("likes tea", "likes mate", cosine=0.7)
    ids = []
    for text in ("likes tea", "likes mate"):
        ids.append(desk.known(text).id)
        desk.clock.forward(days=1)
    desk.drain()
    before = [desk.read(one) for one in ids]
    for one in ids * 2:
        desk.settle(one)
    assert [desk.read(one) for one in ids] == before


def test_an_edited_text_is_another_pair() -> None:
    said = {"likes mate": "coexist", "hates tea": "contradiction"}
    desk = SettlingDesk(lambda new, other: said.get(new, "coexist"))
    desk.alike("likes tea", "likes mate", "hates tea", cosine=0.7)
    old = desk.known("likes tea")
    desk.clock.forward(days=1)
    new = desk.known("likes mate")
    desk.drain()
    assert len(desk.current()) == 2
    desk.edit(new.id, content="hates tea")
    assert desk.unsettled() == [new.id]
    desk.drain()
    assert desk.current() == ["hates tea"] and desk.read(old.id).superseded_by == new.id


def test_what_is_not_projected_yet_waits_and_what_has_no_words_does_not() -> None:
    desk = SettlingDesk()
    new = desk.known(TEA)
    assert desk.settle(new.id).reason == "projection"
    desk.project()
    assert desk.settle(new.id).state is State.SETTLED
    desk.forget(new.id)
    assert desk.settle(new.id).state is State.GONE


def test_another_users_memories_are_no_neighbours() -> None:
    desk = SettlingDesk(always("duplicate"))
    desk.alike(KITCHEN, FULLER)
    desk.known(KITCHEN, "eve")
    desk.known(FULLER, "ada")
    desk.drain()
    assert desk.judge is not None and desk.judge.asked == 0
    assert desk.current("eve") == [KITCHEN] and desk.current("ada") == [FULLER]


def test_authority_and_certainty_stay_within_bounds() -> None:
    desk = SettlingDesk(always("duplicate"))
    desk.alike(KITCHEN, FULLER)
    mine = desk.known(KITCHEN, confidence=0.6)
    turn = desk.said("the page says so")
    rumour = residence(
        FULLER, "2026-03-12T00:00:00Z", confidence=0.7, importance=1.0, tags=("x",)
    ).model_copy(update={"subject": None, "attribute": None, "evidence_ids": (turn.id,)})
    theirs = desk.write(rumour, ceiling=Origin.TOOL)
    desk.drain()
    stays = desk.read(mine.id)
    assert isinstance(stays, SemanticMemory)
    assert (stays.status, stays.origin, stays.confidence) == (Status.ACTIVE, Origin.OWNER, 0.6)
    assert (stays.importance, stays.tags, stays.evidence_ids) == (0.5, (), ())
    assert stays.last_seen_at is None
    assert desk.read(theirs.id).superseded_by == mine.id


def test_a_pattern_is_not_compared_with_what_is_none() -> None:
    desk = SettlingDesk(always("duplicate"))
    desk.alike(KITCHEN, FULLER)
    desk.known(KITCHEN, type="pattern")
    desk.known(FULLER)
    desk.drain()
    assert desk.judge is not None and desk.judge.asked == 0 and len(desk.current()) == 2
