"""One ranking of two: of a question as it was sent, and in other words.

They take turns, the other words first: a vague question gives chatter as high a score as a clear
one gives its answer, and what is middling in both must not come before what is best in one.
"""

from collections.abc import Sequence
from datetime import datetime

from hindwise.domain.document import Candidate
from hindwise.domain.ranking.authority import among_candidates, later
from hindwise.domain.ranking.order import BEHIND, in_order
from hindwise.domain.ranking.result import Arms, Columns, Ranked, Ranking

K = 10
AFTER = 0.5
"""A rank in the question as it was sent counts for so much more: it comes right after."""
SENT, REWRITTEN = "sent", "rewritten"


def united(
    sent: Sequence[Ranked],
    rewritten: Sequence[Ranked],
    during: tuple[datetime, datetime] | None,
    *,
    terms: Sequence[str] = (),
) -> Ranking:
    """Each candidate once, by 1 / (10 + its better rank); `terms` are those of both questions.

    Which of two values of one thing comes first (see `order`) stays as it is in each of them, and
    lower authority behind higher.
    """
    ranks = [{one.candidate.document.id: one for one in ranking} for ranking in (sent, rewritten)]
    ids = list(dict.fromkeys(one for ranked in ranks for one in ranked))
    candidates = [_nearer(*(ranked[one].candidate for ranked in ranks if one in ranked))
                  for one in ids]  # fmt: skip
    columns = Columns(len(ids))
    arms = Arms(ids, {})
    counted = {}
    for name, ranked, more in ((SENT, ranks[0], AFTER), (REWRITTEN, ranks[1], 0.0)):
        places = [ranked[one].rank if one in ranked else None for one in ids]
        arms.scores[name] = [None if place is None else -float(place) for place in places]
        counted[name] = [1 / (K + place + more) if place else 0.0 for place in places]
    for name, other in ((SENT, REWRITTEN), (REWRITTEN, SENT)):
        pairs = zip(counted[name], counted[other], strict=True)
        values = [-(score or 0.0) for score in arms.scores[name]]
        columns.put(name, values, [own if own > its else 0.0 for own, its in pairs])
    _keep_order(columns, candidates, during, terms)
    return Ranking(candidates, columns, arms)


def _nearer(*same: Candidate) -> Candidate:
    return max(same, key=lambda one: -2.0 if one.cosine is None else one.cosine)


def _keep_order(
    columns: Columns,
    candidates: Sequence[Candidate],
    during: tuple[datetime, datetime] | None,
    terms: Sequence[str],
) -> None:
    """Lower what came before a value that it has to come after."""
    scores = columns.sums()
    by_score = sorted(range(len(scores)), key=lambda place: -scores[place])
    place_of = {candidates[place].document.id: place for place in by_score}
    records = in_order([candidates[place].document.facets for place in by_score], during)
    wanted = [record.id for record in records]
    if (authority := among_candidates(candidates, terms, during=during)) is not None:
        ids, places = [one.document.id for one in candidates], range(len(candidates))
        above = {ids[at]: [ids[one] for one in authority.above(at, places)] for at in places}
        wanted = later(wanted, above)
    lowered, least = [0.0] * len(scores), float("inf")
    for memory_id in wanted:
        place = place_of[memory_id]
        if scores[place] > least:
            lowered[place] = least - BEHIND - scores[place]
        least = min(least, scores[place] + lowered[place])
    if any(lowered):
        columns.put("order", [float(bool(one)) for one in lowered], lowered)
