"""What a reviewer may say of a memory, and what becomes of it; the same said twice is said once."""

from dataclasses import replace

import pytest

from hindwise.domain.changes import Create, Replace
from hindwise.domain.drafts import SemanticDraft, WorkingDraft
from hindwise.domain.memory import Mark, Status, Verdict
from hindwise.domain.reviews import CONSENSUS, PERIODIC, ReviewKind
from hindwise.domain.scope import Origin
from hindwise.domain.supersession import slot_key
from hindwise.errors import Conflict, Forbidden, NotFound, Unavailable
from tests.builders import episode, fact, newer
from tests.fakes import NoPatience
from tests.unit.usecases.desk import Desk, at
from tests.unit.usecases.reviewing import decisions, held, listed, says

DOOR = {"subject": "server room", "attribute": "floor"}
AGENT = {"ceiling": Origin.AGENT}


def flagged(desk: Desk, *flags: str, content: str = "tea") -> str:
    written = desk.known(content)
    before = desk.read(written.id)
    after = newer(before, flags=flags)
    desk.store.commit(desk.call().scope, [Replace(before=before, after=after)])
    return written.id


def test_what_is_released_takes_its_place_with_the_authority_that_it_had(desk: Desk) -> None:
    one = held(desk, "It is on floor 5", who=AGENT, value="5", **DOOR)
    assert listed(desk, one) == (ReviewKind.QUARANTINED,)
    desk.project()
    assert desk.contents("floor") == []
    memory = says(desk, "approve", one)
    assert (memory.status, memory.origin, memory.settled) == (Status.ACTIVE, Origin.AGENT, False)
    assert memory.marks == (Mark.REVIEWED,)
    assert memory.reviewed_at == desk.clock()
    assert memory.change_reason == "seen"
    desk.project()
    assert desk.contents("floor") == ["It is on floor 5"]
    assert listed(desk, one) == ()
    assert decisions(desk, one) == [("tester", "quarantined"), ("rita", "released")]
    again = desk.write(SemanticDraft(content="It is on floor 5", value="5", **DOOR), **AGENT)
    assert (again.id, again.outcome) == (one, "duplicate")


def test_a_released_value_supersedes_what_it_may(desk: Desk) -> None:
    old = desk.known("It is on floor 4", event_time=at("2026-01-01T00:00:00Z"), **DOOR)
    one = held(desk, "It is on floor 5", **DOOR)
    assert desk.read(old.id).status is Status.ACTIVE
    assert says(desk, "approve", one).supersedes == (old.id,)
    assert desk.read(old.id).superseded_by == one


def test_a_released_value_is_contested_where_the_slot_is_held_by_a_higher_one(desk: Desk) -> None:
    owner = desk.known("It is on floor 4", event_time=at("2026-01-01T00:00:00Z"), **DOOR)
    one = held(desk, "It is on floor 5", who=AGENT, **DOOR)
    first = says(desk, "approve", one)
    assert first.status is Status.CONTESTED
    assert listed(desk, one) == (ReviewKind.CONTESTED,)
    assert says(desk, "approve", one) == first
    assert desk.read(owner.id).status is Status.ACTIVE
    second = says(desk, "approve", one, if_match=first.version)
    assert (second.status, second.origin) == (Status.ACTIVE, Origin.AGENT)
    assert second.supersedes == (owner.id,)
    gone = desk.read(owner.id)
    assert (gone.status, gone.superseded_by) == (Status.SUPERSEDED, one)
    assert gone.verdicts[-1].reason == "a reviewer chose another value"
    assert second.verdicts[-1].reason == "a reviewer chose this value"
    assert ("rita", "chosen") in decisions(desk, one)


def test_a_chosen_value_is_superseded_by_the_next_by_the_usual_rules(desk: Desk) -> None:
    desk.known("It is on floor 4", event_time=at("2026-01-01T00:00:00Z"), **DOOR)
    draft = SemanticDraft(content="It is on floor 5", **DOOR)
    lost = desk.write(draft, **AGENT)
    assert lost.contested
    says(desk, "approve", lost.id)
    desk.clock.forward(days=1)
    last = desk.known("It is on floor 6", **DOOR)
    assert last.superseded == (lost.id,)


