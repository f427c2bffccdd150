"""What becomes of a memory when something that it rests on is forgotten or turns out to be wrong.

It loses that evidence, is as much less sure as the share that went, and says so
(`evidence_changed`). A pattern that is left with less than two sources, and anything that is left
with none, is obsolete: it stays readable, ranks low, and can be forgotten by whoever sees it.
"""

from collections.abc import Collection, Mapping
from datetime import datetime

from hindwise.domain.memory import (
    Episode,
    LongTermMemory,
    Mark,
    SemanticMemory,
    Status,
    Type,
)
from hindwise.domain.patterns import EVIDENCE_CHANGED, enough
from hindwise.domain.text import normalised

TELLING = 10
"""Characters from which a text within another one is taken for a quotation."""
LEAST_SHARE = 0.1
"""Of its confidence, what has lost all evidence keeps as much."""


def echoes(memory: LongTermMemory, gone: LongTermMemory) -> bool:
    """Tell whether a memory says the very words of another one, or more than those.

    A few words in the midst of others are nobody's.
    """
    words = normalised(memory.content)
    summary = gone.summary if isinstance(gone, Episode) else None
    said = [normalised(one) for one in (gone.content, summary) if one]
    return any(one == words or (len(one) >= TELLING and one in words) for one in said)


def without(
    memory: LongTermMemory,
    gone: Collection[str],
    left: Mapping[str, LongTermMemory],
    *,
    at: datetime,
    weaken: bool = True,
    told_by: LongTermMemory | None = None,
) -> LongTermMemory | None:
    """The next version of a memory whose evidence `gone` no longer counts; None if it had none.

    `left` are the records of the rest that can be read. Without `weaken` only the link goes, for
    evidence that was not wrong but is being redacted for the sake of another memory. What says the
    very words of `told_by`, the one that goes, is obsolete: nothing else says it so.
    """
    lost = [one for one in memory.evidence_ids if one in gone]
    if not lost:
        return None
    kept = tuple(one for one in memory.evidence_ids if one not in gone)
    changes: dict[str, object] = {
        "evidence_ids": kept,
        "flags": tuple(dict.fromkeys((*memory.flags, EVIDENCE_CHANGED))),
        "version": memory.version + 1,
        "updated_at": at,
    }
    if weaken:
        share = max(len(kept) / len(memory.evidence_ids), LEAST_SHARE)
        changes["confidence"] = round(memory.confidence * share, 4)
        if memory.status is Status.ACTIVE and (
            not _carried(memory, kept, left) or (told_by is not None and echoes(memory, told_by))
        ):
            changes["status"] = Status.OBSOLETE
            changes["marks"] = tuple(sorted({*memory.marks, Mark.OBSOLETE}))
    return memory.model_copy(update=changes)


def _carried(
    memory: LongTermMemory, kept: tuple[str, ...], left: Mapping[str, LongTermMemory]
) -> bool:
    """Tell whether what is left is enough to go on saying it."""
    if not isinstance(memory, SemanticMemory) or memory.type is not Type.PATTERN:
        return bool(kept)
    return enough([left[one] for one in kept if one in left])
