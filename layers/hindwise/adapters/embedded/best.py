"""The best rows by score that also pass a check, without sorting or checking all of them.

Equal scores are common (one word, short texts), so ties are cut by an order of the ids that numpy
can compare, and only what that leaves equal by the ids themselves.
"""

import heapq
from bisect import bisect_right
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hindwise.domain.ids import ALPHABET

Rows = NDArray[np.int64]
Scores = NDArray[Any]
_VALUE = {char: value for value, char in enumerate(ALPHABET)}


def order_of(memory_id: str) -> int:
    """60 bits that never order two ids otherwise than the ids do: of a ULID its time and more."""
    number = 0
    for char in memory_id[:12].ljust(12, "0"):
        value = _VALUE.get(char)
        if value is None:
            value = max(0, bisect_right(ALPHABET, char) - 1)
        number = number << 5 | value
    return number


def best(
    rows: Rows,
    scores: Scores,
    *,
    wanted: int,
    ids: Sequence[str],
    order: Rows,
    accept: Callable[[int], bool],
) -> list[tuple[int, float]]:
    """Give up to `wanted` (row, score), best first, of the rows that `accept` takes.

    Equal scores are ordered by id, newest first, whatever the order in which they were added.
    `ids` and `order` (their `order_of`) are by row, `scores` are along `rows`.
    """
    found: list[tuple[int, float]] = []
    take = wanted
    while len(rows) and len(found) < wanted:
        chosen = _top(rows, scores, take, ids=ids, order=order)
        for row, score in _ordered(rows[chosen].tolist(), scores[chosen].tolist(), ids):
            if accept(row):
                found.append((row, score))
                if len(found) == wanted:
                    return found
        rest = np.ones(len(rows), np.bool_)
        rest[chosen] = False
        rows, scores, take = rows[rest], scores[rest], take * 4
    return found


def _top(rows: Rows, scores: Scores, take: int, *, ids: Sequence[str], order: Rows) -> Rows:
    """Places of the `take` best, in any order."""
    if take >= len(rows):
        return np.arange(len(rows))
    sure, level = _cut(scores, take)
    if len(sure) + len(level) > take:
        newer, same = _cut(order[rows[level]], take - len(sure))
        sure, level = np.concatenate([sure, level[newer]]), level[same]
    if len(sure) + len(level) > take:
        missing = take - len(sure)
        newest = heapq.nlargest(missing, level.tolist(), key=lambda place: ids[int(rows[place])])
        level = np.array(newest, np.int64)
    return np.concatenate([sure, level])


def _cut(values: Scores, take: int) -> tuple[Rows, Rows]:
    """Places above the `take`-th largest value, and places of that value."""
    limit = np.partition(values, len(values) - take)[len(values) - take]
    return np.flatnonzero(values > limit), np.flatnonzero(values == limit)


def _ordered(rows: list[int], scores: list[float], ids: Sequence[str]) -> list[tuple[int, float]]:
    """(row, score) by score, equal ones by id, both falling."""
    names = [ids[row] for row in rows]
    places = sorted(range(len(rows)), key=names.__getitem__, reverse=True)
    places.sort(key=scores.__getitem__, reverse=True)
    return [(rows[place], scores[place]) for place in places]
