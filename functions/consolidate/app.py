"""The worker of the consolidate queue; until it is there, messages go back."""

from collections.abc import Mapping

from hindwise.runtime.batch import each
from hindwise.runtime.telemetry import worker


def refuse(body: str) -> None:
    """Nothing is learnt yet."""
    raise NotImplementedError


def consolidate(event: Mapping[str, object]) -> dict[str, object]:
    """Give every message back."""
    return each(event, refuse)


handler = worker("consolidate", consolidate)
