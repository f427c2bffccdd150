"""Counts accesses, as the queue brings them."""

from collections.abc import Mapping

from hindwise.runtime.batch import each
from hindwise.runtime.telemetry import count, worker
from hindwise.runtime.wiring import wiring


def touch(body: str) -> None:
    """Count one message's accesses; raises Invalid for what is none of ours."""
    scope, touches = wiring().touches_in(body)
    wiring().store.touch(scope, touches)
    count("Touched", len(touches))


def reinforce(event: Mapping[str, object]) -> dict[str, object]:
    """Each message succeeds or comes back on its own."""
    return each(event, touch)


handler = worker("reinforce", reinforce, warm=("store",))
