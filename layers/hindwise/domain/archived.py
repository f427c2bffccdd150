"""A memory in the cold: what is packed into its object, and the stub that stands for it meanwhile.

The stub has no content; it keeps what leads to others (evidence, chain, turns), what filters and
counts go by, and the digest of the object. The object's name holds the beginning of that digest, so
that two who archive the same memory never write over each other.
"""

import gzip
import zlib
from datetime import datetime
from hashlib import sha256
from typing import Literal

from pydantic import JsonValue, TypeAdapter, ValidationError

from hindwise.domain.base import Model
from hindwise.domain.ids import key_hash
from hindwise.domain.memory import (
    MEMORY,
    Archived,
    Episode,
    LongTermMemory,
    SemanticMemory,
    Status,
    WorkingMemory,
)
from hindwise.domain.query import Filter

Why = Literal["unimportant", "done", "cold"]
FOLDER = "archive/"
_BARE = (
    "content", "entities", "tags", "metadata", "external_id", "change_reason", "claims", "scene",
    "summary", "speaker", "event_type", "tool_results", "alternatives", "expected_outcome",
    "subject", "attribute", "value", "policy", "agent_id",
)  # fmt: skip
"""What a stub has no more."""
_WORDS = frozenset((*_BARE, "names"))


class Packed(Model):
    """An object as it is stored: its name, its bytes, and their digest (sha256, 64 hex digits)."""

    name: str
    data: bytes
    digest: str


class Unpacked(Model):
    """What an object holds: the record as it was, and its old versions, oldest first."""

    memory: LongTermMemory
    versions: tuple[LongTermMemory, ...] = ()


class _Form(Model):
    """The JSON of an object."""

    format: Literal[1] = 1
    packed_for: str
    memory: dict[str, JsonValue]
    versions: tuple[dict[str, JsonValue], ...] = ()


_FORM: TypeAdapter[_Form] = TypeAdapter(_Form)


def folder_of(memory_id: str) -> str:
    """What the names of all objects of a memory begin with."""
    return f"{FOLDER}{memory_id}/"


def object_key(memory_id: str) -> str:
    """The key that stands for a memory once an object of it may lie in the archive."""
    return key_hash("archive", memory_id)


def packed(memory: LongTermMemory, versions: tuple[LongTermMemory, ...]) -> Packed:
    """The object of a memory: the same memory gives the same bytes."""
    form = _Form(
        packed_for=memory.id,
        memory=memory.model_dump(mode="json"),
        versions=tuple(one.model_dump(mode="json") for one in versions),
    )
    data = gzip.compress(form.model_dump_json().encode(), mtime=0)
    digest = sha256(data).hexdigest()
    name = f"{folder_of(memory.id)}{memory.version:08d}-{digest[:16]}.json.gz"
    return Packed(name=name, data=data, digest=digest)


def unpacked(data: bytes, archived: Archived, memory_id: str) -> Unpacked | None:
    """What an object holds; None where it is not what was stored for this memory."""
    if sha256(data).hexdigest() != archived.digest:
        return None
    try:
        form = _FORM.validate_json(gzip.decompress(data))
        memory, *versions = (MEMORY.validate_python(one) for one in (form.memory, *form.versions))
    except (ValidationError, OSError, EOFError, zlib.error):
        return None
    if form.packed_for != memory_id or isinstance(memory, WorkingMemory):
        return None
    kept = tuple(one for one in versions if not isinstance(one, WorkingMemory))
    return Unpacked(memory=memory, versions=kept)


def stub_of(memory: LongTermMemory, packed: Packed, why: Why, *, at: datetime) -> LongTermMemory:
    """What stays of an archived memory: the next version, without content."""
    fields = type(memory).model_fields
    bare = {name: fields[name].get_default(call_default_factory=True) for name in _BARE
            if name in fields and name != "content"}  # fmt: skip
    archived = Archived(
        name=packed.name,
        digest=packed.digest,
        size=len(packed.data),
        status=memory.status,
        why=why,
        at=at,
    )
    bare |= {"content": "", "status": Status.ARCHIVED, "archive": archived, "updated_at": at}
    if isinstance(memory, Episode | SemanticMemory) and memory.outcome is not None:
        bare["outcome"] = memory.outcome.model_copy(update={"note": None})
    source = memory.source
    if source is not None:
        bare["source"] = source.model_copy(update={"document": None, "author": None})
    return memory.model_copy(update={**bare, "version": memory.version + 1})


def asks_for_words(wanted: Filter) -> bool:
    """Tell whether a filter looks at what a stub has no more."""
    fields = (one.field for one in (*wanted.all_of, *wanted.none_of))
    return any(one.partition(".")[0] in _WORDS for one in fields)


def worded(stub: LongTermMemory, held: Unpacked) -> LongTermMemory:
    """A stub with what it has no more, in all else as it is."""
    names = _WORDS.intersection(type(stub).model_fields)
    return stub.model_copy(update={name: getattr(held.memory, name) for name in names})


def restored(held: Unpacked, stub: LongTermMemory, *, at: datetime) -> LongTermMemory:
    """The memory as it was, as the next version after its stub.

    What was counted and what was told to the stub meanwhile (its audit) goes on. Its time in the
    cold begins anew, or it would be archived again the next night.
    """
    return held.memory.model_copy(
        update={
            "version": stub.version + 1,
            "updated_at": at,
            "restored_at": at,
            "audit_head": stub.audit_head,
            "access_count": stub.access_count,
            "last_access_at": stub.last_access_at,
        }
    )
