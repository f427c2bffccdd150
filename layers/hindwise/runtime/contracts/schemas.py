"""The schemas of openapi.json: request bodies from the contracts, answers from the domain's models.

An answer leaves out what has no value, so only what is always there is required; it is closed, so
that a test on real answers notices a field that slips out.
"""

from typing import Literal, cast

from pydantic import BaseModel, JsonValue
from pydantic.json_schema import models_json_schema

from hindwise.domain.admission import Decision
from hindwise.domain.drafts import Edit, EpisodeDraft, SemanticDraft, WorkingDraft
from hindwise.domain.entities import Neighbour
from hindwise.domain.jobs import Counts
from hindwise.domain.memory import Episode, SemanticMemory, Status, WorkingMemory
from hindwise.domain.ranking import Part
from hindwise.domain.scope import Origin, Role
from hindwise.runtime.contracts.audit_schemas import auditing
from hindwise.runtime.contracts.consolidations import ConsolidationRequest
from hindwise.runtime.contracts.conversations import ConversationRequest, MessagesRequest
from hindwise.runtime.contracts.described import described
from hindwise.runtime.contracts.fading import FadeRequest, RestoreRequest, fading
from hindwise.runtime.contracts.finding import finding, source_turns
from hindwise.runtime.contracts.forgetting import ForgetRequest, forgetting
from hindwise.runtime.contracts.learning import learning
from hindwise.runtime.contracts.memories import MAX_ITEMS, CloseRequest
from hindwise.runtime.contracts.portable import ImportRequest, porting
from hindwise.runtime.contracts.reviewing import reviewing
from hindwise.runtime.contracts.reviews import ReviewRequest, SourceRequest
from hindwise.runtime.contracts.search import ContextRequest, DiagnoseRequest, SearchRequest
from hindwise.runtime.contracts.shapes import COUNT, REF, TEXT, TEXTS, TRUTH, closed, listed, ref
from hindwise.runtime.contracts.views import ALWAYS
from hindwise.runtime.contracts.work import JobRequest, RedriveRequest
from hindwise.runtime.strict_json import JsonObject
from hindwise.usecases.diagnose import Diagnosis
from hindwise.usecases.hits import Why
from hindwise.usecases.inspect import Bucket, Stats
from hindwise.usecases.rewriting import Rewriting

Mode = Literal["validation", "serialization"]
_BODIES: tuple[type[BaseModel], ...] = (
    EpisodeDraft, SemanticDraft, WorkingDraft, Edit, SearchRequest, ContextRequest,
    DiagnoseRequest, CloseRequest, ConversationRequest, MessagesRequest, JobRequest,
    ConsolidationRequest, ReviewRequest, SourceRequest, ForgetRequest, ImportRequest,
    FadeRequest, RestoreRequest,
)  # fmt: skip
_DOMAIN: tuple[type[BaseModel], ...] = (
    Episode, SemanticMemory, WorkingMemory, Why, Part, Diagnosis, Stats, Bucket, Neighbour,
    Rewriting,
    Counts, RedriveRequest,
)  # fmt: skip
_USER: JsonObject = {
    "type": "string", "minLength": 1, "maxLength": 256,
    "description": "Whose memory it is; needed unless the key has only one user",
}  # fmt: skip
_HIDDEN = ("claims", "audit_head", "outdates", "held")


def schemas() -> dict[str, JsonObject]:
    """Every schema by its name."""
    wanted: list[tuple[type[BaseModel], Mode]] = [(one, "validation") for one in _BODIES + _DOMAIN]
    _, found = models_json_schema(wanted, ref_template=REF + "{model}")
    named: dict[str, JsonObject] = found["$defs"]
    for model in _BODIES:
        _with_user(named[model.__name__])
    for model in (Episode, SemanticMemory, WorkingMemory):
        _as_answer(named[model.__name__])
    answers = finding(named) | learning() | reviewing() | forgetting() | porting() | _looking()
    answers |= fading()
    every = named | _envelopes() | _writing() | answers
    for name, schema in every.items():
        described(name, schema)
    return every


def _with_user(body: JsonObject) -> None:
    properties = cast(dict[str, JsonObject], body.setdefault("properties", {}))
    properties["user_id"] = _USER


def _as_answer(memory: JsonObject) -> None:
    properties = cast(dict[str, JsonObject], memory["properties"])
    for name in _HIDDEN:
        properties.pop(name, None)
    properties["origin"] = {"enum": [origin.label for origin in Origin]}
    properties["effective_confidence"] = {"type": "number", "minimum": 0, "maximum": 1}
    properties["restore"] = {"type": "string"}
    properties["embedding"] = {
        "enum": ["ready", "pending", "none"],
        "description": "Where one memory is read: whether it can be found by meaning",
    }
    required = {*cast(list[str], memory.get("required", [])), "kind", "status", *ALWAYS}
    memory["required"] = cast(JsonValue, sorted(required))


