"""Every minute: projects what the stream did not get through, and keeps the index whole."""

from collections.abc import Mapping

from hindwise.runtime.sweep import LONGEST, drain
from hindwise.runtime.telemetry import count, lasting, worker
from hindwise.runtime.upkeep import keep
from hindwise.runtime.wiring import wiring


def sweep(event: Mapping[str, object]) -> dict[str, int]:
    """Drain the backlog of all scopes, then fill the index, for as long as there is time.

    Idle, it says only what the alarms wait for: a metric is paid for by the hours it is sent in.
    """
    began = wiring().clock()
    swept = drain(engine=wiring().engine, clock=wiring().clock)
    filled = keep(wiring(), longest=LONGEST - (wiring().clock() - began))
    if swept.projected or swept.failed:
        count("Projected", swept.projected)
        count("Unprojected", swept.failed)
    if filled.written:
        count("Filled", filled.written)
    count("Parked", swept.parked)
    lasting("OldestChangeSeconds", swept.oldest_seconds)
    return {"projected": swept.projected, "failed": swept.failed, "parked": swept.parked}


handler = worker("sweep", sweep, warm=("engine", "weights"))
