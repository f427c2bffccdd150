"""The history of one memory: what it said before, what it is linked with, and who said it where."""

from collections.abc import Iterator, Sequence

from hindwise.domain.base import Model
from hindwise.domain.call import Call
from hindwise.domain.changes import AuditEntry
from hindwise.domain.conversation import Message
from hindwise.domain.memory import LongTermMemory, WorkingMemory
from hindwise.domain.ports import MemoryStore
from hindwise.domain.scope import Role
from hindwise.domain.visibility import withheld
from hindwise.errors import NotFound, Unreadable
from hindwise.usecases.chains import walked
from hindwise.usecases.learning import Learning
from hindwise.usecases.lineage import Span, as_told, read, spans_of
from hindwise.usecases.transcript import Transcript
from hindwise.usecases.withheld import hidden_from, shown_to

LINKED = 100
"""Evidence, dependants or compared memories that are given."""
TURNS = 100
CHARS = 500_000
"""Of all source turns together: an answer has to fit in 5 MB."""


class SourceTurns(Model):
    """Turns of a conversation as they were said; a redacted one has lost its words.

    Not `readable` where what is stored is not what was stored once.
    """

    conversation_id: str
    first: int
    last: int
    turns: tuple[Message, ...] = ()
    readable: bool = True


class History(Model):
    """What became of one memory.

    Versions (oldest first), the chain it is part of (the nearest first), what it rests on and what
    rests on it, whom else it was compared with, and the turns that it came from. `cut` names what
    is not whole.
    """

    current: LongTermMemory
    versions: tuple[LongTermMemory, ...] = ()
    predecessors: tuple[LongTermMemory, ...] = ()
    successors: tuple[LongTermMemory, ...] = ()
    evidence: tuple[LongTermMemory, ...] = ()
    dependants: tuple[LongTermMemory, ...] = ()
    compared: tuple[LongTermMemory, ...] = ()
    source_turns: tuple[SourceTurns, ...] = ()
    audit: tuple[AuditEntry, ...] = ()
    cut: tuple[str, ...] = ()


def history(memory_id: str, *, call: Call, store: MemoryStore, learning: Learning) -> History:
    """Everything that leads to a memory and from it; raises NotFound, and Unavailable.

    Of one that is held only reviewers are told more than what was decided about it.
    """
    current = store.get(call.scope, [memory_id]).get(memory_id)
    if current is None or isinstance(current, WorkingMemory):
        raise NotFound(f"there is no memory {memory_id}")
    decisions = tuple(store.audit(call.scope, memory_id))
    if hidden_from(current, call.principal):
        return History(current=shown_to(current, call.principal), audit=decisions)
    before, all_before = walked(current, call=call, store=store, back=True)
    after, all_after = walked(current, call=call, store=store, back=False)
    linked = {one.id for one in (current, *before, *after)}
    others = dict.fromkeys(one.other for one in current.verdicts if one.other not in linked)
    resting = store.dependants(call.scope, memory_id)
    evidence = tuple(read(current.evidence_ids[:LINKED], call=call, store=store))
    said = Transcript(learning.conversations, learning.blobs)
    spans, all_spans = spans_of(current, evidence)
    sources, all_turns = _source_turns(spans, call=call, said=said, store=store)
    whole = {
        "predecessors": all_before,
        "successors": all_after,
        "evidence": len(current.evidence_ids) <= LINKED,
        "dependants": len(resting) <= LINKED,
        "compared": len(others) <= LINKED,
        "source_turns": all_spans and all_turns,
    }
    return History(
        current=current,
        versions=tuple(_versions(memory_id, call=call, store=store)),
        predecessors=before,
        successors=after,
        evidence=evidence,
        dependants=tuple(read(resting[-LINKED:], call=call, store=store)),
        compared=tuple(read([*others][-LINKED:], call=call, store=store)),
        source_turns=sources,
        audit=decisions,
        cut=tuple(name for name, is_whole in whole.items() if not is_whole),
    )


def _versions(memory_id: str, *, call: Call, store: MemoryStore) -> Iterator[LongTermMemory]:
    """The versions before the present one; what a reviewer put right, only reviewers read."""
    reviews = call.principal.role.covers(Role.REVIEWER)
    for one in store.versions(call.scope, memory_id):
        if reviews or not withheld(one):
            yield one


def _source_turns(
    spans: Sequence[Span], *, call: Call, said: Transcript, store: MemoryStore
) -> tuple[tuple[SourceTurns, ...], bool]:
    """The words of runs of turns, and whether they are all; of no conversation there are none."""
    found: list[SourceTurns] = []
    turns, chars = TURNS, CHARS
    for span in spans:
        if turns <= 0 or chars <= 0:
            return tuple(found), False
        last = min(span.last, span.first + turns - 1)
        told = {"conversation_id": span.conversation_id, "first": span.first, "last": last}
        try:
            words = said.turns(call.scope, span.conversation_id, span.first, last)
        except Unreadable:
            found.append(SourceTurns.model_validate({**told, "readable": False}))
            continue
        words = [*as_told(words, span.conversation_id, call=call, store=store)]
        if words:
            found.append(SourceTurns.model_validate({**told, "turns": tuple(words)}))
        turns -= span.last - span.first + 1
        chars -= sum(len(one.text) for one in words)
    return tuple(found), turns >= 0
