"""What a settled pair changes in the table, as the actions of one transaction."""

from collections.abc import Mapping

from hindwise.domain.changes import Action, Edge, Replace, Slot
from hindwise.domain.memory import SemanticMemory, Status
from hindwise.domain.pairing import Pair, Resolution
from hindwise.domain.supersession import hold, slot_key, vacate
from hindwise.usecases.ledger import Ledger


def holding(pair: Pair, *, ledger: Ledger) -> dict[str, Slot]:
    """The slots that a pair's memories hold, by the holder's id."""
    found: dict[str, Slot] = {}
    for memory in pair:
        key = slot_key(memory)
        slot = ledger.store.slot(ledger.call.scope, key) if key is not None else None
        if slot is not None and slot.holder == memory.id:
            found[memory.id] = slot
    return found


def actions_for(
    resolution: Resolution, held: Mapping[str, Slot], *, ledger: Ledger
) -> tuple[list[Action], dict[str, SemanticMemory]]:
    """The actions that carry a resolution out, and both records as they are then."""
    actions: list[Action] = []
    after: dict[str, SemanticMemory] = {}
    for before, changed in resolution.changed:
        recorded, row = ledger.recorded(changed, _decision(resolution, before, changed))
        after[before.id] = recorded
        actions += [Replace(before=before, after=recorded), row]
        gained = [one for one in recorded.evidence_ids if one not in before.evidence_ids]
        actions += [Edge(source=one, kind="evidence", dependant=before.id) for one in gained]
    return [*actions, *_slots(resolution, held, after)], after


def _decision(resolution: Resolution, before: SemanticMemory, after: SemanticMemory) -> str:
    if after.status is Status.CONTESTED:
        return "contested"
    if after.superseded_by != before.superseded_by:
        return "merged" if resolution.pair.verdict == "duplicate" else "superseded"
    return "weakened" if after.confidence < before.confidence else "linked"


def _slots(
    resolution: Resolution, held: Mapping[str, Slot], after: Mapping[str, SemanticMemory]
) -> tuple[Action, ...]:
    """Hand the slot of the one that yields to its heir, or leave it; nobody else is revived."""
    slot = held.get(resolution.yields or "")
    if slot is None or resolution.stays is None or resolution.yields is None:
        return ()
    heir = after[resolution.stays]
    if resolution.stays not in held and slot_key(heir) == slot.key:
        return (hold(slot.key, heir, slot),)
    stands = after[resolution.yields].status is Status.ACTIVE
    return () if stands else vacate(slot, resolution.yields)
