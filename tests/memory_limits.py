"""Counters of limits and recalls in memory; they pass the same contract suite as the adapters."""

from collections import Counter, defaultdict
from collections.abc import Mapping
from datetime import UTC, datetime

from hindwise.domain.ports.recalls import Recall
from hindwise.domain.scope import Scope
from tests.memory_store import World

WORDS = ("requests", "searches", "writes")


class InMemoryRates:
    """What each tenant used; `writes` counts the calls."""

    def __init__(self, world: World) -> None:
        self._world = world
        self.minutes: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
        self.days: Counter[tuple[str, str]] = Counter()
        self.writes = 0

    def add(self, tenant: str, used: Mapping[str, int], *, now: datetime) -> dict[str, int]:
        with self._world.lock:
            self._called()
            minute = now.astimezone(UTC).isoformat(timespec="minutes")
            counter = self.minutes[tenant, minute]
            counter.update(used)
            return {word: counter[word] for word in WORDS}

    def embed(self, tenant: str, texts: int, *, now: datetime) -> int:
        with self._world.lock:
            self._called()
            day = now.astimezone(UTC).date().isoformat()
            self.days[tenant, day] += texts
            return self.days[tenant, day]

    def _called(self) -> None:
        self.writes += 1
        self._world.faults.called("rates")


class InMemoryRecalls:
    """Recalls by scope."""

    def __init__(self, world: World) -> None:
        self._world = world

    def put(self, scope: Scope, recall: Recall) -> None:
        with self._world.lock:
            self._world.faults.called("put_recall")
            self._world.home(scope).recalls.setdefault(recall.id, recall)

    def of_user(
        self, scope: Scope, *, after: str | None, limit: int, now: datetime
    ) -> tuple[list[Recall], str | None]:
        rows = [(scope, one) for one in self._world.home(scope).recalls.values()]
        page, further = _page(rows, after, limit, now)
        return [one for _, one in page], further

    def of_tenant(
        self, tenant: str, *, after: str | None, limit: int, now: datetime
    ) -> tuple[list[tuple[Scope, Recall]], str | None]:
        rows = [
            (scope, one)
            for scope, home in self._world.homes.items()
            if scope.tenant == tenant
            for one in home.recalls.values()
        ]
        return _page(rows, after, limit, now)


def _page(
    rows: list[tuple[Scope, Recall]], after: str | None, limit: int, now: datetime
) -> tuple[list[tuple[Scope, Recall]], str | None]:
    rows = sorted(rows, key=lambda row: row[1].id, reverse=True)
    rows = [row for row in rows if after is None or row[1].id < after]
    cut = rows[:limit]
    further = cut[-1][1].id if len(rows) > limit else None
    return [row for row in cut if row[1].expires > now], further
