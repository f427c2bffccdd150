"""Plants a canary wherever words are kept, forgets, is killed meanwhile, and looks at it all."""

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from datetime import datetime
from typing import Any
from unittest import mock

from hindwise.runtime import forgetting
from hindwise.runtime.forgetting import worker_of
from hindwise.runtime.wired import Wired
from tests.builders import scope
from tests.fakes import InMemoryStore
from tests.integration import canary_plant
from tests.integration.canary_plant import AT_ONCE
from tests.integration.http_client import World
from tests.integration.learning_stage import LearningStage
from tests.lab import Killed, Port, Tripwire, die

WHO = "u-canary"
ALL = {"created_from": "2000-01-01T00:00:00Z"}


def plant(stage: LearningStage) -> None:
    """The canary in memories, a conversation, what was learnt, an archive, quarantine, a job."""
    stage.world.fading = replace(stage.world.fading, rules=AT_ONCE)
    canary_plant.teach(stage.llm)
    canary_plant.plant(WHO, stage.drain)
    stage.world.project()


def kept(stage: LearningStage, logged: Sequence[str] = ()) -> Iterator[tuple[str, bytes]]:
    """All that a stage keeps, and what was logged."""
    yield from kept_in(stage.world, stage.world.store)
    yield "log", "\n".join(logged).encode()


def kept_in(world: World, store: InMemoryStore) -> Iterator[tuple[str, bytes]]:
    """All that is kept: the table's rows of all, the buckets, the queues, the index."""
    for home in store.world.homes.values():
        for name, value in vars(home).items():
            yield name, repr(value).encode()
    for name in ("requests", "dirty", "parked"):
        yield name, repr(getattr(store.world, name)).encode()
    for name, port in vars(store).items():
        yield f"{name} of a tenant", repr(getattr(port, "__dict__", port)).encode()
    yield from world.blobs.held.items()
    yield from world.records.held.items()
    yield "queues", repr(vars(world.queues)).encode()
    yield "hits", repr(world.access.sent).encode()
    for whose in store.world.homes:
        yield "index", repr(world.projections.newest(whose, 1_000)).encode()


@contextmanager
def fragile(wire: Tripwire) -> Iterator[None]:
    """Whatever works on receipts meanwhile has each of its ports behind the tripwire."""

    def worker(wired: Wired) -> Any:
        real = worker_of(wired)
        names = ("blobs", "queues", "conversations")
        learning = _wired(real.parts.learning, names, wire)
        parts = _wired(real.parts, ("receipts", "erasure", "records"), wire)
        parts = replace(parts, learning=learning)
        return replace(_wired(real, ("store", "users"), wire), parts=parts, hands=1)

    with mock.patch.object(forgetting, "worker_of", worker):
        yield


def _wired(whole: Any, names: Sequence[str], wire: Tripwire) -> Any:
    return replace(whole, **{name: Port(getattr(whole, name), wire) for name in names})


def forgotten(stage: LearningStage, *, kill: int = 0, after: bool = False, **asked: Any) -> Any:
    """Forget, killed once at the `kill`th call of a port; the receipt and whether it was killed."""
    began = stage.world.clock()
    body = {"user_id": WHO, "dry_run": False, **asked}
    receipt = stage.client.send("POST", "/v1/forget", body)
    assert receipt.status == 202, receipt.body
    stage.world.clock.forward(seconds=1)
    wire = Tripwire()
    wire.arm(kill, die, after=after)
    with fragile(wire):
        for _ in range(90):
            with suppress(Killed):
                stage.at_once()
            if _ended(stage, receipt.body["id"]):
                break
            stage.sweep(seconds=20)
    done = stage.get(receipt.headers["location"], WHO)
    assert done["finished_at"] is not None
    gone = datetime.fromisoformat(done["finished_at"])
    assert (gone - began).total_seconds() <= 60
    return done, bool(kill) and wire.armed is None


def _ended(stage: LearningStage, receipt_id: str) -> bool:
    """Tell whether a receipt is complete, and its copy there: nothing brings it to work again."""
    receipt = stage.world.store.receipts.get(scope(WHO), receipt_id)
    assert receipt is not None
    if receipt.open or receipt.next_at is not None:
        return False
    copy = stage.world.records.read(receipt.tenant, f"receipts/{receipt_id}.done.json")
    assert copy is not None and json.loads(copy)["counts"] == receipt.counts
    return True
