"""What a ranking returns: candidates in order, each with the parts its score is the sum of.

Parts are columns over all candidates while a score is computed; a result, its parts and its ranks
in the arms are only put together where they are looked at, because most candidates never are.
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import overload

from hindwise.domain.base import Model
from hindwise.domain.document import Candidate

PRECISION = 9
"""Scores that agree to this many digits are equal: the tie rule decides, not rounding noise."""
CLOSE = 2e-9
"""Further apart than this, two scores are not equal in PRECISION digits."""
Scores = Sequence[float | None]
"""A score for each candidate, None where an arm did not return it."""


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
        return list(map(math.fsum, zip(*self.added, strict=True)))

    def row(self, place: int) -> tuple[Part, ...]:
        """The parts of one candidate that are not nothing."""
        rows = zip(self.names, self.values, self.added, strict=True)
        return tuple(
            Part(name=name, value=values[place], contribution=added[place])
            for name, values, added in rows
            if values[place] or added[place]
        )


@dataclass(slots=True)
class Arms:
    """The scores of the candidates in each arm; ranks are counted when they are first asked for."""

    ids: Sequence[str]
    scores: dict[str, Scores]
    _ranks: dict[str, dict[int, int]] = field(default_factory=dict)

    def ranks(self, arm: str) -> dict[int, int]:
        """Place → rank from 1 in an arm, best first, equal scores by lower id."""
        if arm not in self._ranks:
            self._ranks[arm] = ranks_of(self.scores[arm], self.ids)
        return self._ranks[arm]

    def row(self, place: int) -> dict[str, int]:
        """Arm → rank of one candidate, in the arms that returned it."""
        returned = (arm for arm, scores in self.scores.items() if scores[place] is not None)
        return {arm: self.ranks(arm)[place] for arm in returned}


@dataclass(frozen=True, slots=True)
class Ranked:
    """A candidate at its `rank` (from 1) with its score."""

    candidate: Candidate
    rank: int
    score: float
    columns: Columns = field(repr=False, compare=False)
    arms: Arms = field(repr=False, compare=False)
    place: int = field(repr=False, compare=False)

    @property
    def ranks(self) -> dict[str, int]:
        """Its ranks in the arms that returned it."""
        return self.arms.row(self.place)

    @property
    def parts(self) -> tuple[Part, ...]:
        """Why it scored so: the contributions sum to the score."""
        return self.columns.row(self.place)


class Ranking(Sequence[Ranked]):
    """Candidates by score, equal scores by newer event time, then by higher id."""

    def __init__(self, candidates: Sequence[Candidate], columns: Columns, arms: Arms) -> None:
        self._candidates = candidates
        self._columns = columns
        self._arms = arms
        self._scores = columns.sums()
        self.places = best_first(self._scores, candidates)

    def __len__(self) -> int:
        return len(self.places)

    @overload
    def __getitem__(self, at: int) -> Ranked: ...
    @overload
    def __getitem__(self, at: slice) -> list[Ranked]: ...
    def __getitem__(self, at: int | slice) -> Ranked | list[Ranked]:
        numbers = range(len(self))[at]
        return self._at(numbers) if isinstance(numbers, int) else [self._at(n) for n in numbers]

    def _at(self, number: int) -> Ranked:
        place = self.places[number]
        return Ranked(
            candidate=self._candidates[place],
            rank=number + 1,
            score=self._scores[place],
            columns=self._columns,
            arms=self._arms,
            place=place,
        )


def best_first(scores: Sequence[float], candidates: Sequence[Candidate]) -> list[int]:
    """Places by rounded score; where that is equal, by newer event time, then by higher id.

    Rounding, times and ids cost more than the rest of the sort, so only close scores have theirs
    looked at: what rounds to the same number is never further apart than CLOSE.
    """
    order = sorted(range(len(scores)), key=scores.__getitem__, reverse=True)
    steps = pairwise([scores[place] for place in order])
    close = [number for number, (one, next_) in enumerate(steps) if one - next_ <= CLOSE]

    def key(place: int) -> tuple[float, float, str]:
        facets = candidates[place].document.facets
        return round(scores[place], PRECISION), facets.event_time.timestamp(), facets.id

    for begin, end in _runs(close):
        order[begin:end] = sorted(order[begin:end], key=key, reverse=True)
    return order


def _runs(close: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Join numbers that follow each other: (first, one behind the last with its neighbour)."""
    begin = end = -1
    for number in close:
        if number >= end:
            if end > 0:
                yield begin, end
            begin = number
        end = number + 2
    if end > 0:
        yield begin, end


def ranks_of(scores: Scores, ids: Sequence[str]) -> dict[int, int]:
    """Rank the places that have a score from 1, best first, equal scores by lower id."""
    have = [(-score, ids[place], place) for place, score in enumerate(scores) if score is not None]
    return {place: rank for rank, (_, _, place) in enumerate(sorted(have), 1)}


def finite(scores: Iterable[float | None]) -> list[float | None]:
    """Take scores that are no number (NaN, infinite) for missing ones.

    One sum tells whether there are any.
    """
    scores = list(scores)
    if math.isfinite(sum(score for score in scores if score is not None)):
        return scores
    return [score if score is not None and math.isfinite(score) else None for score in scores]
