"""Brings the scores of an arm to 0..1, so that arms can be added."""

import heapq
from collections.abc import Sequence


def min_max(
    scores: Sequence[float | None], *, best: int | None = None, span: float = 0.0
) -> list[float]:
    """Map the `best` highest scores to 0..1 (the highest is 1); all others and missing are 0.

    Differences under `span` are not stretched to the full range: between near-equal scores there is
    little to choose, and noise must not decide.
    """
    have = [score for score in scores if score is not None]
    if not have:
        return [0.0] * len(scores)
    top = heapq.nlargest(best, have) if best is not None and best < len(have) else have
    high, low = max(top), min(top)
    width = max(high - low, span)
    if width <= 0:
        return [1.0 if score is not None and score >= low else 0.0 for score in scores]
    return [
        0.0 if score is None or score < low else 1.0 - (high - score) / width for score in scores
    ]
