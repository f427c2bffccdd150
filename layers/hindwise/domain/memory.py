"""What is remembered: three kinds of memory and the words that describe their state.

Timestamps are aware datetimes that keep the offset they were given with: `event_time` of
18:30+08:00 is stored and returned as such, compared as an instant, and read as a weekday in its own
zone.
"""

from datetime import datetime
from enum import StrEnum
from typing import Annotated, Literal

from pydantic import AwareDatetime, ConfigDict, Field, JsonValue, TypeAdapter

from hindwise.domain.base import Model
from hindwise.domain.scope import Origin

CONTENT_CHARS = 20_000
CONTENT_BYTES = 100_000
METADATA_BYTES = 8_192
Share = Annotated[float, Field(ge=0, le=1)]
Word = Annotated[str, Field(min_length=1, max_length=256)]
Remark = Annotated[str, Field(max_length=2_000)]
Place = Annotated[int, Field(ge=0, lt=10**12)]


class Kind(StrEnum):
    """What sort of memory it is."""

    WORKING = "working"
    EPISODIC = "episodic"
    SEMANTIC = "semantic"


class Type(StrEnum):
    """What a semantic memory says."""

    FACT = "fact"
    PREFERENCE = "preference"
    DECISION = "decision"
    TODO = "todo"
    PATTERN = "pattern"


class Status(StrEnum):
    """The stored state of a memory.

    `expired` and `forgotten` are the API's words for what is computed or no longer there.
    """

    ACTIVE = "active"
    SUPERSEDED = "superseded"
    CONTESTED = "contested"
    OBSOLETE = "obsolete"
    EXPIRED = "expired"
    ARCHIVED = "archived"
    QUARANTINED = "quarantined"
    REJECTED = "rejected"
    FORGOTTEN = "forgotten"


class Mark(StrEnum):
    """What a person said about a memory."""

    PINNED = "pinned"
    WRONG = "wrong"
    OBSOLETE = "obsolete"
    REVIEWED = "reviewed"


class Cardinality(StrEnum):
    """How many current values a subject's attribute may have."""

    ONE = "one"
    MANY = "many"


class Source(Model):
    """Where a memory came from.

    Turns `first..last` of a conversation, or a document, and who said it.
    """

    conversation_id: Word | None = None
    first_turn: Place | None = None
    last_turn: Place | None = None
    document: Annotated[str, Field(max_length=2_048)] | None = None
    author: Word | None = None


Decided = Literal["duplicate", "update", "contradiction", "coexist", "unrelated"]
"""How two memories stand to each other."""
Policy = Literal["supersede", "weaken", "coexist"]
"""What a newer value does to an older one that it contradicts."""


class Outcome(Model):
    """How an episode or a decision ended."""

    result: Literal["success", "failure", "neutral"]
    note: Remark | None = None


class Alternative(Model):
    """An option that was weighed and not taken."""

    option: Remark
    expected_outcome: Remark | None = None
    reason_rejected: Remark | None = None


class Verdict(Model):
    """What was decided between two memories; the same verdict stands on both.

    `other` is the id of the other one.
    """

    other: str
    verdict: Decided
    policy: Policy = "supersede"
    reason: str = ""
    at: AwareDatetime


class PairVerdict(Model):
    """What was decided between two memories, whichever is named first; it is decided once.

    `winner` is the one that stays current where not both do. `by` is the rule or `judge`. `basis`
    names what both said when it was decided: after an edit they are another pair.
    """

    one: str
    other: str
    verdict: Decided
    winner: str | None = None
    by: str = ""
    basis: str = ""
    at: AwareDatetime


class Archived(Model):
    """Where an archived memory is: the object's name, digest (sha256) and size in bytes.

    `status` is what it was before, `why` is `unimportant`, `done` or `cold`.
    """

    name: str
    digest: str
    size: int
    status: Status
    why: Literal["unimportant", "done", "cold"]
    at: AwareDatetime


