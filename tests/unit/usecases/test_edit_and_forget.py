"""Editing keeps the past and moves what hangs on the record.

Forgetting leaves a tombstone and revives nothing.
"""

from typing import Any

import pytest

from hindwise.domain.changes import Replace
from hindwise.domain.drafts import Edit, SemanticDraft
from hindwise.domain.memory import Mark, Status
from hindwise.domain.scope import Origin
from hindwise.errors import Conflict, Forbidden, Invalid, NotFound
from hindwise.usecases.edit import edit
from hindwise.usecases.write import write
from tests.unit.usecases.desk import Desk, at

SLOT = {"subject": "room", "attribute": "number"}


def test_an_edit_changes_what_it_names_and_nothing_else(desk: Desk) -> None:
    born = desk.clock()
    written = desk.said(
        "Sings in the harbour choir",
        tags=("hobby",),
        metadata={"category": "music", "shelf": "s7"},
        event_time=at("2026-01-01T00:00:00Z"),
        importance=0.6,
    )
    later = desk.clock.forward(days=120)
    desk.edit(written.id, content="Plays the drums in a band", metadata={"category": "rhythm"})
    memory = desk.read(written.id)
    assert memory.content == "Plays the drums in a band"
    assert memory.metadata == {"category": "rhythm", "shelf": "s7"}
    assert (memory.tags, memory.importance, memory.created_at) == (("hobby",), 0.6, born)
    assert memory.event_time == at("2026-01-01T00:00:00Z")
    assert (memory.updated_at, memory.version) == (later, 2)
    old = desk.store.versions(desk.call().scope, written.id)
    assert [one.content for one in old] == ["Sings in the harbour choir"]


def test_a_null_entry_takes_a_key_out_of_the_metadata(desk: Desk) -> None:
    written = desk.said("x", metadata={"a": 1, "b": 2})
    desk.edit(written.id, metadata={"a": None})
    assert desk.read(written.id).metadata == {"b": 2}


def test_a_field_of_another_kind_is_named(desk: Desk) -> None:
    with pytest.raises(Invalid, match="subject"):
        desk.edit(desk.said("x").id, subject="y")


def test_if_match_refuses_a_version_that_is_gone(desk: Desk) -> None:
    written = desk.said("x")
    desk.edit(written.id, content="y", if_match=1)
    with pytest.raises(Conflict, match="version is 2"):
        desk.edit(written.id, content="z", if_match=1)


def test_a_lost_race_is_read_and_merged_again(desk: Desk) -> None:
    written = desk.said("x", tags=("a",))
    desk.store.faults.race_next(2, on=Replace)
    desk.edit(written.id, content="y")
    assert desk.read(written.id).content == "y"


def test_an_edit_moves_the_slot(desk: Desk) -> None:
    taste: dict[str, Any] = {"subject": "Ann", "attribute": "drink"}
    tea = desk.known("Ann drinks tea", **taste)
    other = desk.known("Ann's mug is blue", subject="Ann", attribute="mug")
    desk.clock.forward(minutes=1)
    desk.edit(other.id, attribute="drink", content="Ann drinks coffee")
    assert desk.read(other.id).status is Status.ACTIVE
    newest = desk.known("Ann drinks water", **taste, event_time=desk.clock.forward(minutes=1))
    states = {one: desk.read(one).status for one in (tea.id, other.id, newest.id)}
    assert list(states.values()).count(Status.ACTIVE) == 1
    assert states[newest.id] is Status.ACTIVE
    freed = desk.known("Ann's mug is red", subject="Ann", attribute="mug")
    assert freed.superseded == ()


def test_an_edited_text_may_be_written_again(desk: Desk) -> None:
    first = desk.known("old words")
    desk.edit(first.id, content="new words")
    assert desk.known("old words").id != first.id
    assert desk.known("new words").id == first.id


