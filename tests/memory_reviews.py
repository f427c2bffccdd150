"""Reviews and users in memory: read from the records of `tests.memory_store`, without any list."""

from datetime import datetime
from urllib.parse import quote
from zlib import crc32

from hindwise.domain.memory import SemanticMemory, Status, Type
from hindwise.domain.ports import Waiting, WaitingPage
from hindwise.domain.reviews import kinds_of
from hindwise.domain.scope import Scope
from tests.memory_store import World


class InMemoryReviews:
    """What waits for a reviewer."""

    def __init__(self, world: World) -> None:
        self._world = world

    def waiting(self, tenant: str, *, after: str | None, limit: int) -> WaitingPage:
        with self._world.lock:
            self._world.faults.called("waiting")
            found = sorted(
                (
                    Waiting(scope=scope, memory_id=memory.id)
                    for scope, home in self._world.homes.items()
                    for memory in home.memories.values()
                    if scope.tenant == tenant
                    and kinds_of(memory)
                    and (after is None or memory.id < after)
                ),
                key=lambda one: one.memory_id,
                reverse=True,
            )
        entries = tuple(found[:limit])
        more = len(found) > limit
        return WaitingPage(entries=entries, after=entries[-1].memory_id if more else None)

    def current(self, scope: Scope, type_: Type, *, limit: int) -> list[str]:
        with self._world.lock:
            self._world.faults.called("current")
            held = self._world.home(scope).memories.values()
            found = [
                one.id
                for one in held
                if isinstance(one, SemanticMemory)
                and one.type is type_
                and one.status is Status.ACTIVE
            ]
        return sorted(found, reverse=True)[:limit]


class InMemoryUsers:
    """The users of all tenants, and when each is to be looked at."""

    def __init__(self, world: World) -> None:
        self._world = world
        self.next: dict[Scope, datetime] = {}

    def note(self, scope: Scope, *, now: datetime) -> None:
        with self._world.lock:
            self._world.faults.called("note_user")
            self.next.setdefault(scope, now)

    def page(self, tenant: str, *, prefix: str, after: str | None, limit: int) -> list[str]:
        with self._world.lock:
            self._world.faults.called("page_users")
            known = (one.user for one in self.next if one.tenant == tenant)
            found = sorted((one for one in known if one.startswith(prefix)), key=_encoded)
        return [one for one in found if after is None or _encoded(one) > _encoded(after)][:limit]

    def drop(self, scope: Scope) -> None:
        with self._world.lock:
            self._world.faults.called("drop_user")
            self.next.pop(scope, None)

    def due(self, bucket: int, *, now: datetime, limit: int) -> list[Scope]:
        with self._world.lock:
            self._world.faults.called("due_users")
            ready = [(at, scope) for scope, at in self.next.items() if at <= now]
        ready.sort(key=lambda one: one[0])
        return [scope for _, scope in ready if _bucket(scope) == bucket][:limit]

    def looked(self, scope: Scope, *, again: datetime, now: datetime) -> bool:
        with self._world.lock:
            self._world.faults.called("looked")
            due = self.next.get(scope)
            if due is None or due > now:
                return False
            self.next[scope] = again
            return True


def _encoded(user: str) -> str:
    return quote(user, safe="")


def _bucket(scope: Scope) -> int:
    return crc32(f"T#{scope.tenant}#U#{_encoded(scope.user)}".encode()) % 16
