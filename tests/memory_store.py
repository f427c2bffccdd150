"""The store in memory: `ports.MemoryStore` over plain dicts, under one lock.

It knows nothing of rows or keys: it is the second opinion that the contract suite holds against the
table. Fast enough for benchmarks with 100,000 memories. Use it through `tests.fakes`.
"""

from bisect import bisect_left, insort
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import islice
from threading import RLock
from zlib import crc32

from hindwise.domain import changes as c
from hindwise.domain.conversation import Chunk, Conversation
from hindwise.domain.document import Document
from hindwise.domain.fence import Gate, before, hidden, require_after, require_known
from hindwise.domain.ids import NewId
from hindwise.domain.jobs import Job
from hindwise.domain.memory import Episode, LongTermMemory, Memory, Status, WorkingMemory
from hindwise.domain.ports import Backlog, Page, Turn
from hindwise.domain.ports.recalls import Recall
from hindwise.domain.receipts import Errand, Receipt
from hindwise.domain.scope import Scope
from tests.memory_faults import Faults


@dataclass
class Home:
    """All that is stored of one scope."""

    memories: dict[str, LongTermMemory] = field(default_factory=dict)
    tombstones: set[str] = field(default_factory=set)
    ids: list[str] = field(default_factory=list)
    history: dict[str, list[LongTermMemory]] = field(default_factory=lambda: defaultdict(list))
    changes: dict[str, c.Change] = field(default_factory=dict)
    claims: dict[str, c.Claim] = field(default_factory=dict)
    slots: dict[str, c.Slot] = field(default_factory=dict)
    working: dict[str, WorkingMemory] = field(default_factory=dict)
    edges: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    turns: dict[str, list[tuple[int, str]]] = field(default_factory=lambda: defaultdict(list))
    tasks: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    places: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    audits: dict[str, list[c.AuditEntry]] = field(default_factory=lambda: defaultdict(list))
    documents: dict[str, Document] = field(default_factory=dict)
    document_ids: list[str] = field(default_factory=list)
    log: list[tuple[datetime, tuple[str, ...]]] = field(default_factory=list)
    conversations: dict[str, Conversation] = field(default_factory=dict)
    chunks: dict[tuple[str, int], Chunk] = field(default_factory=dict)
    jobs: dict[str, Job] = field(default_factory=dict)
    answers: dict[tuple[str, int], tuple[str, datetime]] = field(default_factory=dict)
    verdicts: dict[frozenset[str], c.PutVerdict] = field(default_factory=dict)
    put_off: dict[str, tuple[int, datetime]] = field(default_factory=dict)
    fence: datetime | None = None
    held: frozenset[str] = frozenset()
    receipts: dict[str, Receipt] = field(default_factory=dict)
    errands: dict[str, Errand] = field(default_factory=dict)
    recalls: dict[str, Recall] = field(default_factory=dict)
    due: dict[str, datetime | None] = field(default_factory=dict)

    def lasts(self, value: WorkingMemory, now: datetime) -> bool:
        """Tell whether a scratch value is still there."""
        return value.expires_at > now and not before(value.updated_at, self.fence)

    def standing[T: (Conversation, Job)](self, one: T | None) -> T | None:
        """What was begun after the fence."""
        return None if one is None or before(one.created_at, self.fence) else one


