"""Search without a search domain: a copy of the scope's newest rows, kept in the container.

The copy is loaded once and then follows the projection log. The overlap covers rows that were
logged while it was read, and how far the clock of who logged them may be behind: AWS takes no
request signed more than five minutes off its own clock, so no two that reach the table differ by
more than ten. The log keeps an hour, by any of them, so an older copy is loaded anew. Over the
limit, older memories are not searched, and `skipped` says so.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from threading import Lock
from typing import TYPE_CHECKING

from hindwise.adapters.embedded.index import ask_scope
from hindwise.domain.document import Candidate, Document, Vector
from hindwise.domain.ports import Ask, Nominations, Projections
from hindwise.domain.scope import Scope

if TYPE_CHECKING:
    from hindwise.adapters.embedded.scope_index import ScopeIndex

OVERLAP = timedelta(minutes=11)
LONGEST_COPY = timedelta(minutes=48)
BATCH = 100
OLDER = "older_memories"
"""Named as skipped where a scope holds more than are searched."""


@dataclass(slots=True)
class _Copy:
    """A scope's copy: when it was loaded and last refreshed, and what share of the scope it is."""

    lock: Lock = field(default_factory=Lock)
    index: ScopeIndex | None = None
    loaded: datetime = datetime.min
    seen: datetime = datetime.min
    applied: frozenset[str] = frozenset()
    coverage: float | None = None


class TableIndex:
    """A SearchIndex over the projected rows of the table; safe to use from several threads.

    `newest` rows of a scope are searched, `most` documents are held over all scopes. `total` counts
    a scope's documents where that is known; without it a cut scope's coverage is None.
    """

    def __init__(
        self,
        projections: Projections,
        dimensions: int,
        *,
        clock: Callable[[], datetime],
        newest: int = 2_000,
        most: int = 20_000,
        total: Callable[[Scope], int | None] = lambda scope: None,
    ) -> None:
        self._projections = projections
        self._dimensions = dimensions
        self._clock = clock
        self._newest = newest
        self._most = most
        self._total = total
        self._copies: OrderedDict[Scope, _Copy] = OrderedDict()
        self._opening = Lock()

    def nominate(self, scope: Scope, ask: Ask, vector: Vector | None) -> Nominations:
        """Ask the keyword, vector and recent arms over the scope's newest documents."""
        copy = self._of(scope)
        with copy.lock:
            index = self._current(scope, copy)
            skipped = () if copy.coverage == 1.0 else (OLDER,)
            return ask_scope(index, ask, vector=vector, coverage=copy.coverage, skipped=skipped)

    def beside(self, scope: Scope, places: Sequence[tuple[str, int]]) -> list[Candidate]:
        """Read the documents at these (session, seq) places, as the copy has them."""
        copy = self._of(scope)
        with copy.lock:
            return (copy.index or self._current(scope, copy)).beside(places)

    def listing(self, scope: Scope, ask: Ask, *, limit: int, newest: bool = False) -> list[str]:
        """List ids by filter: facts, then episodes, best first, or all by creation."""
        copy = self._of(scope)
        with copy.lock:
            return self._current(scope, copy).listing(ask, limit=limit, newest=newest)

    def put(
        self, scope: Scope, documents: Sequence[Document], gone: Mapping[str, int]
    ) -> Mapping[str, str]:
        """Do nothing: `Projections.put` has written the rows that this index reads."""
        return {}

    def settle(self) -> None:
        """Do nothing: what was put is found at once."""

    def versions(self, scope: Scope) -> dict[str, int]:
        """Read id → version of every document in the copy."""
        copy = self._of(scope)
        with copy.lock:
            return self._current(scope, copy).versions()

    def _of(self, scope: Scope) -> _Copy:
        with self._opening:
            copy = self._copies.setdefault(scope, _Copy())
            self._copies.move_to_end(scope)
            held = sum(len(one.index) for one in self._copies.values() if one.index)
            while held > self._most and len(self._copies) > 1:
                _, oldest = self._copies.popitem(last=False)
                held -= len(oldest.index) if oldest.index else 0
            return copy

    def _current(self, scope: Scope, copy: _Copy) -> ScopeIndex:
        """The copy's index, loaded or brought up to date.

        It is loaded anew where the clock has been put back: the log is read from when it was seen.
        """
        now = self._clock()
        if copy.index is None or not copy.loaded <= copy.seen <= now <= copy.loaded + LONGEST_COPY:
            copy.index = self._load(scope, copy)
            copy.loaded = copy.seen = now
            copy.applied = frozenset()
        else:
            self._refresh(scope, copy.index, copy)
            copy.seen = now
        return copy.index

    def _load(self, scope: Scope, copy: _Copy) -> ScopeIndex:
        from hindwise.adapters.embedded.scope_index import ScopeIndex

        documents = self._projections.newest(scope, self._newest + 1)
        index = ScopeIndex(self._dimensions)
        for document in documents[: self._newest]:
            _take(index, document)
        if len(documents) <= self._newest:
            copy.coverage = 1.0
        else:
            total = self._total(scope)
            copy.coverage = total and min(1.0, self._newest / total)
        return index

    def _refresh(self, scope: Scope, index: ScopeIndex, copy: _Copy) -> None:
        """Apply the log rows that were not applied yet; the overlap is read, not applied, twice."""
        since = copy.seen - OVERLAP
        rows = self._projections.logged(scope, since=since)
        new = [row for row in rows if row.key not in copy.applied]
        ids = list(dict.fromkeys(one for row in new for one in row.ids))
        for at in range(0, len(ids), BATCH):
            batch = ids[at : at + BATCH]
            found = self._projections.documents(scope, batch)
            for memory_id in batch:
                if memory_id in found:
                    _take(index, found[memory_id])
                else:
                    index.discard(memory_id)
        copy.applied = frozenset(row.key for row in rows)


def _take(index: ScopeIndex, document: Document) -> None:
    """Put a document, without its vector where that cannot be used."""
    if index.put(document) is not None:
        index.put(replace(document, vector=None))
