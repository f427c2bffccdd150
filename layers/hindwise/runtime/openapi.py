"""openapi.json, generated: paths from the routes table, bodies and answers from the contracts."""

from functools import cache
from typing import cast

from hindwise.domain.jobs import JobKind, JobState
from hindwise.domain.memory import Kind, Status, Type
from hindwise.domain.reviews import ReviewKind
from hindwise.domain.scope import Role
from hindwise.runtime import filters
from hindwise.runtime.contracts import audit_schemas
from hindwise.runtime.contracts.auditing import AuditRequest, RecallsRequest, VerifyRequest
from hindwise.runtime.contracts.checking import Contract
from hindwise.runtime.contracts.described import WORDS
from hindwise.runtime.contracts.examples import EXAMPLES
from hindwise.runtime.contracts.forgetting import ForgetsRequest
from hindwise.runtime.contracts.listing import (
    MANY,
    PageRequest,
    TimelineRequest,
    WorkingRequest,
)
from hindwise.runtime.contracts.reviews import ReviewsRequest, UsersRequest
from hindwise.runtime.contracts.schemas import schemas
from hindwise.runtime.contracts.shapes import ref
from hindwise.runtime.contracts.work import JobsRequest, TurnsRequest
from hindwise.runtime.routes import ROUTES, Route
from hindwise.runtime.strict_json import MAX_BYTES, MAX_DEPTH, JsonObject

BODIES = {
    "writeMemories": "WriteBody",
    "editMemory": "Edit",
    "closeTask": "CloseRequest",
    "search": "SearchRequest",
    "context": "ContextRequest",
    "diagnose": "DiagnoseRequest",
    "converse": "ConversationRequest",
    "appendMessages": "MessagesRequest",
    "retryJob": "JobRequest",
    "dismissJob": "JobRequest",
    "redriveQueue": "RedriveRequest",
    "consolidate": "ConsolidationRequest",
    "review": "ReviewRequest",
    "quarantineSource": "SourceRequest",
    "forgetMany": "ForgetRequest",
    "importLines": "ImportRequest",
    "restoreMemory": "RestoreRequest",
    "fade": "FadeRequest",
}
ANSWERS = {
    "writeMemories": "WriteAnswer",
    "editMemory": "Written",
    "closeTask": "Closed",
    "search": "Found",
    "context": "Context",
    "diagnose": "Diagnosis",
    "readEntity": "Entity",
    "converse": "Taken",
    "appendMessages": "Taken",
    "readConversation": "Conversation",
    "readJob": "Job",
    "listJobs": "Jobs",
    "retryJob": "Job",
    "dismissJob": "Job",
    "queues": "Queues",
    "redriveQueue": "Redriven",
    "consolidate": "Consolidated",
    "listReviews": "Reviews",
    "review": "Reviewed",
    "quarantineSource": "SourceOrdered",
    "listUsers": "Users",
    "exportLines": "Exported",
    "importLines": "Imported",
    "listMemories": "Page",
    "readHistory": "History",
    "readMemory": "Memory",
    "forgetMemory": "Forgotten",
    "forgetMany": "ForgetAnswer",
    "readForget": "Receipt",
    "restoreMemory": "Written",
    "fade": "Faded",
    "listForgets": "Receipts",
    "timeline": "Timeline",
    "stats": "Stats",
    "readAudit": "AuditTrail",
    "verifyAudit": "AuditCheck",
    "readRecalls": "Recalls",
    "me": "Me",
    "health": "Health",
    "openapi": "Contract",
}
ERRORS = {
    400: "Malformed; details.field names the field",
    401: "No usable credential",
    403: "The credential does not allow this",
    404: "No such thing for this user",
    409: "Lost a race, or the Idempotency-Key stands for another request",
    413: "Over a limit, which the message names",
    422: "Admission does not let it in; details.rules names the rules",
    429: "Over a rate; see Retry-After",
    500: "A fault of the service",
    503: "A dependency did not answer; see Retry-After",
}
PARAMETERS = {
    "id": "A memory's id",
    **dict.fromkeys(("retryJob id", "dismissJob id", "readJob id"), "A job's id"),
    **dict.fromkeys(
        ("readConversation id", "appendMessages id"), "A conversation's id, percent-encoded"
    ),
    "redriveQueue name": "A queue's name, as GET /v1/queues tells it",
    "listJobs kind": "extract, consolidate or quarantine",
    "quarantineSource id": "A conversation's id, a document or the name of a key, percent-encoded",
    "listReviews user_id": "Whose; left out, of all users that the key may act for",
    "listReviews kind": "Those that are listed for one of these reasons",
    "listJobs state": "Those in one of these states",
    "listJobs conversation_id": "Those of this conversation",
    "readForget id": "A receipt's id",
    **audit_schemas.PARAMETERS,
    "name": "A name, percent-encoded; case, width and blanks do not matter",
    "user_id": "Whose memories, percent-encoded; needed unless the key has only one user",
    "Idempotency-Key": "1 to 255 printable ASCII characters: the same request under the same key "
    "is done once, for 24 hours",
    "If-Match": "The version that is edited; another one is answered with 409",
    "created_at": "Written at exactly this time; see created_from and created_to",
    "event_time": "Happened at exactly this time; see event_from and event_to",
    "updated_at": "Last changed at exactly this time",
    "kind": "episodic, semantic, or working (all scratch values, or those of a task_id, of a key)",
}
"""What is said of a parameter, where it is not what a field of the name says."""
IDEMPOTENT = {
    "writeMemories", "editMemory", "converse", "appendMessages", "consolidate", "review",
    "forgetMany", "restoreMemory",
}  # fmt: skip
DECIDING = IDEMPOTENT | {"retryJob", "dismissJob"}
"""Operations that may be answered with 409."""
ADMITTING = {"writeMemories", "editMemory", "converse", "appendMessages"}
"""Operations that admission may refuse."""
FINDING = {"redriveQueue", "forgetMany", "readAudit"}
"""Operations that may be answered with 404, though they name nothing in their path by its id."""
OF_NOBODY = {"me", "queues", "listUsers"}
"""Operations that are about no user."""
QUERIES: dict[str, tuple[type[Contract], ...]] = {
    "timeline": (TimelineRequest,),
    "listMemories": (PageRequest, WorkingRequest),
    "readEntity": (PageRequest,),
    "readConversation": (TurnsRequest,),
    "listJobs": (JobsRequest,),
    "listReviews": (ReviewsRequest,),
    "listUsers": (UsersRequest,),
    "listForgets": (ForgetsRequest,),
    "readAudit": (AuditRequest,),
    "verifyAudit": (VerifyRequest,),
    "readRecalls": (RecallsRequest,),
}
CURSORED = {
    "listMemories", "readEntity", "readConversation", "listJobs", "listReviews", "listUsers",
    "listForgets", "readAudit", "verifyAudit", "readRecalls", "exportLines",
}  # fmt: skip


