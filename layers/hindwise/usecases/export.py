"""Everything of a scope, line by line: memories with their old versions, conversations with words.

Not a snapshot: what is changed while pages are read may be told as it was or as it is. What is
forgotten is in no line, what is hidden from a search is: superseded, quarantined, archived. Scratch
values are not, for they are over before anybody reads a file.
"""

import json
from collections.abc import Iterator
from hashlib import sha256
from typing import NamedTuple

from pydantic import JsonValue

from hindwise.domain.base import Model
from hindwise.domain.call import Call
from hindwise.domain.memory import LongTermMemory
from hindwise.domain.portable import (
    Fields,
    archive_fields,
    chunk_fields,
    conversation_fields,
    memory_fields,
)
from hindwise.domain.ports import BlobStore, MemoryStore
from hindwise.domain.supersession import slot_key
from hindwise.usecases.transcript import Transcript, packed

AT_ONCE = 50
"""Memories or conversations that are read at once."""
CHARS = 1_000_000
"""Characters of an answer, give or take its last line."""


class Exported(Model):
    """Lines of a file; `after` continues them, None where the scope ends."""

    lines: tuple[str, ...]
    after: str | None


class _At(NamedTuple):
    """A place in the order of lines: what was told last, and how far into it.

    `m`: the id of a memory, and the number of its old version, 0 for itself, its own number for its
    archive. `c`: the id of a conversation, and the first message of its chunk, 0 for itself.
    """

    part: str
    number: int
    id: str

    def __str__(self) -> str:
        return f"{self.part}:{self.number}:{self.id}"


_START, _TALKS = _At("m", 0, ""), _At("c", 0, "")


def exported(after: str | None, *, call: Call, store: MemoryStore, said: Transcript) -> Exported:
    """The lines that follow `after`, as many as an answer takes; raises Unavailable, Unreadable."""
    begin = _START
    if after is not None:
        part, number, word = after.split(":", 2)
        begin = _At(part, int(number), word)
    lines: list[str] = []
    chars = 0
    for place, fields in _told(begin, call=call, store=store, said=said):
        lines.append(json.dumps(fields, ensure_ascii=False, separators=(",", ":")))
        chars += len(lines[-1])
        if chars >= CHARS:
            return Exported(lines=tuple(lines), after=str(place))
    return Exported(lines=tuple(lines), after=None)


def _told(
    begin: _At, *, call: Call, store: MemoryStore, said: Transcript
) -> Iterator[tuple[_At, Fields]]:
    if begin.part == "m":
        yield from _memories(begin, call=call, store=store, blobs=said.blobs)
        begin = _TALKS
    yield from _conversations(begin, call=call, said=said)


def _memories(
    begin: _At, *, call: Call, store: MemoryStore, blobs: BlobStore
) -> Iterator[tuple[_At, Fields]]:
    if begin.id:
        for found in store.get(call.scope, [begin.id]).values():
            if isinstance(found, LongTermMemory):
                yield from _versions(found, begin.number, call=call, store=store)
                yield from _archived(found, begin.number, call=call, blobs=blobs)
    after = begin.id or None
    while True:
        page = store.page(call.scope, after=after, examine=AT_ONCE)
        for memory in page.memories:
            holds = _holds(memory, call=call, store=store)
            yield _At("m", 0, memory.id), memory_fields(memory, holds=holds)
            yield from _versions(memory, 0, call=call, store=store)
            yield from _archived(memory, 0, call=call, blobs=blobs)
        if page.after is None:
            return
        after = page.after


def _versions(
    memory: LongTermMemory, done: int, *, call: Call, store: MemoryStore
) -> Iterator[tuple[_At, Fields]]:
    """The old versions after number `done`."""
    if memory.version > max(1, done + 1):
        for one in store.versions(call.scope, memory.id):
            if one.version > done:
                yield _At("m", one.version, memory.id), memory_fields(one, line="version")


def _archived(
    memory: LongTermMemory, done: int, *, call: Call, blobs: BlobStore
) -> Iterator[tuple[_At, Fields]]:
    """The object of an archived memory; one that is missing or damaged is left out."""
    if memory.archive is not None and done < memory.version:
        data = blobs.get(call.scope, memory.archive.name)
        if data is not None and sha256(data).hexdigest() == memory.archive.digest:
            place = _At("m", memory.version, memory.id)
            yield place, archive_fields(memory.id, memory.archive, data)


def _holds(memory: LongTermMemory, *, call: Call, store: MemoryStore) -> bool:
    key = slot_key(memory)
    slot = None if key is None else store.slot(call.scope, key)
    return slot is not None and slot.holder == memory.id


def _conversations(begin: _At, *, call: Call, said: Transcript) -> Iterator[tuple[_At, Fields]]:
    read = said.conversations
    if begin.id and (found := read.get(call.scope, begin.id)) is not None:
        yield from _chunks(found.id, begin.number, call=call, said=said)
    after = begin.id or None
    while page := read.page(call.scope, after=after, limit=AT_ONCE):
        for one in page:
            yield _At("c", 0, one.id), conversation_fields(one)
            yield from _chunks(one.id, 0, call=call, said=said)
        after = page[-1].id


def _chunks(
    conversation_id: str, done: int, *, call: Call, said: Transcript
) -> Iterator[tuple[_At, Fields]]:
    """The messages after those of the chunk that begins with message `done`."""
    talk = said.conversations.get(call.scope, conversation_id)
    while talk is not None:
        found = said.conversations.chunks(call.scope, conversation_id, after=done, limit=AT_ONCE)
        if not found:
            return
        for chunk in found:
            words: list[JsonValue] = json.loads(packed(said.messages_of(call.scope, chunk)))
            fields = chunk_fields(chunk, words, conversation=talk)
            yield _At("c", chunk.first, conversation_id), fields
        done = found[-1].first
