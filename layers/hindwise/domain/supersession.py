"""Which value is current.

Slots, and what happens when a new record meets the holder of its slot.

Newer means event time, not arrival. Lower authority never supersedes higher, nor does a value that
is more than 0.3 less sure; higher authority takes a slot whatever its event time and however sure
it is, so that it is the same whichever of the two arrives first. All of it is pure; the caller
commits the result under the condition that slot and holder are still what was read.
"""

from collections.abc import Sequence
from datetime import datetime
from enum import StrEnum

from hindwise.domain.base import Model
from hindwise.domain.changes import Action, Hold, Slot
from hindwise.domain.guards import conflicts
from hindwise.domain.guards_reading import plain
from hindwise.domain.ids import key_hash
from hindwise.domain.memory import (
    Cardinality,
    LongTermMemory,
    SemanticMemory,
    Status,
    Verdict,
)
from hindwise.domain.succession import (
    KEPT_EVIDENCE,
    begun,
    contested,
    earlier,
    outdating,
    retired,
    succeeding,
)
from hindwise.domain.text import normalised
from hindwise.domain.yielding import Yielding

LESS_SURE = 0.3
CURRENT = frozenset({Status.ACTIVE, Status.OBSOLETE})


def slot_key(memory: LongTermMemory) -> str | None:
    """The key of the slot that a memory competes for, None where it competes for none."""
    if not isinstance(memory, SemanticMemory) or memory.cardinality is not Cardinality.ONE:
        return None
    if not memory.subject or not memory.attribute:
        return None
    parts = (memory.subject, memory.attribute, memory.scene or "")
    return key_hash(*(normalised(part) for part in parts))


class Standing(StrEnum):
    """How a new record stands to the holder of its slot."""

    HOLDS = "holds"
    SUPERSEDES = "supersedes"
    HISTORY = "history"
    OVER = "over"
    CONTESTED = "contested"
    OUTRANKS = "outranks"


class Entrance(Model):
    """The record as it is to be stored, what changes beside it, and the move of the slot.

    `replaced` are the others before and after: the retired holder, or, where the record enters the
    past of its slot, the values before and after it.
    """

    standing: Standing
    memory: SemanticMemory
    replaced: tuple[tuple[SemanticMemory, SemanticMemory], ...] = ()
    slot: tuple[Action, ...] = ()


def _verdict(other: SemanticMemory, standing: Standing, at: datetime) -> Verdict:
    reasons = {
        Standing.SUPERSEDES: "the same slot, newer by event time",
        Standing.HISTORY: "the same slot, older by event time",
        Standing.OVER: "the same slot, no longer valid when it was learnt",
        Standing.CONTESTED: "the same slot, held by a surer value or a higher authority",
        Standing.OUTRANKS: "the same slot, held by a lower authority",
    }
    return Verdict(other=other.id, verdict="update", reason=reasons[standing], at=at)


def standing(
    new: SemanticMemory, holder: SemanticMemory, *, yielding: Yielding, now: datetime
) -> Standing:
    """How `new` stands to the current `holder` of its slot."""
    if holder.id == new.id:
        return Standing.HOLDS
    if new.origin < holder.origin:
        return Standing.CONTESTED
    higher = new.origin > holder.origin
    if not higher and yielding.surer(holder, new, now):
        return Standing.CONTESTED
    if new.valid_until is not None and new.valid_until <= now:
        return Standing.OVER
    if age(new) < stated(holder) and not higher:
        return Standing.HISTORY
    if age(new) < stated(holder) and (begun(new, now) or not begun(holder, now)):
        return Standing.OUTRANKS
    return Standing.SUPERSEDES


def enter(
    new: SemanticMemory,
    slot: Slot | None,
    holder: SemanticMemory | None,
    *,
    past: Sequence[SemanticMemory] | None = None,
    yielding: Yielding | None = None,
    now: datetime,
) -> Entrance:
    """Decide how `new` enters its slot, and what becomes of a holder that yields to it.

    `holder` is the record that the slot names, if it still stands; `past` are the values that it
    held before, as far back as `new` reaches. Where that is not known (None), a late arrival is put
    right before the holder and changes nobody: who asks for the past takes the newest value that
    had begun by then.
    """
    key = slot_key(new)
    assert key is not None
    new = new.model_copy(update={"valid_from": new.valid_from or new.event_time})
    if holder is None or holder.status not in CURRENT:
        return Entrance(standing=Standing.HOLDS, memory=new, slot=(hold(key, new, slot),))
    yielding = yielding or Yielding()
    how = standing(new, holder, yielding=yielding, now=now)
    if how is Standing.HOLDS:
        return Entrance(standing=how, memory=new, slot=(hold(key, new, slot),))
    mine = {"verdicts": (*new.verdicts, _verdict(holder, how, now))}
    if how is Standing.CONTESTED:
        lost = new.model_copy(update={**mine, "status": Status.CONTESTED})
        return Entrance(standing=how, memory=lost)
    if how is Standing.OVER:
        return Entrance(standing=how, memory=new.model_copy(update=mine))
    if how is Standing.HISTORY:
        new = new.model_copy(update=mine)
        if past is None:
            return _before(new, holder, now)
        between = age(new) < age(holder)
        late = _past(new, (*past, holder), now) if between else _before(new, holder, now)
        return _known_to(holder, late, now)
    new = new.model_copy(update=mine)
    if how is Standing.OUTRANKS:
        lost = contested(holder, _verdict(new, Standing.CONTESTED, now))
        taken = (hold(key, new, slot),)
        return Entrance(standing=how, memory=new, replaced=((holder, lost),), slot=taken)
    return _taken(new, holder, slot, yielding=yielding, now=now)


