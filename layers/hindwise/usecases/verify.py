"""Read what was ranked from the table and let through only what the record itself allows.

A stale index may cost recall, never correctness: view, filter and confidence are evaluated again on
the consistent record, and a superseded one is replaced by the end of its chain.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from hindwise.domain.analysis import asked_words
from hindwise.domain.memory import LongTermMemory, Status, WorkingMemory
from hindwise.domain.outlived import outlived_values
from hindwise.domain.query import Query
from hindwise.domain.ranking import BEHIND, Ranked, among_memories, led, outdated_by, raised
from hindwise.domain.scope import Scope
from hindwise.domain.visibility import held
from hindwise.usecases.engine import Engine
from hindwise.usecases.known import as_known
from hindwise.usecases.rejecting import only_new, rejected_by

BLOCKS = 3
HOPS = 5
NEAR = 0.5
"""A value answers like a turn if it has a word of the question, or this share of the cosine."""


@dataclass(slots=True)
class Verified:
    """Records in rank order, and the ranking behind each; `exhausted`: no more could be read.

    `lifted` is what was added to the scores of values that come before a turn, and `outdated` tells
    of a turn by which values its lesson was replaced.
    """

    hits: list[tuple[Ranked, LongTermMemory]] = field(default_factory=list)
    lifted: dict[str, float] = field(default_factory=dict)
    outdated: dict[str, tuple[str, ...]] = field(default_factory=dict)
    exhausted: bool = False
    dropped: dict[str, int] = field(default_factory=dict)


def verify(
    scope: Scope, ranked: Sequence[Ranked], query: Query, *, engine: Engine, now: datetime
) -> Verified:
    """Read at most three blocks of top_k + max(10, top_k / 2) until `top_k` records stand."""
    result = Verified()
    seen: set[str] = set()
    size = query.top_k + max(10, query.top_k // 2)
    for start in range(0, min(len(ranked), BLOCKS * size), size):
        block = ranked[start : start + size]
        records = _read(scope, [one.candidate.document.id for one in block], query, engine)
        _resolve(scope, records, query, engine)
        for item in block:
            record = _end(item.candidate.document.id, records, query)
            rule = "gone" if record is None else rejected_by(record, query, now)
            if record is not None and rule is None and only_new(item.candidate, record, query):
                rule = "warm"
            if record is not None and rule is None and record.id not in seen:
                seen.add(record.id)
                result.hits.append((item, record))
            elif rule is not None:
                result.dropped[rule] = result.dropped.get(rule, 0) + 1
        result.hits = _newest_of_each_slot(result.hits, query)
        if len(result.hits) >= query.top_k:
            break
    else:
        result.exhausted = True
    _in_time(result, query)
    result.hits = result.hits[: query.top_k]
    return result


def _in_time(result: Verified, query: Query) -> None:
    """Put the values that hold before the turns that tell of others, if they answer like those."""
    records = [record for _, record in result.hits]
    result.outdated = outdated_by(records, query.view)
    by_id = {record.id: (item, record) for item, record in result.hits}
    known = led(records, query.view)
    above = among_memories(records, asked_words(query.text)) if known else {}
    before = {
        turn: tuple(
            one for one in values if one not in above and _answers(by_id[one][0], by_id[turn][0])
        )
        for turn, values in known.items()
    }
    order = raised([record.id for record in records], before)
    values = {one for several in before.values() for one in several}
    least = -math.inf
    for memory_id in reversed(order):
        score = by_id[memory_id][0].score
        if memory_id in values and score < least:
            result.lifted[memory_id] = least + BEHIND - score
        least = score + result.lifted.get(memory_id, 0.0)
    result.hits = [by_id[one] for one in order]


def _answers(value: Ranked, turn: Ranked) -> bool:
    if value.candidate.keyword is not None:
        return True
    near, most = value.candidate.cosine, turn.candidate.cosine
    return near is not None and near >= NEAR * (most or 0.0)


def _read(
    scope: Scope, ids: Sequence[str], query: Query, engine: Engine
) -> dict[str, LongTermMemory]:
    found = engine.store.get(scope, ids).values()
    records = [one for one in found if not isinstance(one, WorkingMemory)]
    then = as_known(records, query.view, scope=scope, store=engine.store)
    return {one.id: one for one in then}


def _follows(query: Query) -> bool:
    """Whether a superseded record stands for its successor.

    Not where the past is what is asked for.
    """
    view = query.view
    return view.as_of is None and Status.SUPERSEDED not in view.include


def _stands(record: LongTermMemory, query: Query) -> bool:
    """Whether a record is not replaced by its successor: it is current, or held when asked for."""
    if record.status is not Status.SUPERSEDED or record.superseded_by is None:
        return True
    return query.view.during is not None and held(record, query.view.during)


def _resolve(
    scope: Scope, records: dict[str, LongTermMemory], query: Query, engine: Engine
) -> None:
    """Read the chains of superseded records, all of them hop by hop."""
    if not _follows(query):
        return
    for _ in range(HOPS):
        missing = [
            one.superseded_by
            for one in records.values()
            if not _stands(one, query) and one.superseded_by and one.superseded_by not in records
        ]
        if not missing:
            return
        found = _read(scope, tuple(dict.fromkeys(missing)), query, engine)
        if not found:
            return
        records |= found


def _chain(
    memory_id: str, records: dict[str, LongTermMemory], query: Query
) -> Iterator[LongTermMemory]:
    for _ in range(HOPS + 1):
        record = records.get(memory_id)
        if record is None:
            return
        yield record
        if _stands(record, query) or record.superseded_by is None:
            return
        memory_id = record.superseded_by


def _end(memory_id: str, records: dict[str, LongTermMemory], query: Query) -> LongTermMemory | None:
    if not _follows(query):
        return records.get(memory_id)
    return next(reversed(list(_chain(memory_id, records, query))), None)


def _newest_of_each_slot(
    hits: list[tuple[Ranked, LongTermMemory]], query: Query
) -> list[tuple[Ranked, LongTermMemory]]:
    asked_for = query.view.include
    if query.view.during is not None:
        asked_for |= {Status.SUPERSEDED}
    hidden = outlived_values([record for _, record in hits], asked_for)
    return [(item, record) for item, record in hits if record.id not in hidden]
