"""The API's answers, as far as a caller looks into them.

Unknown fields are kept and not refused: a newer server may say more than an older client reads, and
`raw` gives back exactly what was said.
"""

from typing import Literal

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, JsonValue

JsonObject = dict[str, JsonValue]


class Answer(BaseModel):
    """Base of all answers."""

    model_config = ConfigDict(frozen=True, extra="allow")

    def raw(self) -> JsonObject:
        """The answer as JSON, with all that the server said and nothing that it did not."""
        shown: JsonObject = self.model_dump(mode="json", exclude_unset=True)
        return shown


class Memory(Answer):
    """A memory as the API shows it; shares are 0..1."""

    id: str
    kind: Literal["working", "episodic", "semantic"]
    content: str
    status: str
    origin: str
    importance: float
    confidence: float
    effective_confidence: float | None = None
    version: int
    event_time: AwareDatetime
    created_at: AwareDatetime
    updated_at: AwareDatetime
    change_reason: str | None = None
    type: str | None = None
    domain: str | None = None
    subject: str | None = None
    attribute: str | None = None
    value: str | None = None
    speaker: str | None = None
    session_id: str | None = None
    seq: int | None = None
    task_id: str | None = None
    external_id: str | None = None
    language: str = "und"
    tags: tuple[str, ...] = ()
    supersedes: tuple[str, ...] = ()
    superseded_by: str | None = None


class Finding(Answer):
    """A rule of admission that spoke up, and in which field; never what it found."""

    rule: str
    field: str
    redacted: bool = False


class Admission(Answer):
    """What admission decided: `admit` (and flag), `redact` or `quarantine` (held for a person)."""

    decision: str
    rules: tuple[str, ...] = ()
    findings: tuple[Finding, ...] = ()


class Written(Answer):
    """What became of one memory that was sent."""

    id: str
    created: bool
    duplicate: bool
    changed: bool = False
    superseded: tuple[str, ...] = ()
    contested: bool = False
    status: str
    admission: Admission | None = None


class Forgotten(Answer):
    """Which memory was forgotten; nothing of what it said.

    `dependants` had rested on it and stay, `along` are the ids of what went with it. `receipt_id`
    is None for a scratch value.
    """

    id: str
    kind: str
    status: str
    dependants: tuple[str, ...] = ()
    along: tuple[str, ...] = ()
    receipt_id: str | None = None


class Problem(Answer):
    """Why the API refused something."""

    code: str
    message: str
    details: JsonObject = Field(default_factory=dict)


class Item(Answer):
    """What became of one memory of a batch, at its `index`; `error` where it was refused."""

    index: int
    status: str
    id: str | None = None
    created: bool = False
    changed: bool = False
    admission: Admission | None = None
    error: Problem | None = None


class Batch(Answer):
    """What became of a batch."""

    results: tuple[Item, ...]
    stored: int
    held: int = 0
    failed: int


class AuditEntry(Answer):
    """One change of a memory: who, when, what was decided."""

    version: int
    actor: str
    decision: str
    at: AwareDatetime
    reason: str | None = None


class SourceTurn(Answer):
    """A turn as it was said; a redacted one has lost its words."""

    turn: int
    role: str
    text: str
    name: str | None = None
    redacted: bool = False


class SourceTurns(Answer):
    """Turns of one conversation."""

    conversation_id: str
    first: int
    last: int
    readable: bool = True
    turns: tuple[SourceTurn, ...] = ()


class History(Answer):
    """What became of a memory: versions, the chain it is part of, evidence, dependants, audit."""

    memory: Memory
    versions: tuple[Memory, ...] = ()
    predecessors: tuple[Memory, ...] = ()
    successors: tuple[Memory, ...] = ()
    evidence: tuple[Memory, ...] = ()
    dependants: tuple[Memory, ...] = ()
    compared: tuple[Memory, ...] = ()
    source_turns: tuple[SourceTurns, ...] = ()
    audit: tuple[AuditEntry, ...] = ()


class Page(Answer):
    """A page of a list; only `next` of None ends it."""

    results: tuple[Memory, ...]
    next: str | None = None


class Parked(Answer):
    """A memory that projection has given up on, and why."""

    id: str
    reason: str


class Stats(Answer):
    """Counts over a user's newest memories; `waiting` changes are not projected yet."""

    examined: int
    complete: bool
    by_kind: dict[str, int]
    by_status: dict[str, int]
    reviews: dict[str, int] = Field(default_factory=dict)
    waiting: int
    waiting_more: bool
    parked: tuple[Parked, ...] = ()


class Me(Answer):
    """Who the credential is, and what the service is set up with."""

    tenant: str
    principal: str
    role: str
    users: tuple[str, ...]
    ceiling: str
    stage: str
    features: dict[str, str] = Field(default_factory=dict)
    limits: dict[str, int] = Field(default_factory=dict)


class Health(Answer):
    """Whether the service and what it depends on answer."""

    status: str
    stage: str
    dependencies: dict[str, str]
