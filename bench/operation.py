"""One kind of operation that `bench-cost` counts."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

POLLED = 2
"""Requests of Lambda's own to SQS for a batch that it delivers: receive and delete."""


@dataclass(frozen=True)
class Operation:
    """One kind of operation; `act` is given what `prepare` gives, and does it `share` times."""

    name: str
    prepare: Callable[[], Any]
    act: Callable[[Any], object]
    share: int = 1
