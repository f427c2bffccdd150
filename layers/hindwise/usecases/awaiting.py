"""Show a reviewer what waits, and why: the list nominates, the records decide.

A page may be short: at most 1,000 entries are looked at in a call, and what has been decided,
forgotten or fenced since it was listed is passed over.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

from hindwise.domain.base import Model
from hindwise.domain.choosing import rivals_of
from hindwise.domain.memory import LongTermMemory, SemanticMemory, Status, WorkingMemory
from hindwise.domain.ports import MemoryStore, Reviews, Waiting
from hindwise.domain.reviews import ReviewKind, kinds_of
from hindwise.domain.scope import Principal, Scope

EXAMINED = 1_000
ROUND = 100


class Case(Model):
    """A memory that waits, whose, why, and what it stands against."""

    scope: Scope
    memory: LongTermMemory
    kinds: tuple[ReviewKind, ...]
    against: tuple[LongTermMemory, ...] = ()


class Cases(Model):
    """A page of what waits, newest memory first; `after` continues it, None at the end."""

    cases: tuple[Case, ...]
    after: str | None


@dataclass(frozen=True)
class Docket:
    """Whose reviews are asked for: of one `user`, or of all that the `principal` may act for."""

    principal: Principal
    store: MemoryStore
    reviews: Reviews
    user: str | None = None
    kinds: Collection[ReviewKind] = field(default_factory=frozenset)

    def concerns(self, entry: Waiting) -> bool:
        """Tell whether an entry is of one whose reviews are asked for."""
        user = entry.scope.user
        return self.principal.may_act_for(user) and self.user in (None, user)


def awaiting(docket: Docket, *, limit: int, after: str | None = None) -> Cases:
    """A page of at most `limit` cases."""
    found: list[Case] = []
    examined = 0
    while True:
        page = docket.reviews.waiting(docket.principal.tenant, after=after, limit=ROUND)
        for case in _cases(page.entries, docket):
            found.append(case)
            if len(found) == limit:
                last = case.memory.id
                more = page.after is not None or last != page.entries[-1].memory_id
                return Cases(cases=_told(found, docket), after=last if more else None)
        examined += len(page.entries)
        after = page.after
        if after is None or examined >= EXAMINED:
            return Cases(cases=_told(found, docket), after=after)


def _cases(entries: Sequence[Waiting], docket: Docket) -> list[Case]:
    """The entries that are asked for and still wait, in their order, each once."""
    wanted = dict.fromkeys(entry for entry in entries if docket.concerns(entry))
    records = _read(list(wanted), docket.store)
    found = []
    for entry in wanted:
        memory = records.get(entry)
        kinds = () if memory is None else kinds_of(memory)
        if memory is not None and kinds and (not docket.kinds or {*docket.kinds} & {*kinds}):
            found.append(Case(scope=entry.scope, memory=memory, kinds=kinds))
    return found


def _read(entries: Sequence[Waiting], store: MemoryStore) -> dict[Waiting, LongTermMemory]:
    """The records of entries, scope by scope."""
    found: dict[Waiting, LongTermMemory] = {}
    for scope in dict.fromkeys(entry.scope for entry in entries):
        ids = [entry.memory_id for entry in entries if entry.scope == scope]
        for one, memory in store.get(scope, ids).items():
            if not isinstance(memory, WorkingMemory):
                found[Waiting(scope=scope, memory_id=one)] = memory
    return found


def _told(cases: Sequence[Case], docket: Docket) -> tuple[Case, ...]:
    """The cases with what the contested ones stand against, as far as it is there."""
    against = {
        case.memory.id: rivals_of(case.memory)
        for case in cases
        if isinstance(case.memory, SemanticMemory) and case.memory.status is Status.CONTESTED
    }
    named = [
        Waiting(scope=case.scope, memory_id=one)
        for case in cases
        for one in against.get(case.memory.id, ())
    ]
    records = _read(list(dict.fromkeys(named)), docket.store)
    return tuple(
        case.model_copy(update={"against": _of(case, against.get(case.memory.id, ()), records)})
        for case in cases
    )


def _of(
    case: Case, ids: Sequence[str], records: dict[Waiting, LongTermMemory]
) -> tuple[LongTermMemory, ...]:
    found = (records.get(Waiting(scope=case.scope, memory_id=one)) for one in ids)
    return tuple(one for one in found if one is not None)
