"""Add to a memory that it was said again: more evidence, and when.

Neither its words nor how sure or important it is: repeating a thing does not make it truer. Who has
less authority than the memory adds nothing at all, or it would rest on what is worth less.
"""

from collections.abc import Sequence
from datetime import datetime

from pydantic import AwareDatetime

from hindwise.domain.base import Model
from hindwise.domain.changes import Action, Claim, Edge, Replace
from hindwise.domain.memory import SemanticMemory
from hindwise.domain.scope import Origin
from hindwise.domain.succession import gathered
from hindwise.usecases.ledger import Ledger
from hindwise.usecases.winning import until_won


class Said(Model):
    """When something was said again, and on whose authority."""

    at: AwareDatetime
    origin: Origin


def corroborated(
    before: SemanticMemory, evidence: Sequence[str], *, seen: datetime, now: datetime
) -> SemanticMemory | None:
    """The memory's next version with more evidence, said again at a moment; None where no news."""
    united = gathered(before.evidence_ids, tuple(evidence))
    last = max(before.last_seen_at or before.event_time, seen)
    if united == before.evidence_ids and last == (before.last_seen_at or before.event_time):
        return None
    return before.model_copy(
        update={
            "evidence_ids": united,
            "last_seen_at": last,
            "updated_at": now,
            "version": before.version + 1,
            "change_reason": "said again",
        }
    )


def corroborate(
    memory_id: str,
    evidence: Sequence[str],
    *,
    said: Said,
    key: str,
    ledger: Ledger,
) -> None:
    """Add evidence to a memory, once, and keep under `key` that it was this one that it says.

    A memory that is gone stays so. Raises Unavailable when races did not end in time, and
    `changes.Raced` on what the ledger is `under`.
    """
    kept = Claim(key=key, memory_id=memory_id, expected=memory_id, now=ledger.call.now)

    def attempt(ledger: Ledger) -> None:
        before = ledger.read(memory_id)
        actions: list[Action] = [kept]
        if isinstance(before, SemanticMemory):
            actions += _more(before, evidence, said=said, ledger=ledger)
        ledger.commit(actions)

    until_won(attempt, "this memory", ledger=ledger)


def _more(
    before: SemanticMemory, evidence: Sequence[str], *, said: Said, ledger: Ledger
) -> list[Action]:
    after = corroborated(before, evidence, seen=said.at, now=ledger.call.now)
    if after is None or said.origin < before.origin:
        return []
    new = [one for one in after.evidence_ids if one not in before.evidence_ids]
    after, row = ledger.recorded(after, "said again")
    edges = [Edge(source=one, kind="evidence", dependant=after.id) for one in new]
    return [Replace(before=before, after=after), row, *edges]
