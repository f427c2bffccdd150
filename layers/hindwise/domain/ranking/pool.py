"""The candidates of one search, and what is known of each whatever the others are.

A search ranks twice, before and after the turns beside the best are added; what depends on one
candidate alone is worked out once, which halves the work.
"""

from collections.abc import Callable, Iterable, Sequence
from operator import attrgetter
from typing import Any

from hindwise.domain.document import Candidate
from hindwise.domain.memory import place_of

Place = tuple[str, int]
"""The session of a turn, and where in it the turn stands."""


class Pool:
    """Candidates in the order in which they came; more can be added, none is taken out."""

    def __init__(self, candidates: Iterable[Candidate] = ()) -> None:
        self.candidates: list[Candidate] = list(candidates)
        self._known: dict[str, list[Any]] = {}

    def __len__(self) -> int:
        return len(self.candidates)

    def add(self, candidates: Iterable[Candidate]) -> None:
        """Add candidates behind those that are there."""
        self.candidates += candidates

    def each[T](self, name: str, of: Callable[[Candidate], T]) -> Sequence[T]:
        """Give what `of` says of each candidate, asked once for each; `name` is what it says.

        What was given before does not grow with the pool.
        """
        known = self._known.get(name)
        if known is None or len(known) < len(self.candidates):
            known = known or []
            known = self._known[name] = known + list(map(of, self.candidates[len(known) :]))
        return known

    def ids(self) -> Sequence[str]:
        """The id of each candidate."""
        return self.each("id", attrgetter("document.id"))

    def places(self) -> Sequence[Place | None]:
        """The place of each candidate."""
        return self.each("place", lambda one: place_of(one.document.facets))
