"""What becomes of a memory when something that it rests on is forgotten or turns out to be wrong.

It loses that evidence, is as much less sure as the share that went, and says so
(`evidence_changed`). A pattern that is left with less than two sources, and anything that is left
with none, is obsolete: it stays readable, ranks low, and can be forgotten by whoever sees it.
"""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from itertools import pairwise

from hindwise.domain.analysis import query_words
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
RETOLD = 0.6
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


def retells(memory: LongTermMemory, gone: LongTermMemory) -> bool:
    """Tell whether a memory says much of what another one says: three fifths of its words."""
    one, other = (set(query_words(each.content)) for each in (memory, gone))
    return bool(other) and len(one & other) / len(other) >= RETOLD


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


def regained(
    memory: LongTermMemory,
    back: str,
    past: Sequence[LongTermMemory],
    left: Mapping[str, LongTermMemory],
    *,
    at: datetime,
) -> LongTermMemory | None:
    """The next version of a memory that counts `back` among its evidence again; None if it never
    lost it.

    `past` are its versions so far, oldest first, itself at the end; `left` are the records of all
    its evidence that can be read. What it lost with that evidence it has again, as far as nobody
    changed it since: the share of its confidence, and its standing where enough carries it.
    """
    steps = [(had, lost) for had, lost in pairwise(past) if _lost(back, had, lost)]
    if not steps or back in memory.evidence_ids:
        return None
    had, lost = steps[-1]
    again = {*memory.evidence_ids, back}
    kept = tuple(one for one in had.evidence_ids if one in again)
    kept += tuple(one for one in memory.evidence_ids if one not in kept)
    missing = {one for version in past for one in version.evidence_ids} - {*kept}
    flags = tuple(one for one in memory.flags if missing or one != EVIDENCE_CHANGED)
    most = max(version.confidence for version in past)
    share = had.confidence / lost.confidence if lost.confidence else 1
    changes: dict[str, object] = {
        "evidence_ids": kept,
        "flags": flags,
        "confidence": round(min(memory.confidence * share, most), 4),
        "version": memory.version + 1,
        "updated_at": at,
    }
    sunk = memory.status is Status.OBSOLETE and any(_sank(*step) for step in pairwise(past))
    if sunk and _carried(memory, kept, left):
        changes["status"] = Status.ACTIVE
        changes["marks"] = tuple(one for one in memory.marks if one is not Mark.OBSOLETE)
    return memory.model_copy(update=changes)


def _lost(one: str, had: LongTermMemory, then: LongTermMemory) -> bool:
    """Tell whether a version has lost this evidence because it no longer counted."""
    gone = one in had.evidence_ids and one not in then.evidence_ids
    return gone and EVIDENCE_CHANGED in then.flags


def _sank(had: LongTermMemory, then: LongTermMemory) -> bool:
    """Tell whether a version is obsolete because evidence was lost, and nobody said so."""
    lost = any(_lost(one, had, then) for one in had.evidence_ids)
    return lost and (had.status, then.status) == (Status.ACTIVE, Status.OBSOLETE)


def _carried(
    memory: LongTermMemory, kept: tuple[str, ...], left: Mapping[str, LongTermMemory]
) -> bool:
    """Tell whether what is left is enough to go on saying it."""
    if not isinstance(memory, SemanticMemory) or memory.type is not Type.PATTERN:
        return bool(kept)
    return enough([left[one] for one in kept if one in left])
