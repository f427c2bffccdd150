"""A conversation as it was sent: its messages word for word, and what is known of it as a whole.

The messages lie outside the table, in chunks that are written once; the table holds where they are
and their digest. A *turn* is a message in which something was said aloud: what a system or
developer message says, and messages without words, are kept but have no place among the turns.
"""

from enum import StrEnum

from pydantic import AwareDatetime, Field, JsonValue

from hindwise.domain.base import Model
from hindwise.domain.memory import Word
from hindwise.domain.scope import Origin


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

    `at` is when it was said, None where the caller did not say. A redacted one has lost its text.
    """

    number: int
    role: SpeakerRole
    text: str = ""
    name: str | None = None
    at: AwareDatetime | None = None
    turn: int | None = None
    redacted: bool = False


class Chunk(Model):
    """One object of messages: `first..first+count-1`, of which `turns` speak, from `first_turn` on.

    `blob` names it in the blob store, `digest` is the sha256 of its bytes.
    """

    conversation_id: str
    first: int
    count: int
    first_turn: int
    turns: int
    blob: str
    digest: str
    at: AwareDatetime


class Conversation(Model):
    """What is known of a conversation as a whole; one has one id, which is also its session's.

    `messages` and `turns` count what has come, `queued` is the last turn that a job covers. Turns
    that wait for more are extracted at `idle_at` if no more come. `version` grows by one a change.
    """

    id: Word
    agent_id: str | None = None
    task_id: str | None = None
    domain: str = "general"
    scene: str | None = None
    intent: str | None = None
    participants: tuple[str, ...] = ()
    metadata: dict[str, JsonValue] = Field(default_factory=dict)
    infer: bool = True
    principal: str = ""
    messages: int = 0
    turns: int = 0
    queued: int = 0
    ended: bool = False
    last_job: str | None = None
    idle_at: AwareDatetime | None = None
    created_at: AwareDatetime
    updated_at: AwareDatetime
    version: int = 1
