"""Forgets one memory for good."""

from hindwise.runtime.http import Answer, Api
from hindwise.runtime.request import Request
from hindwise.runtime.telemetry import entrypoint
from hindwise.runtime.wiring import ledger_of
from hindwise.usecases.forget import forget

api = Api("forget")


@api.operation("forgetMemory")
def forget_memory(request: Request) -> Answer:
    """Only a tombstone stays; the answer names it, never what it said."""
    forgotten = forget(request.memory_id, ledger=ledger_of(request.call))
    return Answer({"id": forgotten.id, "kind": forgotten.kind, "status": "forgotten"})


handler = entrypoint(api, warm=("store", "tools"))
