"""What was learnt from which turn, and from which turns a memory was learnt.

Two kinds of edges lead from a conversation to what it taught: from the conversation itself, where a
memory names it as its source, and from the episode of a turn, where a memory rests on that as
evidence. Both are followed, because either may have been written without the other.
"""

from collections.abc import Iterable, Iterator, Sequence

from hindwise.domain.base import Model
from hindwise.domain.call import Call
from hindwise.domain.conversation import Message, turn_id
from hindwise.domain.memory import Episode, LongTermMemory, Memory, WorkingMemory
from hindwise.domain.ports import MemoryStore
from hindwise.domain.scope import Role
from hindwise.domain.visibility import NEVER_SHOWN
from hindwise.usecases.transcript import silenced
from hindwise.usecases.withheld import hidden_from

READ = 100
"""Memories that the store reads at once."""
MOST = 1_000
"""Memories of one conversation that are looked at."""
SPANS = 20
"""Runs of turns that are named for one memory, at most."""


class Span(Model):
    """The turns `first..last` of a conversation, both included, counted from 1."""

    conversation_id: str
    first: int
    last: int


class Learnt(Model):
    """A memory, and which of the turns that were asked about it came from, in order."""

    memory: LongTermMemory
    turns: tuple[int, ...]


class Lesson(Model):
    """What came of some turns: their episodes by turn, and what was learnt, oldest first."""

    episodes: dict[int, Episode]
    learnt: tuple[Learnt, ...]


def lesson(
    conversation_id: str, *, first: int, last: int, call: Call, store: MemoryStore
) -> Lesson:
    """What was learnt from the turns `first..last` (both included, counted from 1).

    A page of turns at a time: one more query is made for each turn. Superseded memories are
    among them; what is held for review is so for reviewers alone.
    """
    episodes = _episodes(conversation_id, first, last, call=call, store=store)
    turn_of = {episode.id: turn for turn, episode in episodes.items()}
    ids = dict.fromkeys(store.dependants(call.scope, conversation_id)[-MOST:])
    for episode_id in turn_of:
        ids |= dict.fromkeys(store.dependants(call.scope, episode_id))
    found = []
    for memory in read([one for one in ids if one not in turn_of], call=call, store=store):
        turns = {turn_of[one] for one in memory.evidence_ids if one in turn_of}
        turns |= _named(memory, conversation_id, first, last)
        if turns:
            found.append(Learnt(memory=memory, turns=tuple(sorted(turns))))
    found.sort(key=lambda one: one.memory.id)
    return Lesson(episodes=episodes, learnt=tuple(found))


def read(ids: Sequence[str], *, call: Call, store: MemoryStore) -> Iterator[LongTermMemory]:
    """The memories of these ids, in their order, that the caller may see, whatever their state."""
    for start in range(0, len(ids), READ):
        some = ids[start : start + READ]
        found = store.get(call.scope, some)
        records = (found.get(one) for one in some)
        for memory in records:
            if memory is None or isinstance(memory, WorkingMemory):
                continue
            if memory.status not in NEVER_SHOWN and not hidden_from(memory, call.principal):
                yield memory


def as_told(
    messages: Sequence[Message], conversation_id: str, *, call: Call, store: MemoryStore
) -> tuple[Message, ...]:
    """Messages as the caller may hear them: without the words of turns that wait for a reviewer."""
    turns = {one.number: turn_id(call.scope, conversation_id, one) for one in messages if one.turn}
    ids = [*turns.values()]
    if not ids or call.principal.role.covers(Role.REVIEWER):
        return tuple(messages)
    found: dict[str, Memory] = {}
    for start in range(0, len(ids), READ):
        found |= store.get(call.scope, ids[start : start + READ])
    held = {one for one, memory in found.items() if hidden_from(memory, call.principal)}
    return tuple(silenced(one) if turns.get(one.number) in held else one for one in messages)


def spans_of(
    memory: LongTermMemory, evidence: Iterable[LongTermMemory]
) -> tuple[tuple[Span, ...], bool]:
    """The runs of turns that a memory goes back to: its source's, its own and its evidence's.

    Those of one conversation are united, in order; at most 20, of a source at most 100 turns. Tells
    whether these are all.
    """
    turns: dict[str, set[int]] = {}
    whole = True
    for one in (memory, *evidence):
        for conversation_id, first, last in _places(one):
            whole = whole and last - first <= READ
            turns.setdefault(conversation_id, set()).update(range(first, min(last, first + READ)))
    spans = [
        Span(conversation_id=conversation_id, first=first, last=last)
        for conversation_id, numbers in turns.items()
        for first, last in _runs(sorted(numbers))
    ]
    return tuple(spans[:SPANS]), whole and len(spans) <= SPANS


def _episodes(
    conversation_id: str, first: int, last: int, *, call: Call, store: MemoryStore
) -> dict[int, Episode]:
    turns = store.turns(call.scope, conversation_id, first=first, last=last)
    ids = [turn.memory_id for turn in turns]
    found = {one.id: one for one in read(ids, call=call, store=store)}
    episodes: dict[int, Episode] = {}
    for turn in turns:
        if isinstance(episode := found.get(turn.memory_id), Episode):
            episodes.setdefault(turn.seq, episode)
    return episodes


def _named(memory: LongTermMemory, conversation_id: str, first: int, last: int) -> set[int]:
    """The turns among `first..last` that a memory's source names."""
    source = memory.source
    if source is None or source.conversation_id != conversation_id or source.first_turn is None:
        return set()
    until = source.first_turn if source.last_turn is None else source.last_turn
    return set(range(max(first, source.first_turn), min(last, until) + 1))


def _places(memory: LongTermMemory) -> Iterator[tuple[str, int, int]]:
    """(conversation, first turn, the one after the last) of what a record says of itself."""
    source = memory.source
    if source is not None and source.conversation_id and source.first_turn is not None:
        last = source.first_turn if source.last_turn is None else source.last_turn
        yield source.conversation_id, source.first_turn, last + 1
    if isinstance(memory, Episode) and memory.session_id and memory.seq is not None:
        yield memory.session_id, memory.seq, memory.seq + 1


def _runs(numbers: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Neighbouring numbers as (first, last)."""
    start = 0
    for end in range(1, len(numbers) + 1):
        if end == len(numbers) or numbers[end] != numbers[end - 1] + 1:
            yield numbers[start], numbers[end - 1]
            start = end
