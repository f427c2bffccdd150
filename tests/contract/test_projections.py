"""Projected documents: they follow their records, and nothing late brings a memory back."""

from array import array
from datetime import datetime, timedelta
from random import Random

import pytest

from hindwise.adapters.dynamodb.keys import DIRTY_BUCKETS, SHARDS, bucket
from hindwise.domain import changes as c
from hindwise.domain.document import Document
from hindwise.domain.memory import LongTermMemory
from hindwise.domain.scope import Scope
from tests import builders
from tests.builders import NOW
from tests.contract.backends import Backend, on_dynamodb

SCOPE = builders.scope()
UNIT = array("f", [0.5, -0.5, 0.25, 0.125])


def stored(backend: Backend, count: int, shard: int | None = None) -> list[LongTermMemory]:
    memories = []
    while len(memories) < count:
        memory = builders.episode(f"memory {len(memories)}")
        if shard in (None, bucket(memory.id, SHARDS)):
            memories.append(memory)
    for start in range(0, count, 30):
        creates = [c.Create(memory=one) for one in memories[start : start + 30]]
        backend.store.commit(SCOPE, creates)
    return memories


def test_a_document_comes_back_with_its_vector(backend: Backend):
    known = builders.fact(
        "张三喝茶。", metadata={"n": 1e-07}, valid_until=NOW, entities=("张三",), task_id="t"
    )
    happened = builders.episode(session_id="s", seq=3, speaker="7号")
    backend.store.commit(SCOPE, [c.Create(memory=one) for one in (known, happened)])
    documents = [
        builders.document(known, words="张三 喝茶 tea", vector=UNIT),
        builders.document(happened, words=""),
    ]
    backend.projections.put(SCOPE, documents, {}, now=NOW)
    found = backend.projections.documents(SCOPE, [happened.id, known.id, "01MISSING"])
    assert found == {one.id: one for one in documents}
    assert found[known.id].vector == UNIT
    assert found[happened.id].vector is None
    assert found[known.id].facets == documents[0].facets


def test_half_precision_is_close(backend: Backend):
    (memory,) = stored(backend, 1)
    draw = Random(7)
    vector = array("f", [draw.gauss(0, 0.05) for _ in range(512)])
    document = builders.document(memory, vector=vector)
    backend.projections.put(SCOPE, [document], {}, now=NOW)
    got = backend.projections.documents(SCOPE, [memory.id])[memory.id].vector
    assert got is not None
    assert got.typecode == "f"
    assert len(got) == 512
    assert max(abs(a - b) for a, b in zip(got, vector, strict=True)) < 1e-4


def test_the_newest_documents_come_newest_first(backend: Backend):
    memories = stored(backend, 60)
    documents = [builders.document(one, vector=UNIT) for one in memories]
    backend.projections.put(SCOPE, documents, {}, now=NOW)
    newest = [one.id for one in memories[::-1]]
    for limit in (1, 7, 59, 60, 61, 2000):
        found = [one.id for one in backend.projections.newest(SCOPE, limit)]
        assert found == newest[:limit]
    assert backend.projections.newest(SCOPE, 0) == []
    backend.projections.put(SCOPE, [], dict.fromkeys(newest[:2], 2**31), now=NOW)
    assert [one.id for one in backend.projections.newest(SCOPE, 2)] == newest[2:4]


def test_the_newest_are_found_where_one_shard_holds_them_all(backend: Backend):
    memories = [*stored(backend, 12), *stored(backend, 50, shard=3)]
    documents = [builders.document(one) for one in memories]
    backend.projections.put(SCOPE, documents, {}, now=NOW)
    newest = [one.id for one in memories[::-1]]
    for limit in (1, 40, 55):
        assert [one.id for one in backend.projections.newest(SCOPE, limit)] == newest[:limit]


def test_an_older_document_never_replaces_a_newer_one(backend: Backend):
    (old,) = stored(backend, 1)
    new = builders.newer(old, content="newer")
    backend.store.commit(SCOPE, [c.Replace(before=old, after=new)])
    backend.projections.put(SCOPE, [builders.document(new, words="new")], {}, now=NOW)
    backend.projections.put(SCOPE, [builders.document(old, words="old")], {}, now=NOW)
    assert backend.projections.documents(SCOPE, [old.id])[old.id].words == "new"
    again = builders.document(new, words="new, after another turn")
    backend.projections.put(SCOPE, [again], {}, now=NOW)
    assert backend.projections.documents(SCOPE, [old.id]) == {old.id: again}


