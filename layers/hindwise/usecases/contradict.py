"""Weaken patterns that newer episodes speak against as a whole, where no new pattern says so.

The verdict names the newest of those episodes, so that the same episodes weaken a pattern once.
"""

from collections.abc import Collection, Mapping, Sequence

from hindwise.domain.changes import Replace
from hindwise.domain.memory import Episode, SemanticMemory, Status
from hindwise.domain.patterns import contradicted_by, enough, patterns_of
from hindwise.usecases.ledger import Ledger
from hindwise.usecases.winning import until_won


def contradict(
    ids: Sequence[str],
    shown: Mapping[str, Episode],
    *,
    factor: float,
    settled_by: Collection[str],
    ledger: Ledger,
) -> tuple[str, ...]:
    """Weaken those of the patterns `ids` that stand, and return their ids.

    Only by episodes of no less authority, from two sources. A pattern that one of `settled_by`
    contradicts already is left alone. Raises Raced where a job is no longer held, Unavailable.
    """
    weakened = []
    for one in ids:
        if _weakened(one, shown, factor, settled_by, ledger=ledger):
            weakened.append(one)
    return tuple(weakened)


def _weakened(
    pattern_id: str,
    shown: Mapping[str, Episode],
    factor: float,
    settled_by: Collection[str],
    *,
    ledger: Ledger,
) -> bool:

    def attempt(ledger: Ledger) -> bool:
        before = ledger.read(pattern_id)
        if not isinstance(before, SemanticMemory) or before.status is not Status.ACTIVE:
            return False
        against = [
            one
            for one in shown.values()
            if one.origin >= before.origin and one.id not in before.evidence_ids
        ]
        if not patterns_of([before], before.domain) or not enough(against):
            return False
        after = contradicted_by(
            before, against, factor=factor, settled_by=settled_by, call=ledger.call
        )
        if after is None:
            return False
        after, row = ledger.recorded(after, "contradicted")
        ledger.commit([Replace(before=before, after=after), row])
        return True

    return until_won(attempt, "a pattern", ledger=ledger)
