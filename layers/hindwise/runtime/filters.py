"""`filters` of search and lists as domain conditions: every one is applied or refused.

Unknown names are metadata keys, so that `{"category": "billing"}` works; a name that looks like a
misspelt known one, or like an operator of another query language, is refused, because a dropped
filter returns what was to be kept out.
"""

import re
from collections.abc import Callable, Iterator
from datetime import datetime
from difflib import get_close_matches
from itertools import islice

from pydantic import JsonValue

from hindwise.domain.memory import Kind, Status, Type
from hindwise.domain.query import Condition, Filter, Operator
from hindwise.errors import Invalid
from hindwise.runtime.contracts.checking import TIME_RULE, joined, moment_of
from hindwise.runtime.strict_json import JsonObject, refuse_flaws, shown

MAX_CONDITIONS, MAX_VALUES, MAX_CHARS = 32, 100, 1_000
OPERATORS = {"eq", "ne", "in", "gt", "gte", "lt", "lte"}
_LISTS = {"tags", "entities"}
_TIMES = {"event_time", "created_at", "updated_at"}
_SHARES = {"importance", "confidence"}
_WORDS: dict[str, tuple[str, ...]] = {
    "kind": tuple(Kind),
    "type": tuple(Type),
    "status": tuple(Status),
}
_TEXTS = {
    "domain", "task_id", "session_id", "event_type", "speaker", "agent_id", "scene", "subject",
    "attribute", "value", "conversation_id", "external_id", "language", "origin",
}  # fmt: skip
FIELDS = _LISTS | _TIMES | _SHARES | _WORDS.keys() | _TEXTS
RANGES = {
    "event_from": ("event_time", Operator.GTE),
    "event_to": ("event_time", Operator.LT),
    "created_from": ("created_at", Operator.GTE),
    "created_to": ("created_at", Operator.LT),
    "min_importance": ("importance", Operator.GTE),
    "tags_any": ("tags", Operator.IN),
    "tags_all": ("tags", Operator.ALL),
}
APART = {"min_confidence", "metadata", "not"}
ALIASES = {"run_id": "session_id"}
KNOWN = FIELDS | RANGES.keys() | APART | ALIASES.keys()
DESCRIPTION = (
    "All must hold. A value means equal, a list means one of, an object compares: "
    f"{', '.join(sorted(OPERATORS))}. Fields: {', '.join(sorted(FIELDS))}. Ranges, from included, "
    f"to excluded: {', '.join(sorted(RANGES))}; min_confidence is the effective one. `not` holds "
    "filters none of which may hold; other logic (or, must, $and) is refused. Other names are keys "
    "of the metadata and compare with plain values; under `metadata` any name and value may stand."
)
LOGIC = {
    "all", "allof", "and", "any", "anyof", "bool", "exists", "filter", "match", "must", "mustnot",
    "none", "noneof", "nor", "not", "or", "range", "should", "term", "terms",
}  # fmt: skip
"""Operators of other query languages, without case and signs: never keys of the metadata."""
_ORDERS = {Operator.GT, Operator.GTE, Operator.LT, Operator.LTE}
_LOOKS_KNOWN = re.compile(r"(min|max)_.*|.*_(from|to|any|all)")


def filter_of(filters: JsonObject, *, at: str = "filters") -> Filter:
    """The filter that `filters` describes, without `min_confidence`.

    All conditions must hold and none of those under `not`. Raises Invalid naming the filter.
    """
    refuse_flaws(filters, at)
    excluded = filters.get("not", {})
    if not isinstance(excluded, dict):
        raise _invalid(joined(at, "not"), "must be an object of filters")
    if "not" in excluded or "min_confidence" in excluded:
        raise _invalid(joined(at, "not"), "must not hold not or min_confidence")
    all_of = _some(_conditions(filters, at), at)
    for condition in all_of:
        _refuse_working(condition, at)
    return Filter(
        all_of=all_of,
        none_of=_some(_conditions(excluded, joined(at, "not")), joined(at, "not")),
    )


def _some(conditions: Iterator[Condition], at: str) -> tuple[Condition, ...]:
    """Take the conditions, but no more than are allowed: judging a name is not cheap."""
    taken = tuple(islice(conditions, MAX_CONDITIONS + 1))
    if len(taken) > MAX_CONDITIONS:
        raise _invalid(at, f"at most {MAX_CONDITIONS} conditions")
    return taken


def _refuse_working(condition: Condition, at: str) -> None:
    """Working memory is never searched: asking for it would be an empty answer to a mistake."""
    if condition.field == "kind" and condition.op in (Operator.EQ, Operator.IN):
        wanted = condition.value if isinstance(condition.value, list) else [condition.value]
        if Kind.WORKING in wanted:
            problem = (
                "working memory is not searched; it is read with "
                "GET /v1/memories?kind=working&task_id="
            )
            raise _invalid(joined(at, "kind"), problem)


def _invalid(field: str, problem: str) -> Invalid:
    return Invalid(f"{field}: {problem}", field=field)


