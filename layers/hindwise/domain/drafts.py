"""What a caller sends to be remembered or changed, already checked.

The same rules for HTTP, MCP and import files.
"""

import json
from datetime import datetime
from typing import Annotated, Literal

from pydantic import (
    AfterValidator,
    AwareDatetime,
    Field,
    JsonValue,
    ValidationInfo,
    field_validator,
)

from hindwise.domain.base import Model
from hindwise.domain.memory import (
    CONTENT_BYTES,
    CONTENT_CHARS,
    METADATA_BYTES,
    Alternative,
    Cardinality,
    Kind,
    Mark,
    Outcome,
    Policy,
    Share,
    Source,
    Type,
)
from hindwise.domain.text import flaw

ENDS_TOO_SOON = "must be after valid_from"


def _clean(text: str) -> str:
    if wrong := flaw(text):
        raise ValueError(f"holds {wrong}")
    return text


def _said(text: str) -> str:
    if not text.strip():
        raise ValueError("must not be empty or blank")
    if len(text.encode()) > CONTENT_BYTES:
        raise ValueError(f"must be at most {CONTENT_BYTES} bytes of UTF-8")
    return text


def _bytes_at_most_256(text: str) -> str:
    if len(text.encode()) > 256:
        raise ValueError("must be at most 256 bytes of UTF-8")
    return text


def _strings_in(value: JsonValue) -> list[str]:
    if isinstance(value, str):
        return [value]
    if isinstance(value, dict):
        return [*value, *(text for item in value.values() for text in _strings_in(item))]
    if isinstance(value, list):
        return [text for item in value for text in _strings_in(item)]
    return []


def _after_its_start(until: datetime, given: ValidationInfo) -> datetime:
    start = given.data.get("valid_from")
    if start is not None and until <= start:
        raise ValueError(ENDS_TOO_SOON)
    return until


def json_bytes(value: object) -> int:
    """How many bytes of UTF-8 a value is as JSON; raises ValueError for a number not finite."""
    try:
        return len(json.dumps(value, ensure_ascii=False, allow_nan=False).encode())
    except ValueError as error:
        raise ValueError("holds a number that is not finite") from error


def _clean_json(value: dict[str, JsonValue]) -> dict[str, JsonValue]:
    for text in _strings_in(value):
        _clean(text)
    if json_bytes(value) > METADATA_BYTES:
        raise ValueError(f"must be at most {METADATA_BYTES} bytes as JSON")
    return value


def _clean_results(value: tuple[JsonValue, ...]) -> tuple[JsonValue, ...]:
    for text in _strings_in(list(value)):
        _clean(text)
    if json_bytes(value) > CONTENT_BYTES:
        raise ValueError(f"must be at most {CONTENT_BYTES} bytes as JSON")
    return value


End = Annotated[AwareDatetime, AfterValidator(_after_its_start)]
Content = Annotated[
    str,
    Field(min_length=1, max_length=CONTENT_CHARS),
    AfterValidator(_clean),
    AfterValidator(_said),
]
Id = Annotated[
    str,
    Field(min_length=1, max_length=256),
    AfterValidator(_clean),
    AfterValidator(_bytes_at_most_256),
]
ShortId = Annotated[str, Field(min_length=1, max_length=64), AfterValidator(_clean)]
EventType = Annotated[str, Field(min_length=1, max_length=32), AfterValidator(_clean)]
Label = Annotated[str, Field(min_length=1, max_length=256), AfterValidator(_clean)]
Labels = Annotated[tuple[Label, ...], Field(max_length=64)]
Note = Annotated[str, Field(min_length=1, max_length=2_000), AfterValidator(_clean)]
Metadata = Annotated[dict[str, JsonValue], AfterValidator(_clean_json)]
ToolResults = Annotated[tuple[JsonValue, ...], Field(max_length=64), AfterValidator(_clean_results)]
MemoryId = Annotated[str, Field(min_length=1, max_length=64, pattern=r"^[0-9A-Za-z_-]+$")]
Evidence = Annotated[tuple[MemoryId, ...], Field(max_length=64)]
OriginLabel = Literal["owner", "agent", "tool", "document", "other_agent", "unknown"]


