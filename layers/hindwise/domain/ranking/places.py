"""What may be added to a ranking, and what may be left out of it.

The neighbour round adds turns beside the best; the diversity cut leaves out repetitions.
"""

from collections.abc import Collection, Iterable, Sequence

from hindwise.domain.document import Candidate
from hindwise.domain.memory import place_of
from hindwise.domain.ranking.pool import Place
from hindwise.domain.ranking.result import Ranked

BEST, SPAN = 20, 2
ALIKE = 0.9


def missing_places(
    candidates: Iterable[Candidate],
    ranked: Sequence[Ranked],
    *,
    best: int = BEST,
    span: int = SPAN,
) -> list[Place]:
    """List the places within `span` turns of the `best` ranked that are no candidates yet.

    Measured: 100 candidates an arm and these rank as well as the whole scope would.
    """
    have = {place_of(one.document.facets) for one in candidates}
    near = (place_of(item.candidate.document.facets) for item in ranked[:best])
    return places_beside(near, have, span=span)


def places_beside(
    best: Iterable[Place | None], have: Collection[Place | None], *, span: int = SPAN
) -> list[Place]:
    """List the places within `span` turns of `best` that are not in `have`, each once."""
    missing: dict[Place, None] = {}
    for at in best:
        if at is None:
            continue
        session, seq = at
        for place in ((session, seq + step) for step in range(-span, span + 1)):
            if place[1] >= 0 and place not in have:
                missing[place] = None
    return list(missing)


def without_near_duplicates(
    ranked: Iterable[Ranked], *, limit: int, alike: float = ALIKE
) -> list[Ranked]:
    """Keep at most `limit` results, leaving out what says the same as one kept before it.

    Alike means that the sets of analysed words overlap (Jaccard) by at least `alike`.
    """
    kept: list[tuple[Ranked, frozenset[str]]] = []
    for item in ranked:
        if len(kept) == limit:
            break
        words = frozenset(item.candidate.document.words.split())
        if not any(_overlap(words, other) >= alike for _, other in kept):
            kept.append((item, words))
    return [item for item, _ in kept]


def _overlap(one: frozenset[str], other: frozenset[str]) -> float:
    either = len(one | other)
    return len(one & other) / either if either else 0.0