class MemoryBase(Model):
    """What all kinds have in common.

    Shares are 0..1; `version` starts at 1 and grows by one with each change. What is not `settled`
    has still to be compared with its neighbours. `last_seen_at` is when it was last said again,
    None where it was said once. `reviewed_at` is when a reviewer let it stand; what is `held` was
    taken out of use by admission or a reviewer, and only a reviewer puts it back.
    """

    id: str
    kind: Kind
    content: str
    importance: Share = 0.5
    confidence: Share = 0.8
    origin: Origin = Origin.UNKNOWN
    principal: str = ""
    agent_id: str | None = None
    source: Source | None = None
    entities: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    scene: str | None = None
    metadata: dict[str, JsonValue] = Field(default_factory=dict)
    external_id: str | None = None
    event_time: AwareDatetime
    last_seen_at: AwareDatetime | None = None
    created_at: AwareDatetime
    updated_at: AwareDatetime
    valid_from: AwareDatetime | None = None
    valid_until: AwareDatetime | None = None
    status: Status = Status.ACTIVE
    change_reason: str | None = None
    supersedes: tuple[str, ...] = ()
    superseded_by: str | None = None
    verdicts: tuple[Verdict, ...] = ()
    access_count: int = 0
    last_access_at: AwareDatetime | None = None
    version: int = 1
    language: str = "und"
    marks: tuple[Mark, ...] = ()
    flags: tuple[str, ...] = ()
    reviewed_at: AwareDatetime | None = None
    held: bool = False
    audit_head: str = ""
    claims: tuple[str, ...] = ()
    settled: bool = True
    archive: Archived | None = None
    restored_at: AwareDatetime | None = None


class Episode(MemoryBase):
    """Something that happened or was said.

    `seq` is its place in `session_id`, counted from 1 where we count.
    """

    kind: Literal[Kind.EPISODIC] = Kind.EPISODIC
    task_id: str | None = None
    domain: str = "general"
    event_type: str | None = None
    session_id: str | None = None
    seq: int | None = None
    speaker: str | None = None
    tool_results: tuple[JsonValue, ...] = ()
    summary: str | None = None
    outcome: Outcome | None = None
    outcome_at: AwareDatetime | None = None
    alternatives: tuple[Alternative, ...] = ()
    expected_outcome: str | None = None
    review_at: AwareDatetime | None = None
    evidence_ids: tuple[str, ...] = ()


class SemanticMemory(MemoryBase):
    """Something known: a fact, preference, decision, to-do or pattern.

    `confidence` is its base, before any decay. `policy` is what its writer wants done to an older
    value that it contradicts, None for what is usual for its type. `outdates` are the episodes that
    the values before it rest on and itself does not, those of the last one first: they tell what no
    longer holds.
    """

    kind: Literal[Kind.SEMANTIC] = Kind.SEMANTIC
    type: Type = Type.FACT
    domain: str = "general"
    subject: str | None = None
    attribute: str | None = None
    value: str | None = None
    cardinality: Cardinality = Cardinality.MANY
    policy: Policy | None = None
    evidence_ids: tuple[str, ...] = ()
    outdates: tuple[str, ...] = ()
    task_id: str | None = None
    session_id: str | None = None
    alternatives: tuple[Alternative, ...] = ()
    expected_outcome: str | None = None
    outcome: Outcome | None = None
    outcome_at: AwareDatetime | None = None
    review_at: AwareDatetime | None = None
    done_at: AwareDatetime | None = None


class WorkingMemory(MemoryBase):
    """A task's scratch value under `key`; gone at `expires_at`, never embedded, never searched."""

    kind: Literal[Kind.WORKING] = Kind.WORKING
    task_id: str
    key: str
    expires_at: AwareDatetime


Memory = Episode | SemanticMemory | WorkingMemory
LongTermMemory = Episode | SemanticMemory
MEMORY: TypeAdapter[Memory] = TypeAdapter(
    Annotated[Memory, Field(discriminator="kind")], config=ConfigDict(defer_build=True)
)


def place_of(memory: LongTermMemory) -> tuple[str, int] | None:
    """The (session, seq) of a turn, None for what is not one."""
    if isinstance(memory, Episode) and memory.session_id is not None and memory.seq is not None:
        return memory.session_id, memory.seq
    return None


def said_in(memory: LongTermMemory) -> tuple[str, int, int] | None:
    """The (conversation, first turn, last turn) that a memory was learnt from.

    None for what came from no conversation; all of its turns where it is not said which.
    """
    source = memory.source
    if source is None or source.conversation_id is None:
        place = place_of(memory)
        return None if place is None else (*place, place[1])
    if source.first_turn is None:
        return source.conversation_id, 0, 10**12
    last = source.first_turn if source.last_turn is None else source.last_turn
    return source.conversation_id, source.first_turn, last


def millis(moment: datetime) -> int:
    """Milliseconds since 1970 of an aware datetime."""
    return round(moment.timestamp() * 1000)
