"""Races and conditions: slots, claims, places in a session, access counts."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest

from hindwise.domain import changes as c
from hindwise.domain.memory import SemanticMemory, Status
from hindwise.domain.ports import MemoryStore
from hindwise.domain.scope import Origin
from tests import builders
from tests.builders import NOW
from tests.contract.backends import Backend

SCOPE = builders.scope()


def at_once[T](work: Callable[[int], T], times: int, threads: int) -> list[T]:
    with ThreadPoolExecutor(threads) as pool:
        return list(pool.map(work, range(times)))


def test_of_twenty_racers_one_wins(backend: Backend):
    memory = builders.fact("start")
    backend.store.commit(SCOPE, [c.Create(memory=memory)])

    def race(number: int) -> int | None:
        after = builders.newer(memory, content=str(number))
        try:
            backend.store.commit(SCOPE, [c.Replace(before=memory, after=after)])
        except c.Raced:
            return None
        return number

    won = [one for one in at_once(race, 20, 10) if one is not None]
    assert len(won) == 1
    assert backend.store.get(SCOPE, [memory.id])[memory.id].content == str(won[0])
    assert backend.store.versions(SCOPE, memory.id) == [memory]
    assert len(backend.store.backlog(SCOPE, 100).changes) == 2


def holding(memory: SemanticMemory, before: c.Slot | None) -> c.Hold:
    slot = c.Slot(
        key="the user | drinks |",
        holder=memory.id,
        event_time=memory.event_time,
        authority=Origin.OWNER,
        turn=before.turn + 1 if before else 1,
    )
    return c.Hold(slot=slot, expected=before)


def take(store: MemoryStore, number: int) -> str:
    """Become the holder of the slot, however many others want to."""
    new = builders.fact(f"The user drinks number {number}.", cardinality="one")
    for _ in range(200):
        slot = store.slot(SCOPE, "the user | drinks |")
        actions: list[c.Action] = [c.Create(memory=new), holding(new, slot)]
        if slot is not None and slot.holder is not None:
            old = store.get(SCOPE, [slot.holder])[slot.holder]
            assert isinstance(old, SemanticMemory)
            retired = builders.newer(old, status=Status.SUPERSEDED, superseded_by=new.id)
            actions.append(c.Replace(before=old, after=retired))
        try:
            store.commit(SCOPE, actions)
        except c.Raced:
            continue
        return new.id
    raise AssertionError("never got its turn")


def test_a_slot_has_one_holder_whatever_happens_at_once(backend: Backend):
    ids = at_once(lambda number: take(backend.store, number), 20, 16)
    slot = backend.store.slot(SCOPE, "the user | drinks |")
    assert slot is not None
    assert slot.turn == 20
    records = backend.store.get(SCOPE, ids)
    active = [one.id for one in records.values() if one.status is Status.ACTIVE]
    assert len(records) == 20
    assert active == [slot.holder]


def test_a_slot_is_written_only_as_it_was_read(backend: Backend):
    store = backend.store
    one, two = builders.fact("one"), builders.fact("two")
    first = holding(one, None)
    store.commit(SCOPE, [first])
    assert store.slot(SCOPE, first.slot.key) == first.slot
    with pytest.raises(c.Raced) as lost:
        store.commit(SCOPE, [c.Create(memory=two), holding(two, None)])
    assert [type(action) for action in lost.value.actions] == [c.Hold]
    empty = first.slot.model_copy(update={"holder": None, "turn": 2})
    store.commit(SCOPE, [c.Hold(slot=empty, expected=first.slot)])
    assert store.slot(SCOPE, first.slot.key) == empty
    with pytest.raises(c.Raced):
        store.commit(SCOPE, [holding(two, first.slot)])
    wrong_turn = empty.model_copy(update={"turn": 1})
    with pytest.raises(c.Raced):
        store.commit(SCOPE, [holding(two, wrong_turn)])
    last = holding(two, empty)
    store.commit(SCOPE, [last])
    with pytest.raises(c.Raced):
        store.commit(SCOPE, [c.Hold(slot=empty, expected=empty.model_copy(update={"turn": 3}))])
    assert store.slot(SCOPE, first.slot.key) == last.slot
    assert store.slot(SCOPE, "another") is None


def test_a_claim_is_free_or_expected_or_over(backend: Backend):
    store = backend.store
    until = NOW + timedelta(seconds=60)
    text = "The same words. " * 100 + "同一句话"
    store.commit(SCOPE, [c.Claim(key=text, memory_id="a", until=until, now=NOW)])
    assert store.claim(SCOPE, text, now=NOW) == "a"
    assert store.claim(SCOPE, text, now=until - timedelta(microseconds=1)) == "a"
    assert store.claim(SCOPE, text, now=until) is None
    for expected in (None, "b"):
        with pytest.raises(c.Raced) as lost:
            early = c.Claim(key=text, memory_id="b", expected=expected, now=NOW)
            store.commit(SCOPE, [early])
        assert lost.value.actions == (early,)
    store.commit(SCOPE, [c.Claim(key=text, memory_id="b", now=until)])
    assert store.claim(SCOPE, text, now=until + timedelta(days=10_000)) == "b"
    store.commit(SCOPE, [c.Claim(key=text, memory_id="c", expected="b", now=NOW)])
    assert store.claim(SCOPE, text, now=NOW) == "c"


def test_a_release_frees_only_what_is_its_own(backend: Backend):
    store = backend.store
    store.commit(SCOPE, [c.Claim(key="x", memory_id="a", now=NOW)])
    memory = builders.fact()
    foreign = c.Release(key="x", memory_id="b")
    store.commit(SCOPE, [foreign, c.Release(key="y", memory_id="b"), c.Create(memory=memory)])
    assert store.claim(SCOPE, "x", now=NOW) == "a"
    assert store.get(SCOPE, [memory.id]) == {memory.id: memory}
    store.commit(SCOPE, [foreign])
    store.commit(SCOPE, [c.Release(key="x", memory_id="a")])
    assert store.claim(SCOPE, "x", now=NOW) is None


def test_a_lost_race_names_its_actions_in_order(backend: Backend):
    taken = builders.fact()
    store = backend.store
    store.commit(SCOPE, [c.Create(memory=taken), c.Claim(key="k", memory_id="a", now=NOW)])
    claim = c.Claim(key="k", memory_id="b", now=NOW)
    create = c.Create(memory=taken)
    harmless = c.Release(key="k", memory_id="b2")
    with pytest.raises(c.Raced) as lost:
        free = c.Claim(key="k2", memory_id="b", now=NOW)
        store.commit(SCOPE, [free, claim, c.Release(key="k3", memory_id="z"), create])
    assert lost.value.actions == (claim, create)
    assert store.claim(SCOPE, "k2", now=NOW) is None
    store.commit(SCOPE, [harmless])


def test_places_in_a_session_are_given_once(backend: Backend):
    store = backend.store
    assert store.next_seq(SCOPE, "s", count=3) == 1
    given = at_once(lambda _: store.next_seq(SCOPE, "s", count=2), 16, 8)
    assert sorted(given) == [4 + 2 * number for number in range(16)]
    assert store.next_seq(SCOPE, "another", count=1) == 1


def test_places_are_given_after_those_that_callers_chose(backend: Backend):
    store = backend.store
    for chosen in (3, 7, 5):
        store.take_seq(SCOPE, "s", chosen)
    assert store.next_seq(SCOPE, "s", count=2) == 8
    assert store.next_seq(SCOPE, "s", count=1) == 10


@pytest.mark.parametrize("session", ["s", "a#b", "张三/1 %23", "x" * 256, "é", "A", "."])
def test_turns_are_read_in_order(backend: Backend, session: str):
    store = backend.store
    turns = [builders.episode(str(seq), session_id=session, seq=seq) for seq in (10, 2, 9, 100, 1)]
    store.commit(SCOPE, [c.Create(memory=one) for one in turns])
    stray = builders.episode("stray", session_id=session + "0", seq=2)
    store.commit(SCOPE, [c.Create(memory=stray)])
    read = store.turns(SCOPE, session, first=2, last=10)
    assert [(turn.seq, turn.memory_id) for turn in read] == [
        (2, turns[1].id),
        (9, turns[2].id),
        (10, turns[0].id),
    ]
    assert [one.seq for one in store.turns(SCOPE, session, first=-2, last=1)] == [1]
    assert store.turns(SCOPE, session, first=5, last=4) == []


def test_an_edited_episode_moves_to_its_new_session_and_task(backend: Backend):
    store = backend.store
    before = builders.episode(session_id="s", seq=1, task_id="t")
    after = builders.newer(before, session_id="s", seq=2, task_id="u")
    store.commit(SCOPE, [c.Create(memory=before)])
    store.commit(SCOPE, [c.Replace(before=before, after=after)])
    assert [turn.seq for turn in store.turns(SCOPE, "s", first=0, last=9)] == [2]
    assert store.of_task(SCOPE, "t", limit=9) == []
    assert store.of_task(SCOPE, "u", limit=9) == [before.id]


def test_episodes_of_a_task_newest_first(backend: Backend):
    store = backend.store
    episodes = [builders.episode(str(number), task_id="t#1") for number in range(5)]
    known = builders.fact(task_id="t#1")
    store.commit(SCOPE, [c.Create(memory=one) for one in (*episodes, known)])
    assert store.of_task(SCOPE, "t#1", limit=3) == [one.id for one in episodes[:1:-1]]
    assert store.of_task(SCOPE, "t", limit=3) == []


def test_touches_count_once_a_minute_and_only_what_is_active(backend: Backend):
    store = backend.store
    seen, hidden = builders.fact("seen"), builders.fact("hidden", status=Status.SUPERSEDED)
    store.commit(SCOPE, [c.Create(memory=one) for one in (seen, hidden)])
    cleared = store.backlog(SCOPE, 10).changes
    backend.projections.clear(SCOPE, cleared)

    def touch(*ids: str, times: int = 1, seconds: float = 0) -> None:
        at = NOW + timedelta(seconds=seconds)
        store.touch(SCOPE, [c.Touch(memory_id=one, times=times, at=at) for one in ids])

    touch(seen.id, hidden.id, "01MISSING", builders.working().id, times=2)
    touch(seen.id, seconds=59.9)
    got = store.get(SCOPE, [seen.id, hidden.id, "01MISSING"])
    assert [(one.access_count, one.last_access_at) for one in got.values()] == [(2, NOW), (0, None)]
    touch(seen.id, seen.id, seconds=60)
    again = store.get(SCOPE, [seen.id])[seen.id]
    assert (again.access_count, again.version) == (4, 1)
    assert again.last_access_at == NOW + timedelta(seconds=60)
    assert store.backlog(SCOPE, 10).changes == ()
    assert store.page(SCOPE, after=None, examine=9).examined == 2


def test_a_count_that_comes_between_reading_and_editing_is_kept(backend: Backend):
    store = backend.store
    before = builders.fact()
    store.commit(SCOPE, [c.Create(memory=before)])
    store.touch(SCOPE, [c.Touch(memory_id=before.id, times=3, at=NOW)])
    after = builders.newer(before, content="edited")
    store.commit(SCOPE, [c.Replace(before=before, after=after)])
    got = store.get(SCOPE, [before.id])[before.id]
    assert (got.content, got.access_count, got.last_access_at) == ("edited", 3, NOW)
    reset = builders.newer(got, access_count=0, last_access_at=None)
    store.commit(SCOPE, [c.Replace(before=got, after=reset)])
    assert store.get(SCOPE, [before.id])[before.id] == reset


def test_a_touch_never_brings_back_what_was_forgotten(backend: Backend):
    memory = builders.fact()
    backend.store.commit(SCOPE, [c.Create(memory=memory)])
    backend.store.commit(SCOPE, [c.Forget(memory=memory, at=NOW)])
    backend.store.touch(SCOPE, [c.Touch(memory_id=memory.id, times=1, at=NOW)])
    assert backend.store.get(SCOPE, [memory.id]) == {}
    assert backend.store.page(SCOPE, after=None, examine=9).memories == ()


def test_dependants_and_audit_rows(backend: Backend):
    store = backend.store
    memory, other = builders.fact(), builders.fact()
    later = builders.newer(memory)
    edges = [c.Edge(source="talk", kind="turns", dependant=one.id) for one in (memory, other)]
    entries = [builders.entry(memory), builders.entry(later, previous="0")]
    store.commit(SCOPE, [*edges, edges[0], c.Audited(entry=entries[1])])
    store.commit(SCOPE, [c.Audited(entry=entries[0]), c.Audited(entry=builders.entry(other))])
    assert store.dependants(SCOPE, "talk") == sorted([memory.id, other.id])
    assert store.dependants(SCOPE, "tal") == []
    assert store.audit(SCOPE, memory.id) == entries
    assert store.audit(SCOPE, "01MISSING") == []


ODD_USERS = ["a", "a#b", "a:b", "a/b", "a|b", "a b", "a%2Fb", "A", "张三", "a.b", "aé", "a%", "a+b"]


def test_no_scope_sees_another(backend: Backend):
    scopes = [builders.scope(user) for user in ODD_USERS]
    scopes += [builders.scope("a", "acme-2"), builders.scope("x" * 256), builders.scope("é" * 128)]
    shared = builders.episode(session_id="s", seq=1, task_id="t")
    for number, scope in enumerate(scopes):
        mine = shared.model_copy(update={"content": str(number)})
        claim = c.Claim(key="k", memory_id=str(number), now=NOW)
        edge = c.Edge(source="talk", kind="turns", dependant=str(number))
        audit = c.Audited(entry=builders.entry(mine, actor=str(number)))
        scratch = c.PutWorking(memory=builders.working(str(number)))
        backend.store.commit(scope, [c.Create(memory=mine), claim, edge, audit, scratch])
        backend.projections.put(scope, [builders.document(mine, words=str(number))], {}, now=NOW)
    for number, scope in enumerate(scopes):
        store, own = backend.store, str(number)
        assert store.get(scope, [shared.id])[shared.id].content == own
        assert [one.content for one in store.page(scope, after=None, examine=9).memories] == [own]
        assert store.claim(scope, "k", now=NOW) == own
        assert store.dependants(scope, "talk") == [own]
        assert [one.actor for one in store.audit(scope, shared.id)] == [own]
        assert [one.content for one in store.working(scope, "task-1", now=NOW)] == [own]
        assert len(store.turns(scope, "s", first=0, last=9)) == 1
        assert len(store.backlog(scope, 9).changes) == 1
        assert backend.projections.documents(scope, [shared.id])[shared.id].words == own
        assert [one.words for one in backend.projections.newest(scope, 9)] == [own]
    found = {scope for scope, _ in backend.dirty()}
    assert found == set(scopes)
    backend.store.commit(scopes[0], [c.Forget(memory=shared, at=NOW)])
    assert all(backend.store.get(scope, [shared.id]) for scope in scopes[1:])
