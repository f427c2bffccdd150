"""Records of every kind: what is written comes back, versions and tombstones stay as promised."""

import math
from datetime import datetime, timedelta, timezone

import pytest

from hindwise.domain import changes as c
from hindwise.domain.ids import working_id
from hindwise.domain.memory import Outcome, Source, Status, Type, Verdict
from tests import builders
from tests.builders import NOW
from tests.contract.backends import Backend

SCOPE = builders.scope()
NUMBERS = {
    "tiny": 1e-07,
    "negative zero": -0.0,
    "long": 12345678901234567890,
    "longer": 10**38 + 1,
    "float": 1.0,
    "one": 1,
    "true": True,
    "greatest": 1.7976931348623157e308,
    "least": 5e-324,
    "nested": [1, [2.5, [None, False, {"深": [0.1 + 0.2]}]]],
    "": "",
}


def test_every_kind_comes_back_as_it_went_in(backend: Backend):
    shanghai = timezone(timedelta(hours=8))
    said = datetime(2026, 3, 13, 18, 30, 0, 123456, shanghai)
    full = builders.episode(
        "周五部署失败了。\nRolled back 🚑 \u0000 \u2028",
        event_time=said,
        source=Source(conversation_id="c", first_turn=1, last_turn=2, author="张三"),
        outcome=Outcome(result="failure", note="回滚"),
        tool_results=({"exit": 1, "log": ["a", None]},),
        entities=("张三",),
        session_id="s",
        seq=4,
        task_id="t",
    )
    verdict = Verdict(other=full.id, verdict="coexist", at=NOW)
    known = builders.fact(type=Type.DECISION, verdicts=(verdict,), metadata=NUMBERS)
    scratch = builders.working()
    backend.store.commit(SCOPE, [c.Create(memory=full), c.Create(memory=known)])
    backend.store.commit(SCOPE, [c.PutWorking(memory=scratch)])
    got = backend.store.get(SCOPE, [scratch.id, full.id, "01MISSING", known.id])
    assert list(got) == [scratch.id, full.id, known.id]
    assert list(got.values()) == [scratch, full, known]
    assert got[full.id].event_time.utcoffset() == timedelta(hours=8)


def test_numbers_come_back_exactly(backend: Backend):
    memory = builders.fact(metadata=NUMBERS)
    backend.store.commit(SCOPE, [c.Create(memory=memory)])
    got = backend.store.get(SCOPE, [memory.id])[memory.id].metadata
    assert repr(got) == repr(NUMBERS)
    assert math.copysign(1, got["negative zero"]) == -1


def test_100_kb_of_content_come_back(backend: Backend):
    memory = builders.episode("记" * 20_000 + "x" * 40_000)
    backend.store.commit(SCOPE, [c.Create(memory=memory)])
    after = builders.newer(memory, content="忆" * 33_000)
    backend.store.commit(SCOPE, [c.Replace(before=memory, after=after)])
    assert backend.store.get(SCOPE, [memory.id]) == {memory.id: after}
    assert backend.store.versions(SCOPE, memory.id) == [memory]


def test_an_id_is_taken_once(backend: Backend):
    memory = builders.fact()
    backend.store.commit(SCOPE, [c.Create(memory=memory)])
    again = c.Create(memory=memory.model_copy(update={"content": "other"}))
    bystander = builders.fact("not written either")
    with pytest.raises(c.Raced) as lost:
        backend.store.commit(SCOPE, [c.Create(memory=bystander), again])
    assert lost.value.actions == (again,)
    assert backend.store.get(SCOPE, [memory.id, bystander.id]) == {memory.id: memory}


def test_a_replacement_needs_the_version_it_was_made_from(backend: Backend):
    first = builders.fact()
    second, third = builders.newer(first, content="two"), builders.newer(first, content="three")
    backend.store.commit(SCOPE, [c.Create(memory=first)])
    backend.store.commit(SCOPE, [c.Replace(before=first, after=second)])
    with pytest.raises(c.Raced) as lost:
        backend.store.commit(SCOPE, [c.Replace(before=first, after=third)])
    assert lost.value.on(c.Replace)
    with pytest.raises(c.Raced):
        missing = builders.fact()
        backend.store.commit(
            SCOPE, [c.Replace(before=missing, after=builders.newer(missing, content="x"))]
        )
    assert backend.store.get(SCOPE, [first.id]) == {first.id: second}


def test_versions_are_kept_oldest_first(backend: Backend):
    memory = builders.fact("0")
    other = builders.fact("other")
    backend.store.commit(SCOPE, [c.Create(memory=memory), c.Create(memory=other)])
    for number in range(1, 12):
        after = builders.newer(memory, content=str(number), status=Status.OBSOLETE)
        backend.store.commit(SCOPE, [c.Replace(before=memory, after=after)])
        memory = after
    old = backend.store.versions(SCOPE, memory.id)
    assert [one.content for one in old] == [str(number) for number in range(11)]
    assert [one.version for one in old] == list(range(1, 12))
    assert backend.store.versions(SCOPE, other.id) == []


