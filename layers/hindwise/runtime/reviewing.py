"""What reviewing does without being asked: a schedule starts a sweep, a message brings a source."""

from collections.abc import Mapping

from hindwise.runtime.scheduled import sweep_in
from hindwise.runtime.telemetry import count
from hindwise.runtime.wiring import wiring

SWEEPS = ("periodic", "digest")


def started(event: Mapping[str, object]) -> Mapping[str, object]:
    """Start the sweep that a schedule names; raises Invalid for one that there is not."""
    return {"sweep": sweep_in(event, SWEEPS), "found": 0}


def delivered(body: str) -> None:
    """Do what a message points at; raises Invalid for what is none of ours."""
    wiring().pointer_in(body)
    count("Echoes")