def _envelopes() -> dict[str, JsonObject]:
    error = closed(
        {"code": TEXT, "message": TEXT, "details": {"type": "object"}},
    )
    return {
        "Error": error,
        "ErrorAnswer": closed({"error": ref("Error")}),
        "GatewayAnswer": {
            "type": "object",
            "description": "The gateway's own answer; no function was called",
            "properties": {"message": TEXT},
            "required": ["message"],
        },
        "Memory": {
            "oneOf": [ref("Episode"), ref("SemanticMemory"), ref("WorkingMemory")],
            "discriminator": {"propertyName": "kind"},
        },
    }


def _writing() -> dict[str, JsonObject]:
    draft: JsonObject = {
        "anyOf": [ref("EpisodeDraft"), ref("SemanticDraft"), ref("WorkingDraft")],
        "description": "Without `kind`: semantic where there is a type or subject, working where "
        "there is a key, else episodic",
    }
    item: JsonObject = {"anyOf": [ref("Draft"), TEXT]}
    items: JsonObject = {"type": "array", "minItems": 1, "maxItems": MAX_ITEMS, "items": item}
    states: JsonObject = {"enum": [*map(str, Status)]}
    written: dict[str, JsonObject] = {
        "id": TEXT, "created": TRUTH, "duplicate": TRUTH, "changed": TRUTH,
        "superseded": TEXTS, "contested": TRUTH, "status": states, "kind": TEXT,
        "version": COUNT, "settled": TRUTH, "memory": ref("Memory"), "admission": ref("Admission"),
    }  # fmt: skip
    gone = ("kind", "version", "settled", "memory", "admission")
    failed = closed({"index": COUNT, "status": {"const": "failed"}, "error": ref("Error")})
    stored = closed({"index": COUNT, **written}, optional=gone)
    return {
        "Draft": draft,
        "Batch": closed({"user_id": _USER, "items": items}, optional=("user_id",)),
        "WriteBody": {"anyOf": [ref("Draft"), ref("Batch"), ref("ConversationRequest")]},
        "Written": closed(written, optional=gone),
        "BatchWritten": closed(
            {
                "results": {"type": "array", "items": {"anyOf": [stored, failed]}},
                "stored": COUNT,
                "held": COUNT,
                "failed": COUNT,
            }
        ),
        **_admission(),
        "WriteAnswer": {"anyOf": [ref("Written"), ref("BatchWritten"), ref("Taken")]},
        "Closed": closed({"task_id": TEXT, "dropped": COUNT}),
    }


def _admission() -> dict[str, JsonObject]:
    decision: JsonObject = {"enum": [*map(str, Decision)]}
    found = {"decision": decision, "rules": TEXTS, "findings": listed("Finding")}
    return {
        "Finding": closed({"rule": TEXT, "field": TEXT, "redacted": TRUTH}),
        "Admission": closed(found),
    }


def _looking() -> dict[str, JsonObject]:
    chain = ("versions", "predecessors", "successors", "evidence", "dependants", "compared")
    audit: dict[str, JsonObject] = {
        "id": TEXT, "version": COUNT, "actor": TEXT, "origin": TEXT, "decision": TEXT,
        "rules": TEXTS, "reason": TEXT, "at": {"type": "string", "format": "date-time"},
    }  # fmt: skip
    history = {"memory": ref("Memory"), **{name: listed("Memory") for name in chain}}
    me: dict[str, JsonObject] = {
        "tenant": TEXT, "principal": TEXT, "role": {"enum": [*map(str, Role)]},
        "users": TEXTS, "ceiling": {"enum": [origin.label for origin in Origin]},
    }  # fmt: skip
    states: JsonObject = {"type": "object", "additionalProperties": TEXT}
    limits: JsonObject = {"type": "object", "additionalProperties": COUNT}
    return {
        **auditing(),
        "Audit": closed(audit, optional=("reason",)),
        "History": closed(
            {
                **history,
                "source_turns": listed("SourceTurns"),
                "audit": listed("Audit"),
                "cut": TEXTS,
            }
        ),
        **source_turns(),
        "Page": closed({"results": listed("Memory"), "next": {"type": ["string", "null"]}}),
        "Timeline": closed({"buckets": listed("Bucket"), "complete": TRUTH}),
        "Me": closed({**me, "stage": TEXT, "features": states, "limits": limits}),
        "Health": closed({"status": TEXT, "stage": TEXT, "dependencies": states}),
        "Contract": {"type": "object"},
    }