def test_forgetting_leaves_a_tombstone_and_nothing_else(backend: Backend):
    store = backend.store
    source = builders.episode()
    memory = builders.episode(
        claims=("text", "external"),
        session_id="s",
        seq=1,
        task_id="t",
        evidence_ids=(source.id,),
        source=Source(conversation_id="talk#1", document="a/b#c"),
    )
    pattern = builders.fact(evidence_ids=(memory.id,))
    first = [c.Create(memory=one) for one in (source, memory, pattern)]
    first += [c.Claim(key=key, memory_id=memory.id, now=NOW) for key in memory.claims]
    for one in (source.id, "talk#1", "a/b#c"):
        first.append(c.Edge(source=one, kind="evidence", dependant=memory.id))
    first.append(c.Edge(source=memory.id, kind="evidence", dependant=pattern.id))
    store.commit(SCOPE, first)
    edited = builders.newer(memory, content="edited")
    store.commit(SCOPE, [c.Replace(before=memory, after=edited)])
    backend.projections.put(SCOPE, [builders.document(edited)], {}, now=NOW)
    for _ in range(2):
        store.commit(SCOPE, [c.Forget(memory=edited, at=NOW)])
        assert list(store.get(SCOPE, [memory.id, pattern.id])) == [pattern.id]
        assert store.versions(SCOPE, memory.id) == []
        assert backend.projections.documents(SCOPE, [memory.id]) == {}
        assert [store.claim(SCOPE, key, now=NOW) for key in memory.claims] == [None, None]
        assert store.turns(SCOPE, "s", first=0, last=9) == []
        assert store.of_task(SCOPE, "t", limit=9) == []
        for one in (source.id, "talk#1", "a/b#c", memory.id):
            assert store.dependants(SCOPE, one) == []
    with pytest.raises(c.Raced) as lost:
        store.commit(SCOPE, [c.Create(memory=memory)])
    assert lost.value.on(c.Create)
    for version in range(1, 6):
        ghost = edited.model_copy(update={"version": version})
        with pytest.raises(c.Raced):
            store.commit(SCOPE, [c.Replace(before=ghost, after=builders.newer(ghost))])
    page = store.page(SCOPE, after=None, examine=10)
    assert {one.id for one in page.memories} == {source.id, pattern.id}
    assert page.examined == 3


def test_forgetting_needs_the_current_version(backend: Backend):
    memory = builders.fact()
    after = builders.newer(memory, content="newer")
    backend.store.commit(SCOPE, [c.Create(memory=memory)])
    backend.store.commit(SCOPE, [c.Replace(before=memory, after=after)])
    with pytest.raises(c.Raced) as lost:
        backend.store.commit(SCOPE, [c.Forget(memory=memory, at=NOW)])
    assert lost.value.on(c.Forget)
    assert backend.store.get(SCOPE, [memory.id]) == {memory.id: after}


def test_forgetting_what_left_more_than_a_transaction_holds(backend: Backend):
    memory = builders.fact("0", claims=("mine", "taken over"))
    store = backend.store
    store.commit(
        SCOPE, [c.Create(memory=memory), c.Claim(key="mine", memory_id=memory.id, now=NOW)]
    )
    store.commit(SCOPE, [c.Claim(key="taken over", memory_id="another", now=NOW)])
    for number in range(120):
        after = builders.newer(memory, content=str(number))
        store.commit(SCOPE, [c.Replace(before=memory, after=after)])
        memory = after
    store.commit(SCOPE, [c.Forget(memory=memory, at=NOW)])
    assert store.get(SCOPE, [memory.id]) == {}
    assert store.versions(SCOPE, memory.id) == []
    assert store.claim(SCOPE, "mine", now=NOW) is None
    assert store.claim(SCOPE, "taken over", now=NOW) == "another"


def test_forgetting_what_rests_on_more_than_a_transaction_holds(backend: Backend):
    """A memory that was said again and again, and took the place of each."""
    rests = {"evidence_ids": tuple(f"e{number}" for number in range(64))}
    memory = builders.fact(supersedes=tuple(f"s{number}" for number in range(60)), **rests)
    store = backend.store
    store.commit(SCOPE, [c.Create(memory=memory)])
    edges = [c.Edge(source=one, kind="evidence", dependant=memory.id) for one in ("e0", "e63")]
    store.commit(SCOPE, edges)
    store.commit(SCOPE, [c.Forget(memory=memory, at=NOW)])
    assert store.get(SCOPE, [memory.id]) == {}
    assert store.dependants(SCOPE, "e0") == store.dependants(SCOPE, "e63") == []


def test_forgetting_a_memory_and_its_dependant_at_once(backend: Backend):
    evidence = builders.episode()
    pattern = builders.fact(evidence_ids=(evidence.id,))
    edge = c.Edge(source=evidence.id, kind="evidence", dependant=pattern.id)
    creates = [c.Create(memory=evidence), c.Create(memory=pattern), edge]
    backend.store.commit(SCOPE, creates)
    forgets = [c.Forget(memory=evidence, at=NOW), c.Forget(memory=pattern, at=NOW)]
    backend.store.commit(SCOPE, forgets)
    assert backend.store.get(SCOPE, [evidence.id, pattern.id]) == {}
    assert backend.store.dependants(SCOPE, evidence.id) == []


