"""Forget one memory for good: a tombstone stays, everything that held its words goes.

The turns that it came from lose their words first, where they are stored and as episodes, or they
would teach it again. What rests on it goes along where it repeats its words or nothing else bears
it, and is told that it is less sure where not. The memory itself goes last: whoever is interrupted
does it again.
"""

import logging
from collections.abc import Callable
from functools import partial

from hindwise.domain.base import Model
from hindwise.domain.changes import Action, Answered, DropWorking, Forget, Raced
from hindwise.domain.memory import LongTermMemory, Memory, WorkingMemory
from hindwise.domain.receipts import PutReceipt, Receipt, ReceiptKind, ReceiptState
from hindwise.domain.scope import Origin, Principal
from hindwise.errors import Forbidden, Unavailable
from hindwise.usecases.along import resting as resting_on
from hindwise.usecases.archive import unkept, whole
from hindwise.usecases.evidence import disowned
from hindwise.usecases.latest import unpointed
from hindwise.usecases.ledger import Ledger
from hindwise.usecases.placing import following, leaving, unclaimed
from hindwise.usecases.transcript import Transcript
from hindwise.usecases.turns import silence, turns_behind
from hindwise.usecases.winning import until_won

_log = logging.getLogger(__name__)


class Forgotten(Model):
    """What was forgotten.

    `dependants` are the ids of what had rested on it and stays, `along` those of what went with it:
    the turns that it came from, what had repeated its words, and what was learnt from it alone.
    """

    memory: Memory
    dependants: tuple[str, ...] = ()
    along: tuple[str, ...] = ()
    receipt: Receipt | None = None


def forget(
    memory_id: str, *, ledger: Ledger, said: Transcript | None = None, of: str = ""
) -> Forgotten:
    """Forget a memory and return what it was; `said` is where conversations are stored.

    Raises NotFound, also for one that is forgotten already, Forbidden, and Unavailable.

    The holder of a slot leaves it empty: an earlier value is not revived by forgetting a later one.
    The receipt that is written with it is a part `of` another one where many are forgotten.
    """
    patience = ledger.tools.patience()
    along: dict[str, None] = {}
    while True:
        memory = ledger.need(memory_id)
        require_say(ledger.call.principal, memory.origin)
        target, rested = None, _Rested()
        if not isinstance(memory, WorkingMemory):
            target = whole(memory, scope=ledger.call.scope, said=said)
            if said is not None:
                gone = _without_turns(memory, target=target, ledger=ledger, said=said)
                along |= dict.fromkeys(gone)
            part = partial(_parted, target=target, ledger=ledger, said=said)
            rested = part(target)
            along |= dict.fromkeys(rested.along)
            _uncover(memory, ledger=ledger, said=said)
        receipt = _receipt(memory, tuple(along), ledger=ledger, of=of)
        written = [] if receipt is None else [PutReceipt(receipt=receipt)]
        try:
            done = [*_actions(memory, rested.told, ledger=ledger), *written]
            ledger.commit(done, answer=f"forgotten {memory_id}")
        except Raced as raced:
            if raced.on(Answered):
                raise
            if not patience.again():
                raise Unavailable("too many writers at once on this memory; try again") from raced
        else:
            _uncover(memory, ledger=ledger, said=said)
            late = _Rested() if target is None else _late(part, target, ledger=ledger)
            return Forgotten(
                memory=memory,
                dependants=tuple(dict.fromkeys((*rested.told, *late.told))),
                along=tuple(dict.fromkeys((*along, *late.along))),
                receipt=receipt,
            )


def require_say(principal: Principal, origin: Origin) -> None:
    """Raise Forbidden where a key that only reports would forget what a higher origin said.

    People ask their agents to forget, and nobody asks a scraper to.
    """
    ceiling = principal.ceiling
    if ceiling < min(origin, Origin.AGENT):
        message = f"the key speaks as {ceiling.label}, this is by {origin.label}"
        raise Forbidden(f"{message}: it may forget what is no more than its own")


def _receipt(memory: Memory, along: tuple[str, ...], *, ledger: Ledger, of: str) -> Receipt | None:
    """What is kept for a restored table; a scratch value is gone within the hour anyway."""
    if isinstance(memory, WorkingMemory):
        return None
    call, ids = ledger.call, (memory.id, *along)
    return Receipt(
        id=ledger.tools.new_id(call.now),
        tenant=call.scope.tenant,
        user=call.scope.user,
        kind=ReceiptKind.MEMORY,
        state=ReceiptState.COMPLETE,
        by=call.principal.name,
        of=of,
        ids=ids,
        counts={"memories": len(ids)},
        requested_at=call.now,
        finished_at=call.now,
        next_at=call.now,
    )


