"""The backlog: no change without its row, and exactly the handled rows go."""

from datetime import timedelta

import pytest

from hindwise.domain import changes as c
from hindwise.errors import Invalid
from tests import builders
from tests.builders import NOW
from tests.contract.backends import Backend

SCOPE = builders.scope()


def test_each_change_of_a_long_term_memory_leaves_a_row_in_order(backend: Backend):
    store, clock = backend.store, backend.clock
    one, two = builders.episode("one"), builders.fact("two")
    edited = builders.newer(one, content="edited")
    for actions in (
        [c.Create(memory=one)],
        [c.Create(memory=two), c.PutWorking(memory=builders.working())],
        [c.Replace(before=one, after=edited)],
        [c.Reproject(memory_id=two.id), c.Edge(source="x", kind="k", dependant=one.id)],
        [c.Forget(memory=edited, at=NOW)],
    ):
        store.commit(SCOPE, actions)
        clock.forward(milliseconds=1)
    found = store.backlog(SCOPE, 100)
    assert [row.memory_id for row in found.changes] == [one.id, two.id, one.id, two.id, one.id]
    assert not found.more
    keys = [row.key for row in found.changes]
    assert keys == sorted(keys, reverse=True)
    assert all(row.key.startswith("D#") and row.attempts == 0 for row in found.changes)


def test_one_commit_leaves_a_row_for_each_of_its_memories(backend: Backend):
    one, two = builders.fact("1"), builders.fact("2")
    after = builders.newer(one, content="x")
    backend.store.commit(SCOPE, [c.Create(memory=one)])
    both = [c.Replace(before=one, after=after), c.Create(memory=two), c.Reproject(memory_id=two.id)]
    backend.store.commit(SCOPE, both)
    rows = backend.store.backlog(SCOPE, 100).changes
    assert sorted(row.memory_id for row in rows) == sorted([one.id, one.id, two.id])


def test_a_lost_race_leaves_no_row(backend: Backend):
    one = builders.fact()
    backend.store.commit(SCOPE, [c.Create(memory=one)])
    with pytest.raises(c.Raced):
        backend.store.commit(SCOPE, [c.Create(memory=builders.fact()), c.Create(memory=one)])
    assert len(backend.store.backlog(SCOPE, 100).changes) == 1


def test_the_backlog_shows_the_newest_and_says_that_there_are_more(backend: Backend):
    memories = [builders.fact(str(number)) for number in range(5)]
    for one in memories:
        backend.store.commit(SCOPE, [c.Create(memory=one)])
        backend.clock.forward(milliseconds=1)
    found = backend.store.backlog(SCOPE, 3)
    assert [row.memory_id for row in found.changes] == [one.id for one in memories[:1:-1]]
    assert found.more
    assert not backend.store.backlog(SCOPE, 5).more


def test_clearing_removes_exactly_what_was_handled(backend: Backend):
    one = builders.fact()
    backend.store.commit(SCOPE, [c.Create(memory=one)])
    read = backend.store.backlog(SCOPE, 100).changes
    after = builders.newer(one, content="meanwhile")
    backend.clock.forward(milliseconds=1)
    backend.store.commit(SCOPE, [c.Replace(before=one, after=after)])
    backend.projections.clear(builders.scope("another"), read)
    assert len(backend.dirty()) == 2
    for _ in range(2):
        backend.projections.clear(SCOPE, read)
        left = backend.store.backlog(SCOPE, 100).changes
        assert [row.memory_id for row in left] == [one.id]
        assert left[0].key != read[0].key
    assert backend.dirty() == [(SCOPE, left[0])]
    backend.projections.clear(SCOPE, [])


def test_many_rows_are_cleared_at_once(backend: Backend):
    memories = [builders.fact(str(number)) for number in range(60)]
    for start in (0, 30):
        creates = [c.Create(memory=one) for one in memories[start : start + 30]]
        backend.store.commit(SCOPE, creates)
    rows = backend.store.backlog(SCOPE, 100).changes
    assert len(rows) == 60
    backend.projections.clear(SCOPE, rows)
    assert backend.store.backlog(SCOPE, 100).changes == ()
    assert backend.dirty() == []


def test_the_oldest_of_a_bucket_come_first_over_all_scopes(backend: Backend):
    memory = builders.fact()
    scopes = [builders.scope(f"user {number}") for number in (3, 1, 2)]
    for scope in scopes:
        backend.store.commit(scope, [c.Create(memory=memory)])
        backend.clock.forward(milliseconds=1)
    (bucket,) = (number for number in range(16) if backend.projections.dirty(number, 9))
    assert [scope for scope, _ in backend.projections.dirty(bucket, 9)] == scopes
    assert [scope for scope, _ in backend.projections.dirty(bucket, 2)] == scopes[:2]


