"""Every minute: projects what the stream did not get through."""

from collections.abc import Mapping

from hindwise.runtime.sweep import drain
from hindwise.runtime.telemetry import count, worker
from hindwise.runtime.wiring import wiring


def sweep(event: Mapping[str, object]) -> dict[str, int]:
    """Drain the backlog of all scopes for as long as there is time."""
    swept = drain(engine=wiring().engine, clock=wiring().clock)
    count("Projected", swept.projected)
    count("Unprojected", swept.failed)
    count("Parked", swept.parked)
    return {"projected": swept.projected, "failed": swept.failed, "parked": swept.parked}


handler = worker("sweep", sweep, warm=("engine", "weights"))
