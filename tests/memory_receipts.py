"""Receipts, their copies and the erasure of a scope, in memory; use it through `tests.fakes`."""

from collections.abc import Callable
from datetime import datetime

from hindwise.domain import changes as c
from hindwise.domain.fence import before, hidden
from hindwise.domain.fence import before as behind
from hindwise.domain.receipts import (
    DropErrand,
    Errand,
    PutErrand,
    PutFence,
    PutReceipt,
    Receipt,
    Unforgotten,
)
from hindwise.domain.scope import Scope
from hindwise.domain.sources import HoldSource
from tests.memory_store import Home, World, strike

STORES = (
    "jobs", "conversations", "working", "slots", "texts", "links", "verdicts", "versions",
    "vectors", "domains", "errands", "recalls", "reviews", "places", "memories",
)  # fmt: skip


def forgetting_may(home: Home, action: c.Action) -> bool:
    match action:
        case PutFence(at=at):
            return home.fence is None or home.fence <= at
        case Unforgotten(at=at, unheld=unheld):
            return not behind(at, home.fence) and not (unheld and home.held)
        case PutReceipt(receipt=receipt, before=was):
            there = home.receipts.get(receipt.id)
            return (
                there is None if was is None else there is not None and there.version == was.version
            )
    return True


def forgetting_do(home: Home, action: c.Action) -> None:
    match action:
        case PutFence(at=at):
            home.fence = at
        case HoldSource(mark=mark, undo=undo):
            home.held = home.held - {mark} if undo else home.held | {mark}
        case PutReceipt(receipt=receipt):
            home.receipts[receipt.id] = receipt
        case PutErrand(errand=errand):
            home.errands[errand.receipt] = errand
        case DropErrand(receipt=receipt_id):
            home.errands.pop(receipt_id, None)


class InMemoryReceipts:
    """Receipts in memory."""

    def __init__(self, world: World) -> None:
        self._world = world

    def get(self, scope: Scope, receipt_id: str) -> Receipt | None:
        with self._world.lock:
            self._world.faults.called("receipt", 1)
            return self._world.home(scope).receipts.get(receipt_id)

    def page(self, scope: Scope, *, after: str | None, limit: int) -> list[Receipt]:
        with self._world.lock:
            self._world.faults.called("receipts")
            held = sorted(self._world.home(scope).receipts.items(), reverse=True)
            return [one for key, one in held if after is None or key < after][:limit]

    def due(self, *, now: datetime, limit: int) -> list[tuple[Scope, str]]:
        with self._world.lock:
            self._world.faults.called("due_receipts")
            found = [
                (scope, one.id)
                for scope, home in self._world.homes.items()
                for one in home.receipts.values()
                if one.next_at is not None and one.next_at <= now
            ]
            return found[:limit]

    def errand(self, scope: Scope, receipt_id: str) -> Errand | None:
        with self._world.lock:
            self._world.faults.called("errand", 1)
            return self._world.home(scope).errands.get(receipt_id)


class InMemoryErasure:
    """Takes what lies behind the fence out of the dicts of a scope."""

    stores: tuple[str, ...] = STORES

    def __init__(self, world: World) -> None:
        self._world = world

    def count(self, scope: Scope, fence: datetime) -> dict[str, int]:
        with self._world.lock:
            self._world.faults.called("count")
            home = self._world.home(scope)
            counts = {one: len(self._found(scope, fence, one)) for one in STORES}
            if any(not hidden(one, fence) for one in home.ids):
                counts["domains"] = 0
            changes = home.changes.values()
            counts["changes"] = sum(hidden(one.memory_id, fence) for one in changes)
            return {one: count for one, count in counts.items() if count}

    def erase(self, scope: Scope, fence: datetime, store: str, *, most: int) -> int:
        with self._world.lock:
            self._world.faults.called("erase")
            found = self._found(scope, fence, store)[:most]
            for drop in found:
                drop()
            return len(found)

    def _found(self, scope: Scope, fence: datetime, store: str) -> list[Callable[[], object]]:
        home = self._world.home(scope)
        match store:
            case "memories":
                return [self._memory(scope, one) for one in home.ids if hidden(one, fence)]
            case "jobs":
                old = [one for one in home.jobs.values() if before(one.created_at, fence)]
                gone = {one.id for one in old}
                young = home.jobs.keys() - gone
                answers = [key for key in home.answers if key[0] not in young]
                return [*_pops(home.jobs, gone), *_pops(home.answers, answers)]
            case "conversations":
                talks = [
                    key for key, one in home.conversations.items() if before(one.created_at, fence)
                ]
                chunks = [key for key, one in home.chunks.items() if before(one.at, fence)]
                return [*_pops(home.conversations, talks), *_pops(home.chunks, chunks)]
            case "domains":
                return self._world.forget_domains(scope)
        return _small(home, fence, store)

    def _memory(self, scope: Scope, memory_id: str) -> Callable[[], object]:
        def drop() -> None:
            home = self._world.home(scope)
            self._world.changed(scope, self._world.new_id(self._world.clock()), memory_id)
            memory = home.memories.pop(memory_id, None)
            if memory is not None:
                strike(home, memory)
            home.tombstones.discard(memory_id)
            home.ids.remove(memory_id)
            for listed in (home.turns, home.tasks, home.edges, home.audits):
                for key in [key for key, some in listed.items() if not some]:
                    del listed[key]  # type: ignore[attr-defined]

        return drop


def _small(home: Home, fence: datetime, store: str) -> list[Callable[[], object]]:
    match store:
        case "working":
            old = [key for key, one in home.working.items() if before(one.updated_at, fence)]
            return _pops(home.working, old)
        case "slots":
            slots = home.slots.items()
            held = [k for k, one in slots if one.holder is None or hidden(one.holder, fence)]
            return _pops(home.slots, held)
        case "texts":
            claims = home.claims.items()
            return _pops(home.claims, [k for k, one in claims if hidden(one.memory_id, fence)])
        case "links":
            links = [(source, one) for source, some in home.edges.items() for one in some]
            gone = [link for link in links if any(hidden(one, fence) for one in link)]
            return [lambda link=link: home.edges[link[0]].discard(link[1]) for link in gone]
        case "verdicts":
            pairs = [key for key in home.verdicts if any(hidden(one, fence) for one in key)]
            return _pops(home.verdicts, pairs)
        case "versions":
            return _pops(home.history, [key for key in home.history if hidden(key, fence)])
        case "vectors":
            return _pops(home.documents, [key for key in home.documents if hidden(key, fence)])
        case "reviews":
            return []  # here the memory's own row says that it is under review
        case "errands":
            return _pops(home.errands, [key for key in home.errands if hidden(key, fence)])
        case "recalls":
            return _pops(home.recalls, [key for key in home.recalls if hidden(key, fence)])
        case "places":
            turns = home.turns
            empty = [
                key
                for key in home.places
                if all(hidden(one, fence) for _, one in turns.get(key, ()))
            ]
            return _pops(home.places, empty)
    raise KeyError(store)


def _pops[K](held: dict[K, object], keys: object) -> list[Callable[[], object]]:  # type: ignore[type-arg]
    return [lambda key=key: held.pop(key, None) for key in keys]  # type: ignore[attr-defined]
