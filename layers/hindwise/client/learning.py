"""The API's answers about conversations, jobs, queues and patterns; see `answers`."""

from typing import Literal

from pydantic import AwareDatetime, Field

from hindwise.client.answers import Admission, Answer, JsonObject, Memory, Problem

ENDED = frozenset({"succeeded", "succeeded_empty", "partial", "failed", "quarantined", "dismissed"})
"""States in which nothing more happens to a job by itself."""
type State = Literal[
    "accepted",
    "running",
    "succeeded",
    "succeeded_empty",
    "partial",
    "failed",
    "quarantined",
    "dismissed",
]


class Taken(Answer):
    """What became of messages that were sent; `added` of them were new.

    `verbatim` tells why turns are only kept as they are; None where facts are learnt.
    """

    conversation_id: str
    job_id: str | None = None
    state: State | None = None
    added: int
    messages: int
    turns: int
    waiting: int = 0
    verbatim: str | None = None
    admission: Admission | None = None


class Said(Answer):
    """A message of a conversation and what was learnt from it.

    `turn` is its place among the turns, None where nobody speaks.
    """

    number: int
    turn: int | None = None
    role: str
    name: str | None = None
    content: str
    at: AwareDatetime | None = None
    origin: str
    redacted: bool = False
    episode_id: str | None = None
    learnt: tuple[Memory, ...] = ()


class Conversation(Answer):
    """A page of a conversation; only `next` of None ends it."""

    id: str
    message_count: int
    turn_count: int
    waiting: int = 0
    job_id: str | None = None
    messages: tuple[Said, ...]
    next: str | None = None


class Counts(Answer):
    """What a job did so far."""

    windows: int = 0
    turns: int = 0
    created: int = 0
    duplicates: int = 0
    superseded: int = 0
    contested: int = 0
    held: int = 0
    refused: dict[str, int] = Field(default_factory=dict)
    llm_calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0


class Job(Answer):
    """Work that is done after the answer; `reason` says why it waits or has failed."""

    id: str
    kind: str
    state: State
    reason: str = ""
    conversation_id: str | None = None
    first_turn: int = 0
    last_turn: int = 0
    next_turn: int = 0
    infer: bool = True
    next_at: AwareDatetime | None = None
    counts: Counts = Counts()
    result: JsonObject = Field(default_factory=dict)
    created_at: AwareDatetime
    updated_at: AwareDatetime

    @property
    def ended(self) -> bool:
        """Tell whether nothing more happens to it by itself."""
        return self.state in ENDED


class Jobs(Answer):
    """A page of jobs, newest first; only `next` of None ends it."""

    results: tuple[Job, ...]
    next: str | None = None


class Depth(Answer):
    """How much is in a queue, roughly."""

    name: str
    waiting: int | None = None
    delayed: int | None = None
    in_flight: int | None = None
    dead: int | None = None


class Queues(Answer):
    """How much is in each queue."""

    queues: tuple[Depth, ...]


class Redriven(Answer):
    """How many dead letters of a queue were sent again."""

    name: str
    sent: int


class Pattern(Memory):
    """A pattern and the ids of the episodes that it rests on."""

    evidence_ids: tuple[str, ...] = ()


class Offered(Answer):
    """A pattern that would be stored."""

    content: str
    evidence_ids: tuple[str, ...]


class Consolidated(Answer):
    """What came of a consolidation; with `job_id` it goes on.

    `refused` counts what was found and not taken, by reason; `weakened` are the ids of older
    patterns that are contradicted; `preview` is what a dry run would have stored.
    """

    status: Literal["created", "partial", "skipped", "accepted"]
    reason: str = ""
    domain: str
    method: str
    patterns: tuple[Pattern, ...] = ()
    weakened: tuple[str, ...] = ()
    refused: dict[str, int] = Field(default_factory=dict)
    source_count: int = 0
    llm_calls: int = 0
    tokens: int = 0
    preview: tuple[Offered, ...] = ()
    job_id: str | None = None


class Exported(Answer):
    """Lines of a file, each a JSON object; `next` continues them."""

    lines: tuple[str, ...]
    next: str | None = None


class Took(Answer):
    """What became of a line: `created`, `known` already, `forgotten` for good, or `failed`."""

    index: int
    status: Literal["created", "known", "forgotten", "failed"]
    error: Problem | None = None


class Imported(Answer):
    """What became of each line."""

    results: tuple[Took, ...]