def test_what_is_late_does_not_outlive_its_record(backend: Backend):
    gone, edited = stored(backend, 2)
    late = [builders.document(one) for one in (gone, edited)]
    backend.store.commit(SCOPE, [c.Forget(memory=gone, at=NOW)])
    newer = builders.newer(edited, content="newer")
    backend.store.commit(SCOPE, [c.Replace(before=edited, after=newer)])
    backend.projections.put(SCOPE, late, {}, now=NOW)
    assert backend.projections.documents(SCOPE, [gone.id, edited.id]) == {}
    assert backend.projections.newest(SCOPE, 9) == []


def test_a_late_removal_does_not_take_a_newer_document_with_it(backend: Backend):
    (held,) = stored(backend, 1)
    released = builders.newer(held)
    backend.store.commit(SCOPE, [c.Replace(before=held, after=released)])
    backend.projections.put(SCOPE, [builders.document(released)], {}, now=NOW)
    backend.projections.put(SCOPE, [], {held.id: held.version}, now=NOW)
    assert list(backend.projections.documents(SCOPE, [held.id])) == [held.id]
    backend.projections.put(SCOPE, [], {held.id: released.version}, now=NOW)
    assert backend.projections.documents(SCOPE, [held.id]) == {}


def logged(backend: Backend, since: datetime) -> tuple[str, ...]:
    return tuple(one for row in backend.projections.logged(SCOPE, since=since) for one in row.ids)


def test_the_log_names_what_was_projected(backend: Backend):
    one, two, three = stored(backend, 3)
    backend.projections.put(SCOPE, [builders.document(one)], {two.id: 1}, now=backend.clock())
    assert set(logged(backend, NOW)) == {one.id, two.id}
    later = backend.clock.forward(minutes=30)
    backend.projections.put(SCOPE, [builders.document(three)], {}, now=later)
    assert logged(backend, later) == (three.id,)
    assert set(logged(backend, NOW)) == {one.id, two.id, three.id}
    backend.clock.forward(minutes=40)
    assert logged(backend, NOW) == (three.id,)
    assert backend.projections.logged(builders.scope("another"), since=NOW) == ()


@pytest.mark.ministack
def test_embedders_do_not_meet_and_forgetting_clears_them_all(table, dynamodb):
    first = on_dynamodb(dynamodb, table, "a/512")
    second = on_dynamodb(dynamodb, table, "b#张三/512")
    kept, gone = stored(first, 2)
    for backend, words in ((first, "first"), (second, "second")):
        documents = [builders.document(one, words=words) for one in (kept, gone)]
        backend.projections.put(SCOPE, documents, {}, now=NOW)
    assert [one.words for one in first.projections.newest(SCOPE, 9)] == ["first", "first"]
    assert second.projections.documents(SCOPE, [kept.id])[kept.id].words == "second"
    first.store.commit(SCOPE, [c.Forget(memory=gone, at=NOW)])
    for backend in (first, second):
        assert [one.id for one in backend.projections.newest(SCOPE, 9)] == [kept.id]
    vectors = [
        item
        for item in dynamodb.scan(TableName=table)["Items"]
        if "#V#" in item["pk"]["S"] and gone.id in item["sk"]["S"]
    ]
    assert vectors == []


def test_a_log_row_is_kept_an_hour(backend: Backend):
    (one,) = stored(backend, 1)
    backend.projections.put(SCOPE, [], {one.id: 1}, now=backend.clock())
    since = backend.clock() - timedelta(seconds=1)
    backend.clock.forward(minutes=59)
    assert logged(backend, since) == (one.id,)
    backend.clock.forward(minutes=2)
    assert logged(backend, since) == ()


def test_what_fails_goes_behind_the_others(backend: Backend):
    memories: list[LongTermMemory] = []
    while len(memories) < 3:
        memory = builders.episode(f"memory {len(memories)}")
        if bucket(memory.id, DIRTY_BUCKETS) == 5:
            memories.append(memory)
    for one in memories:
        backend.store.commit(SCOPE, [c.Create(memory=one)])
        backend.clock.forward(seconds=1)
    first = backend.projections.dirty(5, 1)
    assert [change.memory_id for _, change in first] == [memories[0].id]
    backend.projections.failed(SCOPE, first[0][1], reason="embedder unavailable", park=False)
    order = [change.memory_id for _, change in backend.projections.dirty(5, 9)]
    assert order == [one.id for one in (*memories[1:], memories[0])]
    assert backend.projections.dirty(5, 9)[2][1].attempts == 1


