"""Take in what was said: keep the words, then write one transaction, then send for whoever learns.

The words lie in the blob store before the table says where they are, so nothing that was accepted
can be without its words. The job is written in the transaction that accepts them: that a message
got lost only delays it. No model is asked here.
"""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256

from pydantic import Field

from hindwise.domain.admission import Admission, Decision
from hindwise.domain.admission.talks import talk_let_in
from hindwise.domain.audit import conversation_audited
from hindwise.domain.base import Model
from hindwise.domain.changes import Action, Answered, PutChunk, PutConversation, PutJob, Raced
from hindwise.domain.conversation import Chunk, Conversation, Message, mark
from hindwise.domain.drafts import json_bytes
from hindwise.domain.jobs import JobState
from hindwise.domain.memory import METADATA_BYTES
from hindwise.domain.ports import QueueName
from hindwise.domain.talk import Step, Talk, known, numbered, resent, sender, step
from hindwise.errors import Invalid, NotFound, Unavailable
from hindwise.usecases.admit import refusal
from hindwise.usecases.learning import Learning
from hindwise.usecases.ledger import Ledger
from hindwise.usecases.transcript import blob_name, packed

LATEST = 64
"""Chunks among which an append that was tried again is sought."""
ROUNDS = 2
"""How often patience may end: many write to one conversation, where few write to one slot."""


class Taken(Model):
    """What became of a talk.

    `added` of its messages were new; the conversation now has `messages`, of which `turns` speak,
    and `waiting` of these wait for more. `job_id` is the job that learns from the last turn, None
    while that waits, `state` what it was in when it was made, or is in. `verbatim` tells why the
    turns are kept as they are and nothing else is learnt: `infer` or `no_llm`.
    """

    conversation_id: str
    job_id: str | None = None
    state: JobState | None = None
    added: int = 0
    messages: int = 0
    turns: int = 0
    waiting: int = 0
    verbatim: str | None = None
    admission: Admission = Field(default_factory=Admission)


def converse(talk: Talk, *, ledger: Ledger, learning: Learning) -> Taken:
    """Add a talk to its conversation, which is made where there is none; says what was new.

    Secrets are gone before its words are kept. Raises Refused, Invalid (metadata that grows too
    large), NotFound (nothing is said, and nothing was said before), Unavailable (the blob store or
    the table does not answer, or races did not end in time; nothing was taken in, or a retry under
    the same key converges), and `changes.Raced` on the request row.
    """
    patience, rounds = ledger.tools.patience(), ROUNDS
    talk, decided = _let_in(talk, ledger=ledger)
    conversation_id = talk.id or ledger.tools.new_id(ledger.call.now)
    words = _Words(conversation_id, ledger, learning, decided)
    while True:
        try:
            return _attempt(talk, words)
        except Raced as raced:
            if raced.on(Answered):
                words.drop()
                raise
            if not patience.again():
                rounds -= 1
                patience = ledger.tools.patience()
            if not rounds:
                words.drop()
                message = "too many writers at once on this conversation; try again"
                raise Unavailable(message) from raced


def _let_in(talk: Talk, *, ledger: Ledger) -> tuple[Talk, Admission]:
    """The talk as it may be stored, and what was decided; raises Refused."""
    ceiling = sender(ledger.call.principal, talk).ceiling
    clean, decided = talk_let_in(talk, ceiling=ceiling, rules=ledger.trust.rules)
    if decided.decision is Decision.REFUSE:
        raise refusal(decided)
    return clean, decided


@dataclass
class _Words:
    """The words of what is new, stored once however often the race for their place is lost."""

    conversation_id: str
    ledger: Ledger
    learning: Learning
    decided: Admission
    blob: str = ""
    digest: str = ""

    def keep(self, messages: Sequence[Message]) -> None:
        """Store the words of some messages, in place of what was new before."""
        data = packed(messages)
        digest = sha256(data).hexdigest()
        if self.blob and digest == self.digest:
            return
        self.drop()
        call = self.ledger.call
        blob = blob_name(self.conversation_id, self.ledger.tools.new_id(call.now))
        self.learning.blobs.put(call.scope, blob, data, if_absent=True)
        self.blob, self.digest = blob, digest

    def drop(self) -> None:
        """Remove what nothing leads to."""
        if self.blob:
            with suppress(Unavailable):  # it does no harm, but costs
                self.learning.blobs.delete(self.ledger.call.scope, self.blob)
        self.blob = ""


