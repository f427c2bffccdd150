"""What a value that takes the place of another does to both.

The former one ends where the new one begins. The new one names it, and knows what it was learnt
from: so a turn that tells what no longer holds is recognised without reading anything about it.
"""

from datetime import datetime

from hindwise.domain.guards_reading import plain
from hindwise.domain.memory import SemanticMemory, Status, Verdict

KEPT_EVIDENCE = 64
"""Evidence that a memory gathers at most, by being said again: each is a row of the transaction,
which has a hundred."""
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


def contested(old: SemanticMemory, verdict: Verdict) -> SemanticMemory:
    """A value that was current and lost to a higher authority, as if it had come second."""
    return old.model_copy(
        update={
            "status": Status.CONTESTED,
            "settled": True,
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


def gathered(mine: tuple[str, ...], more: tuple[str, ...]) -> tuple[str, ...]:
    """A memory's evidence with more of it, up to 64; what it rests on already stays."""
    united = tuple(dict.fromkeys((*mine, *more)))
    return united[: max(len(mine), KEPT_EVIDENCE)]


def outdating(new: SemanticMemory, old: SemanticMemory, *, same: bool = False) -> SemanticMemory:
    """The present value, which knows what a former one was learnt from, if that said another."""
    same = same or bool(new.value and old.value and plain(new.value) == plain(old.value))
    told = () if same else tuple(reversed(old.evidence_ids))
    ids = dict.fromkeys((*told, *new.outdates, *old.outdates))
    others = tuple(one for one in ids if one not in new.evidence_ids)
    return new.model_copy(update={"outdates": others[:KEPT_OUTDATED]})
