"""Forget one memory for good: a tombstone stays, everything that held its words goes."""

from hindwise.domain.changes import Action, Answered, DropWorking, Forget, Raced
from hindwise.domain.memory import Memory, WorkingMemory
from hindwise.errors import Unavailable
from hindwise.usecases.latest import unpointed
from hindwise.usecases.ledger import Ledger
from hindwise.usecases.placing import following, leaving, unclaimed


def forget(memory_id: str, *, ledger: Ledger) -> Memory:
    """Forget a memory and return what it was.

    Raises NotFound, also for one that is forgotten already.

    The holder of a slot leaves it empty: an earlier value is not revived by forgetting a later one.
    """
    patience = ledger.tools.patience()
    while True:
        memory = ledger.need(memory_id)
        try:
            ledger.commit(_actions(memory, ledger=ledger), answer=f"forgotten {memory_id}")
        except Raced as raced:
            if raced.on(Answered):
                raise
            if not patience.again():
                raise Unavailable("too many writers at once on this memory; try again") from raced
        else:
            return memory


def _actions(memory: Memory, *, ledger: Ledger) -> list[Action]:
    if isinstance(memory, WorkingMemory):
        _, row = ledger.recorded(memory, "forgotten")
        return [DropWorking(memory_id=memory.id), row]
    ended = memory.model_copy(update={"version": memory.version + 1})
    _, row = ledger.recorded(ended, "forgotten")
    actions: list[Action] = [Forget(memory=memory, at=ledger.call.now), row]
    actions += unclaimed(memory, memory.claims)
    actions += leaving(memory, ledger=ledger)
    actions += following(memory, ledger=ledger)
    actions += unpointed(memory, ledger=ledger)
    return actions
