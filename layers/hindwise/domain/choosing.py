"""A reviewer makes a contested value current: a person's word, where authority could not decide.

It raises nobody's origin: the value holds its slot with the authority that it has, so that what is
newer or vouched for by a higher one takes the slot by the usual rules.
"""

from collections.abc import Sequence
from datetime import datetime

from hindwise.domain.memory import SemanticMemory, Status, Verdict
from hindwise.domain.succession import retired, succeeding

CHOSEN = "a reviewer chose this value"
PASSED = "a reviewer chose another value"
CONFLICTS = frozenset({"update", "contradiction"})


def rivals_of(memory: SemanticMemory) -> tuple[str, ...]:
    """The ids of those that kept a contested memory from being current, the last one first."""
    found = (one.other for one in reversed(memory.verdicts) if one.verdict in CONFLICTS)
    return tuple(dict.fromkeys(found))


def chosen(
    memory: SemanticMemory, rivals: Sequence[SemanticMemory], *, now: datetime
) -> tuple[SemanticMemory, tuple[tuple[SemanticMemory, SemanticMemory], ...]]:
    """A memory that takes the place of its rivals, and those before and after."""
    after = memory.model_copy(update={"status": Status.ACTIVE, "settled": False})
    after = after.model_copy(update={"valid_from": after.valid_from or after.event_time})
    changed = []
    for rival in rivals:
        mine = Verdict(other=rival.id, verdict="contradiction", reason=CHOSEN, at=now)
        theirs = mine.model_copy(update={"other": memory.id, "reason": PASSED})
        after = after.model_copy(update={"verdicts": (*after.verdicts, mine)})
        changed.append((rival, retired(rival, after, theirs)))
        after = succeeding(after, rival)
    return after, tuple(changed)
