"""What is due, leases, and what fading does in a commit; on the fakes and on the table."""

from collections.abc import Callable
from datetime import timedelta

import pytest

from hindwise.adapters.dynamodb.fading import DynamoFadingList
from hindwise.adapters.dynamodb.store import DynamoStore
from hindwise.adapters.dynamodb.table import Table
from hindwise.domain import changes as c
from hindwise.domain.fading_changes import Looked, Rewrite
from hindwise.domain.ports import FadingList, Lease, MemoryStore, Overdue
from tests.builders import NOW, Clock, episode, fact, new_id, newer, scope
from tests.fakes import InMemoryStore

SCOPE = scope("李 四")
LATER = NOW + timedelta(days=40)


class Stage:
    def __init__(self, store: MemoryStore, fading: FadingList) -> None:
        self.store, self.fading = store, fading

    def due(self, now=LATER, **given) -> list[Overdue]:
        found = (self.fading.overdue(b, now=now, limit=100, **given) for b in range(64))
        return [one for some in found for one in some]

    def ids(self, now=LATER) -> set[str]:
        return {one.memory_id for one in self.due(now)}


@pytest.fixture(params=["memory", pytest.param("ministack", marks=pytest.mark.ministack)])
def stage(request: pytest.FixtureRequest) -> Stage:
    if request.param == "memory":
        store = InMemoryStore(Clock(), new_id)
        return Stage(store, store.fading)
    table = Table(request.getfixturevalue("dynamodb"), request.getfixturevalue("table"))
    return Stage(DynamoStore(table, clock=Clock(), new_id=new_id), DynamoFadingList(table))


def test_a_memory_is_due_at_its_date_in_its_scope(stage: Stage):
    soon, never = episode(importance=0.2), fact(confidence=0.2)
    stage.store.commit(SCOPE, [c.Create(memory=soon), c.Create(memory=never)])
    assert stage.due(NOW) == []
    due = NOW + timedelta(days=7)
    assert stage.due(due) == [Overdue(scope=SCOPE, memory_id=soon.id, due=due)]


def test_what_was_looked_at_comes_back_at_its_next_date_or_never(stage: Stage):
    memory = episode(importance=0.2)
    stage.store.commit(SCOPE, [c.Create(memory=memory)])
    due = NOW + timedelta(days=30)
    stage.store.commit(SCOPE, [Looked(memory=memory, due=due)])
    assert stage.ids(due - timedelta(seconds=1)) == set()
    assert stage.ids(due) == {memory.id}
    stage.store.commit(SCOPE, [Looked(memory=memory, due=None)])
    assert stage.ids(due) == set()
    with pytest.raises(c.Raced):
        stage.store.commit(SCOPE, [Looked(memory=memory, due=due)])


def test_a_look_at_what_has_changed_or_waits_for_comparison_moves_nothing(stage: Stage):
    memory, waits = episode(importance=0.2), fact(settled=False, importance=0.2)
    stage.store.commit(SCOPE, [c.Create(memory=memory), c.Create(memory=waits)])
    after = newer(memory, content="changed")
    stage.store.commit(SCOPE, [c.Replace(before=memory, after=after)])
    for one in (memory, waits):
        with pytest.raises(c.Raced):
            stage.store.commit(SCOPE, [Looked(memory=one, due=None)])
    assert stage.ids() == {memory.id}
    stage.store.commit(SCOPE, [c.Settled(memory=waits)])
    assert stage.ids() == {memory.id, waits.id}


def test_what_is_due_is_read_in_pieces_from_where_the_last_one_ended(stage: Stage):
    memories = [episode(importance=0.2) for _ in range(40)]
    for start in range(0, 40, 20):
        stage.store.commit(SCOPE, [c.Create(memory=one) for one in memories[start : start + 20]])
    found: list[str] = []
    for bucket in range(64):
        after = None
        while some := stage.fading.overdue(bucket, now=LATER, limit=1, after=after):
            after = some[-1]
            found.append(after.memory_id)
    assert sorted(found) == sorted(one.id for one in memories)


@pytest.fixture
def seen(stage: Stage) -> tuple:
    """A memory that was accessed since it was read, as it was read."""
    memory = episode(importance=0.2)
    stage.store.commit(SCOPE, [c.Create(memory=memory)])
    stage.store.touch(SCOPE, [c.Touch(memory_id=memory.id, times=1, at=NOW)])
    return stage, memory


@pytest.mark.parametrize(
    "act",
    [
        lambda memory, hits: c.Forget(memory=memory, at=NOW, hits=hits),
        lambda memory, hits: Rewrite(before=memory, after=newer(memory, content=""), hits=hits),
    ],
)
def test_what_was_decided_by_accesses_is_done_under_them(seen, act: Callable[..., c.Action]):
    stage, memory = seen
    with pytest.raises(c.Raced):
        stage.store.commit(SCOPE, [act(memory, 0)])
    assert stage.store.get(SCOPE, [memory.id])[memory.id].access_count == 1
    stage.store.commit(SCOPE, [act(memory, 1)])


def test_a_rewritten_memory_has_those_old_versions_that_it_is_given(stage: Stage):
    first = episode("first")
    second = newer(first, content="second")
    stub = newer(second, content="")
    stage.store.commit(SCOPE, [c.Create(memory=first)])
    stage.store.commit(SCOPE, [c.Replace(before=first, after=second)])
    stage.store.touch(SCOPE, [c.Touch(memory_id=first.id, times=2, at=NOW)])
    stage.store.commit(SCOPE, [Rewrite(before=second, after=stub, drop=(1,))])
    assert stage.store.versions(SCOPE, first.id) == []
    with pytest.raises(c.Raced):
        stage.store.commit(SCOPE, [Rewrite(before=second, after=stub)])
    back = newer(stub, content="second")
    stage.store.commit(SCOPE, [Rewrite(before=stub, after=back, put=(first,))])
    assert stage.store.versions(SCOPE, first.id) == [first]
    found = stage.store.get(SCOPE, [first.id])[first.id]
    assert (found.content, found.version, found.access_count) == ("second", 4, 2)
    assert len(stage.store.backlog(SCOPE, 10).changes) == 4


def test_one_at_a_time_has_a_bucket_and_the_next_goes_on_where_it_came_to(stage: Stage):
    until = NOW + timedelta(seconds=60)

    def take(token: str, *, now=NOW, sweep: str = "purge") -> Lease | None:
        return stage.fading.take(sweep, 3, token, until=now + timedelta(seconds=60), now=now)

    assert take("one") == Lease()
    assert take("two") is None
    assert take("one") == Lease()
    assert take("two", sweep="archive") == Lease()
    assert take("two", now=until) == Lease()
    assert take("one", now=NOW - timedelta(hours=1)) == Lease()
    assert take("two", now=until) == Lease()
    reached = Lease(run="r", after=Overdue(scope=SCOPE, memory_id="M", due=NOW))
    assert not stage.fading.leave("purge", 3, "one", reached)
    assert stage.fading.leave("purge", 3, "two", reached)
    assert take("three") == reached
    assert stage.fading.leave("purge", 3, "three", Lease(run="r", done=True))
    assert take("four") == Lease(run="r", done=True)
