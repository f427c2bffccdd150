"""Where a record stands among the others: its slot, the texts it claims, the turn that follows it.

Each function reads and returns actions whose conditions hold only for what was read.
"""

from datetime import datetime

from hindwise.domain.changes import Action, Claim, Release, Reproject
from hindwise.domain.memory import Episode, LongTermMemory, SemanticMemory
from hindwise.domain.supersession import CURRENT, Entrance, enter, slot_key, vacate
from hindwise.usecases.ledger import Ledger


def entrance(memory: LongTermMemory, *, ledger: Ledger) -> Entrance | None:
    """How a record enters its slot; None where it has none."""
    key = slot_key(memory)
    if key is None or not isinstance(memory, SemanticMemory):
        return None
    slot = ledger.store.slot(ledger.call.scope, key)
    holder = ledger.read(slot.holder) if slot and slot.holder else None
    assert holder is None or isinstance(holder, SemanticMemory)
    return enter(memory, slot, holder, now=ledger.call.now)


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


def claim(
    key: str, memory_id: str, *, expected: str | None, until: datetime | None, ledger: Ledger
) -> Claim:
    """Let `key` stand for `memory_id`, in the place of `expected`."""
    return Claim(key=key, memory_id=memory_id, expected=expected, until=until, now=ledger.call.now)


def unclaimed(memory: LongTermMemory, keys: tuple[str, ...]) -> list[Action]:
    """Free these keys, where they stand for this record."""
    return [Release(key=key, memory_id=memory.id) for key in keys]


def stands(memory: LongTermMemory) -> bool:
    """Tell whether a record can hold a slot."""
    return memory.status in CURRENT
