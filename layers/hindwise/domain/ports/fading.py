"""What the nightly sweeps need: what is due over all scopes, and who is at work on which part."""

from datetime import datetime
from typing import Protocol

from pydantic import AwareDatetime

from hindwise.domain.base import Model
from hindwise.domain.scope import Scope


class Overdue(Model):
    """A memory at which fading was to look by `due`."""

    scope: Scope
    memory_id: str
    due: AwareDatetime


class Lease(Model):
    """How far a sweep has come in a bucket: which run, after which memory it goes on, or `done`."""

    run: str = ""
    after: Overdue | None = None
    done: bool = False


class FadingList(Protocol):
    """What is due in one of 64 buckets, and a lease on each bucket for each sweep."""

    def overdue(
        self, bucket: int, *, now: datetime, limit: int, after: Overdue | None = None
    ) -> list[Overdue]:
        """Read what is due, the longest first, from `after` on; it may lag a moment behind."""

    def take(
        self, sweep: str, bucket: int, token: str, *, until: datetime, now: datetime
    ) -> Lease | None:
        """Take a bucket, and tell how far the last one came; None while somebody else has it.

        A lease that ends much later than one taken now was taken by a clock that was put back.
        """

    def leave(self, sweep: str, bucket: int, token: str, lease: Lease) -> bool:
        """Let go of a bucket and note how far it came; False where somebody else has it by now."""
