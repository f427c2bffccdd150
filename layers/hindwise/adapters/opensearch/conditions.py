"""A scope, a view and a filter as clauses of a query: what an entry must have to be looked at.

As in the embedded index, clauses may let too much through and never keep out what belongs in; what
they let through is decided by `domain.visibility` on the facets. `whole` tells whether they decide
alike, or more must be looked at to find enough.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime

from hindwise.adapters.embedded.columns import micros
from hindwise.adapters.opensearch import facts
from hindwise.adapters.opensearch.entries import scope_key
from hindwise.adapters.opensearch.shapes import Clause
from hindwise.domain.memory import Kind, Status
from hindwise.domain.ports import Ask
from hindwise.domain.query import Condition, Operator, View
from hindwise.domain.scope import Scope
from hindwise.domain.visibility import LIST_FIELDS, NEVER_SHOWN, SHOWN

_TIMES = frozenset({"event_time", "created_at", "updated_at"})
_SEMANTIC = facts.fact("kind", Kind.SEMANTIC)
_SHARES = frozenset({"importance", "confidence"})
MOST_NEEDED = 10
"""Values of one condition that are clauses of their own: a node takes 1,024 in a query."""
_SAME = (Operator.EQ, Operator.IN, Operator.ALL)
_ABOVE = (Operator.GT, Operator.GTE)


@dataclass(slots=True)
class Clauses:
    """What must and what must not hold, and whether that is all of the filter."""

    must: list[Clause] = field(default_factory=list)
    never: list[Clause] = field(default_factory=list)
    whole: bool = True

    def query(self, *more: Clause) -> Clause:
        """Both as one filter, with `more` that must hold."""
        found: Clause = {"filter": [*self.must, *more]}
        if self.never:
            found["must_not"] = self.never
        return {"bool": found}


def clauses(scope: Scope, ask: Ask) -> Clauses:
    """The clauses of an ask."""
    made = Clauses(must=[term("scope", scope_key(scope)), term("live", True)])
    _view(made, ask.view, micros(ask.now))
    for condition in ask.filter.all_of:
        clause, exact = _held(condition, micros(ask.now))
        made.must += [] if clause is None else [clause]
        made.whole &= exact
    for condition in ask.filter.none_of:
        clause, exact = _held(condition, micros(ask.now))
        made.never += [] if clause is None or not exact else [clause]
        made.whole &= exact
    return made


def term(name: str, value: object) -> Clause:
    """A field that is this."""
    return {"term": {name: value}}


def between(name: str, **limits: object) -> Clause:
    """A field within limits: `gte`, `gt`, `lte`, `lt`."""
    return {"range": {name: limits}}


def _any(name: str, values: Iterable[str]) -> Clause:
    return {"terms": {name: sorted(values)}}


def _view(made: Clauses, view: View, now: int) -> None:
    if view.known_at is not None:
        # What a record was then is not in its entry, only whether it was there.
        made.must.append(between("created_at", lte=micros(view.known_at)))
        made.whole = False
        return
    if view.as_of is not None:
        shown = (SHOWN | {Status.SUPERSEDED} | view.include) - NEVER_SHOWN
        made.must.append(_any("status", _values(shown)))
        then = micros(view.as_of)
        made.must += [between("began", lte=then), between("ends", gt=then)]
    else:
        made.must += _now(view, now)
    if view.scene is not None:
        scenes = (facts.fact("scene", view.scene), facts.fact("scene", None))
        made.must.append(_any("facts", filter(None, scenes)))


def _now(view: View, now: int) -> list[Clause]:
    """What is active and valid, or in a state that is asked for whatever its validity."""
    going = between("ends", gt=now)
    usual = [_any("status", _values(SHOWN)), between("begins", lte=now), going]
    if not view.include and view.during is None:
        return usual
    active = term("status", Status.ACTIVE.value)
    ways = [_both(usual), _any("status", _values(view.include - {Status.ACTIVE} - NEVER_SHOWN))]
    if view.during is not None:
        first, end = map(micros, view.during)
        past = [term("status", Status.SUPERSEDED.value), term("facts", _SEMANTIC)]
        ways.append(_both([*past, between("began", lt=end), between("ends", gt=first)]))
    if Status.ACTIVE in view.include:
        ways.append(_both([active, going]))
    if Status.EXPIRED in view.include:
        ways.append(_both([active, between("ends", lte=now)]))
    return [{"bool": {"should": ways, "minimum_should_match": 1}}]


def _both(needed: list[Clause]) -> Clause:
    return {"bool": {"filter": needed}}


def _values(statuses: Iterable[Status]) -> Iterable[str]:
    return (one.value for one in statuses)


def _held(condition: Condition, now: int) -> tuple[Clause | None, bool]:
    """What an entry must have for a condition, and whether that is all of it.

    None where it says nothing that an entry knows.
    """
    name, value = condition.field, condition.value
    if condition.op is Operator.NE:
        return _unequal(condition, now)
    if condition.op in _SAME:
        return _state(condition, now) if name == "status" else _equal(condition)
    side = condition.op.value
    if name in _TIMES and isinstance(value, datetime):
        return between(name, **{side: micros(value)}), True
    if name in _SHARES and isinstance(value, int | float) and not isinstance(value, bool):
        return between(name, **{side: value}), True
    return _ordered(condition)


def _unequal(condition: Condition, now: int) -> tuple[Clause | None, bool]:
    """A field that is there and does not hold the value."""
    if isinstance(condition.value, list):
        return None, False
    equal, exact = _held(condition.model_copy(update={"op": Operator.EQ}), now)
    if equal is None or not exact:
        return None, False
    there: list[Clause] = [{"prefix": {"facts": facts.head(condition.field)}}]
    there = [] if condition.field == "status" else there
    return {"bool": {"filter": there, "must_not": [equal]}}, True


def _state(condition: Condition, now: int) -> tuple[Clause | None, bool]:
    """By the state as the API says it: an active record may have expired."""
    value = condition.value
    words = value if isinstance(value, list) else [value]
    if isinstance(value, list) and condition.op is Operator.EQ:
        return None, False
    wanted = {status for status in Status if status.value in words}
    ways = [_any("status", _values(wanted - {Status.ACTIVE}))]
    active = term("status", Status.ACTIVE.value)
    if Status.ACTIVE in wanted:
        ways.append(_both([active, between("ends", gt=now)]))
    if Status.EXPIRED in wanted:
        ways.append(_both([active, between("ends", lte=now)]))
    return {"bool": {"should": ways, "minimum_should_match": 1}}, True


def _equal(condition: Condition) -> tuple[Clause | None, bool]:
    name, value = condition.field, condition.value
    listed = name in LIST_FIELDS
    several = value if isinstance(value, list) else [value]
    if isinstance(value, list) and condition.op is Operator.EQ and not listed:
        return None, False
    found = [facts.fact(name, one) for one in several]
    values = [one for one in found if one is not None]
    if not facts.known(name) or not values or len(values) < len(found):
        return None, False
    if condition.op is Operator.ALL and listed:
        needed = values[:MOST_NEEDED]
        return _both([term("facts", one) for one in needed]), len(needed) == len(values)
    # A list in the metadata must hold all of them, a plain value only be one.
    alone = condition.op is not Operator.ALL or len(values) == 1
    return _any("facts", values), alone or name in facts.FIELDS


def _ordered(condition: Condition) -> tuple[Clause | None, bool]:
    """Facts of the value's kind on the right side of it."""
    found = facts.reach(condition.field, condition.value) if facts.known(condition.field) else None
    if found is None:
        return None, False
    if condition.op in _ABOVE:
        side = condition.op.value if found.exact else "gte"
        return between("facts", **{side: found.place}, lt=found.end), found.exact
    if found.exact:
        return between("facts", gte=found.first, **{condition.op.value: found.place}), True
    return between("facts", gte=found.first, lt=facts.beyond(found.place)), False