class World:
    """What the fakes of one table share: the lock, the clock, the scopes and all request rows."""

    def __init__(self, clock: Callable[[], datetime], new_id: NewId) -> None:
        self.clock = clock
        self.new_id = new_id
        self.lock = RLock()
        self.faults = Faults()
        self.homes: dict[Scope, Home] = {}
        self.requests: dict[tuple[str, str, str], c.Request] = {}
        self.dirty: list[dict[tuple[Scope, str], datetime | None]] = [{} for _ in range(16)]
        self.parked: dict[tuple[Scope, str], None] = {}
        self.forget_domains: Callable[[Scope], list[Callable[[], object]]] = lambda _: []

    def home(self, scope: Scope) -> Home:
        found = self.homes.get(scope)
        if found is None:
            found = self.homes[scope] = Home()
        return found

    def changed(self, scope: Scope, ulid: str, memory_id: str) -> None:
        """Add a change row."""
        key = f"D#{ulid}#{memory_id}"
        self.home(scope).changes[key] = c.Change(key=key, memory_id=memory_id)
        self.bucket(memory_id)[scope, key] = None

    def bucket(self, memory_id: str) -> dict[tuple[Scope, str], datetime | None]:
        """The sixteenth of the backlog that a memory's changes are in."""
        return self.dirty[crc32(memory_id.encode()) % 16]

    def answerable(self, request: c.Request, *, closing: bool) -> bool:
        """Tell whether a request row may be written."""
        known = self.requests.get((request.tenant, request.principal, request.key_hash))
        if known is None or known.expires <= self.clock():
            return True
        return closing and known.state == "open" and known.digest == request.digest

    def answer(self, request: c.Request) -> None:
        self.requests[request.tenant, request.principal, request.key_hash] = request


