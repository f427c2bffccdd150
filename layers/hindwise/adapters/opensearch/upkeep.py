"""`ports.IndexUpkeep` on OpenSearch: fills an index that is not, and builds another beside one.

Tombstones are taken away when nothing that old can come late any more.
"""

import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from datetime import datetime, timedelta
from functools import partial

from hindwise.adapters.embedded.columns import micros
from hindwise.adapters.opensearch import queries
from hindwise.adapters.opensearch.alias import Alias, Standing, holder
from hindwise.adapters.opensearch.answers import whole
from hindwise.adapters.opensearch.client import asked
from hindwise.adapters.opensearch.entries import scope_of
from hindwise.adapters.opensearch.mapping import SHARDS
from hindwise.adapters.opensearch.shapes import After, Hit
from hindwise.adapters.opensearch.writing import Writer
from hindwise.domain.document import Document
from hindwise.domain.ports import Touched
from hindwise.domain.scope import Scope
from hindwise.errors import Conflict, Unavailable

_log = logging.getLogger(__name__)
LEFT_AFTER = timedelta(days=1)
"""What has been built for so long is not being built any more."""


class OpenSearchUpkeep:
    """What keeps the index behind an alias whole."""

    def __init__(self, alias: Alias, *, clock: Callable[[], datetime]) -> None:
        self._alias = alias
        self._clock = clock
        self._writer = Writer(alias.client, alias.written, alias.dimensions, clock=clock)

    def add(self, scope: Scope, documents: Sequence[Document]) -> Mapping[str, str]:
        """Write documents where neither a newer version is there nor the same."""
        return self._writer.put(scope, documents, {}, again=False)

    def unfilled(self) -> str | None:
        """Where filling goes on, "" from the beginning; None where the index is filled.

        Makes the index where there is none, and removes what holds memories and would not hear that
        one was forgotten.
        """
        current = self._alias.create()
        standing = self._alias.indexes()
        one = standing.get(current)
        if one is None:
            return ""
        filled = self._alias.name in one.aliases
        try:
            self._tidy(current, standing, filled=filled)
        except Unavailable as error:
            _log.warning("indexes that are not used any more stay: %s", error)
        return None if filled else one.cursor

    def _tidy(self, current: str, standing: dict[str, Standing], *, filled: bool) -> None:
        """Remove the indexes that the current one replaced, and one that was begun and left."""
        unused = [name for name in standing if name < current]
        begun = holder(standing, self._alias.next)
        if begun is not None and standing[begun].made < self._clock() - LEFT_AFTER:
            _let_write(self._alias, current)
            unused.append(begun)
        for name in [*unused, *(self._alias.others() if filled else ())]:
            self._alias.remove(name)

    def reached(self, cursor: str | None) -> None:
        """Note where filling goes on, or None that all is there: from now on it is searched."""
        current = self._alias.create()
        if cursor is not None:
            self._alias.note(current, cursor)
        else:
            asked(lambda: self._alias.client.indices.refresh(index=current))
            self._alias.search(current)

    def purge(self, before: datetime) -> None:
        """Take away tombstones that were put before a moment."""
        body = {"query": queries.buried(micros(before))}
        if self._alias.behind(self._alias.written) is not None:
            asked(
                lambda: self._alias.client.delete_by_query(
                    index=self._alias.written, body=body, params={"conflicts": "proceed"}
                )
            )

    def beside(self, shards: int = SHARDS, *, anew: bool = False) -> "Successor":
        """Begin an index beside the present one, which goes on answering.

        Raises Conflict where the present one is still being filled, or where another was begun and
        left; with `anew` that one is removed first, and what it kept from writing is let go.
        """
        standing = self._alias.indexes()
        old = holder(standing, self._alias.written)
        if old is None:
            raise Conflict(
                f"there is no index {self._alias.name}: the embedder is another one than the "
                "functions have, or the sweep has not made it yet"
            )
        if self._alias.name not in standing[old].aliases:
            raise Conflict("the index is still being filled: the sweep does it, minute by minute")
        if (begun := holder(standing, self._alias.next)) is not None:
            if not anew:
                raise Conflict(f"the index {begun} is being built, or was left: --anew drops it")
            self._alias.remove(begun)
            _let_write(self._alias, old)
        name = self._alias.make(standing, self._alias.next, shards=shards)
        return Successor(self._alias, old, name, clock=self._clock)


class Successor:
    """An index that is being built beside the one that answers."""

    def __init__(self, alias: Alias, old: str, name: str, *, clock: Callable[[], datetime]) -> None:
        self.name = name
        self._alias = alias
        self._old = old
        self._writer = Writer(alias.client, alias.next, alias.dimensions, clock=clock)

    def add(self, scope: Scope, documents: Sequence[Document]) -> Mapping[str, str]:
        """Write documents where neither a newer version is there nor the same."""
        return self._writer.put(scope, documents, {}, again=False)

    def put(
        self, scope: Scope, documents: Sequence[Document], gone: Mapping[str, int]
    ) -> Mapping[str, str]:
        """Write into it, as `SearchIndex.put` does."""
        return self._writer.put(scope, documents, gone)

    def touched(self, since: datetime) -> Iterator[Touched]:
        """What has been put into the old index since a moment, and every tombstone."""
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

    @contextmanager
    def held(self) -> Iterator[None]:
        """Let nobody write to the old index meanwhile, nor afterwards unless it goes on.

        Whoever wants to is turned away for now, and writes to the new one once it has taken over.
        What is under way is waited for.
        """
        with ExitStack() as undo:
            undo.callback(self._let_go)
            asked(lambda: self._alias.client.indices.add_block(index=self._old, block="write"))
            yield
            undo.pop_all()

    def _let_go(self) -> None:
        with suppress(Unavailable):
            _let_write(self._alias, self._old)

    def take_over(self) -> None:
        """Let the aliases stand for it, in one step: no search meets none or two."""
        alias = self._alias
        asked(lambda: alias.client.indices.refresh(index=self.name))
        alias.move(
            {"add": {"index": self.name, "alias": alias.name}},
            {"add": {"index": self.name, "alias": alias.written}},
            {"remove": {"index": self.name, "alias": alias.next}},
            {"remove": {"index": self._old, "alias": alias.name}},
            {"remove": {"index": self._old, "alias": alias.written}},
        )

    def remove_old(self) -> None:
        """Remove the index that was; a step of its own, or searches under way would fail."""
        self._alias.remove(self._old)

    def abandon(self) -> None:
        """Drop it, unless it has taken over; never raises."""
        with suppress(Unavailable):
            if self._alias.behind(self._alias.next) == self.name:
                self._alias.remove(self.name)


def _let_write(alias: Alias, index: str) -> None:
    body = {"index.blocks.write": None}
    asked(lambda: alias.client.indices.put_settings(index=index, body=body))


def _touched(hit: Hit) -> Touched:
    fields = hit["fields"]
    return Touched(
        scope=scope_of(fields["scope"][0]),
        memory_id=fields["mid"][0],
        version=fields["version"][0],
        live=fields["live"][0],
        at=fields["put_at"][0],
    )