class Draft(Model):
    """What all kinds may carry. What is left out is filled by the rules of `usecases.write`."""

    content: Content
    importance: Share | None = None
    confidence: Share | None = None
    origin: OriginLabel | None = None
    agent_id: Id | None = None
    source: Source | None = None
    entities: Labels = ()
    tags: Labels = ()
    scene: Label | None = None
    metadata: Metadata = Field(default_factory=dict)
    external_id: Id | None = None
    event_time: AwareDatetime | None = None
    valid_from: AwareDatetime | None = None
    valid_until: End | None = None


class EpisodeDraft(Draft):
    """Something that happened or was said."""

    kind: Literal[Kind.EPISODIC] = Kind.EPISODIC
    task_id: ShortId | None = None
    domain: ShortId = "general"
    event_type: EventType | None = None
    session_id: Id | None = None
    seq: Annotated[int, Field(ge=0, lt=10**12)] | None = None
    speaker: Label | None = None
    tool_results: ToolResults = ()
    summary: Note | None = None
    outcome: Outcome | None = None
    alternatives: Annotated[tuple[Alternative, ...], Field(max_length=32)] = ()
    expected_outcome: Note | None = None
    review_at: AwareDatetime | None = None
    evidence_ids: Evidence = ()


class SemanticDraft(Draft):
    """Something known. With `subject` and `attribute` it takes that slot, unless `cardinality` is
    `many`.
    """

    kind: Literal[Kind.SEMANTIC] = Kind.SEMANTIC
    type: Type = Type.FACT
    domain: ShortId = "general"
    subject: Label | None = None
    attribute: Label | None = None
    value: Label | None = None
    cardinality: Cardinality | None = None
    policy: Policy | None = None
    evidence_ids: Evidence = ()
    task_id: ShortId | None = None
    session_id: Id | None = None
    alternatives: Annotated[tuple[Alternative, ...], Field(max_length=32)] = ()
    expected_outcome: Note | None = None
    outcome: Outcome | None = None
    review_at: AwareDatetime | None = None


class WorkingDraft(Draft):
    """A task's scratch value; lives `ttl_seconds` (default one hour, at most a week)."""

    kind: Literal[Kind.WORKING] = Kind.WORKING
    task_id: ShortId
    key: Id
    ttl_seconds: Annotated[int, Field(ge=1, le=604_800)] = 3_600


AnyDraft = EpisodeDraft | SemanticDraft | WorkingDraft


class Edit(Model):
    """A change to one memory: only the fields that are set change.

    `metadata` merges, a null entry removes its key. Null clears a field that a memory may lack
    (scene, validity, slot, summary, outcome, dates) and is refused for the others.
    """

    reason: Note
    content: Content | None = None
    importance: Share | None = None
    confidence: Share | None = None
    entities: Labels | None = None
    tags: Labels | None = None
    scene: Label | None = None
    metadata: Metadata | None = None
    event_time: AwareDatetime | None = None
    valid_from: AwareDatetime | None = None
    valid_until: End | None = None
    domain: ShortId | None = None
    type: Type | None = None
    subject: Label | None = None
    attribute: Label | None = None
    value: Label | None = None
    cardinality: Cardinality | None = None
    policy: Policy | None = None
    summary: Note | None = None
    outcome: Outcome | None = None
    review_at: AwareDatetime | None = None
    done_at: AwareDatetime | None = None
    done: bool | None = None
    marks: Annotated[frozenset[Mark], Field(max_length=8)] | None = None

    @field_validator(
        "content",
        "importance",
        "confidence",
        "entities",
        "tags",
        "metadata",
        "event_time",
        "domain",
        "type",
        "cardinality",
        "policy",
        "marks",
        "done",
    )
    @classmethod
    def _kept[T](cls, value: T | None) -> T:
        if value is None:
            raise ValueError("must not be null; leave it out to keep what is there")
        return value
