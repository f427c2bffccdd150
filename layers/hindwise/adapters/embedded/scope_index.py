"""One scope in memory: three arms over the rows that may pass, each checked as its record will be.

A document that is replaced gets a new row and leaves a dead one; once the dead are half as many as
the living, everything is rebuilt. So every array only grows, and a search reads plain arrays.
Vectors live in the matrix alone: a candidate's document carries none.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from hindwise.adapters.embedded.best import Rows, Scores, best
from hindwise.adapters.embedded.columns import Columns, micros
from hindwise.adapters.embedded.lexicon import Lexicon
from hindwise.adapters.embedded.narrowing import Fields, Narrowing
from hindwise.adapters.embedded.vectors import Vectors, flaw_of
from hindwise.domain.document import Candidate, Document, Vector
from hindwise.domain.memory import LongTermMemory, place_of
from hindwise.domain.ports import Ask
from hindwise.domain.visibility import passes, visible

HALF_LIFE_HOURS = 168.0
"""Of the recent arm: seven days since the last access."""
HALF_LIFE_MICROS = HALF_LIFE_HOURS * 3_600_000_000
_FEWEST_DEAD = 1_000


class ScopeIndex:
    """The documents of one scope. Not thread-safe: its owner holds a lock."""

    def __init__(self, dimensions: int) -> None:
        self.dimensions = dimensions
        self._tombstones: dict[str, int] = {}
        self._clear()

    def __len__(self) -> int:
        return len(self._row_of)

    def put(self, document: Document) -> str | None:
        """Take a document unless a newer version is known; say why it cannot be taken."""
        if document.version < self._version(document.id) or self._holds(document):
            return None
        flaw = document.vector and flaw_of(document.vector, self.dimensions)
        if flaw:
            return flaw
        self._tombstones.pop(document.id, None)
        self.discard(document.id)
        self._append(document, document.vector)
        return None

    def bury(self, memory_id: str, version: int) -> None:
        """Let nothing older than `version` come back, unless a newer version is known."""
        if version >= self._version(memory_id):
            self.discard(memory_id)
            self._tombstones[memory_id] = version

    def discard(self, memory_id: str) -> None:
        """Take a document out, if it is there, and remember nothing of it."""
        row = self._row_of.pop(memory_id, None)
        if row is None:
            return
        document = self._documents[row]
        self._columns.kill(row)
        self._lexicon.remove(document.words)
        place = place_of(document.facets)
        if place is not None:
            self._places[place].remove(row)
            if not self._places[place]:
                del self._places[place]
        if len(self._documents) - len(self) > max(_FEWEST_DEAD, len(self) // 2):
            self._rebuild()

    def versions(self) -> dict[str, int]:
        """The version of each document."""
        return {one: self._documents[row].version for one, row in self._row_of.items()}

    def beside(self, places: Sequence[tuple[str, int]]) -> list[Candidate]:
        """The documents at these (session, seq) places, in the order asked for."""
        found = [self._documents[row] for place in places for row in self._places.get(place, ())]
        return [Candidate(document) for document in found]

    def nominate(self, ask: Ask, vector: Vector | None) -> list[Candidate]:
        """Ask the keyword, vector and recent arms for as many documents as `ask` says."""
        mask = self._narrowing.mask(ask, self._facets)
        rows, choose = np.flatnonzero(mask), self._chooser(ask)
        found: dict[int, Candidate] = {}

        def arm(
            rows: Rows, scores: Scores, wanted: int = ask.per_arm
        ) -> Iterator[tuple[Candidate, float]]:
            for row, score in choose(rows, scores, wanted=wanted):
                if row not in found:
                    found[row] = Candidate(self._documents[row])
                yield found[row], score

        if ask.terms or ask.exact:
            scores = self._lexicon.scores(ask.terms, ask.exact)
            held = np.flatnonzero((scores > 0) & mask)
            for candidate, score in arm(held, scores[held]):
                candidate.keyword = score
        if vector is not None:
            for candidate, score in arm(*self._vectors.cosines(vector, rows, count=len(mask))):
                candidate.cosine = score
        fewer = ask.per_arm if ask.recent is None else ask.recent
        for candidate, score in arm(rows, self._freshness(ask, rows), fewer):
            candidate.recent = 2.0**score
        return list(found.values())

    def listing(self, ask: Ask, *, limit: int, newest: bool = False) -> list[str]:
        """Ids that pass: by share and stamp (see `Columns`), or the newest made first."""
        rows = np.flatnonzero(self._narrowing.mask(ask, self._facets))
        ranks = self._columns["created_at"][rows] if newest else self._listed(rows)
        return [self._ids[row] for row, _ in self._chooser(ask)(rows, ranks, wanted=limit)]

    def _listed(self, rows: Rows) -> Scores:
        """The rank of each row in a list, the same where share and stamp are the same."""
        share, stamp = self._columns["share"][rows], self._columns["stamp"][rows]
        order = np.lexsort((stamp, share))
        steps = (np.diff(share[order]) != 0) | (np.diff(stamp[order]) != 0)
        ranks = np.zeros(len(rows))
        ranks[order[1:]] = np.cumsum(steps)
        return ranks

    def _freshness(self, ask: Ask, rows: Rows) -> Scores:
        """The binary logarithm of importance × 2^(-hours since access / half-life)."""
        age = np.maximum(0, micros(ask.now) - self._columns["seen"][rows])
        return np.asarray(self._columns["weight"][rows] - age / HALF_LIFE_MICROS)

    def _chooser(self, ask: Ask) -> Callable[..., list[tuple[int, float]]]:
        return partial(
            best,
            ids=self._ids,
            order=self._columns["order"],
            accept=self._check(ask),
        )

    def _check(self, ask: Ask) -> Callable[[int], bool]:
        """Decides on the facets as the caller will on the record; each row once an ask."""
        known: dict[int, bool] = {}
        wanted, view, now = ask.filter, ask.view, ask.now
        filtered = bool(wanted.all_of or wanted.none_of)

        def accept(row: int) -> bool:
            if row not in known:
                facets = self._documents[row].facets
                known[row] = visible(facets, view, now) and (
                    not filtered or passes(facets, wanted, now=now)
                )
            return known[row]

        return accept

    def _holds(self, document: Document) -> bool:
        """Tell whether this very document is there, vector included."""
        row = self._row_of.get(document.id)
        if row is None or not document.text_hash:
            return False
        same_vector = self._vectors.has(row) == (document.vector is not None)
        return same_vector and self._documents[row] == document

    def _version(self, memory_id: str) -> int:
        row = self._row_of.get(memory_id)
        here = 0 if row is None else self._documents[row].version
        return max(here, self._tombstones.get(memory_id, 0))

    def _facets(self) -> Iterator[LongTermMemory]:
        return (document.facets for document in self._documents)

    def _append(self, document: Document, vector: Vector | None) -> None:
        row = self._columns.append(document.facets)
        self._lexicon.append(row, document)
        self._vectors.set(row, vector)
        self._fields.append(row, document.facets)
        self._documents.append(replace(document, vector=None) if document.vector else document)
        self._ids.append(document.id)
        self._row_of[document.id] = row
        place = place_of(document.facets)
        if place is not None:
            self._places.setdefault(place, []).append(row)

    def _rebuild(self) -> None:
        old = [(self._documents[row], self._vectors.get(row)) for row in self._row_of.values()]
        self._clear()
        for document, vector in old:
            self._append(document, vector)

    def _clear(self) -> None:
        self._columns = Columns()
        self._lexicon = Lexicon()
        self._vectors = Vectors(self.dimensions)
        self._fields = Fields()
        self._narrowing = Narrowing(self._columns, self._fields)
        self._documents: list[Document] = []
        self._ids: list[str] = []
        self._row_of: dict[str, int] = {}
        self._places: dict[tuple[str, int], list[int]] = {}