def test_what_cannot_be_done_yet_waits_out_of_the_way(backend: Backend):
    late, other = stored(backend, 2)
    (row,) = [one for _, one in backend.dirty() if one.memory_id == late.id]
    until = backend.clock() + timedelta(hours=3)
    backend.projections.failed(SCOPE, row, reason="used up", park=False, until=until)
    assert [one.memory_id for _, one in backend.dirty()] == [other.id]
    assert len(backend.store.backlog(SCOPE, 9).changes) == 2
    backend.clock.forward(hours=3, seconds=1)
    assert {one.memory_id for _, one in backend.dirty()} == {late.id, other.id}


def test_a_row_says_why_it_failed_and_that_it_is_parked(backend: Backend):
    (memory,) = stored(backend, 1)
    ((_, change),) = backend.dirty()
    assert (change.reason, change.parked) == ("", False)
    backend.projections.failed(SCOPE, change, reason="embedder unavailable", park=False)
    ((_, change),) = backend.dirty()
    assert (change.reason, change.parked) == ("embedder unavailable", False)
    backend.projections.failed(SCOPE, change, reason="refused: at facts", park=True)
    assert backend.dirty() == []
    ((scope, parked),) = backend.projections.parked(9)
    assert (scope, parked.memory_id, parked.attempts) == (SCOPE, memory.id, 2)
    assert (parked.reason, parked.parked) == ("refused: at facts", True)
    assert backend.store.backlog(SCOPE, 9).changes == (parked,)
    backend.projections.failed(SCOPE, parked, reason="index unavailable", park=False)
    assert backend.dirty() == [] and len(backend.projections.parked(9)) == 1, "it stays parked"
    backend.projections.clear(SCOPE, [parked])
    assert backend.projections.parked(9) == []


def walked(backend: Backend) -> list[tuple[Scope, Document]]:
    """Everything that a walk gives, page by page."""
    found: list[tuple[Scope, Document]] = []
    cursor: str | None = ""
    while cursor is not None:
        page, cursor = backend.projections.walk(cursor)
        found += page
    return found


def test_a_walk_gives_every_document_of_every_scope_once(backend: Backend):
    assert walked(backend) == []
    expected = []
    for scope in (SCOPE, builders.scope("张三"), builders.scope("ada", tenant="other")):
        memories = [builders.episode(f"memory {n}") for n in range(20)]
        backend.store.commit(scope, [c.Create(memory=one) for one in memories])
        documents = [builders.document(one, vector=UNIT) for one in memories]
        backend.projections.put(scope, documents, {}, now=NOW)
        backend.projections.put(scope, [], {documents[0].id: 1}, now=NOW)
        expected += [(scope, one) for one in documents[1:]]
    found = walked(backend)
    assert sorted(found, key=lambda one: one[1].id) == sorted(expected, key=lambda one: one[1].id)


@pytest.mark.ministack
def test_a_walk_of_many_pages_can_be_taken_up_by_another_process(table, dynamodb):
    """Its cursor is all that is kept; a page of the table is a megabyte."""
    first = on_dynamodb(dynamodb, table)
    memories = [builders.episode(f"memory {n}" + "x" * 15_000) for n in range(150)]
    for start in range(0, 150, 30):
        first.store.commit(SCOPE, [c.Create(memory=one) for one in memories[start : start + 30]])
    documents = [builders.document(one) for one in memories]
    first.projections.put(SCOPE, documents, {}, now=NOW)
    found, pages, cursor = [], 0, ""
    while cursor is not None:
        page, cursor = on_dynamodb(dynamodb, table).projections.walk(cursor)
        found += [document.id for _, document in page]
        pages += 1
    assert pages > 2 and sorted(found) == sorted(one.id for one in memories)


@pytest.mark.ministack
def test_a_walk_meets_the_current_embedder_alone(table, dynamodb):
    first = on_dynamodb(dynamodb, table, "a/512")
    second = on_dynamodb(dynamodb, table, "b#a/512")
    (memory,) = stored(first, 1)
    first.projections.put(SCOPE, [builders.document(memory, words="first")], {}, now=NOW)
    second.projections.put(SCOPE, [builders.document(memory, words="second")], {}, now=NOW)
    assert [one.words for _, one in walked(first)] == ["first"]
    assert [one.words for _, one in walked(second)] == ["second"]
