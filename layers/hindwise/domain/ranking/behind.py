"""What stands behind what: weakened values behind their holders, lower authority behind higher.

Both are one rule, because each may push a record behind another that was pushed itself. A score is
capped just below the least of those it comes after, and the part that took it away is named.
"""

from collections.abc import Mapping, Sequence

from hindwise.domain.ranking.asked import Asked
from hindwise.domain.ranking.authority import Authority, among_candidates
from hindwise.domain.ranking.order import BEHIND, weakened_by
from hindwise.domain.ranking.pool import Pool
from hindwise.domain.ranking.result import Columns
from hindwise.domain.supersession import age

WEAKENED, AUTHORITY = "weakened", "authority"
STEP = BEHIND / 100
"""What keeps those behind one and the same record in the order in which they were."""


def behind(columns: Columns, pool: Pool, asked: Asked) -> None:
    """Take from scores what would put a record before one that it has to come after."""
    holders = weakened_by(pool, asked)
    authority = among_candidates(pool.candidates, asked.terms, asked.exact, during=asked.during)
    if not holders and authority is None:
        return
    facets = [one.document.facets for one in pool.candidates]
    capped = _Capped(columns.sums())
    first = sorted(holders, key=lambda at: age(facets[at]), reverse=True)
    if authority is None:
        for at in first:
            capped.under(at, holders[at], WEAKENED)
    else:
        for origin in sorted({one.origin for one in facets}, reverse=True):
            for at in first:
                if facets[at].origin is origin:
                    capped.under(at, holders[at], WEAKENED)
            own = [at for at, one in enumerate(facets) if one.origin is origin]
            higher = [at for at, one in enumerate(facets) if one.origin > origin]
            _outranked(capped, own, higher, authority=authority)
            for at in first:
                if facets[at].origin is origin:
                    capped.under(at, holders[at], WEAKENED)
    for name, taken in capped.taken.items():
        if any(taken):
            columns.put(name, [float(bool(one)) for one in taken], taken)


def _outranked(
    capped: "_Capped", own: Sequence[int], higher: Sequence[int], *, authority: Authority
) -> None:
    """Put those of one origin behind the higher ones that speak about the same thing."""
    order = sorted(own, key=lambda at: capped.scores[at], reverse=True)
    for number, at in enumerate(order):
        under = [one for one in higher if capped.scores[one] - BEHIND < capped.scores[at]]
        above = authority.above(at, under)
        capped.under(at, above, AUTHORITY, less=number * STEP)


class _Capped:
    """Scores, and what was taken from each under which name."""

    def __init__(self, scores: Sequence[float]) -> None:
        self.scores = list(scores)
        size = len(self.scores)
        self.taken: Mapping[str, list[float]] = {
            WEAKENED: [0.0] * size,
            AUTHORITY: [0.0] * size,
        }

    def under(self, place: int, others: Sequence[int], name: str, *, less: float = 0.0) -> None:
        """Cap the score of a place below those of `others`, if there are any."""
        least = min((self.scores[one] for one in others), default=None)
        if least is None:
            return
        over = self.scores[place] - (least - BEHIND - less)
        if over > 0:
            self.scores[place] -= over
            self.taken[name][place] -= over