@cache
def document() -> JsonObject:
    """The contract as an OpenAPI 3.1 document."""
    paths: dict[str, JsonObject] = {}
    for route in ROUTES:
        paths.setdefault(route.path, {})[route.method.lower()] = _operation(route)
    document = {
        "openapi": "3.1.0",
        "info": {
            "title": "Hindwise",
            "version": "1",
            "description": "Long-term memory for LLM agents. Bodies are JSON objects of at most "
            f"{MAX_BYTES} bytes and {MAX_DEPTH} levels; times carry a zone; unknown fields are "
            "refused. Every call names `user_id` unless the key has only one user.",
        },
        "paths": paths,
        "components": {
            "schemas": schemas(),
            "responses": {f"E{status}": _error(status) for status in ERRORS},
            "securitySchemes": {"key": {"type": "http", "scheme": "bearer"}},
        },
        "security": [{"key": []}],
    }
    return cast(JsonObject, document)


def _operation(route: Route) -> JsonObject:
    answer = {"application/json": {"schema": ref(ANSWERS[route.operation])}}
    responses: dict[str, object] = {
        str(status): {"description": route.summary, "content": answer} for status in route.statuses
    }
    for status in errors_of(route):
        responses[str(status)] = {"$ref": f"#/components/responses/E{status}"}
    operation: dict[str, object] = {
        "operationId": route.operation,
        "summary": route.summary,
        "parameters": _parameters(route),
        "responses": responses,
    }
    if route.role is None:
        operation["security"] = []
    elif route.role is not Role.READER:
        operation["description"] = f"Needs the role {route.role.value}."
    if body := BODIES.get(route.operation):
        content = {"application/json": {"schema": ref(body), "examples": EXAMPLES[body]}}
        operation["requestBody"] = {"required": True, "content": content}
    return cast(JsonObject, operation)


