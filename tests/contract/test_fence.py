"""A fence hides what was there, and nothing that comes after; then all of it can be erased."""

from datetime import timedelta

import pytest

from hindwise.domain import changes as c
from hindwise.domain.fence import Behind, Gate, Guarded, before, fence_at, hidden
from hindwise.domain.memory import LongTermMemory
from hindwise.domain.ports.recalls import Recall
from hindwise.domain.receipts import (
    DropErrand,
    Errand,
    PutErrand,
    PutFence,
    PutReceipt,
    Receipt,
    ReceiptKind,
    Unforgotten,
    further,
)
from hindwise.domain.sources import HoldSource
from tests import builders
from tests.builders import NOW
from tests.contract.backends import Backend

SCOPE = builders.scope("张三#1")
OTHER = builders.scope("张三")
LATER = NOW + timedelta(seconds=1)


def receipt(**given: object) -> Receipt:
    fields = {"id": builders.new_id(), "tenant": SCOPE.tenant, "user": SCOPE.user, "by": "me"}
    return Receipt.model_validate(
        {**fields, "kind": ReceiptKind.USER, "requested_at": NOW, "next_at": NOW, **given}
    )


def filled(backend: Backend) -> list[LongTermMemory]:
    """Something of every kind, in the scope and in another one."""
    made: list[LongTermMemory] = []
    for scope in (SCOPE, OTHER):
        told = builders.episode(session_id="chat-1", seq=1, task_id="t")
        known = builders.fact(evidence_ids=(told.id,), claims=("text",), external_id="x")
        talk, job = builders.conversation(turns=2), builders.job(conversation_id="chat-1")
        backend.store.next_seq(scope, "chat-1", count=1)
        slot = c.Slot(key="s", holder=known.id, event_time=NOW, authority=known.origin)
        backend.store.commit(
            scope,
            [
                c.Create(memory=told),
                c.Create(memory=known),
                c.Claim(key="text", memory_id=known.id, now=NOW),
                c.Hold(slot=slot),
                c.Edge(source=told.id, kind="evidence", dependant=known.id),
                c.PutWorking(memory=builders.working()),
                c.PutConversation(conversation=talk),
                c.PutChunk(chunk=builders.chunk()),
                c.PutJob(job=job),
                c.PutVerdict(pair=builders.pair(told.id, known.id)),
            ],
        )
        newer = builders.newer(told, content="Deployed 2.4.2.")
        backend.store.commit(scope, [c.Replace(before=told, after=newer)])
        backend.jobs.keep_answer(scope, job.id, 1, "said", now=NOW)
        documents = [builders.document(newer), builders.document(known)]
        backend.projections.put(scope, documents, {}, now=NOW)
        backend.ripening.note(scope, "work", 1, now=NOW)
        made += [told, known]
    return made


def seen(backend: Backend, made: list[LongTermMemory], job: str = "") -> dict[str, object]:
    """What reads give back of it."""
    store, ids = backend.store, [one.id for one in made]
    found = {
        "get": store.get(SCOPE, [*ids, builders.working().id]),
        "page": store.page(SCOPE, after=None, examine=10).memories,
        "versions": store.versions(SCOPE, ids[0]),
        "working": store.working(SCOPE, None, now=NOW),
        "conversation": backend.conversations.get(SCOPE, "chat-1"),
        "chunks": backend.conversations.chunks(SCOPE, "chat-1"),
        "jobs": backend.jobs.page(SCOPE, after=None, limit=10),
        "of": backend.jobs.of_conversation(SCOPE, "chat-1"),
        "documents": backend.projections.documents(SCOPE, ids),
        "newest": backend.projections.newest(SCOPE, 10),
    }
    return {name: value for name, value in found.items() if value}


def fenced(backend: Backend) -> tuple[list[LongTermMemory], object]:
    made = filled(backend)
    fence = fence_at(NOW)
    backend.store.commit(SCOPE, [PutFence(at=fence)])
    backend.clock.now = LATER
    return made, fence


def test_a_fence_hides_everything_at_once_and_of_one_user_only(backend: Backend):
    made = filled(backend)
    assert len(seen(backend, made)) == 10
    assert backend.store.fence(SCOPE) is None
    backend.store.commit(SCOPE, [PutFence(at=fence_at(NOW))])
    assert backend.store.fence(SCOPE) == fence_at(NOW)
    assert seen(backend, made) == {}
    assert {*backend.store.get(OTHER, [made[2].id, made[3].id])} == {made[2].id, made[3].id}
    assert backend.conversations.get(OTHER, "chat-1") is not None


