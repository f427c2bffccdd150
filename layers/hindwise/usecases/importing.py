"""Take the lines of an export into a scope: each on its own, once, as it was.

Ids stay, so that links hold and a second import finds everything there. What was forgotten in this
scope stays forgotten: its tombstone has the id, or it lies behind the fence. Words and versions are
taken in only under what they belong to. Nobody's word counts for more than the importer's ceiling.
"""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from hashlib import sha256

from hindwise.domain.audit import conversation_audited
from hindwise.domain.base import Model
from hindwise.domain.changes import (
    Action,
    Claim,
    Create,
    Hold,
    PutChunk,
    PutConversation,
    Raced,
    Slot,
    Stands,
)
from hindwise.domain.conversation import Chunk, Conversation, Message
from hindwise.domain.fence import before, hidden
from hindwise.domain.memory import Archived, Episode, LongTermMemory
from hindwise.domain.portable import PutVersion
from hindwise.domain.ports import BlobStore
from hindwise.domain.repeats import text_key
from hindwise.domain.scope import Origin
from hindwise.domain.supersession import slot_key
from hindwise.domain.yielding import beside_others
from hindwise.errors import Conflict, Forbidden
from hindwise.usecases.holding import edges_of
from hindwise.usecases.ledger import Ledger
from hindwise.usecases.placing import claim, entrance, replacements, stands
from hindwise.usecases.transcript import Transcript, blob_name, packed
from hindwise.usecases.winning import until_won


class Took(StrEnum):
    """What became of a line."""

    CREATED = "created"
    KNOWN = "known"
    FORGOTTEN = "forgotten"


class Words(Model):
    """Messages of a conversation; `chunk` says where, its digest and its blob are yet to be made.

    `of` is when the conversation was begun that they belong to.
    """

    chunk: Chunk
    of: str
    messages: tuple[Message, ...]


class Object(Model):
    """What an archived memory is in; `origin` is the highest of what is inside."""

    memory_id: str
    archive: Archived
    data: bytes
    origin: Origin


@dataclass(frozen=True)
class Held:
    """A memory as it is to be taken in, and whether it is the value of its slot."""

    memory: LongTermMemory
    holds: bool = False


def take_memory(held: Held, *, ledger: Ledger, fence: datetime | None) -> Took:
    """Take in a memory; raises Unavailable where races do not end."""
    scope, memory = ledger.call.scope, _lowered(held.memory, ledger)
    if hidden(memory.id, fence):
        return Took.FORGOTTEN
    if isinstance(memory, Episode) and memory.session_id is not None and memory.seq is not None:
        ledger.store.take_seq(scope, memory.session_id, memory.seq)

    def attempt(ledger: Ledger) -> Took:
        if ledger.read(memory.id) is not None:
            return Took.KNOWN
        try:
            ledger.commit(_taken(memory, holds=held.holds, ledger=ledger))
        except Raced as raced:
            if raced.on(Create) and ledger.read(memory.id) is None:
                return Took.FORGOTTEN
            raise
        return Took.CREATED

    return until_won(attempt, "this memory", ledger=ledger)


def _lowered(memory: LongTermMemory, ledger: Ledger) -> LongTermMemory:
    origin = min(memory.origin, ledger.call.principal.ceiling)
    return memory.model_copy(update={"origin": origin, "audit_head": ""})


def _taken(memory: LongTermMemory, *, holds: bool, ledger: Ledger) -> list[Action]:
    """A memory's place among the others: its texts, its slot, what it rests on."""
    beside: list[Action] = []
    if stands(memory) and (holds or not _besides(memory, ledger.call.now)):
        memory, beside = _placed(memory, ledger=ledger)
    claimed = _claims(memory, ledger=ledger)
    keys = tuple(one.key for one in claimed)
    kept = tuple(one for one in memory.claims if one in keys or one == _passing(memory))
    memory = memory.model_copy(update={"claims": kept})
    memory, row = ledger.recorded(memory, "imported")
    return [Create(memory=memory), row, *claimed, *edges_of(memory), *beside]


def _claims(memory: LongTermMemory, *, ledger: Ledger) -> list[Claim]:
    """The keys that stand for it, but those that stand for another by now."""
    read, now = ledger.store.claim, ledger.call.now
    return [
        claim(key, memory.id, expected=None, until=None, ledger=ledger)
        for key in memory.claims
        if key != _passing(memory) and read(ledger.call.scope, key, now=now) is None
    ]


def _passing(memory: LongTermMemory) -> str | None:
    """The key that stood for an episode without a time for a minute only."""
    return text_key(memory, dated=False) if isinstance(memory, Episode) else None


