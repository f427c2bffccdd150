"""Which memories a filter or a question means, of those that are to be forgotten.

What is archived is asked as it was, for its stub has no words: it would slip through a filter by
what it no longer says, and be caught by one that lets through whatever does not say something. Only
where a filter asks for words is anything read, several at a time. Whose words cannot be read is not
meant.
"""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime

from hindwise.domain.analysis import index_words, query_words
from hindwise.domain.archived import asks_for_words, worded
from hindwise.domain.memory import LongTermMemory, Status
from hindwise.domain.query import Filter
from hindwise.domain.scope import Scope
from hindwise.domain.visibility import passes
from hindwise.usecases.archive import held
from hindwise.usecases.transcript import Transcript

HANDS = 16


def matching(
    memories: Sequence[LongTermMemory],
    wanted: Filter,
    at: datetime,
    *,
    scope: Scope,
    said: Transcript,
) -> list[LongTermMemory]:
    """Those that a filter lets through and that were there at a moment; raises Unavailable."""
    there = [one for one in memories if one.created_at <= at]
    if asks_for_words(wanted):
        there = _with_words(there, scope=scope, said=said)
    return [one for one in there if passes(one, wanted, now=at)]


def saying(
    memories: Sequence[LongTermMemory], query: str, *, scope: Scope, said: Transcript
) -> list[LongTermMemory]:
    """Those that hold all the words of a question, if it has some; raises Unavailable."""
    words = {*query_words(query)}
    there = _with_words(memories, scope=scope, said=said) if words else []
    return [one for one in there if words <= {*index_words(one.content)}]


def _with_words(
    memories: Sequence[LongTermMemory], *, scope: Scope, said: Transcript
) -> list[LongTermMemory]:
    """The memories with their words, without those whose words cannot be read."""
    cold = [one for one in memories if one.status is Status.ARCHIVED]
    if not cold:
        return [*memories]

    def read(stub: LongTermMemory) -> LongTermMemory | None:
        found = held(stub, scope=scope, blobs=said.blobs)
        return None if found is None else worded(stub, found)

    with ThreadPoolExecutor(min(HANDS, len(cold))) as pool:
        whole = dict(zip((one.id for one in cold), pool.map(read, cold), strict=True))
    told = (whole.get(one.id, one) for one in memories)
    return [one for one in told if one is not None]
