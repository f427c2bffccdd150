"""What an index needs that lives outside the table: to be filled, replaced, and tidied.

These work over all scopes: they are for the sweep and for whoever runs the stage, not for calls.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
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


class Adds(Protocol):
    """What documents can be added to that are not there yet."""

    def add(self, scope: Scope, documents: Sequence[Document]) -> Mapping[str, str]:
        """Write documents where neither a newer version is there nor the same.

        The same version of a turn may carry newer words of the turn before. Returns id → reason of
        the refused.
        """


class Successor(Adds, Protocol):
    """An index that is built beside the one that answers."""

    def put(
        self, scope: Scope, documents: Sequence[Document], gone: Mapping[str, int]
    ) -> Mapping[str, str]:
        """Write documents and tombstones, as `SearchIndex.put` does."""

    def touched(self, since: datetime) -> Iterator[Touched]:
        """What has been put into the old index since a moment, over all scopes.

        And every tombstone that is in it.
        """

    def held(self) -> AbstractContextManager[None]:
        """Let nobody write to the old index, for good unless the block raises."""

    def take_over(self) -> None:
        """Answer in the old one's place, in one step."""

    def remove_old(self) -> None:
        """Remove the old index."""

    def abandon(self) -> None:
        """Drop it, unless it has taken over; never raises."""


class IndexUpkeep(Adds, Protocol):
    """What keeps an index whole that lives outside the table; works over all scopes."""

    def unfilled(self) -> str | None:
        """Where filling goes on, "" from the beginning; None where the index is filled.

        Makes the index where there is none.
        """

    def reached(self, cursor: str | None) -> None:
        """Note where filling goes on, or None that all is there."""

    def purge(self, before: datetime) -> None:
        """Take away tombstones that were put before a moment."""

    def beside(self, shards: int, *, anew: bool = False) -> Successor:
        """Begin an index beside the present one.

        Raises Conflict where the present one is not filled, or another was begun and left; with
        `anew` that one is dropped.
        """
