"""What an index needs that lives outside the table: to be filled, replaced, and tidied.

These work over all scopes: they are for the sweep and for whoever runs the stage, not for calls.
"""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Protocol

from hindwise.domain.base import Model
from hindwise.domain.document import Document
from hindwise.domain.scope import Scope


class Touched(Model):
    """A memory whose entry in an index was written `at` microseconds; `live` unless it is gone."""

    scope: Scope
    memory_id: str
    version: int
    live: bool
    at: int


class Puts(Protocol):
    """What documents can be written to."""

    def put(
        self, scope: Scope, documents: Sequence[Document], gone: Mapping[str, int]
    ) -> Mapping[str, str]:
        """Write documents and tombstones, as `SearchIndex.put` does."""


class Successor(Puts, Protocol):
    """An index that is built beside the one that answers."""

    def touched(self, since: datetime) -> Iterator[Touched]:
        """What has been put into the old index since a moment, over all scopes."""

    def take_over(self) -> None:
        """Answer in the old one's place, in one step."""

    def remove_old(self) -> None:
        """Remove the old index."""


class IndexUpkeep(Protocol):
    """What keeps an index whole that lives outside the table; works over all scopes."""

    def unfilled(self) -> str | None:
        """Where filling goes on, "" from the beginning; None where the index is filled.

        Makes the index where there is none.
        """

    def reached(self, cursor: str | None) -> None:
        """Note where filling goes on, or None that all is there."""

    def purge(self, before: datetime) -> None:
        """Take away tombstones that were put before a moment."""

    def beside(self, shards: int) -> Successor:
        """Begin an index beside the present one; raises Conflict where one was begun already."""

    def drop(self) -> None:
        """Drop an index that was begun and left."""
