"""Plants a canary wherever words are kept, forgets, is killed meanwhile, and looks at it all."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime
from typing import Any

from hindwise.domain.archived import packed
from hindwise.domain.memory import Status
from hindwise.runtime.forgetting import worker_of
from hindwise.usecases.forget_job import work
from tests.builders import newer, scope
from tests.canaries import CANARY, planted
from tests.integration.learning_stage import LearningStage, as_json, assistant, fact, user
from tests.lab import Killed, Port, Tripwire, die

WHO = "u-canary"
ALL = {"created_from": "2000-01-01T00:00:00Z"}


def plant(stage: LearningStage) -> None:
    """The canary in memories, a conversation, what was learnt, an archive, quarantine, a job."""
    for body in planted():
        reply = stage.client.send("POST", "/v1/memories", {"user_id": WHO, **body})
        assert reply.status in (200, 201, 202), reply.body
    stage.llm.always("extract", as_json(fact(f"The code is {CANARY}", turns=[1])))
    stage.ingest(WHO, "s1", user(f"My code is {CANARY}."), assistant("Noted."))
    stage.drain()
    home = stage.world.store.world.home(scope(WHO))
    one = next(each for each in home.memories.values() if each.metadata)
    cold = packed(one, tuple(home.history[one.id]))
    stage.world.blobs.put(scope(WHO), cold.name, cold.data)
    held = next(each for each in home.memories.values() if "upstairs" in each.content)
    home.memories[held.id] = newer(held, status=Status.QUARANTINED)
    edited = {"user_id": WHO, "reason": f"because of {CANARY}", "importance": 0.4}
    stage.client.send("PATCH", f"/v1/memories/{one.id}", edited)
    stage.world.project()
    stage.ingest(WHO, "s2", user(f"Another word about {CANARY}."))


def kept(stage: LearningStage) -> Iterator[tuple[str, bytes]]:
    """All that is kept: the table's rows, the buckets, the queues, the index."""
    for name, value in vars(stage.world.store.world.home(scope(WHO))).items():
        yield name, repr(value).encode()
    yield "requests", repr(stage.world.store.world.requests).encode()
    yield from stage.world.blobs.held.items()
    yield from stage.world.records.held.items()
    yield "queues", repr(stage.world.queues.waiting).encode()
    yield "ripening", repr(vars(stage.world.ripening)).encode()
    documents = stage.world.projections.newest(scope(WHO), 1_000)
    yield "index", repr(documents).encode()


def fragile(stage: LearningStage, wire: Tripwire) -> Any:
    """What works on receipts, each of its ports behind the tripwire."""
    real = worker_of(stage.world)
    learning = replace(
        real.parts.learning,
        blobs=Port(real.parts.learning.blobs, wire),
        queues=Port(real.parts.learning.queues, wire),
        conversations=Port(real.parts.learning.conversations, wire),
    )
    parts = replace(
        real.parts,
        receipts=Port(real.parts.receipts, wire),
        erasure=Port(real.parts.erasure, wire),
        records=Port(real.parts.records, wire),
        learning=learning,
    )
    return replace(real, parts=parts, store=Port(real.store, wire), hands=1)


def forgotten(stage: LearningStage, *, kill: int = 0, after: bool = False, **asked: Any) -> Any:
    """Forget, killed once at the `kill`th call of a port; the receipt and whether it was killed."""
    began = stage.world.clock()
    body = {"user_id": WHO, "dry_run": False, **asked}
    receipt = stage.client.send("POST", "/v1/forget", body)
    assert receipt.status == 202, receipt.body
    stage.world.clock.forward(seconds=1)
    wire = Tripwire()
    if kill:
        wire.arm(kill, die, after=after)
    killed = False
    try:
        work(scope(WHO), receipt.body["id"], worker=fragile(stage, wire))
    except Killed:
        killed = True
    for _ in range(90):
        stage.drain()
        done = stage.get(receipt.headers["location"], WHO)
        if done["state"] == "complete":
            break
        stage.sweep(seconds=20)
    assert done["finished_at"] is not None
    gone = datetime.fromisoformat(done["finished_at"])
    assert (gone - began).total_seconds() <= 60
    return done, killed
