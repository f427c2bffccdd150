"""Who sees which record, and which records a filter lets through.

One pure function used by search, verify-on-read and lists; the embedded index evaluates it on
projected facets, so that an arm and the check behind it cannot disagree.
"""

import operator
from collections.abc import Callable, Iterable
from datetime import datetime
from typing import Any

from hindwise.domain.entities import names_of
from hindwise.domain.memory import Memory, SemanticMemory, Status, WorkingMemory
from hindwise.domain.query import Condition, Filter, Operator, View

SHOWN = frozenset({Status.ACTIVE, Status.OBSOLETE})
NEVER_SHOWN = frozenset({Status.FORGOTTEN, Status.REJECTED})
ORDER: dict[Operator, Callable[[Any, Any], bool]] = {
    Operator.GT: operator.gt,
    Operator.GTE: operator.ge,
    Operator.LT: operator.lt,
    Operator.LTE: operator.le,
}
LIST_FIELDS = frozenset({"tags", "entities", "marks", "evidence_ids", "flags", "names"})


def state(memory: Memory, now: datetime) -> Status:
    """The state as the API says it.

    `expired` where an active memory's validity is over at `now`.
    """
    over = memory.valid_until is not None and memory.valid_until <= now
    return Status.EXPIRED if over and memory.status is Status.ACTIVE else memory.status


def withheld(memory: Memory) -> bool:
    """Tell whether a memory waits for a reviewer, or one has turned it away.

    What a caller itself has marked as wrong is not: the caller may think again.
    """
    if memory.status is Status.REJECTED:
        return memory.held
    return memory.status is Status.QUARANTINED


def visible(memory: Memory, view: View, now: datetime) -> bool:
    """Tell whether a view shows a record.

    By default: active (or obsolete, which ranks lower) and valid at `now`. With `as_of`, what was
    true then, be it superseded since; with `known_at`, only what had been written by then; with
    `during`, also what was superseded since and held in between. States in `include` are shown as
    well.
    """
    if isinstance(memory, WorkingMemory):
        return False
    if view.known_at is not None and memory.created_at > view.known_at:
        return False
    if view.known_at is not None and memory.updated_at > view.known_at:
        withdrawn = memory.status is Status.QUARANTINED and memory.status not in view.include
        return memory.status not in NEVER_SHOWN and not withdrawn
    if view.scene is not None and memory.scene not in (None, view.scene):
        return False
    if view.as_of is not None:
        return _true_then(memory, view)
    now_state = state(memory, now)
    if now_state in view.include and now_state not in NEVER_SHOWN:
        return True
    if now_state is Status.SUPERSEDED and view.during is not None:
        return held(memory, view.during)
    if now_state not in SHOWN:
        return False
    begun = memory.valid_from is None or memory.valid_from <= now
    going = memory.valid_until is None or memory.valid_until > now
    return begun and going


def held(memory: Memory, during: tuple[datetime, datetime]) -> bool:
    """Tell whether a semantic memory was true at some time from the first to before the second.

    One whose time was over when it began, as that of a later repeat is, was never true by itself.
    """
    if not isinstance(memory, SemanticMemory):
        return False
    first, end = during
    begin, until = memory.valid_from or memory.event_time, memory.valid_until
    return begin < end and (until is None or until > max(first, begin))


def _true_then(memory: Memory, view: View) -> bool:
    then = view.as_of
    assert then is not None
    if (
        memory.status not in SHOWN | {Status.SUPERSEDED} | view.include
        or memory.status in NEVER_SHOWN
    ):
        return False
    begin = memory.valid_from or memory.event_time
    return begin <= then and (memory.valid_until is None or memory.valid_until > then)


def passes(memory: Memory, wanted: Filter, *, now: datetime) -> bool:
    """Tell whether a record meets a filter; status is compared as the API says it."""
    return all(_holds(memory, condition, now) for condition in wanted.all_of) and not any(
        _holds(memory, condition, now) for condition in wanted.none_of
    )


def _field(memory: Memory, name: str, now: datetime) -> object:
    return state(memory, now).value if name == "status" else field_of(memory, name)


def field_of(memory: Memory, name: str) -> object:
    """The stored value that a condition on `name` looks at; an object of its own if there is none.

    `metadata.NAME`, `conversation_id` (of the source), `origin` (its label) and `names` (the keys
    of all names in its fields, whoever they are of) are read specially.
    """
    if name.startswith("metadata."):
        return memory.metadata.get(name[9:], _MISSING)
    if name == "conversation_id":
        return memory.source.conversation_id if memory.source else None
    if name == "names":
        return tuple(names_of(memory))
    value = getattr(memory, name, _MISSING)
    return value.label if name == "origin" else value  # type: ignore[attr-defined]


_MISSING = object()


def _holds(memory: Memory, condition: Condition, now: datetime) -> bool:
    actual = _field(memory, condition.field, now)
    if actual is _MISSING:
        return False
    if isinstance(actual, tuple | list):
        return _list_holds(actual, condition)
    return _value_holds(actual, condition.op, condition.value)


def _list_holds(actual: Iterable[object], condition: Condition) -> bool:
    held = list(actual)
    wanted = condition.value if isinstance(condition.value, list) else [condition.value]
    if condition.op is Operator.ALL:
        return all(any(_same(have, want) for have in held) for want in wanted)
    if condition.op in (Operator.EQ, Operator.IN):
        return held == wanted or any(_same(have, want) for have in held for want in wanted)
    if condition.op is Operator.NE:
        return not any(_same(have, want) for have in held for want in wanted)
    return any(_value_holds(have, condition.op, condition.value) for have in held)


def _same(a: object, b: object) -> bool:
    """Equal as JSON: true is not 1."""
    return a == b and isinstance(a, bool) == isinstance(b, bool)


def _value_holds(actual: object, op: Operator, value: object) -> bool:
    if op is Operator.EQ:
        return _same(actual, value)
    if op is Operator.NE:
        return not _same(actual, value)
    if op in (Operator.IN, Operator.ALL):
        return isinstance(value, list) and any(_same(actual, one) for one in value)
    return _ordered(actual, op, value)


def _ordered(actual: object, op: Operator, value: object) -> bool:
    if isinstance(actual, datetime) and isinstance(value, datetime):
        a, b = actual.timestamp(), value.timestamp()
    elif _number(actual) and _number(value):
        a, b = float(actual), float(value)  # type: ignore[arg-type]
    elif isinstance(actual, str) and isinstance(value, str):
        return ORDER[op](actual, value)
    else:
        return False
    return ORDER[op](a, b)


def _number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
