"""Let in what is written: the one place that every write path goes through before it commits.

What a text alone can tell is decided by pure functions; here it is joined with what the store
knows: whether it rests on what is held, and whether reviewers have turned the like of it away.
"""

from collections.abc import Sequence, Set
from dataclasses import replace

from hindwise.domain.admission import Admission, Decision
from hindwise.domain.admission.records import let_in, noted
from hindwise.domain.base import Model
from hindwise.domain.drafts import WorkingDraft
from hindwise.domain.fence import Guarded
from hindwise.domain.memory import LongTermMemory, Memory, MemoryBase, WorkingMemory
from hindwise.domain.repeats import held_key
from hindwise.domain.reviews import WITHDRAWN
from hindwise.domain.scope import Origin
from hindwise.domain.sources import marks_of
from hindwise.domain.visibility import withheld
from hindwise.errors import Forbidden, Refused
from hindwise.usecases.ledger import Ledger
from hindwise.usecases.lessons import taught

LINEAGE, LESSON, OPINION = "lineage", "lesson", "opinion"
"""Rules: what it rests on is held or was turned away; the like of it was turned away; a model
advises against it."""


def admitted[M: Model](
    said: M, *, origin: Origin, ledger: Ledger, lineage: Sequence[Memory] = ()
) -> tuple[M, Admission]:
    """What may be stored of a draft or an edit that is of this origin, and what was decided.

    Raises Refused; whoever answers the request notes that in the audit.
    """
    clean, decided = let_in(said, origin=origin, rules=ledger.trust.rules)
    if decided.decision is Decision.REFUSE:
        raise refusal(decided)
    if any(map(withheld, lineage)):
        decided = noted(decided, LINEAGE, "evidence_ids")
    content = getattr(clean, "content", None)
    if content and origin < Origin.OWNER:
        decided = _remembered(content, decided, ledger=ledger)
    if decided.decision is not Decision.QUARANTINE and _from_held(clean, ledger):
        decided = noted(decided, WITHDRAWN, "source")
    return clean, decided


def _from_held(said: Model, ledger: Ledger) -> bool:
    """Tell whether it comes from a source that is quarantined; what is held anyway stays held."""
    by = ledger.call.principal.name
    return bool(ledger.held) and bool(marks_of(said, by=by) & ledger.held)


def _remembered(content: str, decided: Admission, *, ledger: Ledger) -> Admission:
    """The decision on words that nobody vouches for, by what became of the like of them."""
    if held_for(content, ledger=ledger)[1] is not None:
        decided = noted(decided, LINEAGE, "content")
    if taught(content, ledger=ledger):
        decided = noted(decided, LESSON, "content")
    return decided


def again(said: Model, memory: Memory | None, *, ledger: Ledger) -> Admission:
    """What was decided on what became a memory, for whoever asks the same again."""
    if memory is None:
        return Admission()
    _, decided = let_in(said, origin=memory.origin, rules=ledger.trust.rules)
    for rule in (LINEAGE, LESSON, WITHDRAWN):
        if rule in memory.flags:
            rests = rule == LINEAGE and bool(getattr(said, "evidence_ids", None))
            decided = noted(decided, rule, "evidence_ids" if rests else "content")
    return decided


def refused_again(said: Model, *, origin: Origin, ledger: Ledger) -> Refused | None:
    """The error that a draft had that was refused before; None where it was another one."""
    _, decided = let_in(said, origin=origin, rules=ledger.trust.rules)
    unheld = isinstance(said, WorkingDraft) and decided.decision is Decision.QUARANTINE
    return refusal(decided) if unheld or decided.decision is Decision.REFUSE else None


def unheld(decided: Admission) -> None:
    """Raise Refused for a scratch value that would be held: it is over before anybody looks."""
    if decided.decision is Decision.QUARANTINE:
        raise refusal(decided)


def refusal(decided: Admission) -> Refused:
    """The error that says by which rules, and in which fields, something is not let in."""
    fields = [one.field for one in decided.findings]
    return Refused(
        f"{fields[0]}: admission does not let this in ({', '.join(decided.rules)})",
        details={
            "field": fields[0],
            "rules": list(decided.rules),
            "findings": [one.model_dump(include={"rule", "field"}) for one in decided.findings],
        },
    )


def held_for(content: str, *, ledger: Ledger) -> tuple[str | None, LongTermMemory | None]:
    """The id that stands for the words of what is held, and the record, if it is still withheld."""
    standing_id = ledger.store.claim(ledger.call.scope, held_key(content), now=ledger.call.now)
    standing = ledger.read(standing_id) if standing_id else None
    if standing is None or isinstance(standing, WorkingMemory) or not withheld(standing):
        return standing_id, None
    return standing_id, standing


def opened(memory_id: str, change: Model, *, ledger: Ledger) -> Memory:
    """Read what is to be changed; raises NotFound, and Refused for a quarantined source's change.

    That is not held as what such a source writes is: most changes make no record of their own.
    """
    try:
        return ledger.need(memory_id, known=ledger.held)
    except Guarded as found:
        if _from_held(change, replace(ledger, held=found.held)):
            raise refusal(noted(Admission(), WITHDRAWN, "source")) from None
        return ledger.need(memory_id, known=found.held)


def open_to_edits(memory: Memory, fields: Set[str]) -> None:
    """Raise Forbidden where a memory is held for a reviewer and an edit changes more than marks.

    What is looked at must not change under whoever looks; no mark puts it back into use.
    """
    if withheld(memory) and fields - {"reason", "marks"}:
        raise Forbidden("this memory is held for review: a reviewer decides what becomes of it")


def flagged[M: MemoryBase](memory: M, decided: Admission) -> M:
    """The record with the rules that spoke up."""
    if not decided.findings:
        return memory
    flags = tuple(dict.fromkeys((*memory.flags, *decided.rules)))
    return memory.model_copy(update={"flags": flags})
