"""What a value that takes the place of another does to both.

The former one ends where the new one begins. The new one names it, and knows what it was learnt
from: so a turn that tells what no longer holds is recognised without reading anything about it.
"""

from datetime import datetime

from hindwise.domain.memory import SemanticMemory, Status, Verdict

KEPT_OUTDATED = 64
"""Evidence of former values that the present one knows of."""


def begun(memory: SemanticMemory, now: datetime) -> bool:
    """Tell whether a value holds already: one that is announced leaves the present one in place."""
    return (memory.valid_from or memory.event_time) <= now


def retired(old: SemanticMemory, new: SemanticMemory, verdict: Verdict) -> SemanticMemory:
    """The former value as it becomes when `new` takes its place."""
    gone = begun(new, verdict.at)
    return old.model_copy(
        update={
            "status": Status.SUPERSEDED if gone else old.status,
            "settled": old.settled or gone,
            "superseded_by": new.id,
            "valid_until": earlier(old.valid_until, new.valid_from or new.event_time),
            "verdicts": (*old.verdicts, verdict),
            "version": old.version + 1,
            "updated_at": verdict.at,
        }
    )


def earlier(a: datetime | None, b: datetime) -> datetime:
    """The earlier of two moments, of which one may be open."""
    return b if a is None else min(a, b)


def succeeding(new: SemanticMemory, old: SemanticMemory, *, same: bool = False) -> SemanticMemory:
    """The value that took the place of `old`, as it names it and what that was learnt from.

    Where both say the `same`, the evidence of `old` is no less true for it.
    """
    return outdating(new, old, same=same).model_copy(
        update={"supersedes": (*new.supersedes, old.id)}
    )


def outdating(new: SemanticMemory, old: SemanticMemory, *, same: bool = False) -> SemanticMemory:
    """The present value, which knows what a former one was learnt from."""
    told = () if same else tuple(reversed(old.evidence_ids))
    ids = dict.fromkeys((*told, *new.outdates, *old.outdates))
    others = tuple(one for one in ids if one not in new.evidence_ids)
    return new.model_copy(update={"outdates": others[:KEPT_OUTDATED]})
