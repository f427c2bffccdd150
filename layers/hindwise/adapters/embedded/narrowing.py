"""Which rows can pass a filter and a view at all, found without looking at each record.

Narrowing may keep too much and never too little: what it keeps is decided by `domain.visibility` on
the facets, the same functions that decide on the record, so the arms and the check behind them
cannot disagree. What is not understood here (unequal, metadata of odd shapes) narrows nothing.
"""

from array import array
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hindwise.adapters.embedded.columns import ALWAYS, STATUS_CODE, Columns, micros
from hindwise.domain.memory import LongTermMemory, Status
from hindwise.domain.ports import Ask
from hindwise.domain.query import Condition, Operator, View
from hindwise.domain.visibility import LIST_FIELDS, SHOWN, field_of

Mask = NDArray[np.bool_]
_TIMES = frozenset({"event_time", "created_at", "updated_at"})
_SHARES = frozenset({"importance", "confidence"})
_ABOVE, _BELOW = (Operator.GT, Operator.GTE), (Operator.LT, Operator.LTE)
_SAME = (Operator.EQ, Operator.IN, Operator.ALL)
_ODD = object()
"""Stands for values that cannot be looked up; what holds one is always kept."""


class Fields:
    """Value → rows of each field that was ever filtered by, made when it first is."""

    def __init__(self) -> None:
        self._rows: dict[str, dict[object, array[int]]] = {}

    def append(self, row: int, facets: LongTermMemory) -> None:
        """Add a row to the fields that are kept."""
        for name, values in self._rows.items():
            _note(values, row, field_of(facets, name))

    def rows(
        self,
        name: str,
        wanted: Sequence[object],
        all_facets: Callable[[], Iterable[LongTermMemory]],
    ) -> NDArray[np.int64]:
        """Rows whose field holds one of `wanted`, or something that cannot be looked up."""
        if name not in self._rows:
            values: dict[object, array[int]] = {}
            for row, facets in enumerate(all_facets()):
                _note(values, row, field_of(facets, name))
            self._rows[name] = values
        held = self._rows[name]
        parts = [held[value] for value in (*wanted, _ODD) if value in held]
        return np.concatenate([np.array(part, np.int64) for part in parts] or [np.zeros(0, int)])


def _note(values: dict[object, array[int]], row: int, value: object) -> None:
    several = value if isinstance(value, tuple | list) else [value]
    for one in {_key(one) for one in several}:
        values.setdefault(one, array("i")).append(row)


def _key(value: object) -> object:
    return _ODD if isinstance(value, dict | list | set | tuple) else value


class Narrowing:
    """Makes the mask of an ask over a scope's columns and fields."""

    def __init__(self, columns: Columns, fields: Fields) -> None:
        self._columns = columns
        self._fields = fields

    def mask(self, ask: Ask, all_facets: Callable[[], Iterable[LongTermMemory]]) -> Mask:
        """The rows that may pass: a superset of those that do."""
        mask = self._seen_by(ask.view, micros(ask.now))
        for condition in ask.filter.all_of:
            if (rows := self._looked_up(condition, all_facets)) is not None:
                narrowed = np.zeros_like(mask)
                narrowed[rows] = True
                mask &= narrowed
            elif (within := self._within(condition)) is not None:
                mask &= within
        return mask

    def _seen_by(self, view: View, now: int) -> Mask:
        columns = self._columns
        if view.known_at is not None:
            # What a record was then is not in its columns, only whether it was there.
            return columns["alive"] & (columns["created_at"] <= micros(view.known_at))
        shown = SHOWN | view.include
        if view.as_of is not None:
            shown |= {Status.SUPERSEDED}
        if Status.EXPIRED in view.include:
            shown |= {Status.ACTIVE}
        mask = columns["alive"] & _one_of(columns["status"], shown)
        if view.as_of is not None:
            then = micros(view.as_of)
            mask &= (_began(columns) <= then) & (columns["ends"] > then)
        elif not view.include:
            mask &= (columns["begins"] <= now) & (columns["ends"] > now)
        if view.as_of is None and view.during is not None:
            first, end = map(micros, view.during)
            past = columns["alive"] & _one_of(columns["status"], {Status.SUPERSEDED})
            mask |= past & (_began(columns) < end) & (columns["ends"] > first)
        return mask

    def _looked_up(
        self, condition: Condition, all_facets: Callable[[], Iterable[LongTermMemory]]
    ) -> NDArray[np.int64] | None:
        """Rows by value, None where the condition is no equality of plain values."""
        several = isinstance(condition.value, list)
        wanted: Sequence[object] = condition.value if several else [condition.value]  # type: ignore[assignment]
        if condition.op not in _SAME or not wanted or any(_key(one) is _ODD for one in wanted):
            return None
        if condition.field in _TIMES | _SHARES | {"status"}:
            return None
        if several and condition.op is Operator.EQ and condition.field not in LIST_FIELDS:
            return None
        return self._fields.rows(condition.field, wanted, all_facets)

    def _within(self, condition: Condition) -> Mask | None:
        """Rows whose number is on the right side, give or take one microsecond, or status."""
        value, name = condition.value, condition.field
        if name == "status" and condition.op in _SAME:
            return _one_of(self._columns["status"], _stored(value))
        if name in _TIMES and isinstance(value, datetime):
            limit: float = micros(value)
        elif name in _SHARES and isinstance(value, int | float) and not isinstance(value, bool):
            limit = value
        else:
            return None
        if condition.op in _ABOVE:
            return np.asarray(self._columns[name] >= limit - 1 * (name in _TIMES))
        if condition.op in _BELOW:
            return np.asarray(self._columns[name] <= limit + 1 * (name in _TIMES))
        return None


def _began(columns: Columns) -> NDArray[np.int64]:
    """When each became true at the latest."""
    begins = columns["begins"]
    return np.where(begins == ALWAYS.min, columns["event_time"], begins)


def _one_of(codes: NDArray[Any], statuses: Iterable[Status]) -> Mask:
    table = np.zeros(len(STATUS_CODE), np.bool_)
    table[[STATUS_CODE[status] for status in statuses]] = True
    return np.asarray(table[codes])


def _stored(wanted: object) -> set[Status]:
    """The stored statuses that may be one of the API's; `expired` is stored as active."""
    words = wanted if isinstance(wanted, list) else [wanted]
    found = {status for status in Status if status.value in words}
    return found | {Status.ACTIVE} if Status.EXPIRED in found else found
