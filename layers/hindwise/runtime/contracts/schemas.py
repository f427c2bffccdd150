"""The schemas of openapi.json: request bodies from the contracts, answers from the domain's models.

An answer leaves out what has no value, so only what is always there is required; it is closed, so
that a test on real answers notices a field that slips out.
"""

from collections.abc import Mapping, Sequence
from typing import Literal, cast

from pydantic import BaseModel, JsonValue
from pydantic.json_schema import models_json_schema

from hindwise.domain.drafts import Edit, EpisodeDraft, SemanticDraft, WorkingDraft
from hindwise.domain.memory import Episode, SemanticMemory, Status, WorkingMemory
from hindwise.domain.ranking import Part
from hindwise.domain.scope import Origin, Role
from hindwise.runtime.contracts.described import described
from hindwise.runtime.contracts.memories import MAX_ITEMS, CloseRequest
from hindwise.runtime.contracts.search import ContextRequest, DiagnoseRequest, SearchRequest
from hindwise.runtime.contracts.views import ALWAYS
from hindwise.runtime.strict_json import JsonObject
from hindwise.usecases.diagnose import Diagnosis
from hindwise.usecases.inspect import Bucket, Stats
from hindwise.usecases.search import Why

REF = "#/components/schemas/"
Mode = Literal["validation", "serialization"]
_BODIES: tuple[type[BaseModel], ...] = (
    EpisodeDraft, SemanticDraft, WorkingDraft, Edit, SearchRequest, ContextRequest,
    DiagnoseRequest, CloseRequest,
)  # fmt: skip
_DOMAIN: tuple[type[BaseModel], ...] = (
    Episode, SemanticMemory, WorkingMemory, Why, Part, Diagnosis, Stats, Bucket,
)  # fmt: skip
_USER: JsonObject = {
    "type": "string", "minLength": 1, "maxLength": 256,
    "description": "Whose memory it is; needed unless the key has only one user",
}  # fmt: skip
_TEXT: JsonObject = {"type": "string"}
_TRUTH: JsonObject = {"type": "boolean"}
_COUNT: JsonObject = {"type": "integer", "minimum": 0}
_TEXTS: JsonObject = {"type": "array", "items": _TEXT}
_HIDDEN = ("claims", "audit_head")


def ref(name: str) -> JsonObject:
    """A reference to a schema by name."""
    return {"$ref": REF + name}


def listed(name: str) -> JsonObject:
    """An array of a schema."""
    return {"type": "array", "items": ref(name)}


def closed(properties: Mapping[str, JsonObject], *, optional: Sequence[str] = ()) -> JsonObject:
    """An object with exactly these properties, all required but the optional ones."""
    required = [name for name in properties if name not in optional]
    shape = {"type": "object", "properties": properties, "additionalProperties": False}
    return cast(JsonObject, {**shape, "required": required})


def schemas() -> dict[str, JsonObject]:
    """Every schema by its name."""
    wanted: list[tuple[type[BaseModel], Mode]] = [(one, "validation") for one in _BODIES + _DOMAIN]
    _, found = models_json_schema(wanted, ref_template=REF + "{model}")
    named: dict[str, JsonObject] = found["$defs"]
    for model in _BODIES:
        _with_user(named[model.__name__])
    for model in (Episode, SemanticMemory, WorkingMemory):
        _as_answer(named[model.__name__])
    every = named | _envelopes() | _writing() | _finding(named) | _looking()
    for name, schema in every.items():
        described(name, schema)
    return every


def _with_user(body: JsonObject) -> None:
    properties = cast(dict[str, JsonObject], body.setdefault("properties", {}))
    properties["user_id"] = _USER


def _as_answer(memory: JsonObject) -> None:
    properties = cast(dict[str, JsonObject], memory["properties"])
    for name in _HIDDEN:
        properties.pop(name)
    properties["origin"] = {"enum": [origin.label for origin in Origin]}
    properties["effective_confidence"] = {"type": "number", "minimum": 0, "maximum": 1}
    properties["embedding"] = {
        "enum": ["ready", "pending", "none"],
        "description": "Where one memory is read: whether it can be found by meaning",
    }
    required = {*cast(list[str], memory.get("required", [])), "kind", "status", *ALWAYS}
    memory["required"] = cast(JsonValue, sorted(required))


