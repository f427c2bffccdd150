"""The four modes, and what they have in common: obsolete, weakened and outranked come later."""

from collections.abc import Sequence

from hindwise.domain.confidence import effective
from hindwise.domain.document import Candidate
from hindwise.domain.fading import Tier, tier
from hindwise.domain.memory import Status
from hindwise.domain.query import Mode, Weights
from hindwise.domain.ranking.asked import Asked
from hindwise.domain.ranking.behind import behind
from hindwise.domain.ranking.context import context
from hindwise.domain.ranking.fading import decay, recency
from hindwise.domain.ranking.keyword import Matches
from hindwise.domain.ranking.normalise import min_max
from hindwise.domain.ranking.order import values_of_then
from hindwise.domain.ranking.places import BEST, places_beside
from hindwise.domain.ranking.pool import Place, Pool
from hindwise.domain.ranking.result import Arms, Columns, Ranking, Scores, finite
from hindwise.errors import Invalid

RRF_K = 10
OBSOLETE = 0.3
TIME_SPAN = 0.01
"""Recency differences under this are noise of long ago, not worth stretching."""


class Fusion:
    """The ranking of one search, made anew as often as candidates are added."""

    def __init__(
        self, asked: Asked, *, mode: Mode = "context", weights: Weights | None = None
    ) -> None:
        self._asked = asked
        self._mode: Mode = mode
        self._weights = weights
        self._pool = Pool()
        self._matches = Matches(asked.terms, asked.exact)

    def add(self, candidates: Sequence[Candidate]) -> None:
        """Add candidates, none of which is there."""
        self._pool.add(candidates)
        self._matches.add(candidates)

    def ranking(self) -> Ranking:
        """Recompute the keyword scores over the candidates, then fuse; raises Invalid as `fuse`."""
        self._matches.score()
        return fuse(self._pool, self._asked, mode=self._mode, weights=self._weights)

    def missing(self, ranking: Ranking) -> list[Place]:
        """List the places that `missing_places` lists, of a ranking of these candidates."""
        places = self._pool.places()
        return places_beside((places[one] for one in ranking.places[:BEST]), set(places))


def rank(
    candidates: Sequence[Candidate],
    asked: Asked,
    *,
    mode: Mode = "context",
    weights: Weights | None = None,
) -> Ranking:
    """Rank candidates once; raises Invalid as `fuse`."""
    fusion = Fusion(asked, mode=mode, weights=weights)
    fusion.add(candidates)
    return fusion.ranking()


def fuse(
    pool: Pool,
    asked: Asked,
    *,
    mode: Mode = "context",
    weights: Weights | None = None,
    rrf_k: int = RRF_K,
) -> Ranking:
    """Rank candidates by the scores they carry, best first.

    Raises Invalid where `weighted` is asked with weights that are all zero.
    """
    columns = Columns(len(pool))
    scores: dict[str, Scores] = {
        "keyword": finite(candidate.keyword for candidate in pool.candidates),
        "vector": finite(candidate.cosine for candidate in pool.candidates),
    }
    arms = Arms(pool.ids(), scores)
    match mode:
        case "weighted":
            arms.scores["recent"] = _recent(pool, asked)
            _weighted(columns, arms, weights or Weights())
        case "rrf":
            reciprocal(columns, arms, k=rrf_k)
        case "score":
            _score(columns, pool, arms, asked=asked)
        case _:
            context(columns, pool, arms, asked=asked)
    _obsolete(columns, pool)
    values_of_then(columns, pool, asked)
    behind(columns, pool, asked)
    return Ranking(pool.candidates, columns, arms)


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


def reciprocal(columns: Columns, arms: Arms, *, k: int = RRF_K) -> None:
    """Add 1 / (k + rank) for each arm (Cormack, Clarke, Büttcher 2009)."""
    for arm in arms.scores:
        ranks = arms.ranks(arm)
        places = [float(ranks.get(place, 0)) for place in range(columns.size)]
        columns.put(arm, places, [1 / (k + place) if place else 0.0 for place in places])


def _recent(pool: Pool, asked: Asked) -> Scores:
    """How new each hot candidate is; what is warm is found by what it says, not for being new."""

    def of(one: Candidate) -> float | None:
        facets = one.document.facets
        if tier(facets, asked.now, asked.fading) is not Tier.HOT:
            return None
        return recency(facets, asked.now)

    return pool.each("recency", of)


def _weighted(columns: Columns, arms: Arms, weights: Weights) -> None:
    weigh(
        columns,
        weights,
        keyword=min_max(arms.scores["keyword"]),
        vector=min_max(arms.scores["vector"]),
        time=min_max(arms.scores["recent"], span=TIME_SPAN),
    )


def _score(columns: Columns, pool: Pool, arms: Arms, *, asked: Asked) -> None:
    """Similarity x confidence x decay, told as what each factor took away."""
    keyword, cosine = min_max(arms.scores["keyword"]), arms.scores["vector"]
    similar = [max(a, b or 0.0) for a, b in zip(keyword, cosine, strict=True)]
    sure = pool.each(
        "confidence", lambda one: effective(one.document.facets, asked.now, asked.fading)
    )
    fresh = pool.each("decay", lambda one: decay(one.document.facets, asked.now))
    columns.add("similarity", similar)
    columns.put("confidence", sure, [s * (c - 1) for s, c in zip(similar, sure, strict=True)])
    lost = [s * c * (d - 1) for s, c, d in zip(similar, sure, fresh, strict=True)]
    columns.put("decay", fresh, lost)


def _obsolete(columns: Columns, pool: Pool) -> None:
    """Take away 0.7 of an obsolete record's score (of its size, where it is negative)."""
    old = pool.each("obsolete", lambda one: one.document.facets.status is Status.OBSOLETE)
    if any(old):
        taken = [
            -(1 - OBSOLETE) * abs(score) if is_old else 0.0
            for score, is_old in zip(columns.sums(), old, strict=True)
        ]
        columns.put("obsolete", [OBSOLETE if is_old else 0.0 for is_old in old], taken)
