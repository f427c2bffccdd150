"""Rank fusion: candidates of the arms in, an explained order out.

Pure arithmetic over what the index projected; nothing is read and nobody's clock is asked.
"""

from hindwise.domain.ranking.asked import Asked
from hindwise.domain.ranking.authority import among_memories, later, outranks, trusted
from hindwise.domain.ranking.fading import decay, fresh_at, recency
from hindwise.domain.ranking.fusion import Fusion, fuse, rank
from hindwise.domain.ranking.keyword import recompute_keyword
from hindwise.domain.ranking.order import BEHIND, in_order, yielded_to
from hindwise.domain.ranking.outdated import led, outdated_by, raised
from hindwise.domain.ranking.places import missing_places, without_near_duplicates
from hindwise.domain.ranking.pool import Pool
from hindwise.domain.ranking.result import Part, Ranked, Ranking
from hindwise.domain.ranking.uniting import united

__all__ = [
    "BEHIND",
    "Asked",
    "Fusion",
    "Part",
    "Pool",
    "Ranked",
    "Ranking",
    "among_memories",
    "decay",
    "fresh_at",
    "fuse",
    "in_order",
    "later",
    "led",
    "missing_places",
    "outdated_by",
    "outranks",
    "raised",
    "rank",
    "recency",
    "recompute_keyword",
    "trusted",
    "united",
    "without_near_duplicates",
    "yielded_to",
]