def errors_of(route: Route) -> list[int]:
    """The errors that a route can give, the gateway's own included."""
    if route.role is None:
        return [429, 500, 503]
    found = {400, 401, 403, 429, 500, 503}
    if route.operation != "me":
        found.add(413)
    if "id" in route.parameters or route.operation in FINDING:
        found.add(404)
    if route.operation in DECIDING:
        found.add(409)
    if route.operation in ADMITTING:
        found.add(422)
    return sorted(found)


def _parameters(route: Route) -> list[JsonObject]:
    text: JsonObject = {"type": "string"}
    found = [_parameter(name, "path", text, route.operation) for name in route.parameters]
    if route.operation in IDEMPOTENT:
        key: JsonObject = {"type": "string", "minLength": 1, "maxLength": 255}
        found.append(_parameter("Idempotency-Key", "header", key))
    if route.operation in ("editMemory", "review"):
        found.append(_parameter("If-Match", "header", text))
    reads = route.method in ("GET", "DELETE") and route.role is not None
    if reads and route.operation not in OF_NOBODY:
        found.append(_parameter("user_id", "query", text, route.operation))
    return found + _query(route.operation)


def _query(operation: str) -> list[JsonObject]:
    named: dict[str, JsonObject] = {}
    for model in QUERIES.get(operation, ()):
        properties = model.model_json_schema(ref_template="#/components/schemas/{model}")
        named |= properties["properties"]
    if operation in CURSORED:
        named["cursor"] = {"type": "string"}
    if operation == "listMemories":
        names = {"filters", *filters.FIELDS, *filters.RANGES, *filters.ALIASES}
        named |= {name: _filter(name) for name in sorted(names - named.keys())}
        named["kind"] = {"enum": [*map(str, Kind)]}
    if operation == "listJobs":
        states: JsonObject = {"enum": [*map(str, JobState)]}
        named["state"] = {"type": "array", "items": states}
        named["kind"] = {"enum": [*map(str, JobKind)]}
    if operation == "listReviews":
        kinds: JsonObject = {"enum": [*map(str, ReviewKind)]}
        named["kind"] = {"type": "array", "items": kinds}
    return [_parameter(name, "query", schema, operation) for name, schema in named.items()]


def _filter(name: str) -> JsonObject:
    """The schema of a filter in a query string."""
    share: JsonObject = {"type": "number", "minimum": 0, "maximum": 1}
    field = filters.RANGES[name][0] if name in filters.RANGES else name
    if field in ("importance", "confidence"):
        return share
    if field in ("event_time", "created_at", "updated_at"):
        return {"type": "string", "format": "date-time"}
    if name in ("type", "status"):
        return {"enum": [*map(str, Type if name == "type" else Status)]}
    text: JsonObject = {"type": "string"}
    if name == "filters":
        return {**text, "description": f"A JSON object, percent-encoded. {filters.DESCRIPTION}"}
    return {"type": "array", "items": text} if name in MANY else text


def _parameter(name: str, place: str, schema: JsonObject, operation: str = "") -> JsonObject:
    made = {"name": name, "in": place, "required": place == "path", "schema": schema}
    own = PARAMETERS.get(f"{operation} {name}") or schema.get("description")
    words = own or PARAMETERS.get(name) or WORDS.get(name)
    return cast(JsonObject, {**made, "description": words} if words else made)


def _error(status: int) -> JsonObject:
    """Ours and, where the gateway answers by itself with this status, its own."""
    shapes = [ref("ErrorAnswer")]
    if status in (401, 403, 404, 413, 429, 500, 503):
        shapes.append(ref("GatewayAnswer"))
    error: dict[str, object] = {
        "description": ERRORS[status],
        "content": {"application/json": {"schema": {"anyOf": shapes}}},
    }
    if status in (429, 503):
        seconds = {"schema": {"type": "integer"}, "description": "Seconds to wait"}
        error["headers"] = {"Retry-After": seconds}
    return cast(JsonObject, error)
