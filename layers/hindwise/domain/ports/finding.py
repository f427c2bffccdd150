"""What finds memories: projected documents, the index over them, and vectors."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Protocol

from pydantic import ConfigDict

from hindwise.domain.base import Model
from hindwise.domain.changes import Change
from hindwise.domain.document import Candidate, Document, Vector
from hindwise.domain.query import Filter, View
from hindwise.domain.scope import Scope


class Logged(Model):
    """One batch of projected ids; `key` names it, so that nobody applies it twice."""

    key: str
    ids: tuple[str, ...]


class Projections(Protocol):
    """The projected documents as rows of the table.

    And the backlog of what is still to be projected.
    """

    def documents(self, scope: Scope, ids: Sequence[str]) -> dict[str, Document]:
        """Read projected documents (with vectors) of the current embedder."""

    def newest(self, scope: Scope, limit: int) -> list[Document]:
        """Read the newest `limit` documents of a scope, newest id first."""

    def put(
        self,
        scope: Scope,
        documents: Sequence[Document],
        gone: Mapping[str, int],
        *,
        now: datetime,
    ) -> None:
        """Write documents and remove `gone` ones (id → version) unless a newer one is there.

        And log both for containers that hold a copy of the scope.
        """

    def logged(self, scope: Scope, *, since: datetime) -> tuple[Logged, ...]:
        """Read what was projected since a moment, or a little before; kept for one hour."""

    def clear(self, scope: Scope, changes: Sequence[Change]) -> None:
        """Delete exactly these change rows."""

    def failed(
        self,
        scope: Scope,
        change: Change,
        *,
        reason: str,
        park: bool,
        until: datetime | None = None,
    ) -> None:
        """Count a failed attempt at a change row, and put it behind the others.

        With `park` it leaves the backlog, with its reason; it is not `dirty` before `until`.
        """

    def dirty(self, bucket: int, limit: int) -> list[tuple[Scope, Change]]:
        """Read the oldest unprojected changes of one of the 16 buckets, over all scopes.

        The sweeper's list.
        """

    def parked(self, limit: int) -> list[tuple[Scope, Change]]:
        """Read parked changes."""

    def walk(self, cursor: str) -> tuple[list[tuple[Scope, Document]], str | None]:
        """Read some of all documents, over all scopes, and where it goes on, None at the end.

        A walk begins with "".
        """


class Ask(Model):
    """What the arms are asked.

    `terms` are the analysed query words; without a vector the vector arm is not asked. `recent`
    bounds the recent arm, `per_arm` the others, and that one too where it is None.
    """

    terms: tuple[str, ...]
    exact: tuple[str, ...] = ()
    filter: Filter = Filter()
    view: View = View()
    now: datetime
    per_arm: int = 100
    recent: int | None = None


class Nominations(Model):
    """What the arms returned.

    `coverage` is the share of the scope that was looked at, None where unknown; `skipped` names
    what was left out on purpose.
    """

    model_config = ConfigDict(frozen=True, arbitrary_types_allowed=True)

    candidates: tuple[Candidate, ...]
    coverage: float | None = None
    degraded: tuple[str, ...] = ()
    skipped: tuple[str, ...] = ()


class SearchIndex(Protocol):
    """The projection that finds things.

    It only nominates ids; raises `errors.Unavailable` when it is down.
    """

    def nominate(self, scope: Scope, ask: Ask, vector: Vector | None) -> Nominations:
        """Ask the keyword, vector and recent arms, each under the scope and the filter."""

    def beside(self, scope: Scope, places: Sequence[tuple[str, int]]) -> list[Candidate]:
        """Read the documents at these (session, seq) places."""

    def listing(self, scope: Scope, ask: Ask, *, limit: int, newest: bool = False) -> list[str]:
        """List ids by filter.

        Semantic memories come first, by confidence then last update, then episodes by importance
        then event time; with `newest` all by creation, newest first.
        """

    def put(
        self, scope: Scope, documents: Sequence[Document], gone: Mapping[str, int]
    ) -> Mapping[str, str]:
        """Write documents and tombstones (id → version) unless a newer version is there.

        Returns id → reason of the refused.
        """

    def settle(self) -> None:
        """Return once everything that was put can be found."""

    def versions(self, scope: Scope) -> dict[str, int]:
        """Read id → version of everything indexed in the scope, for checks."""


class Reranker(Protocol):
    """Orders the best results once more by what they say. `id` names it."""

    id: str

    def scores(self, query: str, texts: Sequence[str], *, seconds: float) -> Sequence[float]:
        """How well each text answers, in order, the higher the better; any finite numbers.

        Raises `errors.Unavailable` where there is no answer in `seconds`.
        """


class Embedder(Protocol):
    """Text to vectors. `id` names model and dimension and is stored with each vector.

    Vectors of two ids never meet.
    """

    id: str
    dimensions: int

    def query(self, text: str) -> Vector:
        """Embed a question; raises `errors.Unavailable`, also where no usable vector comes."""

    def documents(self, texts: Sequence[str]) -> Sequence[Vector | None]:
        """Embed stored texts, in order; None where a text has no word to embed, now and ever.

        Raises as above; `details["refused"]` lists the positions if only some got no vector.
        """
