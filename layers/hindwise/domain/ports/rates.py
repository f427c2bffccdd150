"""What a tenant used of its limits."""

from collections.abc import Mapping
from datetime import datetime
from typing import Protocol


class Rates(Protocol):
    """Counters of a tenant: by minute, and of texts embedded by day (UTC)."""

    def add(self, tenant: str, used: Mapping[str, int], *, now: datetime) -> dict[str, int]:
        """Add to the counters of the minute (`requests`, …); returns what they are now."""

    def embed(self, tenant: str, texts: int, *, now: datetime) -> int:
        """Add to the texts embedded on the day; returns how many there are now."""
