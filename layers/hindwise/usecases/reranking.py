"""Ordering the best results once more by what they say, where there is something that does.

It reads the records themselves, so it comes after the check; it is a hook and off unless it is
asked for. What it does not do in two seconds is left out, and named.
"""

import math
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

from hindwise.domain.projection import dated_text
from hindwise.domain.query import Query
from hindwise.domain.ranking import Part, in_order, later, led, raised
from hindwise.errors import HindwiseError
from hindwise.usecases.engine import Engine
from hindwise.usecases.hits import Hit
from hindwise.usecases.learning import Learning

SECONDS = 2.0
SKIPPED = "rerank"
"""The word for it among what an answer `skipped`."""
RERANKED = 30
TEXT_CHARS = 2_000
"""Of each result that are read."""


def asked_for(query: Query, learning: Learning | None) -> bool:
    """Tell whether results are to be ordered once more: by the call, else by the setting."""
    if query.rerank is not None:
        return query.rerank
    return learning is not None and learning.rules.rerank_results


def depth(query: Query) -> int:
    """How many results are looked at for `top_k`."""
    return max(query.top_k, RERANKED)


def reranked(hits: Sequence[Hit], query: Query, *, engine: Engine) -> tuple[tuple[Hit, ...], bool]:
    """The best `top_k` in their new order, and whether there is one; else as they were.

    A score becomes the reranker's, with what that added as its last part. Which of two values
    of one thing comes first stays as it is, and so does whose word comes before whose.
    """
    scores = _scores(hits, query, engine) if hits else ()
    if scores is None:
        return tuple(hits[: query.top_k]), False
    new = {hit.memory.id: score for hit, score in zip(hits, scores, strict=True)}
    order = sorted(hits, key=lambda hit: -new[hit.memory.id])
    by_id = {hit.memory.id: hit for hit in hits}
    found: list[Hit] = []
    most = math.inf
    wanted = in_order([hit.memory for hit in order], query.view.during)
    ids = raised([memory.id for memory in wanted], _led(hits, query))
    ids = later(ids, {hit.memory.id: hit.why.comes_after for hit in hits})
    for rank, memory_id in enumerate(ids[: query.top_k], 1):
        most = min(most, new[memory_id])
        found.append(_scored(by_id[memory_id], rank, most))
    return tuple(found), True


def _led(hits: Sequence[Hit], query: Query) -> dict[str, tuple[str, ...]]:
    """The turns that came after values, and those values."""
    place = {hit.memory.id: number for number, hit in enumerate(hits)}
    return {
        turn: tuple(one for one in values if place[one] < place[turn])
        for turn, values in led([hit.memory for hit in hits], query.view).items()
    }


def _scored(hit: Hit, rank: int, score: float) -> Hit:
    part = Part(name=SKIPPED, value=score, contribution=score - (hit.score or 0.0))
    parts = None if hit.why.parts is None else (*hit.why.parts, part)
    why = hit.why.model_copy(update={"rank": rank, "parts": parts})
    return hit.model_copy(update={"score": score, "why": why})


def _scores(hits: Sequence[Hit], query: Query, engine: Engine) -> Sequence[float] | None:
    """The reranker's scores; None where there is none, or they did not come or are no numbers."""
    reranker = engine.reranker
    if reranker is None:
        return None
    texts = [dated_text(hit.memory)[:TEXT_CHARS] for hit in hits]
    thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix=SKIPPED)
    future = thread.submit(reranker.scores, query.text, texts, seconds=SECONDS)
    thread.shutdown(wait=False)
    try:
        scores = future.result(timeout=SECONDS)
    except (TimeoutError, HindwiseError):
        return None
    return scores if len(scores) == len(texts) and all(map(math.isfinite, scores)) else None
