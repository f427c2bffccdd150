"""The whole search index in one process: a laptop's, and the tests'.

What it holds is gone with the process and rebuilt from the table; there is one lock a scope, so
that scopes never wait for each other.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from threading import Lock
from typing import TYPE_CHECKING

from hindwise.domain.document import Candidate, Document, Vector
from hindwise.domain.ports import Ask, Nominations
from hindwise.domain.scope import Scope

if TYPE_CHECKING:
    from hindwise.adapters.embedded.scope_index import ScopeIndex

VECTOR_ARM = "vector"
"""Named in `Nominations.degraded` where the question's vector could not be used."""


def ask_scope(
    index: ScopeIndex,
    ask: Ask,
    *,
    vector: Vector | None,
    coverage: float | None,
    skipped: tuple[str, ...] = (),
) -> Nominations:
    """Nominate from one scope; an unusable vector costs its arm and is named, nothing else."""
    from hindwise.adapters.embedded.vectors import flaw_of

    flawed = vector is not None and flaw_of(vector, index.dimensions) is not None
    candidates = index.nominate(ask, None if flawed else vector)
    return Nominations(
        candidates=tuple(candidates),
        coverage=coverage,
        skipped=skipped,
        degraded=(VECTOR_ARM,) if flawed else (),
    )


class EmbeddedIndex:
    """A SearchIndex over a dictionary of scopes; safe to use from several threads."""

    def __init__(self, dimensions: int) -> None:
        self._dimensions = dimensions
        self._scopes: dict[Scope, tuple[Lock, ScopeIndex]] = {}
        self._opening = Lock()

    def nominate(self, scope: Scope, ask: Ask, vector: Vector | None) -> Nominations:
        """Ask the keyword, vector and recent arms, each under the scope and the filter."""
        lock, index = self._of(scope)
        with lock:
            return ask_scope(index, ask, vector=vector, coverage=1.0)

    def beside(self, scope: Scope, places: Sequence[tuple[str, int]]) -> list[Candidate]:
        """Read the documents at these (session, seq) places."""
        lock, index = self._of(scope)
        with lock:
            return index.beside(places)

    def listing(self, scope: Scope, ask: Ask, *, limit: int, newest: bool = False) -> list[str]:
        """List ids by filter: facts, then episodes, best first, or all by creation."""
        lock, index = self._of(scope)
        with lock:
            return index.listing(ask, limit=limit, newest=newest)

    def put(
        self, scope: Scope, documents: Sequence[Document], gone: Mapping[str, int]
    ) -> Mapping[str, str]:
        """Write documents and tombstones (id → version) unless a newer version is there.

        Returns id → reason of the refused.
        """
        lock, index = self._of(scope)
        with lock:
            reasons = {document.id: index.put(document) for document in documents}
            for memory_id, version in gone.items():
                index.bury(memory_id, version)
        return {memory_id: reason for memory_id, reason in reasons.items() if reason}

    def settle(self) -> None:
        """Do nothing: what was put is found at once."""

    def versions(self, scope: Scope) -> dict[str, int]:
        """Read id → version of every document in the scope."""
        lock, index = self._of(scope)
        with lock:
            return index.versions()

    def _of(self, scope: Scope) -> tuple[Lock, ScopeIndex]:
        with self._opening:
            if scope not in self._scopes:
                from hindwise.adapters.embedded.scope_index import ScopeIndex

                self._scopes[scope] = Lock(), ScopeIndex(self._dimensions)
            return self._scopes[scope]