def test_a_value_that_lost_without_a_slot_is_chosen_against_what_it_lost_to(desk: Desk) -> None:
    scope = desk.call().scope
    sure, odd = desk.known("He is allergic"), desk.known("He is not allergic")
    before = desk.read(odd.id)
    verdict = Verdict(other=sure.id, verdict="contradiction", at=desk.clock())
    after = newer(before, status=Status.CONTESTED, verdicts=(verdict,))
    desk.store.commit(scope, [Replace(before=before, after=after)])
    assert says(desk, "approve", odd.id).status is Status.ACTIVE
    assert desk.read(sure.id).superseded_by == odd.id


def test_what_is_rejected_is_shown_to_nobody_and_no_mark_brings_it_back(desk: Desk) -> None:
    one = held(desk)
    gone = says(desk, "reject", one)
    assert (gone.status, gone.marks) == (Status.REJECTED, (Mark.REVIEWED, Mark.WRONG))
    assert says(desk, "reject", one) == gone
    assert listed(desk, one) == ()
    assert desk.edit(one, marks=frozenset()).status is Status.QUARANTINED
    assert listed(desk, one) == (ReviewKind.QUARANTINED,)


def test_a_writer_cannot_wave_through_what_is_quarantined(desk: Desk) -> None:
    one = held(desk)
    for marks in ({Mark.WRONG}, {Mark.OBSOLETE}, set(), {Mark.REVIEWED}):
        desk.edit(one, marks=frozenset(marks))
        assert desk.read(one).status in (Status.QUARANTINED, Status.REJECTED)


def test_rejecting_tells_what_rests_on_it_and_reopening_and_releasing_takes_it_back(
    desk: Desk,
) -> None:
    base, other = desk.said("The door is red"), desk.said("The gate is red")
    both = desk.known("All is red", evidence_ids=(base.id, other.id), confidence=0.8)
    alone = desk.known("The door was painted", evidence_ids=(base.id,), confidence=0.6)
    says(desk, "reject", base.id)
    assert desk.read(both.id).confidence == 0.4
    assert desk.read(alone.id).status is Status.OBSOLETE
    assert says(desk, "reopen", base.id).status is Status.QUARANTINED
    assert desk.read(alone.id).status is Status.OBSOLETE
    says(desk, "approve", base.id)
    for one, sure in ((both.id, 0.8), (alone.id, 0.6)):
        memory = desk.read(one)
        assert (memory.status, memory.confidence, memory.flags) == (Status.ACTIVE, sure, ())
    assert set(desk.read(both.id).evidence_ids) == {base.id, other.id}
    assert decisions(desk, alone.id)[-1] == ("rita", "evidence_restored")


def test_a_mark_taken_back_gives_dependants_back_what_it_took(desk: Desk) -> None:
    base, other = desk.said("The door is red"), desk.said("The gate is red")
    both = desk.known("All is red", evidence_ids=(base.id, other.id), confidence=0.8)
    for one in (base, other):
        desk.edit(one.id, marks=frozenset({Mark.WRONG}))
    assert desk.read(both.id).status is Status.OBSOLETE
    desk.edit(base.id, marks=frozenset())
    half = desk.read(both.id)
    assert (half.status, half.evidence_ids) == (Status.ACTIVE, (base.id,))
    assert half.flags == ("evidence_changed",)
    desk.edit(other.id, marks=frozenset())
    whole = desk.read(both.id)
    assert (whole.confidence, whole.flags) == (0.8, ())


def test_an_edit_releases_with_other_words(desk: Desk) -> None:
    one = held(desk, "Ignore it; the door is red")
    change = {"content": "The door is red", "metadata": {"by": "rita"}}
    memory = says(desk, "edit", one, change=change)
    assert (memory.status, memory.content) == (Status.ACTIVE, "The door is red")
    assert says(desk, "edit", one, change=change) == memory
    assert desk.known("The door is red").outcome == "duplicate"
    assert decisions(desk, one)[-1] == ("rita", "corrected")


def test_a_reviewer_does_not_put_words_into_the_mouth_of_a_higher_one(desk: Desk) -> None:
    one = held(desk)
    with pytest.raises(Forbidden):
        says(desk, "edit", one, change={"content": "other words"}, **AGENT)


def test_an_edited_contested_value_enters_the_slot_by_the_usual_rules(desk: Desk) -> None:
    desk.known("It is on floor 4", **DOOR)
    lost = desk.write(SemanticDraft(content="It is on floor 5", **DOOR), **AGENT)
    change = {"content": "It is on floor 4, at the back"}
    assert says(desk, "edit", lost.id, change=change).status is Status.CONTESTED


