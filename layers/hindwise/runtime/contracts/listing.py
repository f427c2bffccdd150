"""Query strings of the lists as domain filters and views."""

import json
from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import AwareDatetime, Field

from hindwise.domain.drafts import Id, Label, ShortId
from hindwise.domain.entities import entity_key
from hindwise.domain.memory import Status
from hindwise.domain.query import Filter, View
from hindwise.domain.text import flaw
from hindwise.errors import Invalid
from hindwise.runtime import filters as wire
from hindwise.runtime.contracts.checking import Contract, checked
from hindwise.runtime.contracts.search import check_states
from hindwise.runtime.request import Request
from hindwise.runtime.strict_json import JsonObject, parse_object

NAMES = (wire.FIELDS | wire.RANGES.keys() | wire.ALIASES.keys()) - {"scene"}
PAGE = 50
NAME_CHARS = 256
MANY = {"tags", "tags_any", "tags_all", "entities", "include"}
_NUMBERS = {"importance", "confidence", "min_importance"}


class PageRequest(Contract):
    """What a list takes beside its filters."""

    limit: Annotated[int, Field(ge=1, le=100)] = PAGE
    scene: Label | None = None
    include: Annotated[tuple[Status, ...], Field(max_length=9)] = ()
    as_of: AwareDatetime | None = None
    known_at: AwareDatetime | None = None


class WorkingRequest(Contract):
    """Reads scratch values: of one task or of all, under every key or the one given."""

    task_id: ShortId | None = None
    key: Id | None = None
    kind: Literal["working"] = "working"


class TimelineRequest(Contract):
    """Buckets by when it happened (`event`) or was written (`record`)."""

    by: Literal["event", "record"] = "event"
    step: Literal["day", "month"] = "day"


@dataclass(frozen=True)
class Listed:
    """A list that is asked for; `asked` is what its cursors are bound to."""

    filter: Filter
    view: View
    limit: int
    cursor: str | None
    asked: str


def is_working(request: Request) -> bool:
    """Tell whether scratch values are asked for."""
    return request.query.get("kind") == ["working"]


def working_of(request: Request) -> WorkingRequest:
    """The scratch values that are asked for; raises Invalid naming every wrong parameter."""
    return checked(WorkingRequest, _given(request))


def timeline_of(request: Request) -> TimelineRequest:
    """The timeline that is asked for; raises Invalid naming every wrong parameter."""
    return checked(TimelineRequest, _given(request))


@dataclass(frozen=True)
class Named:
    """A name that is asked about."""

    name: str
    view: View
    limit: int
    cursor: str | None
    asked: str


def named_of(request: Request) -> Named:
    """The name that is asked about, with case and blanks as given; raises Invalid naming what is
    wrong.
    """
    name = request.params["name"].strip()
    if wrong := flaw(name):
        raise Invalid(f"name: holds {wrong}", field="name")
    if not entity_key(name) or len(name) > NAME_CHARS:
        raise Invalid(f"name: must have 1 to {NAME_CHARS} characters", field="name")
    given = _given(request)
    cursor = request.one("cursor")
    given.pop("cursor", None)
    page = checked(PageRequest, _typed(given))
    view = _view(page, frozenset(page.include), request)
    asked = f"entities {entity_key(name)} {_asked(request)}"
    return Named(name=name, view=view, limit=page.limit, cursor=cursor, asked=asked)


def list_of(request: Request) -> Listed:
    """The list that a query string describes; raises Invalid naming the parameter."""
    given = _given(request)
    if "key" in given:
        message = "key: needs kind=working: only a task's scratch values have keys"
        raise Invalid(message, field="key")
    cursor = request.one("cursor")
    given.pop("cursor", None)
    filters = _filters(given)
    page = checked(PageRequest, _typed(given))
    wanted = wire.filter_of(filters, at="")
    states = frozenset(page.include) | wire.statuses(wanted)
    view, asked = _view(page, states, request), f"memories {_asked(request)}"
    return Listed(filter=wanted, view=view, limit=page.limit, cursor=cursor, asked=asked)


def _view(page: PageRequest, states: frozenset[Status], request: Request) -> View:
    check_states(states, request.principal)
    return View(include=states, as_of=page.as_of, known_at=page.known_at, scene=page.scene)


def _asked(request: Request) -> str:
    """What a cursor is bound to: all parameters but where and how large the page is."""
    pairs = sorted((name, value) for name, value in request.query.items() if name not in _PAGING)
    return json.dumps(pairs)


_PAGING = {"cursor", "limit", "user_id"}


def _given(request: Request) -> JsonObject:
    """Every parameter but the user: a string, or a list where it may come more than once."""
    return {
        name: list(values) if name in MANY else request.one(name)
        for name, values in request.query.items()
        if name != "user_id"
    }


def _filters(given: JsonObject) -> JsonObject:
    """Take the filters out of the parameters: `filters` as JSON, and those with their own name."""
    text = given.pop("filters", None)
    filters = parse_object(str(text), field="filters") if text is not None else {}
    if "min_confidence" in filters or "min_confidence" in given:
        message = "min_confidence: lists do not compute it; use POST /v1/search"
        raise Invalid(message, field="min_confidence")
    for name in NAMES & given.keys():
        if name in filters:
            raise Invalid(f"{name} is given twice", field=name)
        value = given.pop(name)
        filters[name] = _number(name, str(value)) if name in _NUMBERS else value
    return filters


def _number(name: str, text: str) -> float:
    try:
        return float(text)
    except ValueError as error:
        raise Invalid(f"{name}: must be a number from 0 to 1", field=name) from error


def _typed(given: JsonObject) -> JsonObject:
    """`limit` as the integer that its text says, if it says one."""
    limit = given.get("limit")
    if isinstance(limit, str) and limit.isascii() and limit.isdigit() and len(limit) < 6:
        return {**given, "limit": int(limit)}
    return given