def _conditions(filters: JsonObject, at: str) -> Iterator[Condition]:
    for given, value in filters.items():
        name, field = ALIASES.get(given, given), joined(at, shown(given))
        if name in ("not", "min_confidence"):
            continue
        if name == "metadata":
            if not isinstance(value, dict):
                raise _invalid(field, "must be an object of metadata keys")
            for key, wanted in value.items():
                yield from _compared(f"metadata.{key}", wanted, joined(field, shown(key)))
        elif name in RANGES:
            yield _ranged(name, value, field)
        elif name in FIELDS:
            yield from _compared(name, value, field)
        else:
            _refuse_logic(name, field)
            _refuse_misspelt(name, field)
            for condition in _compared(f"metadata.{name}", value, field):
                _refuse_nested(condition, field)
                yield condition


def _refuse_logic(name: str, field: str) -> None:
    """Refuse what would be a key that no memory has: nothing would be found, under `not` all."""
    if name.startswith("$") or re.sub(r"[\W_]", "", name[:64]).lower() in LOGIC:
        problem = (
            "this operator is not offered: all filters must hold, a list means one of, `not` "
            "excludes; a metadata key of this name goes under filters.metadata"
        )
        raise _invalid(field, problem)


def _refuse_nested(condition: Condition, field: str) -> None:
    listed = condition.op is Operator.IN and isinstance(condition.value, list)
    operands = condition.value if listed else [condition.value]
    if any(isinstance(one, list | dict) for one in operands):  # type: ignore[union-attr]
        problem = "compares with plain values; whole lists and objects go under filters.metadata"
        raise _invalid(field, problem)


def _refuse_misspelt(name: str, field: str) -> None:
    near = get_close_matches(name[:64], KNOWN | {"user_id"}, n=1, cutoff=0.8)
    if near or _LOOKS_KNOWN.fullmatch(name):
        hint = f", did you mean {near[0]}?" if near and near[0] != name else ";"
        problem = f"unknown filter{hint} metadata keys of such names go under filters.metadata"
        raise _invalid(field, problem)


def _ranged(name: str, value: JsonValue, at: str) -> Condition:
    field, op = RANGES[name]
    if name.startswith("tags_") and not isinstance(value, list):
        value = [value]
    return Condition(field=field, op=op, value=_operand(field, op, value, at))


def _compared(field: str, value: JsonValue, at: str) -> Iterator[Condition]:
    """A plain value is `eq`, a list is `in`, an object holds operators."""
    if not isinstance(value, dict):
        op = Operator.IN if isinstance(value, list) else Operator.EQ
        yield Condition(field=field, op=op, value=_operand(field, op, value, at))
        return
    if not value:
        raise _invalid(at, f"must name an operator of {', '.join(sorted(OPERATORS))}")
    for name, operand in value.items():
        if name not in OPERATORS:
            known = ", ".join(sorted(OPERATORS))
            raise _invalid(at, f"unknown operator {shown(name)}; known are {known}")
        op, inner = Operator(name), joined(at, name)
        yield Condition(field=field, op=op, value=_operand(field, op, operand, inner))


def _operand(field: str, op: Operator, value: JsonValue, at: str) -> JsonValue | datetime:
    if op in (Operator.IN, Operator.ALL):
        if not isinstance(value, list) or not 1 <= len(value) <= MAX_VALUES:
            raise _invalid(at, f"must be a list of 1 to {MAX_VALUES} values")
        if field in _TIMES:
            raise _invalid(at, "times are compared with gte, lt and their like")
        for one in value:
            _check(field, one, at)
        return value
    if field in _TIMES:
        if not isinstance(value, str) or (moment := moment_of(value)) is None:
            raise _invalid(at, TIME_RULE)
        return moment
    _check(field, value, at)
    if op in _ORDERS and (isinstance(value, bool) or not isinstance(value, str | int | float)):
        raise _invalid(at, "must be a number or a string")
    return value


def _check(field: str, value: JsonValue, at: str) -> None:
    """Refuse an operand that could never be equal to, or be compared with, the field."""
    if isinstance(value, str) and len(value) > MAX_CHARS:
        raise _invalid(at, f"must be at most {MAX_CHARS} characters")
    if field.startswith("metadata."):
        return
    rule, fits = _rule(field)
    if not fits(value):
        raise _invalid(at, rule)


def _rule(field: str) -> tuple[str, Callable[[JsonValue], bool]]:
    if field in _SHARES:
        return "must be a number from 0 to 1", is_share
    if field in _WORDS:
        words = _WORDS[field]
        return f"must be one of {', '.join(words)}", lambda value: value in words
    if field in _LISTS:
        return "must be a string", lambda value: isinstance(value, str)
    return "must be a string or null", lambda value: value is None or isinstance(value, str)


def is_share(value: JsonValue) -> bool:
    """Tell whether a value is a number from 0 to 1."""
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= 1


def statuses(wanted: Filter) -> frozenset[Status]:
    """The states that a filter asks for by name, so that the view shows them."""
    named: set[Status] = set()
    for condition in wanted.all_of:
        if condition.field == "status" and condition.op in (Operator.EQ, Operator.IN):
            values = condition.value if isinstance(condition.value, list) else [condition.value]
            named |= {Status(str(value)) for value in values}
    return frozenset(named)
