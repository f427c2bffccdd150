"""What a memory is to be compared with: those that speak of the same, by the index and the table.

The vector is the one that `index` stored; nothing is embedded here. The index only nominates: what
is compared are the records, read now.
"""

from collections.abc import Mapping
from math import fsum

from hindwise.domain.analysis import identifiers, query_words
from hindwise.domain.base import Model
from hindwise.domain.document import Candidate, Document, Vector
from hindwise.domain.memory import Kind, SemanticMemory
from hindwise.domain.pairing import comparable, nearness
from hindwise.domain.ports import Ask
from hindwise.domain.projection import document_of
from hindwise.domain.query import Condition, Filter, Operator
from hindwise.errors import Unavailable
from hindwise.usecases.engine import Engine
from hindwise.usecases.ledger import Ledger

PER_ARM = 20
OWN_WRITES = 100
SEMANTIC = Filter(all_of=(Condition(field="kind", op=Operator.EQ, value=Kind.SEMANTIC.value),))


class Neighbour(Model):
    """A memory that may speak of the same.

    `cosine` is None where either has no vector; `near` (0..1) also counts the words they share.
    """

    memory: SemanticMemory
    cosine: float | None
    near: float


def neighbours(
    memory: SemanticMemory, *, ledger: Ledger, engine: Engine
) -> tuple[Neighbour, ...] | None:
    """Those to compare a memory with, the nearest first; None while it is not projected yet.

    Where the index is down or still being filled the table answers, if it knows all of the scope.
    Raises `errors.Unavailable` where there is no whole answer.
    """
    scope, now = ledger.call.scope, ledger.call.now
    known = engine.projections.documents(scope, [memory.id]).get(memory.id)
    vector = _vector(memory, known, engine)
    if vector is None and _underway(memory.id, ledger):
        return None
    ask = Ask(
        terms=tuple(query_words(memory.content)),
        exact=tuple(identifiers(memory.content)),
        filter=SEMANTIC,
        now=now,
        per_arm=PER_ARM,
        recent=1,
    )
    nominated, down = engine.nominate(scope, ask, vector)
    if down and nominated.skipped:
        raise Unavailable(
            "the index is down, and the table too long", details={"dependency": "index"}
        )
    found = nominated.candidates
    ids = [one.document.id for one in found if one.document.id != memory.id]
    records = ledger.store.get(scope, ids[:100]) if ids else {}
    others = [
        one
        for one in records.values()
        if isinstance(one, SemanticMemory) and comparable(memory, one, now=now)
    ]
    cosines = _cosines(found, vector, [one.id for one in others], ledger=ledger, engine=engine)
    near = (_neighbour(memory, one, cosines.get(one.id)) for one in others)
    return tuple(sorted(near, key=lambda one: (-one.near, one.memory.id)))


def _neighbour(memory: SemanticMemory, other: SemanticMemory, cosine: float | None) -> Neighbour:
    return Neighbour(memory=other, cosine=cosine, near=nearness(memory, other, cosine))


def _vector(memory: SemanticMemory, known: Document | None, engine: Engine) -> Vector | None:
    """The stored vector, if it is of what the memory says now."""
    if known is None or known.vector is None:
        return None
    wanted, _ = document_of(memory, None, engine.embedder.id)
    return known.vector if known.text_hash == wanted.text_hash else None


def _underway(memory_id: str, ledger: Ledger) -> bool:
    """Tell whether a memory is still to be projected; one given up on is compared by words."""
    backlog = ledger.store.backlog(ledger.call.scope, OWN_WRITES)
    waiting = any(one.memory_id == memory_id and not one.parked for one in backlog.changes)
    return waiting or (
        backlog.more and not any(one.memory_id == memory_id for one in backlog.changes)
    )


def _cosines(
    found: tuple[Candidate, ...],
    vector: Vector | None,
    ids: list[str],
    *,
    ledger: Ledger,
    engine: Engine,
) -> Mapping[str, float]:
    """The cosine to each neighbour that has a vector; the index tells only the nearest ones'."""
    told = {one.document.id: one.cosine for one in found if one.cosine is not None}
    rest = [one for one in ids if one not in told]
    if vector is None or not rest:
        return told
    stored = engine.projections.documents(ledger.call.scope, rest)
    return told | {
        one: fsum(a * b for a, b in zip(vector, document.vector, strict=True))
        for one, document in stored.items()
        if document.vector is not None
    }
