"""Work that is done after the answer: what it is about, how far it is, and what came of it.

A job is its own outbox: it is written in the transaction that makes the work, with the moment at
which it must be looked at again (`next_at`). Messages only make it quicker. Nothing in it is
content.
"""

from enum import StrEnum

from pydantic import AwareDatetime, Field, JsonValue

from hindwise.domain.base import Model
from hindwise.domain.scope import Principal
from hindwise.domain.sources import SourceOrder


class JobKind(StrEnum):
    """What is to be done."""

    EXTRACT = "extract"
    CONSOLIDATE = "consolidate"
    QUARANTINE = "quarantine"


class JobState(StrEnum):
    """How far a job is; `partial` means that some of what the model said could not be used."""

    ACCEPTED = "accepted"
    RUNNING = "running"
    SUCCEEDED = "succeeded"
    SUCCEEDED_EMPTY = "succeeded_empty"
    PARTIAL = "partial"
    FAILED = "failed"
    QUARANTINED = "quarantined"
    DISMISSED = "dismissed"


OPEN = frozenset({JobState.ACCEPTED, JobState.RUNNING})
RETRIABLE = frozenset({JobState.FAILED, JobState.QUARANTINED, JobState.DISMISSED})


class Counts(Model):
    """What a job did so far.

    `refused` counts what the model offered and was not taken, by reason; `held` waits for a person.
    """

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


class Job(Model):
    """One piece of work for one scope.

    Whoever works on it holds `token` until `claimed_until`. `broken` counts deliveries whose reply
    could not be used, `waits` those where a dependency was down or slow, `lost` claims that ended
    without a word. `reason` is a word or two, never content. An extraction covers the turns
    `first_turn..last_turn` of a conversation and goes on at `next_turn`; `round` counts how often
    it was begun anew. A consolidation is of a `domain`, a quarantine of a `source`.
    """

    id: str
    kind: JobKind
    state: JobState = JobState.ACCEPTED
    principal: Principal
    reason: str = ""
    conversation_id: str | None = None
    first_turn: int = 0
    last_turn: int = 0
    next_turn: int = 0
    round: int = 0
    infer: bool = True
    domain: str | None = None
    min_episodes: int = 5
    force: bool = False
    source: SourceOrder | None = None
    broken: int = 0
    waits: int = 0
    lost: int = 0
    token: str = ""
    claimed_until: AwareDatetime | None = None
    next_at: AwareDatetime | None = None
    counts: Counts = Counts()
    result: dict[str, JsonValue] = Field(default_factory=dict)
    created_at: AwareDatetime
    updated_at: AwareDatetime
    version: int = 1

    @property
    def open(self) -> bool:
        """Tell whether there is still something to do."""
        return self.state in OPEN
