"""The laptop's server for bench.speed: loaded before it answers, and telling what each call cost.

It is infra.local's emulator, resources, handlers, pumps and gateway. Memories are put into the
table as the rows that the product's own store writes, so that loading takes a minute and not ten.
Each answer carries `x-handler-cpu-ms`, `x-backend-calls`, `x-batch-gets` and `x-keys-read`: of the
handler alone, its helper threads included.
"""

import argparse
import contextvars
import importlib
import json
import signal
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from itertools import batched
from pathlib import Path
from typing import Any

import bench.one_thread  # noqa: F401  (before numpy)
from bench.scenes import Made, Scene
from hindwise.adapters.dynamodb import documents, table
from hindwise.adapters.dynamodb.transaction import Writer
from hindwise.domain.changes import Create
from infra.local import functions, keys, stack, template
from infra.local.emulator import ROOT, Emulator
from infra.local.gateway import Gateway, Server
from infra.local.runner import PARAMETERS, pumps_of
from infra.local.schedule_pump import Diary

WRITE_BATCH = 25


@dataclass
class Cost:
    """What one call of a handler cost."""

    calls: Counter[str] = field(default_factory=Counter)
    keys: int = 0
    helpers: float = 0.0


_cost: contextvars.ContextVar[Cost | None] = contextvars.ContextVar("cost", default=None)


def observe(operation: str, keys: int) -> None:
    """Add a call to the table to the call of the handler that made it; `rows` are no call."""
    cost = _cost.get()
    if cost is not None:
        cost.calls[operation] += operation != "rows"
        cost.keys += keys if operation in ("get", "batch_get", "rows") else 0


class ObservedTable(table.Table):
    """A table that tells the handler's cost, also from the threads that help it."""

    def __init__(self, client: Any, name: str) -> None:
        super().__init__(client, name, observe=observe)

    def spread[A, B](self, work: Callable[[A], B], over: Sequence[A]) -> list[B]:
        """As the table does it, each piece in the context of the caller."""
        cost = _cost.get()
        if cost is None or len(over) < 2:
            return super().spread(work, over)

        def helping(one: A) -> B:
            _cost.set(cost)
            began = time.thread_time()
            try:
                return work(one)
            finally:
                cost.helpers += time.thread_time() - began

        return super().spread(helping, over)


class MeasuredFunctions(functions.Functions):
    """Handlers whose HTTP answers say what they cost."""

    def invoke(self, name: str, event: dict[str, Any]) -> Any:
        """Call a handler; what it used goes into headers of its answer."""
        cost = Cost()
        token = _cost.set(cost)
        began = time.thread_time()
        try:
            answer = super().invoke(name, event)
        finally:
            _cost.reset(token)
        if isinstance(answer, dict) and "statusCode" in answer:
            used = 1000 * (time.thread_time() - began + cost.helpers)
            answer["headers"] = {
                **answer["headers"],
                "x-handler-cpu-ms": f"{used:.3f}",
                "x-backend-calls": str(cost.calls.total()),
                "x-batch-gets": str(cost.calls["batch_get"]),
                "x-keys-read": str(cost.keys),
            }
        return answer


def load(made: Iterable[Made], wired: Any) -> None:
    """Write memories and their projections as rows, 25 a call."""
    name, embedder = wired.table.name, wired.embedder.id

    def rows() -> Iterable[Any]:
        for one in made:
            writer = Writer(name, one.scope, ulid=one.memory.id, now=one.memory.created_at)
            for step in writer.steps([Create(memory=one.memory)]):
                if not step.key[1].startswith("D#"):
                    yield step.item["Put"]["Item"]
            yield documents.document_row(one.scope, one.document, embedder)

    for batch in batched(rows(), WRITE_BATCH):
        left: Any = {name: [{"PutRequest": {"Item": item}} for item in batch]}
        while left:
            left = wired.table.client.batch_write_item(RequestItems=left)["UnprocessedItems"]


def serve(cleanup: ExitStack, memories: int, scopes: int) -> dict[str, Any]:
    """Start everything, load, and give where it answers and the key."""
    data = Path(cleanup.enter_context(tempfile.TemporaryDirectory(prefix="hindwise-bench-")))
    system = template.read(ROOT / "template.yaml")
    called = MeasuredFunctions(system)
    emulator = Emulator(data)
    cleanup.callback(emulator.abandon)
    emulator.start()
    functions.isolate(emulator.endpoint)
    outputs = stack.settle(system.stack, PARAMETERS)
    functions.environ(system, outputs, {})
    table.Table = ObservedTable  # type: ignore[assignment, misc]
    called.load()
    wired = importlib.import_module("hindwise.runtime.wiring").wiring()
    wired.engine.embedder.query("the weights are loaded before anything is timed")
    began = time.monotonic()
    load(Scene(wired.embedder).made(memories, scopes, tenant=keys.TENANT), wired)
    seconds = time.monotonic() - began
    key = keys.local_key(data / "key", wired.keys, stage="local")
    server = Server(0, Gateway(system, called))
    cleanup.callback(server.server_close)
    diary = Diary(data / "schedules.json")
    for pump in pumps_of(system, outputs, called, diary=diary):
        pump.start()
        cleanup.callback(pump.stopping.set)
    threading.Thread(target=server.serve_forever, args=(0.1,), daemon=True).start()
    port = server.server_address[1]
    return {"url": f"http://127.0.0.1:{port}", "key": key, "loaded_s": round(seconds, 1)}


def main() -> int:
    """Serve until told to stop; the first line says where, as JSON."""
    parser = argparse.ArgumentParser(prog="bench.local_server", description=__doc__)
    parser.add_argument("--memories", type=int, required=True)
    parser.add_argument("--scopes", type=int, default=1)
    options = parser.parse_args()
    asked = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: asked.set())
    with ExitStack() as cleanup:
        print(json.dumps(serve(cleanup, options.memories, options.scopes)), flush=True)
        asked.wait()
    return 0


if __name__ == "__main__":
    sys.exit(main())