def _attempt(talk: Talk, words: _Words) -> Taken:
    ledger, learning = words.ledger, words.learning
    call, conversation_id = ledger.call, words.conversation_id
    before = learning.conversations.get(call.scope, conversation_id, now=call.now)
    if before is None and not talk.messages:
        raise NotFound("there is no such conversation")
    fresh = talk.messages[_known(talk, before, ledger=ledger, learning=learning) :]
    made = step(before, talk, fresh, call=call, rules=learning.rules, new_id=conversation_id)
    if json_bytes(made.head.metadata) > METADATA_BYTES:
        words.drop()
        message = f"metadata: must be at most {METADATA_BYTES} bytes as JSON with what is there"
        raise Invalid(message, field="metadata")
    taken = _taken(made, ledger=ledger, learning=learning)
    taken = taken.model_copy(update={"admission": words.decided})
    if made.messages:
        words.keep(made.messages)
    else:
        words.drop()
    ledger.commit(_actions(made, before, words), answer=taken.model_dump_json())
    if waiting := [job.id for job in made.jobs if job.open]:
        learning.queues.send(QueueName.EXTRACT, call.scope, waiting)
    return taken


def _known(talk: Talk, before: Conversation | None, *, ledger: Ledger, learning: Learning) -> int:
    """How many messages of a talk are stored already."""
    if before is None or not before.messages:
        return 0
    marks = [mark(one) for one in numbered(talk.messages, messages=0, turns=0)]
    if not talk.whole:
        dated = all(one.at is not None for one in talk.messages)
        return resent(marks, _latest(before, ledger, learning)) if marks and dated else 0
    turns = sum(one.spoken for one in talk.messages)
    first = _marks(before, turns, False, ledger=ledger, learning=learning)
    last = _marks(before, turns, True, ledger=ledger, learning=learning)
    return known(marks, first, last, before.turns)


def _latest(before: Conversation, ledger: Ledger, learning: Learning) -> list[str]:
    """The marks of the latest messages, of some chunks."""
    read = learning.conversations.chunks
    found = read(ledger.call.scope, before.id, limit=LATEST, latest=True)
    return [one for chunk in found for one in chunk.marks]


def _marks(
    before: Conversation, turns: int, latest: bool, *, ledger: Ledger, learning: Learning
) -> list[str]:
    """The marks of the first or the last messages, with so many turns or all that there are."""
    wanted, limit = min(turns, before.turns), 64
    while True:
        found = learning.conversations.chunks(
            ledger.call.scope, before.id, limit=limit, latest=latest
        )
        whole = before.turns <= turns and not latest
        if len(found) < limit or (sum(one.turns for one in found) >= wanted and not whole):
            return [one for chunk in found for one in chunk.marks]
        limit *= 4


def _actions(made: Step, before: Conversation | None, words: _Words) -> Sequence[Action]:
    if not made.changed:
        return []
    call, seal = words.ledger.call, words.ledger.tools.seal
    decision = "told" if made.messages else "ended"
    rules = words.decided.rules
    head, row = conversation_audited(made.head, decision, at=call.now, seal=seal, rules=rules)
    actions: list[Action] = [PutConversation(conversation=head, before=before), row]
    if made.messages:
        actions.append(PutChunk(chunk=_chunk(made, words)))
    return [*actions, *(PutJob(job=job) for job in made.jobs)]


def _chunk(made: Step, words: _Words) -> Chunk:
    head, said = made.head, made.messages
    turns = sum(one.turn is not None for one in said)
    return Chunk(
        conversation_id=head.id,
        first=said[0].number,
        count=len(said),
        first_turn=head.turns - turns + 1,
        turns=turns,
        blob=words.blob,
        digest=words.digest,
        at=words.ledger.call.now,
        marks=tuple(map(mark, said)),
        principal=head.sender.name,
        ceiling=head.sender.ceiling,
    )


def _taken(made: Step, *, ledger: Ledger, learning: Learning) -> Taken:
    head = made.head
    waiting = head.turns - head.queued
    job = made.jobs[-1] if made.jobs else None
    if job is None and head.last_job is not None and not waiting:
        job = learning.jobs.get(ledger.call.scope, head.last_job)
    without = None if learning.rules.llm_configured else "no_llm"
    return Taken(
        conversation_id=head.id,
        job_id=None if waiting else head.last_job,
        state=job.state if job and not waiting else None,
        added=len(made.messages),
        messages=head.messages,
        turns=head.turns,
        waiting=waiting,
        verbatim=without if head.infer else "infer",
    )
