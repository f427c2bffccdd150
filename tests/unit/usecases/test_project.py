"""A document is a function of its record and of the turn before, whoever projects, and when."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from itertools import permutations

import pytest

from hindwise.domain.document import Document
from hindwise.domain.memory import Mark
from hindwise.domain.scope import Scope
from hindwise.errors import Invalid
from hindwise.usecases.project import project
from tests.unit.usecases.desk import Desk, home


def embedded(desk: Desk, memory_id: str) -> str:
    return desk.store.projections.documents(home(), [memory_id])[memory_id].text_hash


@pytest.mark.parametrize("order", list(permutations(range(3))))
def test_two_turns_at_one_place_give_the_next_one_the_same_document(
    desk: Desk, order: tuple[int, ...]
) -> None:
    said = [("the cat", 1), ("the dog", 1), ("and the horse", 2)]
    ids = [desk.said(content, session_id="s", seq=seq).id for content, seq in said]
    rows = [row for bucket in range(16) for row in desk.store.projections.dirty(bucket, 10)]
    by_id = {change.memory_id: (scope, change) for scope, change in rows}
    for place in order:
        project([by_id[ids[place]]], engine=desk.engine, now=desk.clock())
    apart = embedded(desk, ids[2])
    desk.forget(ids[0])
    desk.project()
    assert embedded(desk, ids[2]) == apart
    desk.forget(ids[1])
    desk.project()
    assert embedded(desk, ids[2]) != apart


@pytest.mark.parametrize("mark", [Mark.WRONG, Mark.OBSOLETE])
def test_a_marked_turn_leaves_the_vector_of_the_next_one(desk: Desk, mark: Mark) -> None:
    first = desk.said("the door code is 4711", session_id="s")
    second = desk.said("thanks", session_id="s")
    desk.project()
    together = embedded(desk, second.id)
    desk.edit(first.id, marks=frozenset({mark}))
    desk.project()
    assert embedded(desk, second.id) != together


def test_late_work_does_not_put_forgotten_words_back_into_the_next_turns_vector(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = desk.said("the door code is 4711", session_id="s")
    second = desk.said("thanks", session_id="s")
    put = desk.store.projections.put
    clean: list[str] = []

    def late(
        scope: Scope, documents: Sequence[Document], gone: Mapping[str, int], *, now: datetime
    ) -> None:
        monkeypatch.setattr(desk.store.projections, "put", put)
        desk.forget(first.id)
        desk.project()
        clean.append(embedded(desk, second.id))
        put(scope, documents, gone, now=now)

    monkeypatch.setattr(desk.store.projections, "put", late)
    desk.project()
    assert embedded(desk, second.id) == clean[0]


def test_nothing_waits_behind_a_document_that_the_table_never_takes(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    ids = [desk.said(content, session_id="s").id for content in ("one", "too long", "three")]
    other = desk.said("four", user="bob")
    put = desk.store.projections.put

    def refusing(
        scope: Scope, documents: Sequence[Document], gone: Mapping[str, int], *, now: datetime
    ) -> None:
        if ids[1] in [document.id for document in documents]:
            raise Invalid("the table does not take this record")
        put(scope, documents, gone, now=now)

    monkeypatch.setattr(desk.store.projections, "put", refusing)
    for _ in range(5):
        desk.project()
    assert set(desk.store.projections.documents(home(), ids)) == {ids[0], ids[2]}
    assert other.id in desk.store.projections.documents(home("bob"), [other.id])
    assert [change.memory_id for _, change in desk.store.projections.parked(10)].count(ids[1]) == 1
    assert desk.project().failed == {}


def test_what_cannot_be_read_is_kept_for_somebody_to_look_at(desk: Desk) -> None:
    broken = desk.said("whole at first")
    desk.project()
    desk.edit(broken.id, content="broken since")
    desk.store.faults.unreadable.add(broken.id)
    other, foreign = desk.said("another"), desk.said("of somebody else", user="bob")
    for _ in range(5):
        assert list(desk.project().failed.values()) == ["refused: its record cannot be read"]
    assert set(desk.store.projections.documents(home(), [broken.id, other.id])) == {
        broken.id,
        other.id,
    }
    assert foreign.id in desk.store.projections.documents(home("bob"), [foreign.id])
    [(_, parked)] = desk.store.projections.parked(10)
    assert parked.memory_id == broken.id
    assert desk.contents("another whole broken") == ["another"]
    assert desk.project().failed == {}