def test_a_fence_is_never_taken_back(backend: Backend):
    backend.store.commit(SCOPE, [PutFence(at=fence_at(LATER))])
    with pytest.raises(c.Raced):
        backend.store.commit(SCOPE, [PutFence(at=fence_at(NOW))])
    assert backend.store.fence(SCOPE) == fence_at(LATER)


def test_what_is_held_is_kept_beside_the_fence_and_neither_changes_the_other(backend: Backend):
    assert backend.store.gate(SCOPE) == Gate()
    for mark in ("a", "a", "b"):
        backend.store.commit(SCOPE, [HoldSource(mark=mark)])
    assert (backend.store.fence(SCOPE), backend.store.gate(OTHER)) == (None, Gate())
    backend.store.commit(SCOPE, [PutFence(at=fence_at(NOW))])
    assert backend.store.gate(SCOPE) == Gate(fence=fence_at(NOW), held=frozenset("ab"))
    for known in (None, frozenset("ab"), frozenset("abc")):
        assert backend.store.claim(SCOPE, "none", now=LATER, known=known) is None
        assert backend.store.get(SCOPE, [builders.new_id()], known=known) == {}
    for lacking in (frozenset("a"), frozenset[str]()):
        with pytest.raises(Guarded):
            backend.store.claim(SCOPE, "none", now=LATER, known=lacking)
        with pytest.raises(Guarded):
            backend.store.get(SCOPE, [builders.new_id()], known=lacking)
    backend.store.commit(SCOPE, [Unforgotten(at=LATER)])
    with pytest.raises(c.Raced):
        backend.store.commit(SCOPE, [Unforgotten(at=LATER, unheld=True)])
    for mark in ("a", "a", "b"):
        backend.store.commit(SCOPE, [HoldSource(mark=mark, undo=True)])
    assert backend.store.gate(SCOPE) == Gate(fence=fence_at(NOW))
    backend.store.commit(SCOPE, [Unforgotten(at=LATER, unheld=True)])


def test_what_comes_after_the_fence_lives_and_may_have_the_old_names(backend: Backend):
    made, _ = fenced(backend)
    new = builders.fact(at=LATER, claims=("text",))
    talk = builders.conversation(at=LATER)
    held = backend.store.slot(SCOPE, "s")
    assert held is not None
    now = held.model_copy(update={"holder": new.id, "turn": held.turn + 1})
    claimed = backend.store.claim(SCOPE, "text", now=LATER)
    backend.store.commit(
        SCOPE,
        [
            c.Create(memory=new),
            c.Claim(key="text", memory_id=new.id, expected=claimed, now=LATER),
            c.Hold(slot=now, expected=held),
            c.PutConversation(conversation=talk),
            c.PutChunk(chunk=builders.chunk(at=LATER)),
            c.PutWorking(memory=builders.working(at=LATER)),
        ],
    )
    assert {*seen(backend, [*made, new])} == {"get", "page", "working", "conversation", "chunks"}
    erased(backend)
    assert {*seen(backend, [*made, new])} == {"get", "page", "working", "conversation", "chunks"}
    assert backend.store.claim(SCOPE, "text", now=LATER) == new.id
    assert backend.store.slot(SCOPE, "s") == now


def test_a_new_conversation_does_not_take_the_place_of_one_after_the_fence(backend: Backend):
    fenced(backend)
    talk = builders.conversation(at=LATER)
    backend.store.commit(SCOPE, [c.PutConversation(conversation=talk)])
    with pytest.raises(c.Raced):
        backend.store.commit(SCOPE, [c.PutConversation(conversation=talk)])


def test_a_read_that_comes_before_a_write_says_that_the_clock_is_behind(backend: Backend):
    fenced(backend)
    claim, talk = backend.store.claim, backend.conversations.get
    for read in (lambda now: claim(SCOPE, "new", now=now), lambda now: talk(SCOPE, "c", now=now)):
        assert read(LATER) is None
        with pytest.raises(Behind) as told:
            read(NOW)
        assert not before(told.value.after, fence_at(NOW))
        assert read(told.value.after) is None
    assert claim(OTHER, "new", now=NOW) is None and talk(OTHER, "c", now=NOW) is None