class StoreReads:
    """The reading half of the store."""

    world: World

    def _read(self, scope: Scope, method: str, keys: int = 0) -> Home:
        self.world.faults.called(method, keys)
        return self.world.home(scope)

    def get(
        self, scope: Scope, ids: Sequence[str], *, known: frozenset[str] | None = None
    ) -> dict[str, Memory]:
        with self.world.lock:
            home, now = self._read(scope, "get", len(ids)), self.world.clock()
            require_known(home.held, known)
            found: dict[str, Memory] = {}
            for one in ids:
                value = home.working.get(one)
                memory = None if hidden(one, home.fence) else home.memories.get(one)
                if value is not None and home.lasts(value, now):
                    found[one] = value
                elif memory is not None and one not in self.world.faults.unreadable:
                    found[one] = memory
            return found

    def unreadable(self, scope: Scope, ids: Sequence[str]) -> frozenset[str]:
        with self.world.lock:
            home = self._read(scope, "unreadable", len(ids))
            there = {one for one in home.memories if not hidden(one, home.fence)}
            return self.world.faults.unreadable & there & set(ids)

    def fence(self, scope: Scope) -> datetime | None:
        with self.world.lock:
            return self._read(scope, "fence", 1).fence

    def gate(self, scope: Scope) -> Gate:
        with self.world.lock:
            home = self._read(scope, "gate", 1)
            return Gate(fence=home.fence, held=home.held)

    def page(self, scope: Scope, *, after: str | None, examine: int) -> Page:
        with self.world.lock:
            home = self._read(scope, "page")
            end = len(home.ids) if after is None else bisect_left(home.ids, after)
            read = home.ids[max(end - examine, 0) : end][::-1]
            more = end > len(read)
            self.world.faults.keys_read += len(read)
            return Page(
                memories=tuple(
                    home.memories[one]
                    for one in read
                    if one in home.memories
                    and one not in self.world.faults.unreadable
                    and not hidden(one, home.fence)
                ),
                after=read[-1] if more and read else None,
                examined=len(read),
            )

    def versions(self, scope: Scope, memory_id: str) -> list[LongTermMemory]:
        with self.world.lock:
            home = self._read(scope, "versions")
            return [] if hidden(memory_id, home.fence) else list(home.history.get(memory_id, []))

    def backlog(self, scope: Scope, limit: int) -> Backlog:
        with self.world.lock:
            rows = self._read(scope, "backlog").changes
            newest = tuple(islice(reversed(rows.values()), limit))
            self.world.faults.keys_read += len(newest)
            return Backlog(changes=newest, more=len(rows) > limit)

    def turns(self, scope: Scope, session_id: str, *, first: int, last: int) -> list[Turn]:
        with self.world.lock:
            places = self._read(scope, "turns").turns.get(session_id, [])
            low, high = bisect_left(places, (first, "")), bisect_left(places, (last + 1, ""))
            return [Turn(seq=seq, memory_id=one) for seq, one in places[low:high]]

    def of_task(self, scope: Scope, task_id: str, *, limit: int) -> list[str]:
        with self.world.lock:
            return self._read(scope, "of_task").tasks.get(task_id, [])[::-1][:limit]

    def next_seq(self, scope: Scope, session_id: str, *, count: int) -> int:
        with self.world.lock:
            home = self._read(scope, "next_seq")
            home.places[session_id] += count
            return home.places[session_id] - count + 1

    def take_seq(self, scope: Scope, session_id: str, seq: int) -> None:
        with self.world.lock:
            home = self._read(scope, "take_seq")
            home.places[session_id] = max(home.places[session_id], seq)

    def working(self, scope: Scope, task_id: str | None, *, now: datetime) -> list[WorkingMemory]:
        with self.world.lock:
            home = self._read(scope, "working")
            return [
                value
                for _, value in sorted(home.working.items())
                if task_id in (None, value.task_id) and home.lasts(value, now)
            ]

    def slot(self, scope: Scope, key: str) -> c.Slot | None:
        with self.world.lock:
            return self._read(scope, "slot", 1).slots.get(key)

    def claim(
        self, scope: Scope, key: str, *, now: datetime, known: frozenset[str] | None = None
    ) -> str | None:
        with self.world.lock:
            home = self._read(scope, "claim", 2)
            require_after(home.fence, now)
            require_known(home.held, known)
            found = home.claims.get(key)
            if found is None or (found.until is not None and found.until <= now):
                return None
            return found.memory_id

    def dependants(self, scope: Scope, source: str) -> list[str]:
        with self.world.lock:
            return sorted(self._read(scope, "dependants").edges.get(source, ()))

    def audit(self, scope: Scope, memory_id: str) -> list[c.AuditEntry]:
        with self.world.lock:
            rows = self._read(scope, "audit").audits.get(memory_id, [])
            return sorted(rows, key=lambda row: (row.version, row.id))

    def touch(self, scope: Scope, touches: Sequence[c.Touch]) -> None:
        with self.world.lock:
            home = self._read(scope, "touch", len(touches))
            times: dict[str, int] = defaultdict(int)
            last: dict[str, datetime] = {}
            for one in touches:
                times[one.memory_id] += one.times
                last[one.memory_id] = max(one.at, last.get(one.memory_id, one.at))
            for memory_id, at in last.items():
                memory = home.memories.get(memory_id)
                if memory is None or memory.status is not Status.ACTIVE:
                    continue
                seen = memory.last_access_at
                if seen is None or seen <= at - timedelta(minutes=1):
                    count = memory.access_count + times[memory_id]
                    home.memories[memory_id] = memory.model_copy(
                        update={"access_count": count, "last_access_at": at}
                    )


def enlist(home: Home, memory: LongTermMemory) -> None:
    """Give an episode its place in session and task."""
    if isinstance(memory, Episode):
        if memory.session_id is not None and memory.seq is not None:
            insert(home.turns[memory.session_id], (memory.seq, memory.id))
        if memory.task_id is not None:
            insert(home.tasks[memory.task_id], memory.id)


def strike(home: Home, memory: LongTermMemory) -> None:
    """Take an episode out of session and task."""
    if isinstance(memory, Episode):
        if memory.session_id is not None and memory.seq is not None:
            _remove(home.turns[memory.session_id], (memory.seq, memory.id))
        if memory.task_id is not None:
            _remove(home.tasks[memory.task_id], memory.id)


def insert[T: (str, tuple[int, str])](row: list[T], one: T) -> None:
    """Enter `one` in order, once; at the end is fast."""
    if row and row[-1] >= one:
        if one not in row:
            insort(row, one)
    else:
        row.append(one)


def _remove[T](row: list[T], one: T) -> None:
    if one in row:
        row.remove(one)


def listed(home: Home, memory_id: str) -> None:
    """Enter an id among all ids ever used."""
    insert(home.ids, memory_id)