def _besides(memory: LongTermMemory, now: datetime) -> bool:
    """Tell whether a value may stand without holding its slot, whatever its line says of that.

    So does what is over, what another is announced to follow, and what was left beside another.
    """
    over = memory.valid_until is not None and memory.valid_until <= now
    return over or memory.superseded_by is not None or beside_others(memory)


def _placed(memory: LongTermMemory, *, ledger: Ledger) -> tuple[LongTermMemory, list[Action]]:
    """The value of a slot: it takes it where it is free, and else meets who holds it by now."""
    key = slot_key(memory)
    if key is None:
        return memory, []
    there = ledger.store.slot(ledger.call.scope, key)
    if there is None or there.holder is None:
        turn = 1 if there is None else there.turn + 1
        at, by = memory.event_time, memory.origin
        slot = Slot(key=key, holder=memory.id, event_time=at, authority=by, turn=turn)
        return memory, [Hold(slot=slot, expected=there)]
    entry = entrance(memory, ledger=ledger)
    if entry is None:
        return memory, []
    return entry.memory, [*entry.slot, *replacements(entry.replaced, ledger=ledger)]


def take_version(version: LongTermMemory, *, ledger: Ledger) -> Took:
    """Take in an old version of a memory that is there; raises Unavailable."""
    scope = ledger.call.scope
    current = ledger.read(version.id)
    if current is None:
        return Took.FORGOTTEN
    if version.version >= current.version:
        return Took.KNOWN
    put = PutVersion(memory=_lowered(version, ledger))
    try:
        ledger.store.commit(scope, [Stands(memory_id=version.id), put])
    except Raced as raced:
        return Took.FORGOTTEN if raced.on(Stands) else Took.KNOWN
    return Took.CREATED


def take_object(brought: Object, *, ledger: Ledger, blobs: BlobStore) -> Took:
    """Take in the object of an archived memory that is there; raises Forbidden over the ceiling."""
    scope, archive = ledger.call.scope, brought.archive
    if brought.origin > ledger.call.principal.ceiling:
        raise Forbidden("what was archived counts for more than this credential may say")
    current = ledger.read(brought.memory_id)
    if current is None:
        return Took.FORGOTTEN
    there = current.archive
    if there is None or (there.name, there.digest) != (archive.name, archive.digest):
        return Took.KNOWN
    created = blobs.put(scope, archive.name, brought.data, if_absent=True)
    if ledger.read(brought.memory_id) is None:  # forgotten meanwhile: its words must not stay here
        blobs.delete(scope, archive.name)
        return Took.FORGOTTEN
    return Took.CREATED if created else Took.KNOWN


def take_conversation(
    talk: Conversation, *, ledger: Ledger, said: Transcript, fence: datetime | None
) -> Took:
    """Take in what is known of a conversation; its words follow."""
    scope, who = ledger.call.scope, ledger.call.principal
    if before(talk.created_at, fence):
        return Took.FORGOTTEN
    if said.conversations.get(scope, talk.id) is not None:
        return Took.KNOWN
    ceiling = min(talk.sender.ceiling, who.ceiling)
    sender = talk.sender.model_copy(update={"tenant": scope.tenant, "users": (scope.user,),
                                            "ceiling": ceiling})  # fmt: skip
    talk = talk.model_copy(update={"sender": sender, "audit_head": "", "last_job": None})
    talk, row = conversation_audited(talk, "imported", at=ledger.call.now, seal=ledger.tools.seal)
    try:
        ledger.store.commit(scope, [PutConversation(conversation=talk), row])
    except Raced:
        return Took.KNOWN
    return Took.CREATED


def take_words(words: Words, *, ledger: Ledger, said: Transcript, fence: datetime | None) -> Took:
    """Take in messages of a conversation that is there.

    Raises Conflict where another conversation has its id.
    """
    scope, chunk = ledger.call.scope, words.chunk
    talk = said.conversations.get(scope, chunk.conversation_id)
    if talk is None or before(chunk.at, fence):
        return Took.FORGOTTEN
    if talk.created_at.isoformat() != words.of:
        raise Conflict("another conversation has this id", details={"field": "conversation_id"})
    there = said.conversations.chunks(scope, chunk.conversation_id, after=chunk.first - 1, limit=1)
    if chunk.last > talk.messages or (there and there[0].first <= chunk.last):
        return Took.KNOWN
    data = packed(words.messages)
    blob = blob_name(chunk.conversation_id, ledger.tools.new_id(ledger.call.now))
    made = {"blob": blob, "digest": sha256(data).hexdigest(),
            "ceiling": min(chunk.ceiling, ledger.call.principal.ceiling)}  # fmt: skip
    said.blobs.put(scope, blob, data)
    try:
        ledger.store.commit(scope, [PutChunk(chunk=chunk.model_copy(update=made))])
    except Raced:
        said.blobs.delete(scope, blob)
        return Took.KNOWN
    return Took.CREATED
