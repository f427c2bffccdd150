"""The best rows by score that also pass a check, without sorting or checking all of them."""

import heapq
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Rows = NDArray[np.int64]
Scores = NDArray[Any]


def best(
    rows: Rows,
    scores: Scores,
    wanted: int,
    *,
    ids: Sequence[str],
    accept: Callable[[int], bool],
) -> list[tuple[int, float]]:
    """Give up to `wanted` (row, score), best first, of the rows that `accept` takes.

    Equal scores are ordered by id, newest first, whatever the order in which they were added.
    """
    found: list[tuple[int, float]] = []
    take = wanted
    while len(rows) and len(found) < wanted:
        chosen = _top(rows, scores, take, ids)
        for place in _ordered(rows, scores, chosen, ids):
            row = int(rows[place])
            if accept(row):
                found.append((row, float(scores[place])))
                if len(found) == wanted:
                    return found
        rest = np.ones(len(rows), np.bool_)
        rest[chosen] = False
        rows, scores, take = rows[rest], scores[rest], take * 4
    return found


def _top(rows: Rows, scores: Scores, take: int, ids: Sequence[str]) -> Rows:
    """Places of the `take` best, in any order."""
    if take >= len(rows):
        return np.arange(len(rows))
    limit = np.partition(scores, len(scores) - take)[len(scores) - take]
    above = np.flatnonzero(scores > limit)
    level = np.flatnonzero(scores == limit)
    missing = take - len(above)
    if missing < len(level):
        newest = heapq.nlargest(missing, level.tolist(), key=lambda place: ids[int(rows[place])])
        level = np.array(newest, np.int64)
    return np.concatenate([above, level])


def _ordered(rows: Rows, scores: Scores, chosen: Rows, ids: Sequence[str]) -> list[int]:
    by_id = sorted(chosen.tolist(), key=lambda place: ids[int(rows[place])], reverse=True)
    values = scores[by_id]
    return [by_id[at] for at in np.argsort(-values, kind="stable")]
