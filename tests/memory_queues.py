"""Queues and budgets in memory; they pass the same contract suite as the adapters."""

from collections import defaultdict
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from itertools import count

from hindwise.domain.ports import Depth, Letter, QueueName, Spent
from hindwise.domain.scope import Scope
from hindwise.errors import Unavailable

HIDDEN = timedelta(seconds=30)


class InMemoryQueues:
    """Pointers that wait; `down` loses what is sent, as a queue that does not answer would."""

    def __init__(self, clock: Callable[[], datetime]) -> None:
        self._clock = clock
        self._receipts = count(1)
        self.down = False
        self.sent: list[tuple[QueueName, Scope, str, float]] = []
        self.waiting: dict[QueueName, list[tuple[datetime, Scope, str]]] = defaultdict(list)
        self.dead: dict[QueueName, list[tuple[datetime, Letter]]] = defaultdict(list)

    def send(self, name: QueueName, scope: Scope, ids: Sequence[str], *, delay: float = 0) -> None:
        if not self.down:
            at = self._clock() + timedelta(seconds=min(max(delay, 0), 900))
            self.waiting[name] += [(at, scope, one) for one in ids]
            self.sent += [(name, scope, one, delay) for one in ids]

    def take(self, name: QueueName) -> tuple[Scope, str] | None:
        """Take the next pointer that has arrived, as the worker's queue would hand it out."""
        now = self._clock()
        for message in sorted(self.waiting[name], key=lambda message: message[0]):
            if message[0] <= now:
                self.waiting[name].remove(message)
                return message[1], message[2]
        return None

    def bury(self, name: QueueName, scope: Scope, pointed: str) -> None:
        if not self.down:
            letter = Letter(scope=scope, id=pointed, receipt=str(next(self._receipts)))
            self.dead[name].append((self._clock(), letter))

    def depths(self) -> list[Depth]:
        if self.down:
            raise Unavailable("the queues are let down by the test")
        now = self._clock()
        return [
            Depth(
                name=name,
                waiting=sum(at <= now for at, _, _ in self.waiting[name]),
                delayed=sum(at > now for at, _, _ in self.waiting[name]),
                in_flight=0,
                dead=len(self.dead[name]),
            )
            for name in QueueName
        ]

    def letters(self, name: QueueName, limit: int) -> list[Letter]:
        if self.down:
            raise Unavailable("the queues are let down by the test")
        now, taken = self._clock(), []
        for position, (visible, letter) in enumerate(self.dead[name]):
            if visible <= now and len(taken) < limit:
                self.dead[name][position] = (now + HIDDEN, letter)
                taken.append(letter)
        return taken

    def drop(self, name: QueueName, letters: Sequence[Letter]) -> None:
        gone = {letter.receipt for letter in letters}
        held = self.dead[name]
        held[:] = [row for row in held if row[1].receipt not in gone]


class InMemoryBudget:
    """What each tenant used, by day."""

    def __init__(self, calls: int, tokens: int) -> None:
        self._allowed = Spent(calls=calls, tokens=tokens)
        self._spent: dict[tuple[str, str], Spent] = defaultdict(Spent)

    def reserve(self, tenant: str, tokens: int, *, now: datetime) -> bool:
        used = self._spent[_day(tenant, now)]
        wanted = Spent(calls=used.calls + 1, tokens=used.tokens + tokens)
        if wanted.calls > self._allowed.calls or wanted.tokens > self._allowed.tokens:
            return False
        self._spent[_day(tenant, now)] = wanted
        return True

    def settle(
        self, tenant: str, *, reserved: int, used: int, now: datetime, calls: int = 1
    ) -> None:
        before = self._spent[_day(tenant, now)]
        self._spent[_day(tenant, now)] = Spent(
            calls=before.calls + calls - 1, tokens=before.tokens + used - reserved
        )

    def spent(self, tenant: str, *, now: datetime) -> Spent:
        return self._spent[_day(tenant, now)]


def _day(tenant: str, now: datetime) -> tuple[str, str]:
    return tenant, now.astimezone(UTC).date().isoformat()
