"""Read what was said in a conversation, word for word, and take words out of it for good.

Messages lie in chunks that are written once. What is read back must have the digest that the table
knows. To redact is to write another chunk in the place of one, and then to remove the old one.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256

from pydantic import TypeAdapter, ValidationError

from hindwise.domain.base import Model
from hindwise.domain.changes import PutChunk, PutConversation, Raced
from hindwise.domain.conversation import Chunk, Message
from hindwise.domain.ids import key_hash
from hindwise.domain.ports import BlobStore, Conversations
from hindwise.domain.recalled import own_words
from hindwise.domain.scope import Scope
from hindwise.errors import Unreadable
from hindwise.usecases.ledger import Ledger
from hindwise.usecases.winning import until_won

AT_ONCE = 64
"""Chunks that are looked at first, from the end, for a run of turns."""
_FORM = TypeAdapter(tuple[Message, ...])
_CHUNKS = {"origin", "principal", "received"}


class Said(Model):
    """Some messages in order; `after` continues them, None where the conversation ends."""

    messages: tuple[Message, ...]
    after: str | None


@dataclass(frozen=True)
class Transcript:
    """What was said in conversations."""

    conversations: Conversations
    blobs: BlobStore

    def turns(self, scope: Scope, conversation_id: str, first: int, last: int) -> list[Message]:
        """Read the turns `first..last` that there are, in order, with the text as it was sent.

        Raises Unreadable where a chunk is gone or is not what was stored.
        """
        chunks = self.holding(scope, conversation_id, first, last)
        said = (message for chunk in chunks for message in self.messages_of(scope, chunk))
        return [one for one in said if one.turn is not None and first <= one.turn <= last]

    def holding(self, scope: Scope, conversation_id: str, first: int, last: int) -> list[Chunk]:
        """Read which chunks the turns `first..last` are in, in order."""
        limit = AT_ONCE
        while True:
            found = self.conversations.chunks(scope, conversation_id, limit=limit, latest=True)
            if len(found) < limit or found[0].first_turn <= first:
                break
            limit *= 4
        return [one for one in found if one.first_turn <= last and one.last_turn >= first]

    def page(
        self, scope: Scope, conversation_id: str, *, after: str | None = None, limit: int
    ) -> Said:
        """Read up to `limit` messages of every role, in order; raises Unreadable like `turns`."""
        begin, number = map(int, after.split(".")) if after else (0, 0)
        found: list[Message] = []
        for chunk in self._from(scope, conversation_id, begin):
            said = [one for one in self.messages_of(scope, chunk) if one.number > number]
            found += said
            if len(found) > limit:
                kept = found[:limit]
                return Said(messages=tuple(kept), after=f"{chunk.first - 1}.{kept[-1].number}")
        return Said(messages=tuple(found), after=None)

    def _from(self, scope: Scope, conversation_id: str, begin: int) -> Iterator[Chunk]:
        """The chunks that begin after message `begin`, in order."""
        read = self.conversations.chunks
        while found := read(scope, conversation_id, after=begin, limit=AT_ONCE):
            yield from found
            begin = found[-1].first

    def messages_of(self, scope: Scope, chunk: Chunk) -> tuple[Message, ...]:
        """Read the messages of a chunk, which may just have been redacted; raises Unreadable."""
        data = self.blobs.get(scope, chunk.blob)
        if data is None:
            before = chunk.first - 1
            now = self.conversations.chunks(scope, chunk.conversation_id, after=before, limit=1)
            if now and now[0].first == chunk.first and now[0].blob != chunk.blob:
                return self.messages_of(scope, now[0])
        if data is None or sha256(data).hexdigest() != chunk.digest:
            wrong = "is gone" if data is None else "is not what was stored"
            raise Unreadable(f"a part of a conversation {wrong}: {chunk.blob}")
        try:
            messages = _FORM.validate_json(data)
        except ValidationError:  # which would tell what was said
            problem = f"a part of a conversation does not read as one: {chunk.blob}"
            raise Unreadable(problem) from None
        return tuple(map(chunk.dressed, messages))


def packed(messages: Sequence[Message]) -> bytes:
    """Messages as the bytes of a chunk, without what the chunk itself says of them.

    Numbers count from 1: whoever finds that others came first has nothing to write anew.
    """
    turns = [one.turn for one in messages if one.turn is not None]
    bare = []
    for number, one in enumerate(messages, 1):
        said = one.model_dump(mode="json", exclude_defaults=True, exclude=_CHUNKS)
        turn = {} if one.turn is None else {"turn": one.turn - turns[0] + 1}
        bare.append({**said, "number": number, **turn})
    return json.dumps(bare, ensure_ascii=False).encode()


def blob_name(conversation_id: str, unique: str) -> str:
    """A name for a chunk of a conversation; none is ever used twice."""
    return f"conversations/{key_hash(conversation_id)}/{unique}.json"


def heard(message: Message) -> str:
    """What may be learnt from a message: its text without what was recalled from memory."""
    return own_words(message)


def redact(
    conversation_id: str, first: int, last: int, *, ledger: Ledger, said: Transcript
) -> None:
    """Take the words of the turns `first..last` out of a conversation for good.

    Their roles, times and places stay; an intent that a model read out of the turns goes along.
    Doing it again changes nothing, but removes what a first try may have left behind. Raises
    Unavailable and Unreadable; then some may have their words yet.
    """

    def attempt(ledger: Ledger) -> None:
        for chunk in said.holding(ledger.call.scope, conversation_id, first, last):
            _redact(chunk, first, last, ledger=ledger, said=said)
        _unread(conversation_id, ledger=ledger, said=said)

    until_won(attempt, "this conversation", ledger=ledger)


def _unread(conversation_id: str, *, ledger: Ledger, said: Transcript) -> None:
    """Take out of a conversation's head what a model made of its turns."""
    before = said.conversations.get(ledger.call.scope, conversation_id)
    if before is not None and before.read:
        less = {"intent": None, "read": False, "version": before.version + 1}
        put = PutConversation(conversation=before.model_copy(update=less), before=before)
        ledger.store.commit(ledger.call.scope, [put])


def _redact(chunk: Chunk, first: int, last: int, *, ledger: Ledger, said: Transcript) -> None:
    scope = ledger.call.scope
    before = said.messages_of(scope, chunk)
    after = tuple(
        one if one.turn is None or not first <= one.turn <= last else silenced(one)
        for one in before
    )
    if after != before:
        data = packed(after)
        unique = ledger.tools.new_id(ledger.call.now)
        blob = blob_name(chunk.conversation_id, unique)
        said.blobs.put(scope, blob, data)
        replaced = (*chunk.replaced, chunk.blob)
        changes = {"blob": blob, "digest": sha256(data).hexdigest(), "replaced": replaced}
        now = chunk.model_copy(update=changes)
        try:
            ledger.store.commit(scope, [PutChunk(chunk=now, before=chunk)])
        except Raced:
            said.blobs.delete(scope, blob)
            raise
        chunk = now
    for gone in chunk.replaced:
        said.blobs.delete(scope, gone)


def silenced(message: Message) -> Message:
    """The message without its words."""
    gone: dict[str, object] = {"text": "", "name": None, "extra": {}, "redacted": True}
    return message.model_copy(update=gone)
