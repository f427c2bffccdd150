"""What fading needs of the table, in memory; use it through `tests.fakes`.

Dates are noted when a record is written, as the table does: an access does not move them.
"""

from dataclasses import dataclass
from datetime import datetime
from zlib import crc32

from hindwise.domain import changes as c
from hindwise.domain.fading import due_at
from hindwise.domain.memory import LongTermMemory, Status
from hindwise.domain.ports import Lease, Overdue
from hindwise.domain.retention import DEFAULT
from tests.memory_store import Home, World

BUCKETS = 64


def fading_may(home: Home, action: c.Rewrite | c.Looked) -> bool:
    """Tell whether an action's condition holds."""
    match action:
        case c.Rewrite(before=before, hits=hits):
            return as_decided(home, before, hits)
        case c.Looked(memory=memory):
            return as_decided(home, memory, None) and home.due.get(memory.id) is not None


def as_decided(home: Home, memory: LongTermMemory, hits: int | None) -> bool:
    """Tell whether a record is still as something was decided about it."""
    current = home.memories.get(memory.id)
    if current is None or current.version != memory.version:
        return False
    return hits is None or current.access_count == hits


def dated(home: Home, action: c.Action) -> None:
    """Note when fading is to look at what has just been written."""
    match action:
        case c.Create(memory=memory) | c.Replace(after=memory) | c.Rewrite(after=memory):
            waits = not memory.settled and memory.status is Status.ACTIVE
            home.due[memory.id] = None if waits else due_at(memory, DEFAULT)
        case c.Settled(memory=memory):
            home.due[memory.id] = due_at(memory.model_copy(update={"settled": True}), DEFAULT)
        case c.Looked(memory=memory, due=due):
            home.due[memory.id] = due
        case c.Forget(memory=memory):
            home.due.pop(memory.id, None)


@dataclass
class _Held:
    token: str = ""
    until: datetime | None = None
    lease: Lease | None = None


class InMemoryFadingList:
    """`ports.FadingList` in memory."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._leases: dict[tuple[str, int], _Held] = {}

    def overdue(
        self, bucket: int, *, now: datetime, limit: int, after: Overdue | None = None
    ) -> list[Overdue]:
        with self._world.lock:
            self._world.faults.called("overdue")
            found = sorted(
                (
                    Overdue(scope=scope, memory_id=one, due=due)
                    for scope, home in self._world.homes.items()
                    for one, due in home.due.items()
                    if due is not None and due <= now and bucket_of(one) == bucket
                ),
                key=_order,
            )
            return [one for one in found if after is None or _order(one) > _order(after)][:limit]

    def take(
        self, sweep: str, bucket: int, token: str, *, until: datetime, now: datetime
    ) -> Lease | None:
        with self._world.lock:
            self._world.faults.called("take_lease")
            held = self._leases.setdefault((sweep, bucket), _Held())
            late = until + (until - now)
            live = held.until is not None and now < held.until <= late
            if live and held.token != token:
                return None
            held.token, held.until = token, until
            return held.lease or Lease()

    def leave(self, sweep: str, bucket: int, token: str, lease: Lease) -> bool:
        with self._world.lock:
            self._world.faults.called("leave_lease")
            held = self._leases[sweep, bucket]
            if held.token != token:
                return False
            self._leases[sweep, bucket] = _Held(lease=lease)
            return True


def _order(one: Overdue) -> tuple[datetime, str, str, str]:
    return one.due, one.scope.tenant, one.scope.user, one.memory_id


def bucket_of(memory_id: str) -> int:
    return crc32(memory_id.encode()) % BUCKETS