def test_marks_show_in_the_state_and_can_be_taken_back(desk: Desk) -> None:
    written = desk.known("旧机房的门牌在三号楼")
    desk.edit(written.id, marks=frozenset({Mark.OBSOLETE}))
    assert desk.read(written.id).status is Status.OBSOLETE
    assert desk.read(written.id).change_reason == "a test says so"
    desk.edit(written.id, marks=frozenset({Mark.PINNED}))
    assert desk.read(written.id).status is Status.ACTIVE
    desk.edit(written.id, marks=frozenset({Mark.WRONG}))
    assert desk.read(written.id).status is Status.REJECTED


def test_a_wrong_value_leaves_its_slot(desk: Desk) -> None:
    where: dict[str, Any] = {"subject": "用户", "attribute": "居住地"}
    wrong = desk.known("住在火星", **where)
    desk.edit(wrong.id, marks=frozenset({Mark.WRONG}))
    right = desk.known("住在上海", **where, event_time=at("2020-01-01T00:00:00Z"))
    assert desk.read(right.id).status is Status.ACTIVE


def test_forgetting_is_for_good_and_for_this_one_only(desk: Desk) -> None:
    kept, gone = desk.known("kept"), desk.known("gone")
    desk.forget(gone.id)
    assert desk.read(gone.id) is None and desk.read(kept.id) is not None
    assert desk.store.versions(desk.call().scope, gone.id) == []
    with pytest.raises(NotFound):
        desk.forget(gone.id)
    with pytest.raises(NotFound):
        desk.edit(gone.id, content="back")


def test_forgetting_the_current_value_revives_no_earlier_one(desk: Desk) -> None:
    where: dict[str, Any] = {"subject": "用户", "attribute": "居住地"}
    old = desk.known("住在北京", **where, event_time=at("2026-01-01T00:00:00Z"))
    new = desk.known("住在上海", **where, event_time=at("2026-02-01T00:00:00Z"))
    desk.forget(new.id)
    assert desk.read(old.id).status is Status.SUPERSEDED
    third = desk.known("住在广州", **where, event_time=at("2026-01-15T00:00:00Z"))
    assert desk.read(third.id).status is Status.ACTIVE


def test_the_audit_chain_holds_and_breaks_when_it_is_touched(desk: Desk) -> None:
    from hindwise.domain.audit import unbroken

    written = desk.known("x")
    desk.edit(written.id, content="y")
    chain = desk.store.audit(desk.call().scope, written.id)
    head = desk.read(written.id).audit_head
    assert [entry.decision for entry in chain] == ["created", "edited"]
    assert unbroken(chain, head, desk.tools.seal)
    forged = [chain[0].model_copy(update={"actor": "mallory"}), chain[1]]
    assert not unbroken(forged, head, desk.tools.seal)
    assert not unbroken(chain[:1], head, desk.tools.seal)


@pytest.mark.parametrize("change", [{"content": "z"}, {"marks": frozenset({Mark.WRONG})}])
def test_lower_authority_does_not_speak_through_a_memory_of_higher(
    desk: Desk, change: dict[str, Any]
) -> None:
    """Its origin stays with a memory, so whoever changes its words borrows that authority."""
    owned = desk.known("The user's bank is Lindbank", external_id="bank")
    low = desk.ledger(ceiling=Origin.AGENT)
    with pytest.raises(Forbidden, match="by owner"):
        edit(owned.id, Edit(reason="says the agent", **change), ledger=low)
    draft = SemanticDraft(content="The user's bank is Evilbank", external_id="bank")
    with pytest.raises(Forbidden, match="by owner"):
        write(draft, ledger=low)
    assert desk.read(owned.id) == owned.memory
    again = SemanticDraft(content="The user's bank is Lindbank", external_id="bank")
    assert write(again, ledger=low).id == owned.id


def test_equal_authority_may_edit(desk: Desk) -> None:
    low = desk.ledger(ceiling=Origin.AGENT)
    said = write(SemanticDraft(content="x"), ledger=low)
    assert desk.read(edit(said.id, Edit(reason="r", content="y"), ledger=low).id).content == "y"
    assert desk.edit(said.id, content="z").origin is Origin.AGENT


