"""What a scope looks like in a file: a line of JSON for each thing that is kept, in one fixed form.

The same memory always gives the same line, so that an export of what was imported is the export
itself. Left out is what only makes sense where it was sealed or counted: audit chains, jobs, slots
and links, which follow from the rest. A line has the fields of what it holds beside `line`, its
kind, so that metadata lies no deeper than where it was written.
"""

from base64 import b64encode
from collections.abc import Sequence
from typing import Literal

from pydantic import JsonValue

from hindwise.domain.base import Model
from hindwise.domain.conversation import Chunk, Conversation
from hindwise.domain.memory import Archived, LongTermMemory

FORMAT, FORMAT_VERSION = "hindwise-export", 1
"""What the first line of a file says, which the one who writes the file adds."""
Line = Literal["memory", "version", "archive", "conversation", "chunk"]
Fields = dict[str, JsonValue]


def memory_fields(memory: LongTermMemory, *, line: Line = "memory", holds: bool = False) -> Fields:
    """The line of a memory or of an old version; `holds` says that it is the value of its slot."""
    told: Fields = memory.model_dump(mode="json", exclude={"audit_head"}, exclude_defaults=True)
    told |= {"kind": memory.kind.value, "origin": memory.origin.label}
    slot: Fields = {"holds_slot": True} if holds else {}
    return {"line": line, **told, **slot}


def archive_fields(memory_id: str, archived: Archived, data: bytes) -> Fields:
    """The line of the object that an archived memory is in."""
    told: Fields = {"name": archived.name, "digest": archived.digest}
    return {"line": "archive", "id": memory_id, **told, "data": b64encode(data).decode()}


def conversation_fields(conversation: Conversation) -> Fields:
    """The line of what is known of a conversation; of its sender only name and ceiling."""
    left_out = {"audit_head", "last_job", "sender"}
    told: Fields = conversation.model_dump(mode="json", exclude=left_out, exclude_defaults=True)
    sender = conversation.sender
    who: Fields = {"name": sender.name, "ceiling": sender.ceiling.label}
    return {"line": "conversation", **told, "sender": who}


def chunk_fields(
    chunk: Chunk, messages: Sequence[JsonValue], *, conversation: Conversation
) -> Fields:
    """The line of some messages of a conversation, which is told from others of its id by `of`."""
    return {
        "line": "chunk",
        "conversation_id": chunk.conversation_id,
        "of": conversation.created_at.isoformat(),
        "first": chunk.first,
        "first_turn": chunk.first_turn,
        "at": chunk.at.isoformat(),
        "principal": chunk.principal,
        "ceiling": chunk.ceiling.label,
        "marks": [*chunk.marks],
        "messages": [*messages],
    }


class PutVersion(Model):
    """Keep an old version that comes from elsewhere; there must be none of its number."""

    memory: LongTermMemory