def test_memories_spread_over_the_buckets(backend: Backend):
    for number in range(4):
        creates = [c.Create(memory=builders.fact(str(one))) for one in range(number, number + 30)]
        backend.store.commit(SCOPE, creates)
    used = [number for number in range(16) if backend.projections.dirty(number, 1)]
    assert len(used) == 16


def test_failed_attempts_are_counted_and_parked_rows_leave_the_queue(backend: Backend):
    one, two = builders.fact("1"), builders.fact("2")
    backend.store.commit(SCOPE, [c.Create(memory=one), c.Create(memory=two)])
    rows = {row.memory_id: row for row in backend.store.backlog(SCOPE, 9).changes}
    backend.projections.failed(SCOPE, rows[one.id], reason="mapper", park=False)
    backend.projections.failed(SCOPE, rows[one.id], reason="状态", park=False)
    attempts = {row.memory_id: row.attempts for _, row in backend.dirty()}
    assert attempts == {one.id: 2, two.id: 0}
    assert backend.projections.parked(9) == []
    backend.projections.failed(SCOPE, rows[one.id], reason="mapper", park=True)
    assert [row.memory_id for _, row in backend.dirty()] == [two.id]
    said = {"attempts": 3, "reason": "mapper", "parked": True}
    parked = rows[one.id].model_copy(update=said)
    assert backend.projections.parked(9) == [(SCOPE, parked)]
    assert parked in backend.store.backlog(SCOPE, 9).changes
    backend.projections.clear(SCOPE, [parked])
    assert backend.projections.parked(9) == []


def test_a_failure_does_not_bring_a_cleared_row_back(backend: Backend):
    backend.store.commit(SCOPE, [c.Create(memory=builders.fact())])
    (row,) = backend.store.backlog(SCOPE, 9).changes
    backend.projections.clear(SCOPE, [row])
    backend.projections.failed(SCOPE, row, reason="late", park=True)
    assert backend.store.backlog(SCOPE, 9).changes == ()
    assert backend.projections.parked(9) == []


def test_a_commit_of_nothing_does_nothing(backend: Backend):
    backend.store.commit(SCOPE, [])
    assert backend.store.backlog(SCOPE, 9).changes == ()


def test_requests_are_answered_in_the_same_transaction(backend: Backend):
    memory = builders.fact()
    row = builders.request(state="done", answer="created x")
    backend.store.commit(SCOPE, [c.Create(memory=memory), c.Answered(request=row)])
    assert backend.requests.find("acme", "tester", row.key_hash, now=NOW) == row
    other = builders.fact()
    again = c.Answered(request=row.model_copy(update={"answer": "other"}))
    with pytest.raises(c.Raced) as lost:
        backend.store.commit(SCOPE, [c.Create(memory=other), again])
    assert lost.value.on(c.Answered)
    assert not lost.value.on(c.Create)
    assert backend.store.get(SCOPE, [other.id]) == {}


def test_a_closing_answer_may_follow_its_own_open_row_only(backend: Backend):
    row = builders.request()
    done = row.model_copy(update={"state": "done"})
    backend.store.commit(SCOPE, [c.Answered(request=row)])
    foreign = done.model_copy(update={"digest": "e" * 64})
    for refused in (
        c.Answered(request=done),
        c.Answered(request=foreign, closing=True),
    ):
        with pytest.raises(c.Raced):
            backend.store.commit(SCOPE, [refused])
    backend.store.commit(SCOPE, [c.Answered(request=done, closing=True)])
    with pytest.raises(c.Raced):
        backend.store.commit(SCOPE, [c.Answered(request=done, closing=True)])
    backend.clock.now = row.expires
    assert backend.requests.find("acme", "tester", row.key_hash, now=row.expires) is None
    fresh = row.model_copy(update={"expires": row.expires + timedelta(hours=24)})
    backend.store.commit(SCOPE, [c.Answered(request=fresh)])
    assert backend.requests.find("acme", "tester", row.key_hash, now=row.expires) == fresh


@pytest.mark.ministack
def test_more_rows_than_a_transaction_takes_are_refused(table, dynamodb):
    from tests.contract.backends import on_dynamodb

    store = on_dynamodb(dynamodb, table).store
    creates = [c.Create(memory=builders.fact(str(number))) for number in range(51)]
    with pytest.raises(Invalid):
        store.commit(SCOPE, creates)
    twice = c.Claim(key="k", memory_id="a", now=NOW)
    with pytest.raises(Invalid):
        store.commit(SCOPE, [twice, twice])
    assert store.page(SCOPE, after=None, examine=9).examined == 0
