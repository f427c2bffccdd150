"""Let a pattern in like anything else that is written: a model may have put words into it."""

from pydantic import ValidationError

from hindwise.domain.admission import Decision
from hindwise.domain.drafts import SemanticDraft
from hindwise.domain.memory import SemanticMemory
from hindwise.errors import Refused
from hindwise.usecases.admit import admitted, flagged
from hindwise.usecases.holding import keep_held
from hindwise.usecases.ledger import Ledger


def sayable(content: str) -> bool:
    """Tell whether a text may be stored at all, by the rules of what callers write."""
    try:
        SemanticDraft(content=content)
    except ValidationError:
        return False
    return True


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
