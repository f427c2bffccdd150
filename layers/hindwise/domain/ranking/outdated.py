"""Turns that tell what no longer holds, and the values that come before them.

A turn often repeats the words of a question that its lesson no longer answers. It is history and
stays in the answer, behind the value that took the place of what was learnt from it. A turn from
which something current was learnt as well is left where it is.
"""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime

from hindwise.domain.memory import Episode, LongTermMemory, SemanticMemory, Status, Type
from hindwise.domain.query import View
from hindwise.domain.ranking.order import thing, yielded_to
from hindwise.domain.visibility import held

Led = Mapping[str, tuple[str, ...]]
"""Turns, and the values that come before each of them."""


def outdated_by(records: Sequence[LongTermMemory], view: View) -> dict[str, tuple[str, ...]]:
    """The turns among records whose lessons were replaced, and the current values that did so.

    Not those from which something was learnt that held on the days that the view asks for.
    """
    by_id = {one.id: one for one in records}
    values = _values(records)
    told = {one.id: one.outdates for one in values if _current(one, by_id)}
    during = view.during
    then = [one for one in values if during is not None and held(one, during)]
    return _turns(told, records, lasting=[*_active(values), *then])


def led(records: Sequence[LongTermMemory], view: View) -> dict[str, tuple[str, ...]]:
    """The turns that come after values among the records.

    After the current ones, or after those that held on the days of the past that are asked for.
    None do where the view is of another moment, which decides by itself what is shown.
    """
    if view.as_of is not None or view.known_at is not None:
        return {}
    if view.during is None:
        return outdated_by(records, view)
    return _not_of_then(records, view.during)


def raised(order: Sequence[str], before: Led) -> list[str]:
    """The ids in order, but each value ahead of the turns that come after it."""
    found = list(order)
    for turn in order:
        at = found.index(turn)
        for value in [one for one in found[at:] if one in before.get(turn, ())]:
            found.remove(value)
            found.insert(at, value)
            at += 1
    return found


def _not_of_then(
    records: Sequence[LongTermMemory], during: tuple[datetime, datetime]
) -> dict[str, tuple[str, ...]]:
    by_id = {one.id: one for one in records}
    of_one_thing: defaultdict[str, list[SemanticMemory]] = defaultdict(list)
    for value in _values(records):
        of_one_thing[thing(value, by_id)].append(value)
    told: dict[str, Collection[str]] = {}
    lasting: list[SemanticMemory] = []
    for values in of_one_thing.values():
        then = [one for one in values if held(one, during)]
        others = [one for one in values if one not in then]
        turns = {turn for one in values for turn in one.outdates}
        turns.update(turn for one in others for turn in one.evidence_ids)
        turns.difference_update(*(one.evidence_ids for one in then))
        told |= {one.id: turns for one in then}
        lasting += then or _active(others)
    return _turns(told, records, lasting=lasting)


def _turns(
    told: Mapping[str, Collection[str]],
    records: Sequence[LongTermMemory],
    *,
    lasting: Sequence[SemanticMemory],
) -> dict[str, tuple[str, ...]]:
    """The turns among records that each value has told of, without those of `lasting` values."""
    if not any(told.values()):
        return {}
    turns = {one.id for one in records if isinstance(one, Episode)}
    for value in lasting:
        if value.type is not Type.PATTERN:
            turns.difference_update(value.evidence_ids)
    found: defaultdict[str, list[str]] = defaultdict(list)
    for value_id, its in told.items():
        for turn in turns.intersection(its):
            found[turn].append(value_id)
    return {turn: tuple(values) for turn, values in found.items()}


def _values(records: Sequence[LongTermMemory]) -> list[SemanticMemory]:
    return [one for one in records if isinstance(one, SemanticMemory)]


def _active(values: Sequence[SemanticMemory]) -> list[SemanticMemory]:
    return [one for one in values if one.status is Status.ACTIVE]


def _current(value: SemanticMemory, by_id: Mapping[str, LongTermMemory]) -> bool:
    return value.status is Status.ACTIVE and not yielded_to(value, by_id)
