"""A conversation as it was sent: its messages word for word, and what is known of it as a whole.

The messages lie outside the table, in chunks that are written once; the table holds where they are
and their digest. A *turn* is a message in which something was said aloud: what a system or
developer message says, and messages without words, are kept but have no place among the turns.
"""

from datetime import timedelta
from enum import StrEnum

from pydantic import AwareDatetime, Field, JsonValue

from hindwise.domain.base import Model
from hindwise.domain.ids import derived_id, key_hash
from hindwise.domain.memory import Word
from hindwise.domain.scope import Origin, Principal, Scope


class SpeakerRole(StrEnum):
    """Who speaks in a message."""

    USER = "user"
    ASSISTANT = "assistant"
    TOOL = "tool"
    SYSTEM = "system"
    DEVELOPER = "developer"


SPOKEN = frozenset({SpeakerRole.USER, SpeakerRole.ASSISTANT, SpeakerRole.TOOL})
ORIGINS = {
    SpeakerRole.USER: Origin.OWNER,
    SpeakerRole.ASSISTANT: Origin.AGENT,
    SpeakerRole.TOOL: Origin.TOOL,
}
"""Whose word a turn is; a credential's ceiling lowers it."""


class Message(Model):
    """One message; `number` counts all of a conversation from 1, `turn` those that speak.

    `at` is when it was said, None where the caller did not say; `received` when it came, each of a
    chunk a millisecond after the one before. `origin` is whose word it is, `principal` who sent
    it. `extra` is what else it carried (tool calls, pictures), kept and never read. A redacted one
    has lost its text, its name and its extra.
    """

    number: int
    role: SpeakerRole
    text: str = ""
    name: str | None = None
    at: AwareDatetime | None = None
    turn: int | None = None
    redacted: bool = False
    extra: dict[str, JsonValue] = Field(default_factory=dict)
    origin: Origin = Origin.UNKNOWN
    principal: str = ""
    received: AwareDatetime | None = None


class Chunk(Model):
    """One object of messages: `first..first+count-1`, of which `turns` speak, from `first_turn` on.

    `blob` names it in the blob store, `digest` is the sha256 of its bytes. `marks` has what
    `mark` makes of each message, by which one that is sent again is known. `principal` sent it at
    `at`, and no word in it counts for more than `ceiling`. `replaced` are blobs that held words
    that have been taken out since.
    """

    conversation_id: str
    first: int
    count: int
    first_turn: int
    turns: int
    blob: str
    digest: str
    at: AwareDatetime
    marks: tuple[str, ...] = ()
    principal: str = ""
    ceiling: Origin = Origin.OWNER
    replaced: tuple[str, ...] = ()

    @property
    def last(self) -> int:
        """The number of its last message."""
        return self.first + self.count - 1

    @property
    def last_turn(self) -> int:
        """The last turn in it; the one before `first_turn` where nobody speaks."""
        return self.first_turn + self.turns - 1

    def dressed(self, message: Message) -> Message:
        """A message of this chunk, whose numbers count from 1, with all that the chunk says."""
        said = {
            "number": self.first - 1 + message.number,
            "turn": None if message.turn is None else self.first_turn - 1 + message.turn,
            "origin": min(ORIGINS.get(message.role, Origin.UNKNOWN), self.ceiling),
            "principal": self.principal,
            "received": self.at + timedelta(milliseconds=message.number - 1),
        }
        return message.model_copy(update=said)


def mark(message: Message) -> str:
    """What two messages share that say the same: 16 hex digits over role, name, text and time.

    With a `-` before them for a message that is no turn.
    """
    at = "" if message.at is None else str(message.at.timestamp())
    digits = key_hash(message.role.value, message.name or "", message.text, at)[:16]
    return digits if message.turn is not None else f"-{digits}"


def turn_id(scope: Scope, conversation_id: str, message: Message) -> str:
    """The id of the episode that a turn becomes: the same whenever and by whomever it is made.

    Raises ValueError for a message that was not read from a chunk, or is no turn.
    """
    if message.received is None or message.turn is None:
        raise ValueError("only a turn of a chunk has an id")
    parts = ("turn", scope.tenant, scope.user, conversation_id, str(message.turn))
    return derived_id(message.received, *parts)


class Conversation(Model):
    """What is known of a conversation as a whole; one has one id, which is also its session's.

    `messages` and `turns` count what has come, `queued` is the last turn that a job covers. Turns
    that wait for more are extracted at `idle_at` if no more come. `sender` is who sent the last.
    An `intent` that is `read` was made of the turns by a model. From one that is `withheld` nothing
    is learnt: it was quarantined as a source. `version` grows by one a change.
    """

    id: Word
    agent_id: str | None = None
    task_id: str | None = None
    domain: str = "general"
    scene: str | None = None
    intent: str | None = None
    read: bool = False
    participants: tuple[str, ...] = ()
    metadata: dict[str, JsonValue] = Field(default_factory=dict)
    infer: bool = True
    sender: Principal
    messages: int = 0
    turns: int = 0
    queued: int = 0
    ended: bool = False
    last_job: str | None = None
    idle_at: AwareDatetime | None = None
    withheld: bool = False
    created_at: AwareDatetime
    updated_at: AwareDatetime
    version: int = 1
    audit_head: str = ""
