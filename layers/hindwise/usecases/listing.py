"""List by filter instead of by question.

Episodes by importance then event time, semantic ones by confidence then last update.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime

from hindwise.domain.call import Call
from hindwise.domain.confidence import effective
from hindwise.domain.memory import Episode, LongTermMemory, WorkingMemory
from hindwise.domain.outlived import outlived_values
from hindwise.domain.ports import Ask
from hindwise.domain.query import Query
from hindwise.domain.ranking import among_memories, in_order, later
from hindwise.domain.scope import Scope
from hindwise.errors import Unavailable
from hindwise.usecases.engine import Engine
from hindwise.usecases.gather import OWN_WRITES, ask_of, asked_of, vouched_for
from hindwise.usecases.rejecting import rejected_by

MARGIN = 20


@dataclass(frozen=True, slots=True)
class Listed:
    """Records in order."""

    records: tuple[LongTermMemory, ...]
    degraded: tuple[str, ...] = ()
    lag: bool = False


def listing(query: Query, *, call: Call, engine: Engine, newest: bool = False) -> Listed:
    """The first `top_k` records that pass, as the table has them, sorted by what they say."""
    if query.min_origin is not None:
        wanted = vouched_for(query.filter, query.min_origin)
        query = query.model_copy(update={"filter": wanted})
    backlog = engine.store.backlog(call.scope, OWN_WRITES)
    ask = ask_of(query, asked_of(query), call.now)
    ids, degraded = ids_of(ask, call.scope, engine, limit=query.top_k + MARGIN, newest=newest)
    own = [change.memory_id for change in backlog.changes]
    found = engine.store.get(call.scope, tuple(dict.fromkeys([*own, *ids]))).values()
    records = [
        one
        for one in found
        if not isinstance(one, WorkingMemory) and rejected_by(one, query, call.now) is None
    ]
    if query.view.as_of is not None:
        hidden = outlived_values(records, query.view.include)
        records = [one for one in records if one.id not in hidden]
    records.sort(
        key=(lambda one: -one.created_at.timestamp()) if newest else by_worth(query, call.now)
    )
    records = by_authority(in_order(records, None))
    return Listed(records=tuple(records[: query.top_k]), degraded=degraded, lag=backlog.more)


def by_authority(records: Sequence[LongTermMemory]) -> list[LongTermMemory]:
    """The records in order, but none of lower authority before what is known of the same."""
    by_id = {one.id: one for one in records}
    return [by_id[one] for one in later(list(by_id), among_memories(records))]


def ids_of(
    ask: Ask, scope: Scope, engine: Engine, *, limit: int, newest: bool = False
) -> tuple[list[str], tuple[str, ...]]:
    """Ids that the index lists, or its fallback where it is down, and what was down.

    Raises Unavailable where neither answers.
    """
    try:
        return engine.index.listing(scope, ask, limit=limit, newest=newest), ()
    except Unavailable:
        if engine.fallback is None:
            raise
        return engine.fallback.listing(scope, ask, limit=limit, newest=newest), ("index",)


def by_worth(query: Query, now: datetime) -> Callable[[LongTermMemory], tuple[float, ...]]:
    """Sort key: semantic before episodic, then by worth and time, best first."""

    def key(memory: LongTermMemory) -> tuple[float, ...]:
        if isinstance(memory, Episode):
            return 1, -memory.importance, -memory.event_time.timestamp()
        return 0, -effective(memory, now, query.fading), -memory.updated_at.timestamp()

    return key