def test_forgetting_leaves_links_of_which_nobody_was_told(backend: Backend):
    evidence = builders.episode()
    edges = [c.Edge(source=evidence.id, kind="evidence", dependant=one) for one in ("a", "b")]
    backend.store.commit(SCOPE, [c.Create(memory=evidence), *edges])
    backend.store.commit(SCOPE, [c.Forget(memory=evidence, at=NOW, told=("a",))])
    assert backend.store.dependants(SCOPE, evidence.id) == ["b"]
    backend.store.commit(SCOPE, [c.Forget(memory=evidence, at=NOW)])
    assert backend.store.dependants(SCOPE, evidence.id) == []


def test_more_than_a_hundred_ids_at_once(backend: Backend):
    memories = [builders.fact(str(number)) for number in range(130)]
    for start in range(0, 130, 45):
        creates = [c.Create(memory=one) for one in memories[start : start + 45]]
        backend.store.commit(SCOPE, creates)
    ids = [one.id for one in memories]
    assert list(backend.store.get(SCOPE, [*ids, ids[0]]).values()) == memories
    assert backend.store.get(SCOPE, []) == {}


def test_nothing_that_was_written_is_unreadable(backend: Backend):
    kept, gone, scratch = builders.episode(), builders.fact(), builders.working()
    backend.store.commit(SCOPE, [c.Create(memory=kept), c.Create(memory=gone)])
    backend.store.commit(SCOPE, [c.PutWorking(memory=scratch), c.Forget(memory=gone, at=NOW)])
    ids = [kept.id, gone.id, scratch.id, "01NOBODY"]
    assert backend.store.unreadable(SCOPE, ids) == backend.store.unreadable(SCOPE, []) == set()


def test_scratch_values(backend: Backend):
    store = backend.store
    first, second = builders.working("1"), builders.working("2", key="plan")
    foreign = builders.working("3", task_id="task-2")
    store.commit(SCOPE, [c.PutWorking(memory=one) for one in (first, second, foreign)])
    over = builders.working("4", expires_at=NOW + timedelta(seconds=1))
    store.commit(SCOPE, [c.PutWorking(memory=over)])
    values = {one.key: one.content for one in store.working(SCOPE, "task-1", now=NOW)}
    assert values == {"latest": "4", "plan": "2"}
    everything = store.working(SCOPE, None, now=NOW)
    assert everything == sorted([over, second, foreign], key=lambda one: one.id)
    assert store.working(builders.scope("eve"), None, now=NOW) == []
    assert store.backlog(SCOPE, 10).changes == ()
    backend.clock.forward(seconds=1)
    later = store.working(SCOPE, "task-1", now=backend.clock())
    assert [one.key for one in later] == ["plan"]
    assert {one.id for one in store.working(SCOPE, None, now=backend.clock())} == {
        second.id,
        foreign.id,
    }
    assert list(store.get(SCOPE, [over.id, second.id])) == [second.id]
    store.commit(SCOPE, [c.DropWorking(memory_id=second.id), c.DropWorking(memory_id="Wnone")])
    assert store.working(SCOPE, "task-1", now=backend.clock()) == []
    assert store.get(SCOPE, [working_id("task-2", "latest")]) == {foreign.id: foreign}


def test_a_scratch_value_is_changed_only_where_it_is_still_there(backend: Backend):
    store, old = backend.store, builders.working("1")
    store.commit(SCOPE, [c.PutWorking(memory=old)])
    edited = old.model_copy(update={"content": "2", "version": 2})
    store.commit(SCOPE, [c.PutWorking(memory=edited, before=old)])
    anew = builders.working("3", updated_at=NOW + timedelta(seconds=1))
    for there in (edited, anew, None):
        done = c.PutWorking(memory=there) if there else c.DropWorking(memory_id=old.id)
        store.commit(SCOPE, [done])
        with pytest.raises(c.Raced):
            store.commit(SCOPE, [c.PutWorking(memory=edited, before=old)])
        assert store.working(SCOPE, "task-1", now=NOW) == ([there] if there else [])


def test_pages_go_from_newest_to_oldest(backend: Backend):
    memories = [builders.episode(str(number)) for number in range(7)]
    backend.store.commit(SCOPE, [c.Create(memory=one) for one in memories])
    backend.store.commit(SCOPE, [c.PutWorking(memory=builders.working())])
    backend.store.commit(SCOPE, [c.Forget(memory=memories[5], at=NOW)])
    seen, after, examined = [], None, []
    while True:
        page = backend.store.page(SCOPE, after=after, examine=3)
        seen += [one.content for one in page.memories]
        examined.append(page.examined)
        if (after := page.after) is None:
            break
    assert seen == ["6", "4", "3", "2", "1", "0"]
    assert sum(examined) == 7
    whole = backend.store.page(SCOPE, after=None, examine=1000)
    assert (len(whole.memories), whole.after, whole.examined) == (6, None, 7)
    assert backend.store.page(builders.scope("nobody"), after=None, examine=9).memories == ()
