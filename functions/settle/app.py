"""Compares memories with their neighbours, each that the queue points at.

What has to wait for a judge or an index is acknowledged: it stays listed in the table, and the
sweep sends it again. Only what the table could not answer goes back to the queue.
"""

from collections.abc import Mapping

from hindwise.runtime.batch import each
from hindwise.runtime.telemetry import count, worker
from hindwise.runtime.wiring import wiring
from hindwise.usecases.opinion import held_back
from hindwise.usecases.settle import State, ledger_for
from hindwise.usecases.settle import settle as compare


def one(body: str) -> None:
    """Compare the memory of one message."""
    wired = wiring()
    scope, memory_id = wired.pointer_in(body)
    ledger = ledger_for(
        scope, store=wired.store, tools=wired.tools, learning=wired.learning, now=wired.clock(),
        trust=wired.trust,
    )  # fmt: skip
    if held_back(memory_id, ledger=ledger, learning=wired.learning):
        count("HeldBack", 1)
        return
    settled = compare(memory_id, ledger=ledger, engine=wired.engine, learning=wired.learning)
    count("Settled", int(settled.state is State.SETTLED))
    count("Unsettled", int(settled.state is State.WAITING))


def settle(event: Mapping[str, object]) -> dict[str, object]:
    """Compare the memories of one batch; the answer names the messages that failed."""
    return each(event, one)


handler = worker("settle", settle, warm=("engine", "tools", "learning"))
