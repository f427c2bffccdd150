"""What keeps a memory out of an answer: the view, the filter, doubts, its origin, and its tier."""

from datetime import datetime

from hindwise.domain.confidence import effective
from hindwise.domain.document import Candidate
from hindwise.domain.fading import Tier, tier
from hindwise.domain.memory import LongTermMemory
from hindwise.domain.query import Query
from hindwise.domain.visibility import passes, visible


def rejected_by(memory: LongTermMemory, query: Query, now: datetime) -> str | None:
    """Name the rule that keeps a record out of a query's answer, None where it belongs there."""
    if not visible(memory, query.view, now):
        return "view"
    wanted = query.filter
    if (wanted.all_of or wanted.none_of) and not passes(memory, wanted, now=now):
        return "filter"
    if (
        query.min_confidence is not None
        and effective(memory, now, query.fading) < query.min_confidence
    ):
        return "min_confidence"
    if query.min_origin is not None and memory.origin < query.min_origin:
        return "origin"
    return None


def only_new(candidate: Candidate, memory: LongTermMemory, query: Query) -> bool:
    """Tell whether nothing but its age brought a memory here, and it is not hot.

    The index does not know of accesses; the record does.
    """
    by_words = candidate.keyword is not None or candidate.cosine is not None
    if candidate.recent is None or by_words:
        return False
    return tier(memory, query.now, query.fading) is not Tier.HOT
