"""What the queue brings to forget: a receipt that is not done with."""

from hindwise.runtime.telemetry import count
from hindwise.runtime.wiring import wiring


def delivered(body: str) -> None:
    """Go on with the receipt that a message points at; raises Invalid for what is none of ours."""
    wiring().pointer_in(body)
    count("Echoes")
