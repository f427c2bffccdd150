"""Projects changes as the stream brings them.

It never gives records back: what fails stays in the backlog, which the sweep drains, and nothing in
the stream waits behind it. Only an unforeseen exception makes Lambda try again. What can be found
now and was not compared with its neighbours yet is sent on to be.
"""

from collections.abc import Mapping

from hindwise.runtime.stream import changes_in
from hindwise.runtime.telemetry import count, worker
from hindwise.runtime.wiring import wiring
from hindwise.usecases.project import project
from hindwise.usecases.settle_due import send_unsettled


def index(event: Mapping[str, object]) -> dict[str, list[object]]:
    """Project the changes of one batch."""
    changes = changes_in(event, wiring().change_at)
    projected = project(changes, engine=wiring().engine, now=wiring().clock())
    if projected.unsettled:
        send_unsettled(projected.unsettled, queues=wiring().learning.queues)
    count("Projected", len(projected.done))
    count("Unprojected", len(projected.failed))
    return {"batchItemFailures": []}


handler = worker("index", index, warm=("engine", "weights"))
