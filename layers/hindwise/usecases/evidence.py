"""Tell what rests on a memory that the memory no longer counts, or counts again.

Each dependant changes in a commit of its own, before the memory itself does: whoever is interrupted
in between does it again, and finds those that are done already.
"""

from collections.abc import Iterator, Sequence

from hindwise.domain.changes import Replace
from hindwise.domain.evidence import regained, without
from hindwise.domain.memory import LongTermMemory, Memory, SemanticMemory, Type, WorkingMemory
from hindwise.domain.patterns import EVIDENCE_CHANGED
from hindwise.usecases.ledger import Ledger
from hindwise.usecases.winning import until_won

READ = 100


def disowned(
    memory_id: str,
    *,
    ledger: Ledger,
    among: Sequence[str] | None = None,
    sparing: str | None = None,
) -> tuple[str, ...]:
    """Take a memory out of the evidence of all that rest on it, and return their ids.

    `among` are those, where they have been read. Those that had been told already are returned as
    well. Where it goes only for the sake of another memory, `sparing`, that one is left alone and
    none but patterns are weakened. Raises Unavailable when races did not end in time.
    """
    dependants = ledger.store.dependants(ledger.call.scope, memory_id) if among is None else among
    gone = ledger.read(memory_id) if dependants else None
    return tuple(
        one
        for one in dependants
        if one != sparing and _told(one, memory_id, gone, ledger=ledger, weaken=sparing is None)
    )


def reowned(memory_id: str, *, ledger: Ledger) -> tuple[str, ...]:
    """Put a memory back into the evidence of all that have lost it, and return their ids.

    Raises Unavailable when races did not end in time.
    """
    dependants = ledger.store.dependants(ledger.call.scope, memory_id)
    return tuple(one for one in dependants if _restored(one, memory_id, ledger=ledger))


def _restored(dependant: str, back: str, *, ledger: Ledger) -> bool:
    """Whether there is one that had lost it; its next version is committed."""

    def attempt(ledger: Ledger) -> bool:
        before = ledger.read(dependant)
        if before is None or isinstance(before, WorkingMemory):
            return False
        if EVIDENCE_CHANGED not in before.flags or back in before.evidence_ids:
            return False
        past = [*ledger.store.versions(ledger.call.scope, dependant), before]
        left = _records((*before.evidence_ids, back), ledger=ledger)
        after = regained(before, back, past, left, at=ledger.call.now)
        if after is None:
            return False
        after, row = ledger.recorded(after, "evidence_restored")
        ledger.store.commit(ledger.call.scope, [Replace(before=before, after=after), row])
        return True

    return until_won(attempt, "this memory", ledger=ledger)


def _told(
    dependant: str, gone: str, record: Memory | None, *, ledger: Ledger, weaken: bool
) -> bool:
    """Whether there is such a dependant; its next version is committed where it needs one."""

    def attempt(ledger: Ledger) -> bool:
        before = ledger.read(dependant)
        if before is None or isinstance(before, WorkingMemory):
            return False
        left = _records(tuple(one for one in before.evidence_ids if one != gone), ledger=ledger)
        weakened = weaken or (isinstance(before, SemanticMemory) and before.type is Type.PATTERN)
        told_by = None if isinstance(record, WorkingMemory) else record
        at = ledger.call.now
        after = without(before, (gone,), left, at=at, weaken=weakened, told_by=told_by)
        if after is None:
            return EVIDENCE_CHANGED in before.flags
        after, row = ledger.recorded(after, "evidence_changed")
        ledger.store.commit(ledger.call.scope, [Replace(before=before, after=after), row])
        return True

    return until_won(attempt, "this memory", ledger=ledger)


def _records(ids: tuple[str, ...], *, ledger: Ledger) -> dict[str, LongTermMemory]:
    return dict(_long_term(ids, ledger=ledger))


def _long_term(ids: tuple[str, ...], *, ledger: Ledger) -> Iterator[tuple[str, LongTermMemory]]:
    for start in range(0, len(ids), READ):
        found = ledger.store.get(ledger.call.scope, ids[start : start + READ])
        for one, memory in found.items():
            if not isinstance(memory, WorkingMemory):
                yield one, memory
