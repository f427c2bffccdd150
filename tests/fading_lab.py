"""A laboratory of fading: memories of any age, the sweeps, and what dies in the midst of them."""

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from hindwise.domain import changes as c
from hindwise.domain.call import Tools
from hindwise.domain.fading import Fate, Sweep
from hindwise.domain.memory import LongTermMemory, Memory
from hindwise.domain.retention import Retention
from hindwise.runtime.tools import Ulids
from hindwise.usecases.archive import restore
from hindwise.usecases.fade import Fading
from hindwise.usecases.ledger import Ledger
from hindwise.usecases.sweeping import Report, look, run
from tests.builders import Clock, episode, scope
from tests.contract.blobs_fake import FakeBlobs
from tests.fakes import FixedSeal, InMemoryStore, InstantPatience
from tests.lab import Port, Tripwire
from tests.memory_queues import InMemoryQueues

TONIGHT = datetime.fromisoformat("2026-07-01T03:00:00+00:00")
SWEEPS = (Sweep.PURGE, Sweep.ARCHIVE, Sweep.DECAY, Sweep.TIERS)


def ago(days: float) -> datetime:
    return TONIGHT - timedelta(days=days)


class FadingLab:
    """All in memory, one night of July; memories are planted as old as they are said to be."""

    def __init__(self, **rules: Any) -> None:
        self.clock = Clock(TONIGHT)
        self.ids = Ulids()
        self.store = InMemoryStore(self.clock, self.ids)
        self.blobs, self.queues = FakeBlobs(), InMemoryQueues(self.clock)
        self.tools = Tools(new_id=self.ids, seal=FixedSeal(), patience=InstantPatience)
        self.wire = Tripwire()
        self.runs = 0
        self.fading = Fading(
            store=self.store,
            blobs=self.blobs,
            listed=self.store.fading,
            queues=self.queues,
            tools=self.tools,
            clock=self.clock,
            rules=Retention(**rules),
        )

    def fragile(self) -> Fading:
        """The parts with every port behind the tripwire."""
        return replace(
            self.fading,
            store=Port(self.store, self.wire),
            blobs=Port(self.blobs, self.wire),
            listed=Port(self.store.fading, self.wire),
        )

    def plant(self, memory: LongTermMemory, user: str = "ada", hits: int = 0) -> str:
        """Store a memory as it is, with an audit row, and count hits at its beginning."""
        memory, row = self.ledger(user).recorded(memory, "created")
        self.store.commit(scope(user), [c.Create(memory=memory), row])
        if hits:
            at = memory.created_at
            self.store.touch(scope(user), [c.Touch(memory_id=memory.id, times=hits, at=at)])
        return memory.id

    def happened(
        self, days: float, importance: float = 0.5, hits: int = 0, user: str = "ada", **given: Any
    ) -> str:
        """Plant an episode that is so many days old."""
        made = episode(
            given.pop("content", f"What happened {days} days ago."),
            at=ago(days),
            importance=importance,
            confidence=given.pop("confidence", 0.2),
            **given,
        )
        return self.plant(made, user, hits)

    def ledger(self, user: str = "ada") -> Ledger:
        return self.fading.ledger(scope(user))

    def sweep(self, sweep: Sweep, fading: Fading | None = None, seconds: float = 45) -> Report:
        """One run over all scopes."""
        self.runs += 1
        until = self.clock() + timedelta(seconds=seconds)
        return run(sweep, f"run-{self.runs}", fading=fading or self.fading, until=until)

    def night(self) -> None:
        for sweep in SWEEPS:
            self.sweep(sweep)

    def foretold(self, sweep: Sweep, user: str = "ada") -> dict[Fate, set[str]]:
        """What a dry run says."""
        until = self.clock() + timedelta(seconds=45)
        told = look(
            sweep, ledger=self.ledger(user), fading=self.fading, after=None, until=until, dry=True
        )
        return {how: set(ids) for how, ids in told.ids.items()}

    def restore(self, memory_id: str, user: str = "ada") -> Memory:
        return restore(memory_id, ledger=self.ledger(user), blobs=self.blobs)

    def record(self, memory_id: str, user: str = "ada") -> Any:
        return self.store.get(scope(user), [memory_id]).get(memory_id)

    def states(self, user: str = "ada") -> dict[str, str]:
        """The status of every memory that is there."""
        page = self.store.page(scope(user), after=None, examine=1_000)
        return {one.id: one.status.value for one in page.memories}

    def contents(self, user: str = "ada") -> list[str]:
        page = self.store.page(scope(user), after=None, examine=1_000)
        return sorted(one.content for one in page.memories)

    def picture(self, user: str = "ada") -> Any:
        """All that is stored of a scope and does not follow from when exactly it was done."""
        page = self.store.page(scope(user), after=None, examine=1_000)
        free = {"audit_head", "updated_at", "created_at", "archive"}
        records = [one.model_dump(mode="json", exclude=free) for one in page.memories]
        home = self.store.world.home(scope(user))
        versions = {one: [v.version for v in kept] for one, kept in home.history.items() if kept}
        edges = {source: sorted(held) for source, held in home.edges.items() if held}
        chains = {one: [row.decision for row in rows] for one, rows in home.audits.items()}
        old = {one.id for one in page.memories if one.created_at < TONIGHT}
        due = {one: at for one, at in home.due.items() if at is not None and one in old}
        named = {one.archive.name for one in page.memories if one.archive}
        return records, versions, edges, chains, due, sorted(home.tombstones), named