def _envelopes() -> dict[str, JsonObject]:
    error = closed(
        {"code": _TEXT, "message": _TEXT, "details": {"type": "object"}},
    )
    return {
        "Error": error,
        "ErrorAnswer": closed({"error": ref("Error")}),
        "GatewayAnswer": {
            "type": "object",
            "description": "The gateway's own answer; no function was called",
            "properties": {"message": _TEXT},
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
    item: JsonObject = {"anyOf": [ref("Draft"), _TEXT]}
    items: JsonObject = {"type": "array", "minItems": 1, "maxItems": MAX_ITEMS, "items": item}
    states: JsonObject = {"enum": [*map(str, Status)]}
    written: dict[str, JsonObject] = {
        "id": _TEXT, "created": _TRUTH, "duplicate": _TRUTH, "changed": _TRUTH,
        "superseded": _TEXTS, "contested": _TRUTH, "status": states, "kind": _TEXT,
        "version": _COUNT, "settled": _TRUTH, "memory": ref("Memory"),
    }  # fmt: skip
    gone = ("kind", "version", "settled", "memory")
    failed = closed({"index": _COUNT, "status": {"const": "failed"}, "error": ref("Error")})
    stored = closed({"index": _COUNT, **written}, optional=gone)
    return {
        "Draft": draft,
        "Batch": closed({"user_id": _USER, "items": items}, optional=("user_id",)),
        "WriteBody": {"anyOf": [ref("Draft"), ref("Batch")]},
        "Written": closed(written, optional=gone),
        "BatchWritten": closed(
            {
                "results": {"type": "array", "items": {"anyOf": [stored, failed]}},
                "stored": _COUNT,
                "failed": _COUNT,
            }
        ),
        "WriteAnswer": {"anyOf": [ref("Written"), ref("BatchWritten")]},
        "Closed": closed({"task_id": _TEXT, "dropped": _COUNT}),
        "Forgotten": closed({"id": _TEXT, "kind": _TEXT, "status": {"const": "forgotten"}}),
    }


def _finding(named: Mapping[str, JsonObject]) -> dict[str, JsonObject]:
    more: dict[str, JsonObject] = {
        "score": {"type": ["number", "null"]},
        "cosine": {"type": "number"},
        "why": ref("Why"),
    }
    hits = {}
    for name in ("Episode", "SemanticMemory"):
        memory = named[name]
        properties = {**cast(dict[str, JsonObject], memory["properties"]), **more}
        required = [*cast(list[str], memory["required"]), "score", "why"]
        hits[f"{name}Hit"] = cast(
            JsonObject, {**memory, "properties": properties, "required": required}
        )
    state = {"degraded": _TRUTH, "reasons": _TEXTS, "lag": _TRUTH, "skipped": _TEXTS}
    found: dict[str, JsonObject] = {
        "results": {"type": "array", "items": {"anyOf": [ref(name) for name in hits]}},
        "recall_id": _TEXT,
        **state,
        "exhausted": _TRUTH,
        "candidates": _COUNT,
        "turns": listed("Episode"),
        "coverage": {"type": "number", "minimum": 0, "maximum": 1},
        "dropped": {"type": "object", "additionalProperties": _COUNT},
    }
    block = {"background": _TEXT, "history": _TEXT, "text": _TEXT, "tokens": _COUNT}
    block |= {"max_tokens": _COUNT, "tokenizer": _TEXT, "included": _TEXTS, "left_out": _TEXTS}
    return {
        **hits,
        "Found": closed(found, optional=("coverage", "dropped")),
        "Context": closed({**block, "recall_id": _TEXT, **state}),
    }


def _looking() -> dict[str, JsonObject]:
    chain = ("versions", "predecessors", "successors", "evidence", "dependants")
    audit: dict[str, JsonObject] = {
        "id": _TEXT, "version": _COUNT, "actor": _TEXT, "origin": _TEXT, "decision": _TEXT,
        "rules": _TEXTS, "reason": _TEXT, "at": {"type": "string", "format": "date-time"},
    }  # fmt: skip
    history = {"memory": ref("Memory"), **{name: listed("Memory") for name in chain}}
    me: dict[str, JsonObject] = {
        "tenant": _TEXT, "principal": _TEXT, "role": {"enum": [*map(str, Role)]},
        "users": _TEXTS, "ceiling": {"enum": [origin.label for origin in Origin]},
    }  # fmt: skip
    states: JsonObject = {"type": "object", "additionalProperties": _TEXT}
    return {
        "Audit": closed(audit, optional=("reason",)),
        "History": closed({**history, "audit": listed("Audit")}),
        "Page": closed({"results": listed("Memory"), "next": {"type": ["string", "null"]}}),
        "Timeline": closed({"buckets": listed("Bucket"), "complete": _TRUTH}),
        "Me": closed({**me, "stage": _TEXT, "features": states}),
        "Health": closed({"status": _TEXT, "stage": _TEXT, "dependencies": states}),
        "Contract": {"type": "object"},
    }
