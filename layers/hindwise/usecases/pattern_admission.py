"""Let a pattern in like anything else that is written: a model may have put words into it.

Those of an episode that it was shown, too, beside others that it names: whose words a pattern
really repeats decides how much it counts.
"""

from collections.abc import Mapping, Sequence

from pydantic import ValidationError

from hindwise.domain.admission import Decision
from hindwise.domain.changes import Stands
from hindwise.domain.drafts import SemanticDraft
from hindwise.domain.echoing import borrowed
from hindwise.domain.evidence import echoes
from hindwise.domain.memory import Episode, Memory, SemanticMemory, Status
from hindwise.domain.patterns import Grounded, Proposal
from hindwise.domain.visibility import withheld
from hindwise.errors import Refused
from hindwise.usecases.admit import admitted, flagged
from hindwise.usecases.evidence import disowned
from hindwise.usecases.holding import keep_held
from hindwise.usecases.ledger import Ledger

ECHOED = 8
"""Episodes in the very words of a pattern that must stand; what more say is nobody's own."""


def sayable(content: str) -> bool:
    """Tell whether a text may be stored at all, by the rules of what callers write."""
    try:
        SemanticDraft(content=content)
    except ValidationError:
        return False
    return True


def withdrawn(shown: Sequence[str], there: Mapping[str, Memory]) -> set[str]:
    """Those of the memories shown whose words are nobody's to use: forgotten, or held since."""
    held = {one for one, memory in there.items() if withheld(memory)}
    return {*shown} - there.keys() | held


def own_word(proposal: Proposal, found: Grounded, shown: Mapping[str, Memory]) -> Grounded | str:
    """What was found, with the authority of those whose words it repeats among all that was shown.

    The least of those that it names is decisive, and of those that it does not. A word says why it
    is refused: its own are held.
    """
    said = [one.content for one in found.evidence]
    if borrowed(found.content, said, [one.content for one in shown.values() if withheld(one)]):
        return "forgotten"
    cited = [shown[one].origin for one in proposal.evidence_ids if one in shown]
    found = found.model_copy(update={"origin": min(found.origin, *cited)})
    lower = [one for one in shown.values() if one.origin < found.origin]
    for origin in sorted({one.origin for one in lower}):
        theirs = [one.content for one in lower if one.origin is origin]
        if borrowed(found.content, said, theirs):
            return found.model_copy(update={"origin": origin})
    if borrowed(found.content, said, [one.content for one in lower]):
        return found.model_copy(update={"origin": min(one.origin for one in lower)})
    return found


def words_stand(pattern: SemanticMemory, evidence: Sequence[Episode]) -> list[Stands]:
    """What a pattern is stored under: the episodes whose very words it says are still there."""
    speaking = [one.id for one in evidence if echoes(pattern, one)]
    return [Stands(memory_id=one) for one in speaking[:ECHOED]]


def verified(evidence: Sequence[Episode], *, ledger: Ledger) -> None:
    """Take out of patterns what was forgotten or turned away while they were written."""
    ids = [one.id for one in evidence]
    still = ledger.store.get(ledger.call.scope, ids)
    gone = withdrawn(ids, still)
    for one in ids:
        if one in gone or still[one].status is Status.REJECTED:
            disowned(one, ledger=ledger)


def let_in_pattern(pattern: SemanticMemory, *, ledger: Ledger) -> tuple[SemanticMemory, str | None]:
    """The pattern as it may be stored, and why it was kept out: `held` for a person, `refused`.

    Raises Unavailable, and Raced where the job is no longer held.
    """
    try:
        clean, decided = admitted(pattern, origin=pattern.origin, ledger=ledger)
    except Refused:
        return pattern, "refused"
    if decided.decision is Decision.QUARANTINE:
        keep_held(clean, decided.rules, ledger=ledger, given=True)
        return clean, "held"
    return flagged(clean, decided), None
