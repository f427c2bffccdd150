"""What learning needs: conversations and jobs, queues, a reasoner, and a budget for it.

Conversations, chunks, jobs and verdicts are written through `MemoryStore.commit`, with everything
else that belongs to the same change; these ports only read them.
"""

from collections.abc import Sequence
from datetime import datetime
from enum import StrEnum
from typing import Literal, Protocol

from pydantic import Field, JsonValue

from hindwise.domain.base import Model
from hindwise.domain.conversation import Chunk, Conversation
from hindwise.domain.jobs import Job
from hindwise.domain.memory import PairVerdict
from hindwise.domain.scope import Scope


class Conversations(Protocol):
    """Conversations and where their messages are."""

    def get(
        self, scope: Scope, conversation_id: str, *, now: datetime | None = None
    ) -> Conversation | None:
        """Read a conversation.

        With `now`, to write at that moment: raises `fence.Behind` where that would be forgotten.
        """

    def page(self, scope: Scope, *, after: str | None, limit: int) -> list[Conversation]:
        """Read a scope's conversations, in an order of no meaning, those that follow `after`."""

    def chunks(
        self,
        scope: Scope,
        conversation_id: str,
        *,
        after: int = 0,
        limit: int | None = None,
        latest: bool = False,
    ) -> list[Chunk]:
        """Read where its messages are, in order: the chunks that begin after message `after`.

        At most `limit` of them, the first ones, or with `latest` the last ones.
        """


class Due(Model):
    """Something whose moment has come: a job to be sent again, or a conversation gone idle."""

    scope: Scope
    job_id: str | None = None
    conversation_id: str | None = None


class Jobs(Protocol):
    """Jobs, the answers their windows got, and what is due over all scopes."""

    def get(self, scope: Scope, job_id: str) -> Job | None:
        """Read a job."""

    def page(self, scope: Scope, *, after: str | None, limit: int) -> list[Job]:
        """Read a scope's jobs, newest id first, those before `after`."""

    def of_conversation(self, scope: Scope, conversation_id: str) -> list[Job]:
        """Read the jobs of a conversation, newest id first."""

    def due(self, bucket: int, *, now: datetime, limit: int) -> list[Due]:
        """Read what is due in one of the 16 buckets, the longest first."""

    def answer(self, scope: Scope, job_id: str, window: int) -> str | None:
        """Read what a reasoner answered for a window of a job."""

    def keep_answer(
        self, scope: Scope, job_id: str, window: int, answer: str, *, now: datetime
    ) -> str:
        """Store an answer unless there is one; returns the one that is stored (for 14 days)."""

    def drop_answer(self, scope: Scope, job_id: str, window: int) -> None:
        """Remove what a reasoner answered for a window of a job, if there is something."""

    def verdict(self, scope: Scope, one: str, other: str) -> PairVerdict | None:
        """Read what was decided between two memories, in whichever order they are named."""

    def unsettled(self, bucket: int, *, before: datetime, limit: int) -> list[tuple[Scope, str]]:
        """Read memories written before a moment that have not been compared, of one of 16 buckets.

        The longest waiting come first.
        """


class Ripe(Model):
    """A domain with enough new episodes to be looked at.

    `episodes` counts, roughly, the important ones since it was last consolidated
    (`considered_at`, None where it never was).
    """

    scope: Scope
    domain: str
    episodes: int
    considered_at: datetime | None = None


class Ripening(Protocol):
    """Which domains have new important episodes: a rough count each, so that nobody has to look.

    A domain without new ones is in no list, and costs nothing.
    """

    def note(self, scope: Scope, domain: str, episodes: int, *, now: datetime) -> None:
        """Count new episodes; those of `general` count in every domain of the scope."""

    def ripe(self, bucket: int, limit: int) -> list[Ripe]:
        """Read domains of one of the 16 buckets that have grown since they were looked at."""

    def passed(self, seen: Ripe) -> None:
        """Take a domain off the list until it grows again; not if it has grown meanwhile."""

    def considered(self, scope: Scope, domain: str, *, at: datetime) -> None:
        """Begin a domain's count anew: all that was there at that moment has been considered."""


class QueueName(StrEnum):
    """The queues that carry work; each has its dead letters."""

    EXTRACT = "extract"
    SETTLE = "settle"
    CONSOLIDATE = "consolidate"
    FORGET = "forget"
    FADE = "fade"
    REVIEW = "review"


class Depth(Model):
    """How much is in a queue, roughly, and its dead letters; None where it cannot be told."""

    name: str
    waiting: int | None = None
    delayed: int | None = None
    in_flight: int | None = None
    dead: int | None = None


class Letter(Model):
    """A message of a dead-letter queue: a pointer, and the receipt that lets go of it."""

    scope: Scope
    id: str
    receipt: str


class Queues(Protocol):
    """Carry pointers to work. Losing one only delays it: the sweep sends it again."""

    def send(self, name: QueueName, scope: Scope, ids: Sequence[str], *, delay: float = 0) -> None:
        """Send pointers, to arrive in `delay` (0..900) seconds; never raises."""

    def bury(self, name: QueueName, scope: Scope, pointed: str) -> None:
        """Put a pointer among the dead letters; never raises."""

    def depths(self) -> list[Depth]:
        """Tell how much is in each queue; raises `errors.Unavailable`."""

    def letters(self, name: QueueName, limit: int) -> list[Letter]:
        """Take up to `limit` (1..10) dead letters; undropped they come back in half a minute."""

    def drop(self, name: QueueName, letters: Sequence[Letter]) -> None:
        """Let go of dead letters."""


class Question(Model):
    """One call of a reasoner.

    `shape` names the JSON schema `schema_` that the answer should have. `seconds` bounds the wait.
    """

    shape: str
    system: str
    user: str
    schema_: dict[str, JsonValue] = Field(default_factory=dict)
    max_tokens: int = 2_000
    seconds: float = 60.0


class Reply(Model):
    """What a reasoner said, as it said it; `finish` tells why it stopped.

    `refused`, `filtered` and `empty` are no answers: their text is empty. It took `calls` requests:
    two where the model's host had first to be asked in a way that it does not know.
    """

    text: str
    finish: Literal["stop", "length", "refused", "filtered", "empty"] = "stop"
    input_tokens: int = 0
    output_tokens: int = 0
    calls: int = 1


class Reasoner(Protocol):
    """A language model. `id` names it."""

    id: str

    def ask(self, question: Question) -> Reply:
        """Ask once.

        Raises `errors.Unavailable` where it did not answer; `details["reason"]` is `rate_limited`,
        `timeout` or `unavailable`, `details["retry_after"]` is what the model's host asked for.
        Raises `errors.Misconfigured` where it never will (key, model).
        """


class Spent(Model):
    """What a tenant used of a reasoner on one day (UTC)."""

    calls: int = 0
    tokens: int = 0


class Budget(Protocol):
    """A tenant's daily allowance of calls and tokens, counted in UTC days."""

    def reserve(self, tenant: str, tokens: int, *, now: datetime) -> bool:
        """Set one call and so many tokens aside; False where the day's allowance is used up."""

    def settle(
        self, tenant: str, *, reserved: int, used: int, now: datetime, calls: int = 1
    ) -> None:
        """Replace what was set aside by the tokens and `calls` that were used; never raises."""

    def spent(self, tenant: str, *, now: datetime) -> Spent:
        """Tell what was used and set aside today."""
