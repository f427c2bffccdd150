"""A source that is not to be believed any more, and what came from it.

From it came what names it, and what rests on nothing else. What rests on other evidence too only
loses that part. Ids and counts are all that is said of it.
"""

from collections.abc import Mapping
from enum import StrEnum
from hashlib import sha256

from pydantic import Field

from hindwise.domain.base import Model
from hindwise.domain.memory import LongTermMemory, Memory, WorkingMemory

DEPTH = 5
"""How many memories may lie between a source and what was derived from it."""


class SourceKind(StrEnum):
    """What memories came from: a conversation or session, a document, whoever wrote them."""

    CONVERSATION = "conversation"
    DOCUMENT = "document"
    PRINCIPAL = "principal"


def mark_of(kind: SourceKind, source_id: str) -> str:
    """What stands for a source that is held: 24 hexadecimal digits, which do not tell its name."""
    return sha256(f"{kind}\x1f{source_id}".encode()).hexdigest()[:24]


def marks_of(said: Model, *, by: str) -> frozenset[str]:
    """The marks of all that a draft, an edit or a record of a principal comes from."""
    source, session = getattr(said, "source", None), getattr(said, "session_id", None)
    named = {(SourceKind.PRINCIPAL, by), (SourceKind.PRINCIPAL, getattr(said, "principal", by))}
    if source is not None:
        named |= {(SourceKind.DOCUMENT, source.document)}
        named |= {(SourceKind.CONVERSATION, source.conversation_id)}
    named |= {(SourceKind.CONVERSATION, session)}
    return frozenset(mark_of(kind, name) for kind, name in named if name)


class HoldSource(Model):
    """Hold what a source says from now on, or with `undo` let it in again."""

    mark: str
    undo: bool = False


class SourceOrder(Model):
    """To quarantine all that came from a source, or with `undo` to put that back.

    `after` is where the walk over the scope goes on. The other numbers count what it has met:
    memories `found` of the source, `derived` from those alone, `weakened` because they lost a part
    of their evidence, `revived` because what had superseded them went; `moved` were quarantined or
    released, and may have been so before. A `dry_run` changes nothing.
    """

    kind: SourceKind
    id: str
    reason: str | None = None
    dry_run: bool = True
    undo: bool = False
    after: str | None = None
    examined: int = Field(default=0, ge=0)
    found: int = Field(default=0, ge=0)
    derived: int = Field(default=0, ge=0)
    moved: int = Field(default=0, ge=0)
    weakened: int = Field(default=0, ge=0)
    revived: int = Field(default=0, ge=0)

    def counting(self, **more: int) -> "SourceOrder":
        """The order with more of each counted."""
        return self.model_copy(
            update={name: getattr(self, name) + number for name, number in more.items()}
        )


def names(memory: Memory, order: SourceOrder) -> bool:
    """Tell whether a memory says itself that it came from a source."""
    if order.kind is SourceKind.PRINCIPAL:
        return memory.principal == order.id
    source = memory.source
    if order.kind is SourceKind.DOCUMENT:
        return source is not None and source.document == order.id
    said_in = source.conversation_id if source is not None else None
    return order.id in (said_in, getattr(memory, "session_id", None))


class Lineage:
    """Tells what came from a source, given the records that memories rest on."""

    def __init__(self, order: SourceOrder, records: Mapping[str, Memory]) -> None:
        self._order = order
        self._records = records
        self._known: dict[str, bool] = {}

    def tainted(self, memory: LongTermMemory) -> bool:
        """Tell whether a memory came from the source, by its own word or by all its evidence."""
        return self._came(memory, 0)

    def lost(self, memory: LongTermMemory) -> tuple[str, ...]:
        """The evidence of a memory that came from the source."""
        return tuple(one.id for one in self._evidence(memory) if self._came(one, 1))

    def _came(self, memory: LongTermMemory, depth: int) -> bool:
        if (known := self._known.get(memory.id)) is not None:
            return known
        if names(memory, self._order):
            found = True
        elif depth >= DEPTH:
            return False
        else:
            evidence = self._evidence(memory)
            found = bool(evidence) and all(self._came(one, depth + 1) for one in evidence)
        self._known[memory.id] = found
        return found

    def _evidence(self, memory: LongTermMemory) -> list[LongTermMemory]:
        found = (self._records.get(one) for one in memory.evidence_ids)
        return [one for one in found if one is not None and not isinstance(one, WorkingMemory)]