def _taken(
    new: SemanticMemory,
    holder: SemanticMemory,
    slot: Slot | None,
    *,
    yielding: Yielding,
    now: datetime,
) -> Entrance:
    """The slot of a holder taken by a newer value; whether that retires it says the policy."""
    how, key = Standing.SUPERSEDES, slot_key(new)
    assert key is not None
    theirs = _verdict(new, how, now).model_copy(update={"reason": "a newer value took the slot"})
    if _restates(new, holder):
        mine, theirs = (
            one.model_copy(update={"verdict": "duplicate", "reason": "the same slot and value"})
            for one in (new.verdicts[-1], theirs)
        )
        evidence = tuple(dict.fromkeys((*holder.evidence_ids, *new.evidence_ids)))
        evidence = evidence[-max(KEPT_EVIDENCE, len(new.evidence_ids)) :]
        said = {"verdicts": (*new.verdicts[:-1], mine), "evidence_ids": evidence}
        new, yielding = new.model_copy(update=said), Yielding()
    if yielding.policy == "supersede":
        old = retired(holder, new, theirs)
        new = succeeding(new, holder)
    else:
        old = yielding.kept(holder, theirs)
        mine = new.verdicts[-1].model_copy(update={"policy": yielding.policy})
        new = new.model_copy(update={"verdicts": (*new.verdicts[:-1], mine)})
    taken = hold(key, new, slot)
    return Entrance(standing=how, memory=new, replaced=((holder, old),), slot=(taken,))


def _known_to(holder: SemanticMemory, late: Entrance, now: datetime) -> Entrance:
    """The entrance of a late arrival, with a holder that knows what it was learnt from."""
    changed = {before.id: (before, after) for before, after in late.replaced}
    _, after = changed.get(holder.id, (holder, holder))
    knows = outdating(after, late.memory)
    if knows == after:
        return late
    if after is holder:
        knows = knows.model_copy(update={"version": holder.version + 1, "updated_at": now})
    changed[holder.id] = (holder, knows)
    return late.model_copy(update={"replaced": tuple(changed.values())})


def _restates(new: SemanticMemory, holder: SemanticMemory) -> bool:
    """Tell whether a newer value is the one that the slot has, in other words."""
    if not new.value or not holder.value or plain(new.value) != plain(holder.value):
        return False
    return not conflicts(new, holder)


def stated(memory: LongTermMemory) -> tuple[float, str]:
    """Like `age`, by when it was last said: what is said again is as new as its last telling."""
    last = max(memory.event_time, memory.last_seen_at or memory.event_time)
    return last.timestamp(), memory.id


def age(memory: LongTermMemory) -> tuple[float, str]:
    """By what values of a slot are ordered: event time, then id."""
    return memory.event_time.timestamp(), memory.id


def _before(new: SemanticMemory, holder: SemanticMemory, now: datetime) -> Entrance:
    """Put a late arrival before the holder."""
    until = earlier(new.valid_until, holder.valid_from or holder.event_time)
    status = Status.SUPERSEDED if begun(holder, now) else new.status
    past = {"status": status, "superseded_by": holder.id, "valid_until": until}
    return Entrance(standing=Standing.HISTORY, memory=new.model_copy(update=past))


def _past(new: SemanticMemory, values: Sequence[SemanticMemory], now: datetime) -> Entrance:
    """Put a late arrival between the values that were true before and after it.

    What has less authority than `new` does not end it, nor does `new` end what has more.
    """
    peers = (one for one in values if one.origin >= new.origin)
    later = min((one for one in peers if age(one) > age(new)), key=age)
    former = max((one for one in values if age(one) < age(new)), key=age, default=None)
    if former and (former.origin > new.origin or former.superseded_by != later.id):
        former = None
    placed = new.model_copy(
        update={
            "status": Status.SUPERSEDED if begun(later, now) else new.status,
            "superseded_by": later.id,
            "valid_until": earlier(new.valid_until, later.valid_from or later.event_time),
        }
    )
    if former is not None:
        placed = succeeding(placed, former)
    kept = tuple(one for one in later.supersedes if former is None or one != former.id)
    linked = later.model_copy(
        update={
            "supersedes": (*kept, new.id),
            "version": later.version + 1,
            "updated_at": now,
        }
    )
    changed = [(later, linked)]
    if former is not None:
        verdict = _verdict(new, Standing.HISTORY, now)
        reason = {"reason": "a value from between was learnt later"}
        changed.append((former, retired(former, new, verdict.model_copy(update=reason))))
    return Entrance(standing=Standing.HISTORY, memory=placed, replaced=tuple(changed))


def hold(key: str, memory: SemanticMemory, slot: Slot | None) -> Hold:
    """Have a record hold the slot of a key, which is as `slot` says or absent."""
    turn = slot.turn + 1 if slot else 1
    held = Slot(
        key=key,
        holder=memory.id,
        event_time=memory.event_time,
        authority=memory.origin,
        turn=turn,
    )
    return Hold(slot=held, expected=slot)


def vacate(slot: Slot | None, memory_id: str) -> tuple[Action, ...]:
    """Leave a slot that `memory_id` holds; nothing where it does not. Nobody else is revived."""
    if slot is None or slot.holder != memory_id:
        return ()
    empty = slot.model_copy(update={"holder": None, "turn": slot.turn + 1})
    return (Hold(slot=empty, expected=slot),)
