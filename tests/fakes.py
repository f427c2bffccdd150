"""In-memory ports for tests and benchmarks; they pass the same contract suite as the adapters.

`InMemoryStore` is the table: the store itself, and `.requests`, `.keys`, `.projections`,
`.conversations`, `.jobs`, `.ripening`, `.reviews`, `.users` and `.fading` beside it.
`store.faults` counts `backend_calls` and `keys_read` and lets the next calls fail or lose a race.
A search index and an embedder for tests need no fake: `adapters.embedded` and the `hashed` embedder
run in process.
"""

import hmac
from collections.abc import Callable, Sequence
from datetime import UTC, datetime

from hindwise.domain import changes as c
from hindwise.domain.ids import NewId
from hindwise.domain.memory import WorkingMemory
from hindwise.domain.portable import PutVersion
from hindwise.domain.ports import ApiKey
from hindwise.domain.scope import Scope
from tests.builders import new_id as fresh_id
from tests.memory_auditing import InMemoryAuditLog
from tests.memory_fading import InMemoryFadingList, as_decided, dated, fading_may
from tests.memory_faults import Faults
from tests.memory_learning import (
    InMemoryConversations,
    InMemoryJobs,
    learning_do,
    learning_may,
    unlearn,
)
from tests.memory_lessons import InMemoryLessons
from tests.memory_limits import InMemoryRates, InMemoryRecalls
from tests.memory_projections import InMemoryProjections
from tests.memory_receipts import (
    InMemoryErasure,
    InMemoryReceipts,
    forgetting_do,
    forgetting_may,
)
from tests.memory_reviews import InMemoryReviews, InMemoryUsers
from tests.memory_ripening import InMemoryRipening
from tests.memory_store import Home, StoreReads, World, enlist, listed, strike


class InMemoryStore(StoreReads):
    """The truth in memory. All of a commit's conditions are checked before anything is done."""

    def __init__(
        self, clock: Callable[[], datetime] | None = None, new_id: NewId = fresh_id
    ) -> None:
        self.world = World(clock or (lambda: datetime.now(UTC)), new_id)
        self.requests = InMemoryRequestLog(self.world)
        self.keys = InMemoryKeyRing(self.world)
        self.projections = InMemoryProjections(self.world)
        self.conversations = InMemoryConversations(self.world)
        self.jobs = InMemoryJobs(self.world)
        self.ripening = InMemoryRipening(self.world, least=5)
        self.reviews, self.users = InMemoryReviews(self.world), InMemoryUsers(self.world)
        self.lessons = InMemoryLessons(self.world)
        self.receipts = InMemoryReceipts(self.world)
        self.erasure = InMemoryErasure(self.world)
        self.audit_log = InMemoryAuditLog(self.world)
        self.rates, self.recalls = InMemoryRates(self.world), InMemoryRecalls(self.world)
        self.fading = InMemoryFadingList(self.world)

    @property
    def faults(self) -> Faults:
        return self.world.faults

    def commit(self, scope: Scope, actions: Sequence[c.Action]) -> None:
        with self.world.lock:
            home = self._read(scope, "commit")
            self.world.faults.raced(actions)
            lost = tuple(one for one in actions if not self._may(home, one))
            if lost:
                raise c.Raced(lost)
            ulid = self.world.new_id(self.world.clock())
            for action in actions:
                self._do(scope, home, action, ulid)
                dated(home, action)

    def _may(self, home: Home, action: c.Action) -> bool:
        match action:
            case c.Create(memory=memory):
                return memory.id not in home.memories and memory.id not in home.tombstones
            case c.Replace(before=before):
                return as_decided(home, before, None)
            case c.Forget(memory=memory, hits=hits):
                return memory.id in home.tombstones or as_decided(home, memory, hits)
            case c.Rewrite() | c.Looked():
                return fading_may(home, action)
            case c.Claim():
                held = home.claims.get(action.key)
                if held is None or (held.until is not None and held.until <= action.now):
                    return True
                return action.expected is not None and held.memory_id == action.expected
            case c.Hold(slot=slot, expected=expected):
                now = home.slots.get(slot.key)
                if now is None or expected is None:
                    return now is expected
                return (now.holder, now.turn) == (expected.holder, expected.turn)
            case c.PutWorking(before=WorkingMemory() as kept):
                there = home.working.get(kept.id)
                stamp = (kept.version, kept.updated_at)
                return there is not None and (there.version, there.updated_at) == stamp
            case c.Stands(memory_id=memory_id):
                return memory_id in home.memories
            case PutVersion(memory=old):
                return old.version not in {one.version for one in home.history[old.id]}
            case c.Answered():
                return self.world.answerable(action.request, closing=action.closing)
        return learning_may(home, action) and forgetting_may(home, action)

    def _do(self, scope: Scope, home: Home, action: c.Action, ulid: str) -> None:
        match action:
            case c.Create(memory=memory):
                home.memories[memory.id] = memory
                listed(home, memory.id)
                enlist(home, memory)
                self.world.changed(scope, ulid, memory.id)
            case c.Replace():
                self._replace(home, action)
                self.world.changed(scope, ulid, action.after.id)
            case c.Rewrite():
                self._replace(home, action)
                self.world.changed(scope, ulid, action.after.id)
            case c.Forget(memory=memory):
                self._forget(home, action)
                self.world.changed(scope, ulid, memory.id)
            case PutVersion(memory=old):
                kept = home.history[old.id]
                kept[:] = sorted([*kept, old], key=lambda one: one.version)
            case c.Reproject(memory_id=memory_id):
                self.world.changed(scope, ulid, memory_id)
            case c.Claim(key=key):
                home.claims[key] = action
            case c.Release(key=key, memory_id=memory_id):
                self._release(home, key, memory_id)
            case c.Hold(slot=slot):
                home.slots[slot.key] = slot
            case c.PutWorking(memory=memory):
                home.working[memory.id] = memory
            case c.DropWorking(memory_id=memory_id):
                home.working.pop(memory_id, None)
            case c.Edge():
                home.edges[action.source].add(action.dependant)
            case c.Answered(request=request):
                self.world.answer(request)
            case c.Audited(entry=entry):
                rows = home.audits[entry.memory_id]
                rows[:] = [row for row in rows if row.id != entry.id] + [entry]
            case _:
                learning_do(home, action)
                forgetting_do(home, action)

    def _replace(self, home: Home, action: c.Replace | c.Rewrite) -> None:
        """Put the new version; what was counted meanwhile stays counted."""
        before, after = action.before, action.after
        current = home.memories[after.id]
        moved = after.last_access_at != before.last_access_at
        counted = current.access_count + after.access_count - before.access_count
        seen = after.last_access_at if moved else current.last_access_at
        home.memories[after.id] = after.model_copy(
            update={"access_count": counted, "last_access_at": seen}
        )
        history = home.history[after.id]
        if isinstance(action, c.Replace):
            history.append(before)
        else:
            history[:] = [one for one in history if one.version not in action.drop]
            history += action.put
        strike(home, before)
        enlist(home, after)

    def _forget(self, home: Home, action: c.Forget) -> None:
        memory = action.memory
        home.memories.pop(memory.id, None)
        home.tombstones.add(memory.id)
        home.history.pop(memory.id, None)
        home.documents.pop(memory.id, None)
        links = home.edges[memory.id]
        links -= {*(links if action.told is None else action.told)}
        strike(home, memory)
        for dependants in home.edges.values():
            dependants.discard(memory.id)
        for key in memory.claims:
            self._release(home, key, memory.id)
        unlearn(home, memory)

    def _release(self, home: Home, key: str, memory_id: str) -> None:
        held = home.claims.get(key)
        if held is not None and held.memory_id == memory_id:
            del home.claims[key]


