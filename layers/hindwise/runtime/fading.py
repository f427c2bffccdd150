"""The two ways to a sweep of what fades: a schedule starts one, a message goes on with it."""

from collections.abc import Mapping

from hindwise.runtime.scheduled import sweep_in
from hindwise.runtime.telemetry import count
from hindwise.runtime.wiring import wiring

SWEEPS = ("purge", "archive", "decay", "tiers")


def started(event: Mapping[str, object]) -> Mapping[str, object]:
    """Start the sweep that a schedule names; raises Invalid for one that there is not."""
    return {"sweep": sweep_in(event, SWEEPS), "changed": 0}


def delivered(body: str) -> None:
    """Go on with the sweep that a message points at; raises Invalid for what is none of ours."""
    wiring().pointer_in(body)
    count("Echoes")
