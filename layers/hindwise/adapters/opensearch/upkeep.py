"""`ports.IndexUpkeep` on OpenSearch: fills an index that is not, and builds another beside one.

Tombstones are taken away when nothing that old can come late any more.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from functools import partial

from hindwise.adapters.embedded.columns import micros
from hindwise.adapters.opensearch import queries
from hindwise.adapters.opensearch.alias import CURSOR, FILLED, Alias
from hindwise.adapters.opensearch.answers import whole
from hindwise.adapters.opensearch.client import asked
from hindwise.adapters.opensearch.entries import scope_of
from hindwise.adapters.opensearch.mapping import SHARDS
from hindwise.adapters.opensearch.shapes import After, Hit
from hindwise.adapters.opensearch.writing import Writer
from hindwise.domain.document import Document
from hindwise.domain.ports import Touched
from hindwise.domain.scope import Scope
from hindwise.errors import Conflict


class OpenSearchUpkeep:
    """What keeps the index behind an alias whole."""

    def __init__(self, alias: Alias, *, clock: Callable[[], datetime]) -> None:
        self._alias = alias
        self._clock = clock

    def unfilled(self) -> str | None:
        """Where filling goes on, "" from the beginning; None where the index is filled.

        Makes the index where there is none.
        """
        if self._alias.index() is None:
            self._alias.create()
        progress = self._alias.progress()
        return None if progress.get(FILLED) is True else str(progress.get(CURSOR, ""))

    def reached(self, cursor: str | None) -> None:
        """Note where filling goes on, or None that all is there."""
        if cursor is None:
            client = self._alias.client
            asked(lambda: client.indices.refresh(index=self._alias.name))
        self._alias.note({FILLED: cursor is None, CURSOR: cursor or ""})

    def purge(self, before: datetime) -> None:
        """Take away tombstones that were put before a moment."""
        body = {"query": queries.buried(micros(before))}
        if self._alias.index() is not None:
            asked(
                lambda: self._alias.client.delete_by_query(
                    index=self._alias.name, body=body, params={"conflicts": "proceed"}
                )
            )

    def beside(self, shards: int = SHARDS) -> "Successor":
        """Begin an index beside the present one, which goes on answering.

        Raises Conflict where one has been begun already and was neither finished nor dropped.
        """
        old = self._alias.index() or self._alias.create()
        number = int(old.rpartition("-")[2]) + 1
        name = f"{self._alias.name}-{number:06d}"
        if self._alias.progress(name):
            raise Conflict(f"the index {name} is being built, or was left unfinished")
        self._alias.create(name, shards=shards, aliased=False)
        return Successor(self._alias, old, name, clock=self._clock)

    def drop(self) -> None:
        """Drop an index that was begun beside the present one and left."""
        old = self._alias.index()
        if old is not None:
            name = f"{self._alias.name}-{int(old.rpartition('-')[2]) + 1:06d}"
            remove(self._alias, name)


class Successor:
    """An index that is being built beside the one that answers."""

    def __init__(self, alias: Alias, old: str, name: str, *, clock: Callable[[], datetime]) -> None:
        self.name = name
        self._alias = alias
        self._old = old
        self._writer = Writer(alias.client, name, alias.dimensions, clock=clock, aliased=False)

    def put(
        self, scope: Scope, documents: Sequence[Document], gone: Mapping[str, int]
    ) -> Mapping[str, str]:
        """Write into it, as `SearchIndex.put` does."""
        return self._writer.put(scope, documents, gone)

    def touched(self, since: datetime) -> Iterator[Touched]:
        """What has been put into the old index since a moment."""
        client = self._alias.client
        asked(lambda: client.indices.refresh(index=self._old))
        after: After = None
        while True:
            body = queries.put_since(micros(since), after=after)
            hits = whole(asked(partial(client.search, index=self._old, body=body)))
            yield from map(_touched, hits)
            if len(hits) < queries.DEEP:
                return
            after = hits[-1]["sort"]

    def take_over(self) -> None:
        """Let the alias stand for it, in one step: no search meets none or two."""
        self._alias.note({FILLED: True}, self.name)
        actions = [
            {"add": {"index": self.name, "alias": self._alias.name}},
            {"remove": {"index": self._old, "alias": self._alias.name}},
        ]
        client = self._alias.client
        asked(lambda: client.indices.refresh(index=self.name))
        asked(lambda: client.indices.update_aliases(body={"actions": actions}))

    def remove_old(self) -> None:
        """Remove the index that was; a step of its own, or searches under way would fail."""
        remove(self._alias, self._old)


def remove(alias: Alias, name: str) -> None:
    """Remove an index, if it is there."""
    params = {"ignore_unavailable": "true"}
    asked(lambda: alias.client.indices.delete(index=name, params=params))


def _touched(hit: Hit) -> Touched:
    fields = hit["fields"]
    return Touched(
        scope=scope_of(fields["scope"][0]),
        memory_id=fields["mid"][0],
        version=fields["version"][0],
        live=fields["live"][0],
        at=fields["put_at"][0],
    )
