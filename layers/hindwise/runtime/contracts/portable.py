"""Lines of an export as what they hold, read as strictly as any body: a file is anybody's.

What the server set itself once (times, counters, states) is believed, for an administrator vouches
for it; that it can be computed with and is not of the future is checked.
"""

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Annotated, Literal, cast

from pydantic import AwareDatetime, BaseModel, Field, ValidationError
from pydantic_core import to_json

from hindwise.domain.conversation import Chunk, Conversation, Message
from hindwise.domain.drafts import Id, Metadata, ShortId, ToolResults
from hindwise.domain.ids import ID_LENGTH, millis_of
from hindwise.domain.memory import (
    CONTENT_BYTES,
    CONTENT_CHARS,
    Episode,
    Kind,
    LongTermMemory,
    MemoryBase,
    SemanticMemory,
    Status,
    Verdict,
    millis,
)
from hindwise.domain.scope import Origin, Principal, Role
from hindwise.errors import Invalid
from hindwise.runtime.contracts.archived import archived
from hindwise.runtime.contracts.checking import TIME_RULE, Contract, checked, complaint, moment_of
from hindwise.runtime.contracts.shapes import COUNT, TEXTS, closed, listed, ref
from hindwise.runtime.strict_json import JsonObject, parse_object, refuse_flaws
from hindwise.usecases.importing import Held, Object, Took, Words

LINES = 200
LINE_BYTES = 360_000
"""Bytes of UTF-8 of a line: a row of the table has 400 KB, for itself and its keys."""
OBJECTS = ("archive", "chunk")
"""Lines of what is kept outside the table."""
TIMES = frozenset(
    {
        "at", "created_at", "event_time", "idle_at", "last_access_at", "last_seen_at", "of",
        "outcome_at", "review_at", "reviewed_at", "updated_at", "valid_from", "valid_until",
        "done_at", "restored_at",
    }
)  # fmt: skip
PAST = (
    "at",
    "created_at",
    "restored_at",
    "last_access_at",
    "last_seen_at",
    "of",
    "reviewed_at",
    "updated_at",
)
"""What the server says of the past: it cannot lie in the future."""
_FREE = frozenset({"metadata", "tool_results", "extra"})
_MEMORY_ID = r"^[0-9A-Za-z_-]{1,64}$"
Some = Annotated[str, Field(max_length=256)]
Known = Annotated[str, Field(pattern=_MEMORY_ID)]
Links = Annotated[tuple[Known, ...], Field(max_length=64)]
Number = Annotated[int, Field(ge=1, lt=10**9)]
Count = Annotated[int, Field(ge=0, lt=10**9)]
Digits = Annotated[str, Field(pattern=r"^[0-9a-f]{32}$")]


class ImportRequest(Contract):
    """Lines of an export, each as it stands in the file; the first line of a file is none."""

    lines: Annotated[tuple[str, ...], Field(min_length=1, max_length=LINES)]


def porting() -> dict[str, JsonObject]:
    """The schemas of what the calls answer."""
    states: JsonObject = {"enum": [*map(str, Took), "failed"]}
    took = {"index": COUNT, "status": states, "error": ref("Error")}
    return {
        "Exported": closed({"lines": TEXTS, "next": {"type": ["string", "null"]}}),
        "Took": closed(took, optional=("error",)),
        "Imported": closed({"results": listed("Took")}),
    }


class _Line(MemoryBase):
    id: Annotated[str, Field(pattern=f"^[0-9A-HJKMNP-TV-Z]{{{ID_LENGTH}}}$")]
    content: Annotated[str, Field(max_length=CONTENT_CHARS)]
    principal: Some = ""
    agent_id: Id | None = None
    entities: Annotated[tuple[Some, ...], Field(max_length=512)] = ()
    tags: Annotated[tuple[Some, ...], Field(max_length=512)] = ()
    scene: Some | None = None
    metadata: Metadata = Field(default_factory=dict)
    external_id: Id | None = None
    supersedes: Links = ()
    superseded_by: Known | None = None
    verdicts: Annotated[tuple[Verdict, ...], Field(max_length=512)] = ()
    access_count: Count = 0
    version: Number = 1
    language: Annotated[str, Field(max_length=32)] = "und"
    flags: Annotated[tuple[Some, ...], Field(max_length=64)] = ()
    claims: Annotated[tuple[Digits, ...], Field(max_length=8)] = ()
    audit_head: Literal[""] = ""


class EpisodeLine(_Line, Episode):
    """An episode of a file."""

    kind: Literal[Kind.EPISODIC] = Kind.EPISODIC
    task_id: ShortId | None = None
    domain: ShortId = "general"
    session_id: Id | None = None
    seq: Annotated[int, Field(ge=0, lt=10**12)] | None = None
    tool_results: ToolResults = ()
    evidence_ids: Links = ()


class SemanticLine(_Line, SemanticMemory):
    """A semantic memory of a file."""

    kind: Literal[Kind.SEMANTIC] = Kind.SEMANTIC
    domain: ShortId = "general"
    subject: Some | None = None
    attribute: Some | None = None
    value: Some | None = None
    task_id: ShortId | None = None
    session_id: Id | None = None
    evidence_ids: Links = ()
    outdates: Links = ()


class Sender(Contract):
    """Who sent the last of a conversation."""

    name: Some
    ceiling: Literal["owner", "agent", "tool", "document", "other_agent", "unknown"]


