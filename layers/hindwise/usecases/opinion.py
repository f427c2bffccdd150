"""Ask a model for a second opinion on what no owner said, where a stage wants one.

A yes holds it for a person; a no lets nothing in. What the model fails to say changes nothing: it
is logged, and the rules alone have decided.
"""

import logging
from collections.abc import Callable, Sequence
from datetime import datetime

from hindwise.domain.changes import Raced
from hindwise.domain.memory import LongTermMemory, SemanticMemory, Status
from hindwise.domain.ports import Reply
from hindwise.domain.prompts import opinion
from hindwise.domain.scope import Origin, Scope
from hindwise.errors import HindwiseError
from hindwise.usecases.admit import OPINION
from hindwise.usecases.learning import Learning
from hindwise.usecases.ledger import Ledger
from hindwise.usecases.reasoning import ask
from hindwise.usecases.standing import withdraw
from hindwise.usecases.trust import Trust

_log = logging.getLogger(__name__)


def doubted(
    texts: Sequence[str],
    scope: Scope,
    *,
    trust: Trust,
    learning: Learning,
    now: datetime,
    spent: Callable[[Reply], None] | None = None,
) -> frozenset[int]:
    """The places, from 0, of the texts that a model advises against; none where it is not asked."""
    if not texts or not trust.rules.second_opinion or learning.reasoner is None:
        return frozenset()
    try:
        reply = ask(learning, scope, opinion.question(texts), now=now)
        if spent is not None:
            spent(reply)
        return frozenset(one - 1 for one in opinion.read(reply, len(texts)))
    except HindwiseError as error:
        _log.warning("second opinion not given: %s", error.details.get("reason", error.code))
        return frozenset()


def held_back(memory_id: str, *, ledger: Ledger, learning: Learning) -> bool:
    """Take a memory out of use that a model advises against, before it is compared with others.

    Raises Unavailable where the table does not answer.
    """
    memory = ledger.read(memory_id)
    if not isinstance(memory, SemanticMemory) or not _open(memory):
        return False
    ledger = ledger.not_before(memory.updated_at)
    call = ledger.call
    texts = [memory.content]
    if not doubted(texts, call.scope, trust=ledger.trust, learning=learning, now=call.now):
        return False
    patience = ledger.tools.patience()
    while isinstance(memory, SemanticMemory) and _open(memory) and memory.content == texts[0]:
        try:
            withdraw(memory, None, decision="quarantined", ledger=ledger, flags=(OPINION,))
        except Raced:
            if not patience.again():
                return False
            memory = ledger.read(memory_id)
        else:
            return True
    return False


def _open(memory: LongTermMemory) -> bool:
    """Tell whether nobody who may has looked at a memory yet, and no owner vouches for it."""
    new = not memory.settled and memory.reviewed_at is None
    return new and memory.status is Status.ACTIVE and memory.origin < Origin.OWNER
