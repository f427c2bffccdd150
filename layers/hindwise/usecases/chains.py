"""Chains: what a memory took the place of, what it rests on, and how it ended.

A chain is told whole, whatever the states of its members, because that is what it is asked for: a
decision without the option that it replaced explains nothing. What is held for review or withdrawn
is not part of it.
"""

from collections.abc import Sequence
from typing import Literal

from pydantic import AwareDatetime

from hindwise.domain.base import Model
from hindwise.domain.call import Call
from hindwise.domain.memory import Episode, LongTermMemory, Outcome, SemanticMemory, Status, Type
from hindwise.domain.ports import MemoryStore
from hindwise.domain.query import View
from hindwise.domain.visibility import visible
from hindwise.usecases.known import as_known
from hindwise.usecases.lineage import read

LINKS = 50
"""Predecessors, or successors, that are followed."""
TOLD = frozenset({Status.SUPERSEDED, Status.CONTESTED, Status.OBSOLETE, Status.EXPIRED})


Part = Literal["predecessor", "evidence", "memory", "decision", "outcome", "successor"]


class Link(Model):
    """One part of a chain; an outcome has no memory of its own, only the word and when."""

    part: Part
    memory: LongTermMemory | None = None
    outcome: Outcome | None = None
    at: AwareDatetime | None = None


def chain(
    memory: LongTermMemory, view: View, *, call: Call, store: MemoryStore
) -> tuple[tuple[Link, ...], bool]:
    """The chain of a memory in order, and whether it is whole.

    What it superseded, oldest first; what it rests on, as it was said; itself; its outcome; what
    superseded it. A chain of one is none.
    """
    before, all_before = walked(memory, call=call, store=store, back=True)
    after, all_after = walked(memory, call=call, store=store, back=False)
    evidence = sorted(read(memory.evidence_ids, call=call, store=store), key=said_order)

    links = _parts("predecessor", before[::-1], view, call=call, store=store)
    links += _parts("evidence", evidence, view, call=call, store=store)
    decided = isinstance(memory, SemanticMemory) and memory.type is Type.DECISION
    links.append(Link(part="decision" if decided else "memory", memory=memory))
    if memory.outcome is not None:
        links.append(Link(part="outcome", outcome=memory.outcome, at=memory.outcome_at))
    links += _parts("successor", after, view, call=call, store=store)
    return (tuple(links) if len(links) > 1 else ()), all_before and all_after


def said_order(memory: LongTermMemory) -> tuple[float, str, int, str]:
    """By when it happened, then by place in the session."""
    place = (memory.session_id or "", memory.seq or 0) if isinstance(memory, Episode) else ("", 0)
    return memory.event_time.timestamp(), *place, memory.id


def walked(
    memory: LongTermMemory, *, call: Call, store: MemoryStore, back: bool
) -> tuple[tuple[LongTermMemory, ...], bool]:
    """What a memory superseded (`back`) or what superseded it, the nearest first.

    Tells whether that is all: at most 50 are followed.
    """
    found: list[LongTermMemory] = []
    seen = {memory.id}
    ids = _links(memory, back=back)
    while ids and len(found) < LINKS:
        near = [one for one in read(ids, call=call, store=store) if one.id not in seen]
        found += near
        seen |= {one.id for one in near}
        linked = (link for one in near for link in _links(one, back=back))
        ids = tuple(dict.fromkeys(one for one in linked if one not in seen))
    return tuple(found[:LINKS]), not ids and len(found) <= LINKS


def _links(memory: LongTermMemory, *, back: bool) -> tuple[str, ...]:
    if back:
        return memory.supersedes
    return (memory.superseded_by,) if memory.superseded_by else ()


def _parts(
    part: Part, some: Sequence[LongTermMemory], view: View, *, call: Call, store: MemoryStore
) -> list[Link]:
    """Those that a chain tells, as they were known at the view's `known_at`."""
    seen = View(include=view.include | TOLD, known_at=view.known_at)
    then = as_known(some, view, scope=call.scope, store=store)
    return [Link(part=part, memory=one) for one in then if visible(one, seen, call.now)]