def test_a_contested_value_that_was_about_something_else_is_decided_there(desk: Desk) -> None:
    desk.known("the lift is out", subject="lift", attribute="state", confidence=1.0)
    new = desk.known("it is fine", subject="lift", attribute="state", confidence=0.4)
    assert new.contested
    desk.edit(new.id, subject="stairs")
    assert desk.read(new.id).status is Status.ACTIVE
    later = desk.known("they are wet", subject="stairs", attribute="state")
    assert later.superseded == (new.id,)


@pytest.mark.parametrize("marks", [frozenset(), frozenset({Mark.OBSOLETE})])
def test_unmarking_does_not_revive_what_was_superseded(desk: Desk, marks: frozenset[Mark]) -> None:
    old = desk.known("lives in Graz", subject="ada", attribute="city")
    new = desk.known("lives in Linz", subject="ada", attribute="city")
    desk.forget(new.id)
    desk.edit(old.id, marks=frozenset({Mark.WRONG}))
    desk.edit(old.id, marks=marks)
    assert desk.read(old.id).status is Status.SUPERSEDED


def test_a_corrected_event_time_moves_the_validity_that_came_from_it(desk: Desk) -> None:
    said = desk.known("lives in Graz", subject="ada", attribute="city")
    then = at("2020-01-01T00:00:00Z")
    desk.edit(said.id, event_time=then)
    assert desk.read(said.id).valid_from == then
    desk.edit(said.id, event_time=desk.clock(), valid_from=at("2021-01-01T00:00:00Z"))
    desk.edit(said.id, event_time=then)
    assert desk.read(said.id).valid_from == at("2021-01-01T00:00:00Z")


@pytest.mark.parametrize(
    ("fields", "change"),
    [({}, {"type": "preference"}), ({}, {"scene": "work"}), (SLOT, {"subject": "desk"})],
)
def test_a_memory_that_moved_does_not_stand_for_its_old_text(
    desk: Desk, fields: dict[str, Any], change: dict[str, Any]
) -> None:
    moved = desk.known("No. 8", **fields)
    desk.edit(moved.id, **change)
    again = desk.known("No. 8", **fields)
    assert (again.outcome, again.id != moved.id) == ("created", True)
    assert desk.known("No. 8", **{**fields, **change}).id == moved.id
    assert desk.known("No. 8", **fields).id == again.id


def test_a_new_value_under_the_external_id_of_a_superseded_one_becomes_current(desk: Desk) -> None:
    first = desk.known("No. 8", external_id="crm-7", **SLOT)
    second = desk.known("No. 9", **SLOT)
    assert desk.known("No. 8", external_id="crm-7", **SLOT).id == first.id
    assert desk.read(second.id).status is Status.ACTIVE
    third = desk.known("No. 10", external_id="crm-7", **SLOT)
    assert (third.outcome, third.superseded) == ("created", (second.id,))
    assert desk.read(first.id).content == "No. 8"
    assert desk.known("No. 11", external_id="crm-7", **SLOT).id == third.id


@pytest.mark.parametrize(
    ("name", "first", "second"),
    [
        ("tool_results", ({"exit": 0},), ({"exit": 1},)),
        ("task_id", "t-1", "t-2"),
        ("session_id", "s-1", "s-2"),
        ("seq", 1, 2),
        ("speaker", "Ann", "Bob"),
        ("agent_id", "a", "b"),
    ],
)
def test_what_an_external_id_cannot_change_is_named_and_not_dropped(
    desk: Desk, name: str, first: Any, second: Any
) -> None:
    session: dict[str, Any] = {} if name == "session_id" else {"session_id": "s-1"}
    written = desk.said("x", external_id="m-1", **session, **{name: first})
    assert desk.said("x", external_id="m-1", **session, **{name: first}).id == written.id
    with pytest.raises(Invalid, match=name):
        desk.said("y", external_id="m-1", **session, **{name: second})
    assert desk.read(written.id).version == 1
