"""Where a record stands among the others: its slot, the texts it claims, the turn that follows it.

Each function reads and returns actions whose conditions hold only for what was read.
"""

from collections.abc import Sequence
from datetime import datetime

from hindwise.domain.changes import Action, Claim, Release, Replace, Reproject
from hindwise.domain.memory import Episode, LongTermMemory, SemanticMemory, Status
from hindwise.domain.succession import begun
from hindwise.domain.supersession import CURRENT, Entrance, age, enter, slot_key, vacate
from hindwise.usecases.ledger import Ledger

CHAIN = 64
"""How many values of a slot a late arrival is taken past."""
HOPS = 5
"""How many times a memory may have been merged on."""


def entrance(memory: LongTermMemory, *, ledger: Ledger) -> Entrance | None:
    """How a record enters its slot; None where it has none.

    In a crowd, a late arrival leaves the values around it alone: they would be changed by everybody
    at once.
    """
    key = slot_key(memory)
    if key is None or not isinstance(memory, SemanticMemory):
        return None
    slot = ledger.store.slot(ledger.call.scope, key)
    holder = ledger.read(slot.holder) if slot and slot.holder else None
    assert holder is None or isinstance(holder, SemanticMemory)
    alone = ledger.crowded and holder is not None and begun(holder, ledger.call.now)
    past = None if holder is None or alone else _past(memory, holder, ledger)
    yielding = ledger.yielding(memory)
    return enter(memory, slot, holder, past=past, yielding=yielding, now=ledger.call.now)


def _past(
    new: SemanticMemory, holder: SemanticMemory, ledger: Ledger
) -> tuple[SemanticMemory, ...] | None:
    """The values of a slot before its holder, newest first, until one is older than `new`.

    None where that is too far back to look.
    """
    past: list[SemanticMemory] = []
    last = holder
    while age(last) > age(new):
        if len(past) == CHAIN:
            return None
        found = ledger.store.get(ledger.call.scope, last.supersedes) if last.supersedes else {}
        before = [
            one
            for one in found.values()
            if isinstance(one, SemanticMemory)
            and one.superseded_by is not None
            and slot_key(one) == slot_key(new)
            and age(one) < age(last)
            and one.id != new.id
        ]
        if not before:
            break
        last = max(before, key=age)
        past.append(last)
    return tuple(past)


def replacements(
    pairs: Sequence[tuple[SemanticMemory, SemanticMemory]], *, ledger: Ledger
) -> list[Action]:
    """Change the other values of a slot: retire its holder, or make room in its past."""
    actions: list[Action] = []
    for before, after in pairs:
        decision = "superseded" if after.superseded_by != before.superseded_by else "linked"
        if after.status is Status.CONTESTED:
            decision = "contested"
        after, row = ledger.recorded(after, decision)
        actions += [Replace(before=before, after=after), row]
    return actions


def leaving(memory: LongTermMemory, *, ledger: Ledger) -> tuple[Action, ...]:
    """Leave the slot that a record holds, if it holds one; nobody else is revived."""
    key = slot_key(memory)
    if key is None:
        return ()
    return vacate(ledger.store.slot(ledger.call.scope, key), memory.id)


def following(memory: LongTermMemory, *, ledger: Ledger) -> tuple[Action, ...]:
    """Have the next turn of the session projected again: it is embedded together with this one."""
    if not isinstance(memory, Episode) or memory.session_id is None or memory.seq is None:
        return ()
    after = memory.seq + 1
    turns = ledger.store.turns(ledger.call.scope, memory.session_id, first=after, last=after)
    return tuple(Reproject(memory_id=turn.memory_id) for turn in turns)


def placed(memory: LongTermMemory, *, ledger: Ledger) -> LongTermMemory:
    """The record with a place in its session, reserved only now: a repeat leaves no gap."""
    if not isinstance(memory, Episode) or memory.session_id is None:
        return memory
    if memory.seq is not None:
        ledger.store.take_seq(ledger.call.scope, memory.session_id, memory.seq)
        return memory
    seq = ledger.store.next_seq(ledger.call.scope, memory.session_id, count=1)
    return memory.model_copy(update={"seq": seq})


def claim(
    key: str, memory_id: str, *, expected: str | None, until: datetime | None, ledger: Ledger
) -> Claim:
    """Let `key` stand for `memory_id`, in the place of `expected`."""
    return Claim(key=key, memory_id=memory_id, expected=expected, until=until, now=ledger.call.now)


def unclaimed(memory: LongTermMemory, keys: tuple[str, ...]) -> list[Action]:
    """Free these keys, where they stand for this record."""
    return [Release(key=key, memory_id=memory.id) for key in keys]


def merged_into(memory: LongTermMemory, *, ledger: Ledger) -> SemanticMemory | None:
    """The memory that a merged one went on in, None where it was not merged."""
    last: SemanticMemory | None = None
    for _ in range(HOPS):
        into = memory.superseded_by
        if not any(one.verdict == "duplicate" and one.other == into for one in memory.verdicts):
            break
        found = ledger.read(into) if into is not None else None
        if not isinstance(found, SemanticMemory):
            return None
        memory = last = found
    return last


def stands(memory: LongTermMemory) -> bool:
    """Tell whether a record can hold a slot."""
    return memory.status in CURRENT