class WordsLine(Contract):
    """Messages of a conversation; each counts from 1, as do the turns among them."""

    conversation_id: Id
    of: AwareDatetime
    first: Number
    first_turn: Number
    at: AwareDatetime
    principal: Some
    ceiling: Literal["owner", "agent", "tool", "document", "other_agent", "unknown"]
    marks: Annotated[tuple[Annotated[str, Field(pattern=r"^-?[0-9a-f]{16}$")], ...], Field()]
    messages: Annotated[tuple[Message, ...], Field(min_length=1, max_length=10_000)]


Taken = Held | Conversation | Words | Object | LongTermMemory
"""What a line holds; an old version is a memory without more."""


def lines_of(fields: JsonObject) -> tuple[str, ...]:
    """The lines of a body; raises Invalid."""
    return checked(ImportRequest, fields).lines


def read(text: str, *, now: datetime, tenant: str) -> Taken:
    """What a line holds; raises Invalid naming the field, at the top of the line."""
    fields = parse_object(text, field="line")
    if len(text.encode()) > LINE_BYTES and fields.get("line") not in OBJECTS:
        raise Invalid(f"line: must be at most {LINE_BYTES} bytes of UTF-8", field="line")
    refuse_flaws(fields)
    _check_times(fields, now)
    kind = fields.pop("line", None)
    if kind in ("memory", "version"):
        holds = fields.pop("holds_slot", False) is True
        memory = _memory(fields, now)
        return Held(memory, holds) if kind == "memory" else memory
    if kind == "archive":
        return archived(fields, lambda one: _memory(one, now), now=now)
    if kind == "conversation":
        return _conversation(fields, tenant)
    if kind == "chunk":
        return _words(fields)
    message = "line: must be 'memory', 'version', 'archive', 'conversation' or 'chunk'"
    raise Invalid(message, field="line")


def _check_times(fields: JsonObject, now: datetime) -> None:
    for path, name, given in _times(fields, ""):
        moment = moment_of(given) if isinstance(given, str) else None
        if moment is None:
            raise Invalid(f"{path}: {TIME_RULE}", field=path)
        if name in PAST and moment > now:
            raise Invalid(f"{path}: must not be in the future", field=path)


def _times(value: object, path: str) -> Iterator[tuple[str, str, object]]:
    if isinstance(value, Mapping):
        for name, inner in value.items():
            here = f"{path}.{name}" if path else str(name)
            if name in TIMES and inner is not None:
                yield here, name, inner
            elif name not in _FREE:
                yield from _times(inner, here)
    elif isinstance(value, list):
        for number, inner in enumerate(value):
            yield from _times(inner, f"{path}.{number}")


def _read[T: BaseModel](model: type[T], fields: JsonObject) -> T:
    try:
        return model.model_validate_json(to_json(fields), strict=True)
    except ValidationError as error:
        raise complaint(error, known=model.model_fields.keys()) from None


def _origin(fields: JsonObject, name: str = "origin") -> Origin:
    try:
        return Origin.of(str(fields.get(name)))
    except KeyError:
        words = ", ".join(one.label for one in Origin)
        raise Invalid(f"{name}: must be one of {words}", field=name) from None


def _memory(fields: JsonObject, now: datetime) -> LongTermMemory:
    fields = {**fields, "origin": int(_origin(fields))}
    model = SemanticLine if fields.get("kind") == "semantic" else EpisodeLine
    found = _read(model, fields)
    if millis_of(found.id) > millis(now):
        raise Invalid("id: must not be of the future", field="id")
    said = found.content
    if not said.strip() and found.status is not Status.ARCHIVED:
        raise Invalid("content: must not be empty or blank", field="content")
    if len(said.encode()) > CONTENT_BYTES:
        message = f"content: must be at most {CONTENT_BYTES} bytes of UTF-8"
        raise Invalid(message, field="content")
    if (found.status is Status.ARCHIVED) != (found.archive is not None):
        raise Invalid("archive: goes with the status archived", field="archive")
    if found.status in (Status.EXPIRED, Status.FORGOTTEN):
        raise Invalid(f"status: a memory is not kept as {found.status.value}", field="status")
    plain = SemanticMemory if isinstance(found, SemanticLine) else Episode
    return plain.model_validate(found.model_dump())


def _conversation(fields: JsonObject, tenant: str) -> Conversation:
    said = fields.get("sender")
    sender = checked(Sender, said if isinstance(said, dict) else {}, at="sender")
    who = Principal(
        tenant=tenant, name=sender.name, role=Role.WRITER, ceiling=Origin.of(sender.ceiling)
    )
    bare = {**fields, "sender": cast(JsonObject, who.model_dump(mode="json"))}
    talk = _read(Conversation, bare)
    limits = (talk.messages, talk.turns, talk.queued, talk.version)
    if not talk.id or len(talk.id.encode()) > 256 or min(limits) < 0 or max(limits) >= 10**9:
        raise Invalid("id, messages, turns, queued or version is over its limit", field="messages")
    return talk.model_copy(update={"idle_at": talk.idle_at if talk.queued < talk.turns else None})


def _words(fields: JsonObject) -> Words:
    found = _read(WordsLine, fields)
    turn = 0
    for number, one in enumerate(found.messages, 1):
        turn += one.turn is not None
        if one.number != number or one.turn not in (None, turn):
            message = "messages: must be numbered from 1, and the turns among them, too"
            raise Invalid(message, field="messages")
    if len(found.marks) != len(found.messages):
        raise Invalid("marks: there must be one for each message", field="marks")
    chunk = Chunk(
        conversation_id=found.conversation_id,
        first=found.first,
        count=len(found.messages),
        first_turn=found.first_turn,
        turns=turn,
        blob="",
        digest="",
        at=found.at,
        marks=found.marks,
        principal=found.principal,
        ceiling=Origin.of(found.ceiling),
    )
    return Words(chunk=chunk, of=found.of.isoformat(), messages=found.messages)