class _Rested(Model):
    """What rested on a memory: all that was linked, those that went along, and those told."""

    links: tuple[str, ...] = ()
    along: tuple[str, ...] = ()
    told: tuple[str, ...] = ()


def _parted(
    gone: LongTermMemory,
    *,
    target: LongTermMemory,
    ledger: Ledger,
    said: Transcript | None,
    sparing: str | None = None,
) -> _Rested:
    """Forget what rests on a memory by now and goes with it, and tell the others."""
    links = tuple(ledger.store.dependants(ledger.call.scope, gone.id))
    along = []
    for one, _ in resting_on(gone, target=target, among=links, ledger=ledger, said=said):
        disowned(one, ledger=ledger)
        _drop(one, None, ledger=ledger, said=said)
        along.append(one)
    told = disowned(gone.id, among=links, ledger=ledger, sparing=sparing)
    return _Rested(links=links, along=tuple(along), told=told)


def _late(
    part: Callable[[LongTermMemory], _Rested], gone: LongTermMemory, *, ledger: Ledger
) -> _Rested:
    """Part with what came to rest on a memory while it went; it is gone in any case."""
    try:
        rested = part(gone)
        if rested.links:
            ledger.store.commit(ledger.call.scope, [Forget(memory=gone, at=ledger.call.now)])
        return rested
    except Unavailable as error:
        _log.warning("what came to rest on a forgotten memory was not told: %s", error)
        return _Rested()


def _without_turns(
    memory: LongTermMemory, *, target: LongTermMemory, ledger: Ledger, said: Transcript
) -> tuple[str, ...]:
    """Forget the turns that a memory came from, and return the ids of those that were others.

    `target` is the memory with its words. What else was learnt from the turns goes where it says
    the same and nothing else bears it. All the rest loses that evidence and stays as sure as it
    was: nobody doubts it. Only patterns are weakened.
    """
    gone: list[str] = []
    for turn in turns_behind(memory, ledger=ledger, said=said):
        silence(turn, ledger=ledger, said=said)
        if turn.episode.id != memory.id:
            episode = whole(turn.episode, scope=ledger.call.scope, said=said)
            part = partial(_parted, target=target, ledger=ledger, said=said, sparing=memory.id)
            rested = part(episode)
            _drop(episode.id, (*rested.told, memory.id), ledger=ledger, said=said)
            late = _late(part, episode, ledger=ledger)
            gone += (*rested.along, episode.id, *late.along)
    return tuple(gone)


def _uncover(memory: Memory, *, ledger: Ledger, said: Transcript | None) -> None:
    """Remove what was archived of a memory, where it is known where that is stored."""
    if said is not None and not isinstance(memory, WorkingMemory):
        unkept(memory, ledger=ledger, blobs=said.blobs)


def _drop(
    memory_id: str, told: tuple[str, ...] | None, *, ledger: Ledger, said: Transcript | None
) -> None:
    """Forget a memory for the sake of another, if it is still there."""

    def attempt(ledger: Ledger) -> None:
        if (memory := ledger.read(memory_id)) is not None:
            _uncover(memory, ledger=ledger, said=said)
            ledger.store.commit(ledger.call.scope, _actions(memory, told, ledger=ledger))
            _uncover(memory, ledger=ledger, said=said)

    until_won(attempt, "a turn", ledger=ledger)


def _actions(memory: Memory, told: tuple[str, ...] | None, *, ledger: Ledger) -> list[Action]:
    """What forgets a memory, with its links to those that were told, or with all of them."""
    if isinstance(memory, WorkingMemory):
        _, row = ledger.recorded(memory, "forgotten")
        return [DropWorking(memory_id=memory.id), row]
    ended = memory.model_copy(update={"version": memory.version + 1})
    _, row = ledger.recorded(ended, "forgotten")
    actions: list[Action] = [Forget(memory=memory, at=ledger.call.now, told=told), row]
    actions += unclaimed(memory, memory.claims)
    actions += leaving(memory, ledger=ledger)
    actions += following(memory, ledger=ledger)
    actions += unpointed(memory, ledger=ledger)
    return actions
