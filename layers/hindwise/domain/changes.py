"""What one write does, as a list of actions that commit together or not at all.

A use case decides; the store adds to every action on a long-term memory its change row (so that the
projection can never miss one) and to every commit its audit rows. Each action carries the condition
under which it may happen; a commit whose condition no longer holds raises `Raced` and leaves
nothing behind.
"""

from datetime import datetime

from pydantic import AwareDatetime

from hindwise.domain.base import Model
from hindwise.domain.conversation import Chunk, Conversation
from hindwise.domain.fading_changes import Looked, Rewrite
from hindwise.domain.ids import millis_of
from hindwise.domain.jobs import Job
from hindwise.domain.memory import LongTermMemory, PairVerdict, WorkingMemory
from hindwise.domain.portable import PutVersion
from hindwise.domain.receipts import Forgetting
from hindwise.domain.scope import Origin
from hindwise.domain.sources import HoldSource


class Create(Model):
    """Store a new memory; its id must be free (a tombstone counts as taken)."""

    memory: LongTermMemory


class Replace(Model):
    """Put `after` in the place of `before`, which must still stand and is kept as a version."""

    before: LongTermMemory
    after: LongTermMemory


class Forget(Model):
    """Replace a memory by a permanent tombstone; versions, projection, edges, texts go with it.

    It must have been accessed `hits` times, and only its links to `told` go, where these are given.
    """

    memory: LongTermMemory
    at: AwareDatetime
    hits: int | None = None
    told: tuple[str, ...] | None = None


class Reproject(Model):
    """Write a change row for a memory that did not change itself, but whose projection must.

    The successor of an edited or forgotten turn is embedded together with it.
    """

    memory_id: str


class Claim(Model):
    """Let `key` (an exact text, an external id) stand for `memory_id`.

    It must be free, or `expected`'s, or past its `until`. `until` None never ends.
    """

    key: str
    memory_id: str
    expected: str | None = None
    until: AwareDatetime | None = None
    now: AwareDatetime


class Release(Model):
    """Free `key` if it stands for `memory_id`; otherwise nothing happens."""

    key: str
    memory_id: str


class Slot(Model):
    """Who holds a (subject, attribute, scene); `turn` counts how often the holder changed.

    `holder` None: held by nobody.
    """

    key: str
    holder: str | None
    event_time: AwareDatetime
    authority: Origin
    turn: int = 1


class Hold(Model):
    """Write a slot if it still is `expected` (same holder and turn).

    Or is absent where `expected` is None.
    """

    slot: Slot
    expected: Slot | None = None


class PutWorking(Model):
    """Write a task's scratch value, whatever was there; with `before`, only where that still is."""

    memory: WorkingMemory
    before: WorkingMemory | None = None


class DropWorking(Model):
    """Remove a task's scratch value, if it is there."""

    memory_id: str


class Edge(Model):
    """Link a source (a conversation's turns, an evidence) to what depends on it, both ways."""

    source: str
    kind: str
    dependant: str


class Request(Model):
    """The answer that stands for an idempotency key: ids and statuses, never content.

    `state` is `open` while a batch is being written, then `done`. `digest` is of the body.
    """

    tenant: str
    principal: str
    key_hash: str
    digest: str
    state: str
    answer: str
    first_seen: AwareDatetime
    expires: AwareDatetime


class PutConversation(Model):
    """Write a conversation that is absent, or still has `before.version`."""

    conversation: Conversation
    before: Conversation | None = None


class PutChunk(Model):
    """Say where messages are: new ones, or redacted ones that were still where `before` says."""

    chunk: Chunk
    before: Chunk | None = None


class PutJob(Model):
    """Write a job that is absent, or still has `before.version`."""

    job: Job
    before: Job | None = None


class UnderClaim(Model):
    """Let the commit happen only while `job_id` is running under this `token`.

    With a `PutJob` of the same job, its `before` must be what runs under the token.
    """

    job_id: str
    token: str


class PutOff(Model):
    """Count a memory that is still to be compared as waiting since `since`; it must wait still.

    Neither a version nor a change, as with `Settled`.
    """

    memory_id: str
    since: AwareDatetime


class Stands(Model):
    """Let the commit happen only while a long-term memory is there: it has not been forgotten."""

    memory_id: str


class PutVerdict(Model):
    """Store a pair's verdict; there must be none yet, or one of the basis of `before`."""

    pair: PairVerdict
    before: PairVerdict | None = None


class Settled(Model):
    """Note that version `version` of a memory has been compared with its neighbours.

    Neither a version nor a change: nothing that is shown or searched has changed.
    """

    memory: LongTermMemory


class Answered(Model):
    """Store a request row; it must be absent (or open, if it is `closing`)."""

    request: Request
    closing: bool = False


class AuditEntry(Model):
    """One row of a record's chain: who, what, when, and the keyed hash over it; no content."""

    id: str
    memory_id: str
    version: int
    actor: str
    origin: Origin
    decision: str
    rules: tuple[str, ...] = ()
    at: AwareDatetime
    previous: str
    digest: str


class Audited(Model):
    """Append an audit row."""

    entry: AuditEntry


Action = (
    Create
    | Replace
    | Rewrite
    | Looked
    | PutVersion
    | Reproject
    | Forget
    | Claim
    | Release
    | Hold
    | PutWorking
    | DropWorking
    | Edge
    | PutConversation
    | PutChunk
    | PutJob
    | UnderClaim
    | Stands
    | PutVerdict
    | Settled
    | PutOff
    | Forgetting
    | HoldSource
    | Answered
    | Audited
)


class Raced(Exception):
    """A commit's condition no longer held.

    `actions` are those that failed, in the order of the commit.
    """

    def __init__(self, actions: tuple[Action, ...]) -> None:
        super().__init__(", ".join(type(action).__name__ for action in actions))
        self.actions = actions

    def on(self, *kinds: type[Action]) -> bool:
        """Tell whether an action of one of these kinds was among the failed ones."""
        return any(isinstance(action, kinds) for action in self.actions)


class Change(Model):
    """A change row: memory `memory_id` was changed and not yet projected.

    `key` is its sort key in the table. `reason` says why the last attempt failed, without content;
    a `parked` one has been given up on.
    """

    key: str
    memory_id: str
    attempts: int = 0
    reason: str = ""
    parked: bool = False

    @property
    def written(self) -> int:
        """When it was written, in milliseconds since 1970: its key is `D#<ulid>#<memory id>`."""
        return millis_of(self.key.split("#")[1])


class Touch(Model):
    """A memory was returned to a caller `times` times, last at `at`."""

    memory_id: str
    times: int
    at: datetime
