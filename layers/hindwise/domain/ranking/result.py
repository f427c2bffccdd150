"""What a ranking returns: candidates in order, each with the parts its score is the sum of.

Parts are columns over all candidates while a score is computed; a row of them is only put together
for those results that are looked at, because most candidates never are.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from hindwise.domain.base import Model
from hindwise.domain.document import Candidate

PRECISION = 9
"""Scores that agree to this many digits are equal: the tie rule decides, not rounding noise."""


class Part(Model):
    """One reason for a score: the feature's value and what it added; contributions sum to it."""

    name: str
    value: float
    contribution: float


@dataclass(slots=True)
class Columns:
    """Features of `size` candidates, in the order they were added: name, values, contributions."""

    size: int
    names: list[str] = field(default_factory=list)
    values: list[Sequence[float]] = field(default_factory=list)
    added: list[Sequence[float]] = field(default_factory=list)

    def add(self, name: str, values: Sequence[float], weight: float = 1.0) -> None:
        """Add a feature that counts `weight` times its value; one that is 0 throughout is left."""
        if weight and any(values):
            self.put(name, values, [weight * value for value in values])

    def put(self, name: str, values: Sequence[float], added: Sequence[float]) -> None:
        """Add a feature whose contribution is not proportional to its value."""
        self.names.append(name)
        self.values.append(values)
        self.added.append(added)

    def sums(self) -> list[float]:
        """The exact sum of each candidate's contributions."""
        if not self.added:
            return [0.0] * self.size
        return [math.fsum(row) for row in zip(*self.added, strict=True)]

    def row(self, place: int) -> tuple[Part, ...]:
        """The parts of one candidate that are not nothing."""
        rows = zip(self.names, self.values, self.added, strict=True)
        return tuple(
            Part(name=name, value=values[place], contribution=added[place])
            for name, values, added in rows
            if values[place] or added[place]
        )


@dataclass(frozen=True, slots=True)
class Ranked:
    """A candidate at its `rank` (from 1) with its score.

    `ranks` are its ranks in the arms that returned it.
    """

    candidate: Candidate
    rank: int
    score: float
    ranks: dict[str, int]
    columns: Columns = field(repr=False, compare=False)
    place: int = field(repr=False, compare=False)

    @property
    def parts(self) -> tuple[Part, ...]:
        """Why it scored so: the contributions sum to the score."""
        return self.columns.row(self.place)


def in_order(
    candidates: Sequence[Candidate], columns: Columns, arms: dict[str, dict[int, int]]
) -> list[Ranked]:
    """Sort by score, equal scores by newer event time, then by higher id."""
    scores = columns.sums()

    def key(place: int) -> tuple[float, float, str]:
        facets = candidates[place].document.facets
        return (round(scores[place], PRECISION), facets.event_time.timestamp(), facets.id)

    return [
        Ranked(
            candidate=candidates[place],
            rank=rank,
            score=scores[place],
            ranks={arm: ranks[place] for arm, ranks in arms.items() if place in ranks},
            columns=columns,
            place=place,
        )
        for rank, place in enumerate(sorted(range(len(scores)), key=key, reverse=True), 1)
    ]


def ranks_of(scores: Sequence[float | None], ids: Sequence[str]) -> dict[int, int]:
    """Rank the places that have a score from 1, best first, equal scores by lower id."""
    have = [(-score, ids[place], place) for place, score in enumerate(scores) if score is not None]
    return {place: rank for rank, (_, _, place) in enumerate(sorted(have), 1)}


def finite(scores: Iterable[float | None]) -> list[float | None]:
    """Take scores that are no number (NaN, infinite) for missing ones."""
    return [score if score is not None and math.isfinite(score) else None for score in scores]
