"""Forgets for good: one memory, what a filter names, or all of a user."""

from collections.abc import Mapping

from hindwise.runtime import forgetting
from hindwise.runtime.batch import each
from hindwise.runtime.http import Answer, Api
from hindwise.runtime.request import Request
from hindwise.runtime.telemetry import Context, entrypoint, worker
from hindwise.runtime.wiring import ledger_of, wiring
from hindwise.usecases.forget import forget
from hindwise.usecases.transcript import Transcript

api = forgetting.register(Api("forget"))


@api.operation("forgetMemory")
def forget_memory(request: Request) -> Answer:
    """Only a tombstone stays; the answer names it and what it touches, never what it said."""
    learning = wiring().learning
    said = Transcript(learning.conversations, learning.blobs)
    gone = forget(request.memory_id, ledger=ledger_of(request.call), said=said)
    forgetting.copied_at_once(gone.receipt)
    touched = {"dependants": list(gone.dependants), "along": list(gone.along)}
    memory, receipt = gone.memory, gone.receipt.id if gone.receipt else None
    view = {"id": memory.id, "kind": memory.kind, "status": "forgotten", **touched}
    return Answer({**view, "receipt_id": receipt})


def work(event: Mapping[str, object]) -> Mapping[str, object]:
    """Messages succeed or come back each on its own."""
    return each(event, forgetting.delivered)


_answer = entrypoint(api, warm=("store", "learning", "tools", "trust"))
_work = worker("forget", work)


def handler(event: Mapping[str, object], context: Context) -> Mapping[str, object]:
    """A request of the gateway, or messages of the queue."""
    return _work(event, context) if "Records" in event else _answer(event, context)
