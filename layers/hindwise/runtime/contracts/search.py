"""Body of POST /v1/search as a domain query; the other questions build on it."""

from datetime import datetime, timedelta
from typing import Annotated, Literal

from pydantic import AwareDatetime, BeforeValidator, Field, JsonValue

from hindwise.domain.drafts import Id, Label, MemoryId, OriginLabel
from hindwise.domain.memory import Share, Status
from hindwise.domain.query import (
    PRESETS,
    Condition,
    Expand,
    Filter,
    Mode,
    Operator,
    Query,
    View,
    Weights,
)
from hindwise.domain.scope import Origin, Principal, Role
from hindwise.errors import Invalid
from hindwise.runtime import filters as wire
from hindwise.runtime.contracts.checking import Contract, checked, renamed
from hindwise.runtime.principal import require_role
from hindwise.runtime.strict_json import JsonObject
from hindwise.runtime.wiring import wiring
from hindwise.usecases.context import ContextAsk

QUERY_CHARS = 8_000
ALIASES = {"query_text": "query", "limit": "top_k", "run_id": "session_id"}
Preset = Literal["default", "timely", "semantic"]
Part = Annotated[float, Field(ge=0, le=1_000)]


class WeightsRequest(Contract):
    """Shares of the arms; only their proportions count."""

    keyword: Part = 0
    vector: Part = 0
    time: Part = 0


class ExpandRequest(Contract):
    """What is returned beside each result; it changes no rank."""

    turns: Annotated[int, Field(ge=0, le=10)] = 0
    entities: bool = False
    chain: bool = False


def _turns(expand: object) -> object:
    """A mere number of turns as the object that it stands for."""
    whole = isinstance(expand, int) and not isinstance(expand, bool)
    return {"turns": expand} if whole else expand


def _or_a_number(schema: JsonObject) -> None:
    number: JsonObject = {"type": "integer", "minimum": 0, "maximum": 10}
    schema["anyOf"] = [{"$ref": schema.pop("$ref")}, number]


class AskRequest(Contract):
    """What every question may say: what it is about, and which memories may answer it."""

    query: Annotated[str, Field(max_length=QUERY_CHARS)] = ""
    filters: dict[str, JsonValue] = Field(default_factory=dict, description=wire.DESCRIPTION)
    agent_id: Id | None = None
    session_id: Id | None = None
    time_range_hours: Annotated[float, Field(gt=0, le=1_000_000)] | None = None
    scene: Label | None = None
    include: Annotated[tuple[Status, ...], Field(max_length=9)] = ()
    as_of: AwareDatetime | None = None
    known_at: AwareDatetime | None = None
    now: AwareDatetime | None = None
    min_confidence: Share | None = None
    min_origin: OriginLabel | None = None
    rewrite: bool | None = None
    rerank: bool | None = None


class SearchRequest(AskRequest):
    """POST /v1/search. Without `query` it lists by filter."""

    top_k: Annotated[int, Field(ge=1, le=100)] = 10
    mode: Mode = "context"
    weights: WeightsRequest | None = None
    preset: Preset | None = None
    min_score: Annotated[float, Field(ge=-1, le=1)] | None = None
    explain: bool = False
    expand: Annotated[
        ExpandRequest, BeforeValidator(_turns), Field(json_schema_extra=_or_a_number)
    ] = ExpandRequest()


def query_of(fields: JsonObject, *, principal: Principal, now: datetime) -> Query:
    """The query that a search body describes; raises Invalid naming every wrong field."""
    request = checked(SearchRequest, renamed(fields, ALIASES))
    query = asked(request, principal=principal, now=now)
    narrowed = query.filter != Filter() or query.view.scene or query.min_confidence is not None
    if not query.text and not narrowed:
        raise Invalid("query: must not be blank unless there are filters", field="query")
    return query.model_copy(update=_ranking(request))


def _ranking(request: SearchRequest) -> dict[str, object]:
    return {
        "top_k": request.top_k,
        "mode": request.mode,
        "weights": weights_of(request),
        "min_score": request.min_score,
        "explain": request.explain,
        "expand": Expand.model_validate(request.expand.model_dump()),
    }


