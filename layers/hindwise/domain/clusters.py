"""Patterns without a model: episodes that are near each other, told by the one in their middle.

It finds repetition and nothing more; the words are those of an episode, so nothing is made up.
"""

import math
from collections.abc import Mapping, Sequence
from itertools import combinations

from hindwise.domain.analysis import index_words
from hindwise.domain.document import Vector
from hindwise.domain.memory import Episode
from hindwise.domain.patterns import Proposal, enough
from hindwise.domain.vectors import cosine

MOST = 5
"""Patterns of one run, the largest clusters first."""
NEAR = {"use-": 0.55, "text-embedding-3-": 0.5, "multilingual-e5-": 0.88, "hashed-": 0.3}
"""By the embedder's family. Of 30 short reports of twelve events in English and Chinese, USE puts
20 of 24 pairs of one event over 0.55, and of others only those that tell one event in two
languages; hashing puts 12 of 24 over 0.3 and no others. The other two are assumed."""
NEAR_OTHERWISE = 0.7
NEAR_IN_WORDS = 0.4
"""Share of words that two episodes have in common, where one of them has no vector yet."""
Near = dict[tuple[str, str], float]


def threshold_of(embedder_id: str) -> float:
    """The cosine from which two episodes of an embedder count as the same sort of event."""
    named = (value for name, value in NEAR.items() if embedder_id.startswith(name))
    return next(named, NEAR_OTHERWISE)


def clustered(
    episodes: Sequence[Episode], vectors: Mapping[str, Vector], *, threshold: float
) -> tuple[Proposal, ...]:
    """The patterns that stand out: clusters in which any two are near, told by their medoid.

    Complete linkage: a chain of small steps from one event to quite another is no pattern.
    """
    near = _nearness(episodes, vectors, threshold)
    groups = [[one] for one in sorted(episodes, key=lambda one: one.id)]
    while (pair := _closest(groups, near)) is not None:
        first, second = pair
        groups[first] += groups.pop(second)
    found = [group for group in groups if enough(group)]
    found.sort(key=lambda group: (-len(group), group[0].id))
    return tuple(
        Proposal(
            content=_middle(group, near),
            evidence_ids=tuple(one.id for one in group),
            cited=len(group),
        )
        for group in found[:MOST]
    )


def _nearness(episodes: Sequence[Episode], vectors: Mapping[str, Vector], threshold: float) -> Near:
    """How near each two episodes are, above the threshold as 0 and more."""
    words = {one.id: frozenset(index_words(one.content)) for one in episodes}
    near: Near = {}
    for one, other in combinations(episodes, 2):
        if one.id in vectors and other.id in vectors:
            value = cosine(vectors[one.id], vectors[other.id]) - threshold
        else:
            value = _overlap(words[one.id], words[other.id]) - NEAR_IN_WORDS
        near[one.id, other.id] = near[other.id, one.id] = value
    return near


def _overlap(one: frozenset[str], other: frozenset[str]) -> float:
    united = len(one | other)
    return len(one & other) / united if united else 0.0


def _closest(groups: Sequence[Sequence[Episode]], near: Near) -> tuple[int, int] | None:
    """The two groups that are nearest by their farthest members; None where none are near."""
    best, found = 0.0, None
    for first, second in combinations(range(len(groups)), 2):
        farthest = min(near[a.id, b.id] for a in groups[first] for b in groups[second])
        if farthest >= best and (found is None or farthest > best):
            best, found = farthest, (first, second)
    return found


def _middle(group: Sequence[Episode], near: Near) -> str:
    """The text of the member that is nearest to all others."""
    medoid = max(
        group,
        key=lambda one: (
            math.fsum(near[one.id, other.id] for other in group if other is not one),
            one.id,
        ),
    )
    return medoid.summary or medoid.content
