"""What is known of a name: the memories that speak of it, and the names beside it.

The index nominates by the names in the fields and by the words of the text; the record decides. A
page is of the newest that are left; the names beside it are counted over all that were looked at
for it, which is more than a page holds.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime

from hindwise.domain.analysis import identifiers, index_words, query_words
from hindwise.domain.base import Model
from hindwise.domain.call import Call
from hindwise.domain.entities import Neighbour, entity_key, neighbours_of, speaks_of
from hindwise.domain.memory import LongTermMemory, WorkingMemory
from hindwise.domain.outlived import outlived_values
from hindwise.domain.ports import Ask
from hindwise.domain.query import Condition, Filter, Operator, View
from hindwise.domain.visibility import visible
from hindwise.errors import Invalid
from hindwise.usecases.engine import Engine
from hindwise.usecases.gather import OWN_WRITES
from hindwise.usecases.known import as_known
from hindwise.usecases.listing import ids_of

LOOKED_AT = 200
"""Memories that either way of finding may nominate for one page."""
READ = 100
"""Memories that the store reads at once."""


class Entity(Model):
    """What is known of a name.

    `mentions` counts the memories that were looked at and speak of it, `neighbours` the names
    beside it in those. Without `complete` there are more of either than could be looked at. `after`
    continues the page and is None at the end.
    """

    name: str
    memories: tuple[LongTermMemory, ...]
    after: str | None
    mentions: int
    neighbours: tuple[Neighbour, ...]
    complete: bool
    degraded: tuple[str, ...] = ()
    lag: bool = False


@dataclass(slots=True)
class _Nominated:
    ids: dict[str, None] = field(default_factory=dict)
    degraded: dict[str, None] = field(default_factory=dict)
    lag: bool = False
    listed: list[str] = field(default_factory=list)
    """What the fields nominated, newest first, where there are more."""
    whole: bool = True


def entity(
    name: str, view: View, *, call: Call, engine: Engine, limit: int, after: str | None = None
) -> Entity:
    """The memories that speak of a name, newest first, `limit` at a time.

    Raises Unavailable only where neither the index nor its fallback answers.
    """
    key = entity_key(name)
    before = _Place.read(after) if after else None
    nominated = _nominate(name, key, view, call=call, engine=engine, before=before)
    records = _read(nominated.ids, view, call=call, engine=engine)
    end = next((_order(records[one]) for one in reversed(nominated.listed) if one in records), None)
    found = [
        one
        for one in records.values()
        if speaks_of(one, key) and visible(one, view, call.now) and _within(one, before, end)
    ]
    hidden = outlived_values(found, view.include) if view.as_of else frozenset()
    found = [one for one in found if one.id not in hidden]
    found.sort(key=_order, reverse=True)
    page = tuple(found[:limit])
    more = _order(page[-1]) if len(found) > limit else end
    neighbours, all_of_them = neighbours_of(key, found)
    return Entity(
        name=name,
        memories=page,
        after=more.text if more else None,
        mentions=len(found),
        neighbours=neighbours,
        complete=nominated.whole and all_of_them and before is None and not nominated.listed,
        degraded=tuple(nominated.degraded),
        lag=nominated.lag,
    )


@dataclass(frozen=True, order=True, slots=True)
class _Place:
    """A place in the order of creation, the older the smaller."""

    made: datetime
    id: str

    @property
    def text(self) -> str:
        return f"{self.made.isoformat()}|{self.id}"

    @classmethod
    def read(cls, text: str) -> "_Place":
        """Read a place back; raises Invalid naming the cursor."""
        made, _, memory_id = text.partition("|")
        try:
            return cls(datetime.fromisoformat(made), memory_id)
        except ValueError as error:
            raise Invalid("cursor is not one of this list", field="cursor") from error


def _order(memory: LongTermMemory) -> _Place:
    return _Place(memory.created_at, memory.id)


def _within(memory: LongTermMemory, before: _Place | None, end: _Place | None) -> bool:
    """Tell whether a record is of this page: what is beyond the last listed is of a later one."""
    place = _order(memory)
    return (before is None or place < before) and (end is None or place >= end)


def _nominate(
    name: str, key: str, view: View, *, call: Call, engine: Engine, before: _Place | None
) -> _Nominated:
    """Ids of what may speak of the name: own writes, and what the index says either way."""
    result = _Nominated()
    backlog = engine.store.backlog(call.scope, OWN_WRITES)
    result.lag = backlog.more
    result.ids |= dict.fromkeys(change.memory_id for change in backlog.changes)
    until = _until(before)
    named = Filter(all_of=(Condition(field="names", value=key), *until))
    ask = Ask(terms=(), filter=named, view=view, now=call.now)
    listed, down = ids_of(ask, call.scope, engine, limit=LOOKED_AT, newest=True)
    result.ids |= dict.fromkeys(listed)
    result.degraded |= dict.fromkeys(down)
    result.listed = listed if len(listed) == LOOKED_AT else []
    said = ask.model_copy(
        update={
            "terms": tuple(query_words(name) or index_words(name)),
            "exact": identifiers(name),
            "filter": Filter(all_of=until),
            "per_arm": LOOKED_AT,
            "recent": 1,
        }
    )
    _by_words(said, call=call, engine=engine, result=result)
    return result


def _until(before: _Place | None) -> tuple[Condition, ...]:
    if before is None:
        return ()
    return (Condition(field="created_at", op=Operator.LTE, value=before.made),)


def _by_words(ask: Ask, *, call: Call, engine: Engine, result: _Nominated) -> None:
    said, down = engine.nominate(call.scope, ask, None)
    result.degraded |= dict.fromkeys(down)
    found = [one.document.id for one in said.candidates if one.keyword is not None]
    result.ids |= dict.fromkeys(found)
    result.whole = len(found) < LOOKED_AT and said.coverage in (None, 1.0) and not result.lag


def _read(
    ids: Iterable[str], view: View, *, call: Call, engine: Engine
) -> dict[str, LongTermMemory]:
    wanted = list(ids)
    records: dict[str, LongTermMemory] = {}
    for start in range(0, len(wanted), READ):
        found = engine.store.get(call.scope, wanted[start : start + READ]).values()
        long = [one for one in found if not isinstance(one, WorkingMemory)]
        then = as_known(long, view, scope=call.scope, store=engine.store)
        records |= {one.id: one for one in then}
    return records