def weights_of(request: "SearchRequest | ContextRequest") -> Weights:
    """The weights that are given, or those of the preset."""
    if request.weights is None:
        return PRESETS[request.preset or "default"]
    if request.preset is not None:
        raise Invalid("weights and preset mean the same; send one", field="weights")
    weights = Weights.model_validate(request.weights.model_dump())
    if weights.keyword + weights.vector + weights.time == 0:
        raise Invalid("weights: must not all be zero", field="weights")
    return weights


def asked(request: AskRequest, *, principal: Principal, now: datetime) -> Query:
    """Text, filter and view of a question; `now` is the server's where the caller gives none."""
    moment = request.now or now
    filters = dict(request.filters)
    scene = filters.get("scene")
    if request.scene is None and isinstance(scene, str) and scene:
        del filters["scene"]
    else:
        scene = request.scene
    wanted = wire.filter_of(filters)
    shown = frozenset(request.include) | wire.statuses(wanted)
    check_states(shown, principal)
    return Query(
        text=request.query.strip(),
        filter=wanted.model_copy(update={"all_of": (*wanted.all_of, *_named(request, moment))}),
        view=View(include=shown, as_of=request.as_of, known_at=request.known_at, scene=scene),
        min_confidence=_min_confidence(request),
        min_origin=None if request.min_origin is None else Origin.of(request.min_origin),
        now=moment,
        fading=wiring().rules.fading,
        rewrite=request.rewrite,
        rerank=request.rerank,
    )


def _named(request: AskRequest, moment: datetime) -> list[Condition]:
    """The filters that have a name of their own beside `filters`."""
    named = [
        Condition(field=field, value=value)
        for field, value in (("agent_id", request.agent_id), ("session_id", request.session_id))
        if value is not None
    ]
    if request.time_range_hours is not None:
        since = moment - timedelta(hours=request.time_range_hours)
        named.append(Condition(field="event_time", op=Operator.GTE, value=since))
    return named


def _min_confidence(request: AskRequest) -> float | None:
    given = request.filters.get("min_confidence")
    if given is None:
        return request.min_confidence
    if not wire.is_share(given):
        field = "filters.min_confidence"
        raise Invalid(f"{field}: must be a number from 0 to 1", field=field)
    both = [float(given), request.min_confidence or 0.0]  # type: ignore[arg-type]
    return max(both)


def check_states(shown: frozenset[Status], principal: Principal) -> None:
    """Quarantined memories are for reviewers; rejected and forgotten ones for nobody."""
    if hidden := shown & {Status.REJECTED, Status.FORGOTTEN}:
        raise Invalid(f"include: {min(hidden)} memories cannot be searched", field="include")
    if Status.QUARANTINED in shown:
        require_role(principal, Role.REVIEWER)


class ContextRequest(AskRequest):
    """POST /v1/context: a block for a prompt, within `max_tokens`."""

    max_tokens: Annotated[int, Field(ge=1, le=32_000)] = 2_000
    background: Annotated[int, Field(ge=0, le=20)] = 3
    history: Annotated[int, Field(ge=0, le=50)] = 5
    mode: Mode = "context"
    weights: WeightsRequest | None = None
    preset: Preset | None = None


def context_of(fields: JsonObject, *, principal: Principal, now: datetime) -> ContextAsk:
    """The context block that a body asks for; raises Invalid naming every wrong field."""
    request = checked(ContextRequest, renamed(fields, {**ALIASES, "top_k": "history"}))
    query = asked(request, principal=principal, now=now)
    if not query.text:
        raise Invalid("query: must not be blank", field="query")
    update = {"mode": request.mode, "weights": weights_of(request)}
    return ContextAsk(
        query=query.model_copy(update=update),
        max_tokens=request.max_tokens,
        background=request.background,
        history=request.history,
    )


class DiagnoseRequest(SearchRequest):
    """POST /v1/diagnose: a search, and the memory that it should have found."""

    id: MemoryId


def diagnosis_of(fields: JsonObject, *, principal: Principal, now: datetime) -> tuple[str, Query]:
    """The memory and the query of a diagnosis; raises Invalid naming every wrong field."""
    request = checked(DiagnoseRequest, renamed(fields, {**ALIASES, "memory_id": "id"}))
    query = asked(request, principal=principal, now=now)
    if not query.text:
        raise Invalid("query: must not be blank", field="query")
    return request.id, query.model_copy(update=_ranking(request))
