"""What goes along with a memory that is forgotten, since it would tell it all the same.

Of what rests on it: what repeats its words, and what was learnt from it alone. Where it is only the
turn that a forgotten memory came from, other things may have been learnt from that turn: they go
too where nothing else bears them and they say the same in other words, and stay where they do not.
"""

from collections.abc import Iterator, Sequence
from typing import Literal

from hindwise.domain.base import Model
from hindwise.domain.evidence import echoes, retells
from hindwise.domain.memory import LongTermMemory, SemanticMemory, WorkingMemory
from hindwise.domain.trends import quotes
from hindwise.usecases.archive import whole
from hindwise.usecases.ledger import Ledger
from hindwise.usecases.transcript import Transcript
from hindwise.usecases.turns import turns_behind

Why = Literal["turn", "echo", "learnt"]


class Along(Model):
    """A memory that goes along with another one (`of`), and why."""

    id: str
    of: str
    why: Why


def resting(
    memory: LongTermMemory,
    *,
    target: LongTermMemory,
    among: Sequence[str],
    ledger: Ledger,
    said: Transcript | None = None,
) -> Iterator[tuple[str, Why]]:
    """What of those that rest on a memory goes with it when `target`, maybe itself, is forgotten.

    What is archived is looked at as it was, where its object can be read.
    """
    for one in among:
        found = ledger.read(one) if one != target.id else None
        if found is None or isinstance(found, WorkingMemory):
            continue
        found = whole(found, scope=ledger.call.scope, said=said)
        if quotes(found, memory.id) or echoes(found, memory):
            yield one, "echo"
        elif _borne_by(found, memory, target=target, ledger=ledger):
            yield one, "learnt"


def _borne_by(
    found: LongTermMemory, gone: LongTermMemory, *, target: LongTermMemory, ledger: Ledger
) -> bool:
    """Tell whether nothing but what goes bears a memory."""
    if not isinstance(found, SemanticMemory) or gone.id not in found.evidence_ids:
        return False
    if gone.id != target.id and not retells(found, target):
        return False
    others = [one for one in found.evidence_ids if one != gone.id]
    return not others or not ledger.store.get(ledger.call.scope, others)


def along(
    memory: LongTermMemory, *, ledger: Ledger, said: Transcript | None = None
) -> tuple[Along, ...]:
    """Name what would go along with a memory; changes nothing."""
    found: dict[str, Along] = {}
    behind = () if said is None else turns_behind(memory, ledger=ledger, said=said)
    scope = ledger.call.scope
    turns = [whole(one.episode, scope=scope, said=said) for one in behind]
    for one in turns:
        if one.id != memory.id:
            found[one.id] = Along(id=one.id, of=memory.id, why="turn")
    target = whole(memory, scope=scope, said=said)
    for one in (target, *turns):
        among = ledger.store.dependants(scope, one.id)
        for other, why in resting(one, target=target, among=among, ledger=ledger, said=said):
            found.setdefault(other, Along(id=other, of=memory.id, why=why))
    return tuple(found.values())