def test_periodic_and_consensus_stand_until_they_are_approved_or_rejected(desk: Desk) -> None:
    often = flagged(desk, PERIODIC, "personal.phone")
    odd = flagged(desk, CONSENSUS, content="coffee")
    assert listed(desk, often) == (ReviewKind.PERIODIC,)
    memory = says(desk, "approve", often)
    assert (memory.status, memory.flags) == (Status.ACTIVE, ("personal.phone",))
    assert says(desk, "approve", often) == memory
    assert listed(desk, often) == ()
    assert says(desk, "reject", odd).status is Status.REJECTED
    assert decisions(desk, often)[-1] == ("rita", "reviewed")


def test_a_reviewers_mark_does_what_approving_does_and_a_writers_does_not(desk: Desk) -> None:
    often = flagged(desk, PERIODIC)
    desk.edit(often, marks=frozenset({Mark.REVIEWED}))
    assert listed(desk, often) == (ReviewKind.PERIODIC,)
    says(desk, "edit", often, change={"importance": 0.9})
    assert listed(desk, often) == ()


def test_reopening_takes_what_was_released_out_of_use(desk: Desk) -> None:
    one = held(desk, "It is on floor 5", **DOOR)
    says(desk, "approve", one)
    back = says(desk, "reopen", one)
    assert (back.status, back.marks, back.reviewed_at) == (Status.QUARANTINED, (), None)
    assert says(desk, "reopen", one) == back
    slot = desk.store.slot(desk.call().scope, slot_key(desk.read(one)) or "")
    assert slot is not None
    assert slot.holder is None
    fresh = desk.known("It is on floor 5", **DOOR)
    assert fresh.outcome == "created"
    assert says(desk, "approve", one).status is not Status.QUARANTINED


def test_an_external_id_that_was_given_anew_is_not_taken_twice(desk: Desk) -> None:
    one = held(desk, "old words", external_id="crm-1")
    desk.known("new words", external_id="crm-1")
    with pytest.raises(Conflict, match="external_id"):
        says(desk, "approve", one)
    assert desk.read(one).status is Status.QUARANTINED


def test_a_released_turn_gets_a_place_in_its_session(desk: Desk) -> None:
    turn = episode("delete all of it", status=Status.QUARANTINED, session_id="s", external_id="t1")
    desk.store.commit(desk.call().scope, [Create(memory=turn)])
    desk.said("hello", session_id="s")
    memory = says(desk, "approve", turn.id)
    assert getattr(memory, "seq", None) == 2
    assert desk.said("delete all of it", session_id="s", external_id="t1").id == turn.id


@pytest.mark.parametrize("action", ["approve", "edit", "reopen"])
def test_what_has_ended_otherwise_is_not_decided_about(desk: Desk, action: str) -> None:
    first = desk.known("It is on floor 4", **DOOR)
    desk.clock.forward(days=1)
    desk.known("It is on floor 5", **DOOR)
    change = {"content": "x"} if action == "edit" else None
    with pytest.raises(Conflict, match="superseded"):
        says(desk, action, first.id, change=change)


def test_what_was_rejected_is_reopened_first(desk: Desk) -> None:
    one = held(desk)
    says(desk, "reject", one)
    with pytest.raises(Conflict, match="reopen it first"):
        says(desk, "approve", one)


def test_another_version_and_another_users_memory_are_not_decided_about(desk: Desk) -> None:
    one = held(desk)
    with pytest.raises(Conflict, match="version is 1"):
        says(desk, "approve", one, if_match=7)
    with pytest.raises(NotFound):
        says(desk, "approve", one, user="bob")
    desk.store.faults.race_next(2, on=Replace)
    assert says(desk, "approve", one).status is Status.ACTIVE


def test_who_loses_all_races_is_told_to_come_back(desk: Desk) -> None:
    one = held(desk)
    desk.tools = replace(desk.tools, patience=NoPatience)
    desk.store.faults.race_next(1, on=Replace)
    with pytest.raises(Unavailable):
        says(desk, "approve", one)


def test_a_scratch_value_is_not_reviewed(desk: Desk) -> None:
    value = desk.write(WorkingDraft(content="step 3", task_id="t", key="k"))
    with pytest.raises(Conflict, match="scratch"):
        says(desk, "approve", value.id)


def test_a_fact_nobody_listed_is_approved_all_the_same(desk: Desk) -> None:
    plain = fact("milk")
    desk.store.commit(desk.call().scope, [Create(memory=plain)])
    assert says(desk, "approve", plain.id).marks == (Mark.REVIEWED,)
