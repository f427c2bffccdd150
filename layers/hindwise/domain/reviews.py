"""What waits for a person, and why: told by the record alone, so no list can disagree with it.

Quarantined and contested memories are hidden until somebody decides; the others stand meanwhile and
carry a flag, which whoever noticed something sets and the decision takes away.
"""

from enum import StrEnum

from hindwise.domain.memory import LongTermMemory, Mark, SemanticMemory, Status

PERIODIC = "periodic_review"
CONSENSUS = "consensus"
DECISION = "decision_review"
WITHDRAWN = "source_quarantine"
"""On a memory that was quarantined together with all that came from its source."""
STANDING = frozenset({Status.ACTIVE, Status.OBSOLETE})


class ReviewKind(StrEnum):
    """Why a memory is to be looked at."""

    QUARANTINED = "quarantined"
    CONTESTED = "contested"
    PERIODIC = "periodic"
    CONSENSUS = "consensus"
    DECISION = "decision"


FLAGS = {
    PERIODIC: ReviewKind.PERIODIC,
    CONSENSUS: ReviewKind.CONSENSUS,
    DECISION: ReviewKind.DECISION,
}
"""The flags that have a memory listed while it stands."""


def kinds_of(memory: LongTermMemory) -> tuple[ReviewKind, ...]:
    """Why a record waits for a reviewer; nothing where it does not."""
    if memory.status is Status.QUARANTINED:
        return (ReviewKind.QUARANTINED,)
    if memory.status is Status.CONTESTED:
        return (ReviewKind.CONTESTED,)
    if memory.status not in STANDING:
        return ()
    kinds = (kind for flag, kind in FLAGS.items() if flag in memory.flags)
    seen = memory.reviewed_at is not None
    return tuple(kind for kind in kinds if not (seen and kind is ReviewKind.PERIODIC))


def told(memory: LongTermMemory) -> tuple[str, ...]:
    """A record's flags without those that only have it listed."""
    return tuple(flag for flag in memory.flags if flag not in FLAGS)


def flagged(memory: LongTermMemory, *flags: str) -> tuple[str, ...]:
    """A record's flags and more of them, each once."""
    return tuple(dict.fromkeys((*memory.flags, *flags)))


def unreviewed(memory: LongTermMemory) -> bool:
    """Tell whether a record may be chosen for the periodic review: recalled, never looked at."""
    return (
        isinstance(memory, SemanticMemory)
        and memory.status is Status.ACTIVE
        and memory.reviewed_at is None
        and memory.access_count > 0
    )


def judged(memory: LongTermMemory, *marks: Mark, off: tuple[Mark, ...] = ()) -> tuple[Mark, ...]:
    """A record's marks with some set and others taken off."""
    return tuple(sorted({*memory.marks, *marks} - {*off}))
