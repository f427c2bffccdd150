"""Projects changes as the stream brings them.

It never gives records back: what fails stays in the backlog, which the sweep drains, and nothing in
the stream waits behind it. Only an unforeseen exception makes Lambda try again.
"""

from collections.abc import Mapping

from hindwise.runtime.stream import changes_in
from hindwise.runtime.telemetry import count, worker
from hindwise.runtime.wiring import wiring
from hindwise.usecases.project import project


def index(event: Mapping[str, object]) -> dict[str, list[object]]:
    """Project the changes of one batch."""
    changes = changes_in(event, wiring().change_at)
    projected = project(changes, engine=wiring().engine, now=wiring().clock())
    count("Projected", len(projected.done))
    count("Unprojected", len(projected.failed))
    return {"batchItemFailures": []}


handler = worker("index", index, warm=("engine", "weights"))