class InMemoryRequestLog:
    """Idempotency keys in memory."""

    def __init__(self, world: World) -> None:
        self._world = world

    def find(
        self, tenant: str, principal: str, key_hash: str, *, now: datetime
    ) -> c.Request | None:
        with self._world.lock:
            self._world.faults.called("find_request", 1)
            found = self._world.requests.get((tenant, principal, key_hash))
            return found if found is not None and found.expires > now else None

    def record(self, request: c.Request) -> None:
        with self._world.lock:
            self._world.faults.called("record")
            closing = request.state == "done"
            if not self._world.answerable(request, closing=closing):
                raise c.Raced((c.Answered(request=request, closing=closing),))
            self._world.answer(request)


class InMemoryKeyRing:
    """API keys in memory."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._keys: dict[str, ApiKey] = {}

    def find(self, digest: str) -> ApiKey | None:
        with self._world.lock:
            self._world.faults.called("find_key", 1)
            return self._keys.get(digest)

    def add(self, key: ApiKey) -> None:
        with self._world.lock:
            self._world.faults.called("add_key")
            if key.digest in self._keys:
                raise c.Raced(())
            self._keys[key.digest] = key

    def revoke(self, tenant: str, key_id: str, *, at: datetime) -> bool:
        with self._world.lock:
            self._world.faults.called("revoke")
            for key in self._keys.values():
                if (key.principal.tenant, key.id) == (tenant, key_id) and key.revoked_at is None:
                    self._keys[key.digest] = key.model_copy(update={"revoked_at": at})
                    return True
            return False

    def all(self, tenant: str) -> list[ApiKey]:
        with self._world.lock:
            self._world.faults.called("list_keys")
            own = [key for key in self._keys.values() if key.principal.tenant == tenant]
            return sorted(own, key=lambda key: key.id, reverse=True)


class RecordingAccessQueue:
    """Keeps what was sent, for tests to look at."""

    def __init__(self) -> None:
        self.sent: list[tuple[Scope, tuple[c.Touch, ...]]] = []

    def send(self, scope: Scope, touches: Sequence[c.Touch]) -> None:
        self.sent.append((scope, tuple(touches)))


class FixedSeal:
    """Keyed hashes from a fixed secret."""

    def __init__(self, secret: bytes = b"a secret for tests only") -> None:
        self._secret = secret

    def digest(self, purpose: str, data: str) -> str:
        return hmac.new(self._secret, f"{purpose}\x1f{data}".encode(), "sha256").hexdigest()

    def digests(self, purpose: str, data: str) -> list[str]:
        return [self.digest(purpose, data)]

    def matches(self, purpose: str, data: str, digest: str) -> bool:
        return hmac.compare_digest(self.digest(purpose, data), digest)


class NoPatience:
    """Gives up at once."""

    def again(self) -> bool:
        return False


class InstantPatience:
    """Tries again without waiting, `times` times."""

    def __init__(self, times: int = 100) -> None:
        self.left = times

    def again(self) -> bool:
        self.left -= 1
        return self.left >= 0
