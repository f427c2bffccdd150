"""Every minute: sends for what waits, projects what the stream did not get through, and keeps the
index whole.
"""

from collections.abc import Mapping
from datetime import timedelta

from hindwise.runtime.due import send_due
from hindwise.runtime.sweep import LONGEST, drain
from hindwise.runtime.telemetry import count, lasting, worker
from hindwise.runtime.upkeep import keep
from hindwise.runtime.wiring import wiring

SENDING = timedelta(seconds=10)


def sweep(event: Mapping[str, object]) -> dict[str, int]:
    """Send for due work, drain the backlog of all scopes, fill the index: as there is time.

    Idle, it says only what the alarms wait for: a metric is paid for by the hours it is sent in.
    """
    began = wiring().clock()
    resent = send_due(wiring(), longest=SENDING)
    left = LONGEST - (wiring().clock() - began)
    queues = wiring().learning.queues
    swept = drain(engine=wiring().engine, queues=queues, clock=wiring().clock, longest=left)
    filled = keep(wiring(), longest=LONGEST - (wiring().clock() - began))
    if swept.projected or swept.failed:
        count("Projected", swept.projected)
        count("Unprojected", swept.failed)
    if resent.jobs or resent.idle:
        count("Resent", resent.jobs)
        count("Idle", resent.idle)
        lasting("OldestJobSeconds", resent.oldest_seconds)
    if filled.written:
        count("Filled", filled.written)
    count("Parked", swept.parked)
    lasting("OldestChangeSeconds", swept.oldest_seconds)
    return {"projected": swept.projected, "failed": swept.failed, "parked": swept.parked}


handler = worker("sweep", sweep, warm=("engine", "weights"))
