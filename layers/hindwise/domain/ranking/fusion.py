"""The four modes, and what they have in common: obsolete and weakened records come later."""

from collections.abc import Sequence

from hindwise.domain.confidence import effective
from hindwise.domain.document import Candidate
from hindwise.domain.memory import LongTermMemory, Status
from hindwise.domain.query import Mode, Weights
from hindwise.domain.ranking.asked import Asked
from hindwise.domain.ranking.context import context
from hindwise.domain.ranking.fading import decay, recency
from hindwise.domain.ranking.keyword import recompute_keyword
from hindwise.domain.ranking.normalise import min_max
from hindwise.domain.ranking.result import Columns, Ranked, finite, in_order, ranks_of
from hindwise.errors import Invalid

RRF_K = 10
OBSOLETE = 0.3
BEHIND = 1e-6
TIME_SPAN = 0.01
"""Recency differences under this are noise of long ago, not worth stretching."""


def rank(
    candidates: Sequence[Candidate],
    asked: Asked,
    *,
    mode: Mode = "context",
    weights: Weights | None = None,
) -> list[Ranked]:
    """Recompute the keyword scores over the candidates, then fuse; raises Invalid as `fuse`."""
    recompute_keyword(candidates, asked.terms, asked.exact)
    return fuse(candidates, asked, mode=mode, weights=weights)


def fuse(
    candidates: Sequence[Candidate],
    asked: Asked,
    *,
    mode: Mode = "context",
    weights: Weights | None = None,
    rrf_k: int = RRF_K,
) -> list[Ranked]:
    """Rank candidates by the scores they carry, best first.

    Raises Invalid where `weighted` is asked with weights that are all zero.
    """
    keyword = finite(candidate.keyword for candidate in candidates)
    cosine = finite(candidate.cosine for candidate in candidates)
    ids = [candidate.document.id for candidate in candidates]
    arms = {"keyword": ranks_of(keyword, ids), "vector": ranks_of(cosine, ids)}
    columns = Columns(len(candidates))
    match mode:
        case "weighted":
            arms["recent"] = _weighted(columns, candidates, asked, weights or Weights())
        case "rrf":
            reciprocal(columns, arms, k=rrf_k)
        case "score":
            _score(columns, candidates, asked)
        case _:
            context(columns, candidates, asked)
    _obsolete(columns, candidates)
    _weakened(columns, candidates)
    return in_order(candidates, columns, arms)


def weigh(
    columns: Columns,
    weights: Weights,
    *,
    keyword: Sequence[float],
    vector: Sequence[float],
    time: Sequence[float],
) -> None:
    """Add the normalised arms by their weights; raises Invalid where all weights are zero."""
    if not weights.keyword + weights.vector + weights.time > 0:
        raise Invalid("weights must not be negative and not all zero", field="weights")
    columns.add("keyword", keyword, weights.keyword)
    columns.add("vector", vector, weights.vector)
    columns.add("time", time, weights.time)


def reciprocal(columns: Columns, arms: dict[str, dict[int, int]], *, k: int = RRF_K) -> None:
    """Add 1 / (k + rank) for each arm (Cormack, Clarke, Büttcher 2009)."""
    for arm, ranks in arms.items():
        places = [float(ranks.get(place, 0)) for place in range(columns.size)]
        columns.put(arm, places, [1 / (k + place) if place else 0.0 for place in places])


def _weighted(
    columns: Columns, candidates: Sequence[Candidate], asked: Asked, weights: Weights
) -> dict[int, int]:
    recent: list[float | None] = [recency(one.document.facets, asked.now) for one in candidates]
    weigh(
        columns,
        weights,
        keyword=min_max(finite(one.keyword for one in candidates)),
        vector=min_max(finite(one.cosine for one in candidates)),
        time=min_max(recent, span=TIME_SPAN),
    )
    return ranks_of(recent, [one.document.id for one in candidates])


def _score(columns: Columns, candidates: Sequence[Candidate], asked: Asked) -> None:
    """Similarity x confidence x decay, told as what each factor took away."""
    keyword = min_max(finite(one.keyword for one in candidates))
    cosine = finite(one.cosine for one in candidates)
    similar = [max(a, b or 0.0) for a, b in zip(keyword, cosine, strict=True)]
    facets = [one.document.facets for one in candidates]
    sure = [effective(memory, asked.now) for memory in facets]
    fresh = [decay(memory, asked.now) for memory in facets]
    columns.add("similarity", similar)
    columns.put("confidence", sure, [s * (c - 1) for s, c in zip(similar, sure, strict=True)])
    lost = [s * c * (d - 1) for s, c, d in zip(similar, sure, fresh, strict=True)]
    columns.put("decay", fresh, lost)


def _obsolete(columns: Columns, candidates: Sequence[Candidate]) -> None:
    """Take away 0.7 of an obsolete record's score (of its size, where it is negative)."""
    old = [one.document.facets.status is Status.OBSOLETE for one in candidates]
    if any(old):
        taken = [
            -(1 - OBSOLETE) * abs(score) if is_old else 0.0
            for score, is_old in zip(columns.sums(), old, strict=True)
        ]
        columns.put("obsolete", [OBSOLETE if is_old else 0.0 for is_old in old], taken)


def _weakened(columns: Columns, candidates: Sequence[Candidate]) -> None:
    """Put each weakened record behind the one that it yielded to, if both are candidates."""
    place = {one.document.id: i for i, one in enumerate(candidates)}
    yielding = [
        (holder, i)
        for i, one in enumerate(candidates)
        for holder in holders(one.document.facets)
        if holder in place and _newer(candidates[place[holder]], one)
    ]
    if not yielding:
        return
    scores = columns.sums()
    taken = [0.0] * len(scores)
    for holder, i in sorted(yielding, key=lambda pair: _age(candidates[pair[1]]), reverse=True):
        over = scores[i] - (scores[place[holder]] - BEHIND)
        if over > 0:
            scores[i] -= over
            taken[i] -= over
    columns.put("weakened", [float(bool(one)) for one in taken], taken)


def holders(memory: LongTermMemory) -> tuple[str, ...]:
    """The records that a memory may have yielded to while it stayed visible."""
    others = [verdict.other for verdict in memory.verdicts if verdict.policy == "weaken"]
    if memory.superseded_by is not None:
        others.append(memory.superseded_by)
    return tuple(dict.fromkeys(others))


def _age(candidate: Candidate) -> tuple[float, str]:
    return candidate.document.facets.event_time.timestamp(), candidate.document.id


def _newer(one: Candidate, other: Candidate) -> bool:
    return _age(one) > _age(other)