def test_a_commit_may_hang_on_what_it_writes_not_being_forgotten(backend: Backend):
    scratch = c.PutWorking(memory=builders.working(at=LATER))
    backend.store.commit(SCOPE, [scratch, Unforgotten(at=NOW)])
    fenced(backend)
    with pytest.raises(c.Raced) as lost:
        backend.store.commit(SCOPE, [scratch, Unforgotten(at=NOW)])
    assert lost.value.on(Unforgotten)
    backend.store.commit(SCOPE, [scratch, Unforgotten(at=LATER)])


def erased(backend: Backend, *, most: int = 2) -> dict[str, int]:
    """Erase store by store, a few rows at a time, until nothing is found."""
    fence, gone = fence_at(NOW), dict.fromkeys(backend.erasure.stores, 0)
    for store in backend.erasure.stores:
        while count := backend.erasure.erase(SCOPE, fence, store, most=most):
            gone[store] += count
    return {store: count for store, count in gone.items() if count}


def test_erasing_takes_all_that_was_counted_and_leaves_the_index_its_changes(backend: Backend):
    made, _ = fenced(backend)
    backend.projections.clear(SCOPE, backend.store.backlog(SCOPE, 100).changes)
    backend.store.commit(SCOPE, [PutErrand(errand=Errand(receipt=made[0].id, filter="{}"))])
    recall = Recall(id=made[0].id, at=NOW, actor="a", call="search", query="q", expires=NOW)
    backend.recalls.put(SCOPE, recall)
    counts = backend.erasure.count(SCOPE, fence_at(NOW))
    assert {*counts} >= {
        "memories", "versions", "vectors", "links", "verdicts", "texts", "slots", "working",
        "conversations", "jobs", "domains", "errands", "recalls",
    }  # fmt: skip
    assert (counts["memories"], counts["versions"], counts["vectors"]) == (2, 1, 2)
    gone = erased(backend)
    assert {**gone, "places": 0} == {**counts, "places": 0}
    left = backend.erasure.count(SCOPE, fence_at(NOW))
    assert left == {"changes": 2}
    assert {one.memory_id for one in backend.store.backlog(SCOPE, 9).changes} == {
        one.id for one in made[:2]
    }
    backend.projections.clear(SCOPE, backend.store.backlog(SCOPE, 9).changes)
    assert backend.erasure.count(SCOPE, fence_at(NOW)) == {}
    assert len(backend.store.get(OTHER, [made[2].id, made[3].id])) == 2
    assert len(backend.erasure.count(OTHER, fence_at(NOW))) >= 10


def test_receipts_are_listed_by_user_and_written_as_they_were_read(backend: Backend):
    one, two = receipt(), receipt(next_at=None)
    backend.store.commit(SCOPE, [PutReceipt(receipt=one), PutReceipt(receipt=two)])
    with pytest.raises(c.Raced):
        backend.store.commit(SCOPE, [PutReceipt(receipt=one)])
    read = backend.receipts
    assert read.get(SCOPE, one.id) == one
    assert read.get(OTHER, one.id) is None
    assert read.page(SCOPE, after=None, limit=9) == [two, one]
    assert read.page(SCOPE, after=two.id, limit=9) == [one]
    assert read.page(OTHER, after=None, limit=9) == []
    assert read.due(now=NOW, limit=9) == [(SCOPE, one.id)]
    after = further(one, next_at=LATER)
    backend.store.commit(SCOPE, [PutReceipt(receipt=after, before=one)])
    with pytest.raises(c.Raced):
        backend.store.commit(SCOPE, [PutReceipt(receipt=after, before=one)])
    assert read.due(now=NOW, limit=9) == []
    assert read.due(now=LATER, limit=9) == [(SCOPE, one.id)]


def test_what_a_receipt_looks_for_goes_with_it(backend: Backend):
    errand = Errand(receipt=builders.new_id(), filter='{"all_of":[]}', ids=("a",))
    backend.store.commit(SCOPE, [PutErrand(errand=errand)])
    assert backend.receipts.errand(SCOPE, errand.receipt) == errand
    backend.store.commit(SCOPE, [DropErrand(receipt=errand.receipt)])
    assert backend.receipts.errand(SCOPE, errand.receipt) is None


def test_an_id_is_of_its_millisecond():
    fence = fence_at(NOW)
    assert hidden(builders.new_id(NOW), fence)
    assert not hidden(builders.new_id(NOW + timedelta(milliseconds=1)), fence)
    assert not hidden("not an id", fence) and not hidden(builders.new_id(NOW), None)
