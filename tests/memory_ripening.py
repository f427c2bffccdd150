"""Rough counts of a domain's new episodes, in memory; use it through `tests.fakes`."""

from collections.abc import Callable
from datetime import datetime
from zlib import crc32

from hindwise.domain.ports import Ripe
from hindwise.domain.scope import Scope
from tests.memory_store import World

BUCKETS = 16
GENERAL = "general"


class InMemoryRipening:
    """`ports.Ripening` in memory; `least` episodes make a domain worth a look."""

    def __init__(self, world: World, least: int) -> None:
        self._world = world
        self._least = least
        self._held: dict[tuple[Scope, str], Ripe] = {}
        self._listed: dict[tuple[Scope, str], None] = {}
        world.forget_domains = self._drops

    def _drops(self, scope: Scope) -> list[Callable[[], object]]:
        own = [key for key in self._held if key[0] == scope]
        return [
            lambda key=key: (self._held.pop(key, None), self._listed.pop(key, None))  # type: ignore[misc]
            for key in own
        ]

    def note(self, scope: Scope, domain: str, episodes: int, *, now: datetime) -> None:
        with self._world.lock:
            self._world.faults.called("note")
            known = [name for owner, name in self._held if owner == scope]
            if domain == GENERAL:
                for name in {GENERAL, *known}:
                    self._count(scope, name, episodes)
                return
            general = self._held.get((scope, GENERAL))
            begins = general.episodes if general and domain not in known else 0
            self._count(scope, domain, episodes + begins)

    def _count(self, scope: Scope, domain: str, episodes: int) -> None:
        held = self._held.get((scope, domain)) or Ripe(scope=scope, domain=domain, episodes=0)
        now = held.model_copy(update={"episodes": held.episodes + episodes})
        self._held[scope, domain] = now
        if now.episodes >= self._least:
            self._listed.setdefault((scope, domain))

    def ripe(self, bucket: int, limit: int) -> list[Ripe]:
        with self._world.lock:
            self._world.faults.called("ripe")
            own = [key for key in self._listed if _bucket(*key) == bucket]
            return [self._held[key] for key in own[:limit]]

    def passed(self, seen: Ripe) -> None:
        with self._world.lock:
            self._world.faults.called("passed", 1)
            if self._held[seen.scope, seen.domain].episodes == seen.episodes:
                self._listed.pop((seen.scope, seen.domain), None)

    def considered(self, scope: Scope, domain: str, *, at: datetime) -> None:
        with self._world.lock:
            self._world.faults.called("considered", 1)
            held = self._held.get((scope, domain))
            if held and held.considered_at is not None and held.considered_at >= at:
                return
            self._held[scope, domain] = Ripe(
                scope=scope, domain=domain, episodes=0, considered_at=at
            )
            self._listed.pop((scope, domain), None)


def _bucket(scope: Scope, domain: str) -> int:
    return crc32(f"{scope.tenant}#{scope.user}#{domain}".encode()) % BUCKETS
