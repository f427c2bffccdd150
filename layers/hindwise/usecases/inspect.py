"""Look at memories without searching: lists, counts and a timeline."""

from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Literal

from hindwise.domain.base import Model
from hindwise.domain.call import Call
from hindwise.domain.changes import Change
from hindwise.domain.memory import LongTermMemory, Memory, SemanticMemory, WorkingMemory
from hindwise.domain.outlived import outlived_values
from hindwise.domain.ports import MemoryStore, Projections
from hindwise.domain.query import Filter, View
from hindwise.domain.reviews import kinds_of
from hindwise.domain.visibility import passes, state, visible
from hindwise.usecases.known import as_known
from hindwise.usecases.ledger import Ledger
from hindwise.usecases.withheld import shown_to

EXAMINED = 1_000
Embedding = Literal["ready", "pending", "none"]


class Listing(Model):
    """A page of records; `after` continues it and is None only at the end of the scope."""

    memories: tuple[LongTermMemory, ...]
    after: str | None


class Parked(Model):
    """A memory that projection has given up on, and why, without content."""

    id: str
    reason: str


class Stats(Model):
    """Counts over the newest records of a scope.

    `complete` is False where there are more than were examined. `reviews` wait for a person, by why
    they do. `waiting` and `parked` are of the
    newest 100 changes.
    """

    examined: int
    complete: bool
    by_kind: dict[str, int]
    by_type: dict[str, int]
    by_status: dict[str, int]
    never_recalled: int
    reviews: dict[str, int]
    waiting: int
    waiting_more: bool
    parked: tuple[Parked, ...]


class Bucket(Model):
    """A day or month of the timeline (`2026-03`, `2026-03-14`) and how many memories it holds."""

    bucket: str
    count: int


def listed(
    wanted: Filter,
    view: View,
    *,
    call: Call,
    store: MemoryStore,
    limit: int,
    after: str | None = None,
) -> Listing:
    """The newest records that pass; examines at most 1,000 a call, so a page may be short."""
    kept: list[LongTermMemory] = []
    examined = 0
    while True:
        page = store.page(
            call.scope, after=after, examine=min(EXAMINED - examined, max(limit * 2, 50))
        )
        examined += page.examined
        for memory in as_known(page.memories, view, scope=call.scope, store=store):
            if visible(memory, view, call.now) and passes(memory, wanted, now=call.now):
                kept.append(memory)
                if len(kept) == limit:
                    return Listing(memories=_of_then(kept, view), after=memory.id)
        after = page.after
        if after is None or examined >= EXAMINED:
            return Listing(memories=_of_then(kept, view), after=after)


def _of_then(records: list[LongTermMemory], view: View) -> tuple[LongTermMemory, ...]:
    """The records of a page; of a slot's values that overlap at `as_of` only the newest."""
    hidden = outlived_values(records, view.include) if view.as_of else frozenset()
    return tuple(one for one in records if one.id not in hidden)


def looked_at(
    memory_id: str, *, ledger: Ledger, projections: Projections
) -> tuple[Memory, Embedding]:
    """One memory as the caller may see it, and whether it can be found by meaning.

    Raises NotFound.
    """
    memory = shown_to(ledger.need(memory_id), ledger.call.principal)
    return memory, _embedded(memory, call=ledger.call, projections=projections)


def _embedded(memory: Memory, *, call: Call, projections: Projections) -> Embedding:
    """Whether a memory can be found by meaning.

    `pending` until its current version is projected with a vector.
    """
    if isinstance(memory, WorkingMemory):
        return "none"
    document = projections.documents(call.scope, [memory.id]).get(memory.id)
    if document is None or document.version < memory.version:
        return "pending"
    return "ready" if document.vector is not None else "pending"


def _examined(call: Call, store: MemoryStore) -> Iterator[tuple[LongTermMemory, bool]]:
    """The newest 1,000 records, each with whether the scope may hold more after it."""
    after, left = None, EXAMINED
    while left > 0:
        page = store.page(call.scope, after=after, examine=left)
        for memory in page.memories:
            yield memory, page.after is not None
        after, left = page.after, left - max(page.examined, 1)
        if after is None:
            return


def stats(*, call: Call, store: MemoryStore) -> Stats:
    """Count the newest 1,000 records of a scope and its unprojected changes."""
    kinds: Counter[str] = Counter()
    types: Counter[str] = Counter()
    statuses: Counter[str] = Counter()
    reviews: Counter[str] = Counter()
    never, more = 0, False
    for memory, rest in _examined(call, store):
        kinds[memory.kind] += 1
        statuses[state(memory, call.now)] += 1
        reviews.update(kinds_of(memory))
        never += memory.access_count == 0
        more = rest
        if isinstance(memory, SemanticMemory):
            types[memory.type] += 1
    backlog = store.backlog(call.scope, 100)
    return Stats(
        examined=kinds.total(),
        complete=not more,
        by_kind=dict(kinds),
        by_type=dict(types),
        by_status=dict(statuses),
        never_recalled=never,
        reviews=dict(reviews),
        waiting=sum(not change.parked for change in backlog.changes),
        waiting_more=backlog.more,
        parked=_parked(backlog.changes),
    )


def _parked(changes: Sequence[Change]) -> tuple[Parked, ...]:
    reasons = {one.memory_id: one.reason for one in reversed(changes) if one.parked}
    return tuple(Parked(id=one, reason=reason) for one, reason in reasons.items())


def timeline(
    *,
    call: Call,
    store: MemoryStore,
    by: Literal["event", "record"] = "event",
    step: Literal["day", "month"] = "day",
) -> tuple[tuple[Bucket, ...], bool]:
    """Count the newest 1,000 records by day or month, in each memory's own offset.

    Tells whether that was all.
    """
    counts: Counter[str] = Counter()
    more = False
    for memory, rest in _examined(call, store):
        more = rest
        if visible(memory, View(), call.now):
            moment = memory.event_time if by == "event" else memory.created_at
            counts[_bucket(moment, step)] += 1
    buckets = tuple(Bucket(bucket=one, count=counts[one]) for one in sorted(counts))
    return buckets, not more


def _bucket(moment: datetime, step: str) -> str:
    day = moment.date().isoformat()
    return day[:7] if step == "month" else day
