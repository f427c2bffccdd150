"""Fill an index from the table, or build another one beside it.

The table holds every document with its vector, so nothing is embedded again. Both can be stopped at
any time: filling goes on where it was, building begins anew, and what is there already is not
replaced: it is as new as what was read from the table, or newer. What an index refuses is given
back to the projection, which tries it again, parks it and names it.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack
from datetime import datetime, timedelta

from hindwise.domain.base import Model
from hindwise.domain.changes import Reproject
from hindwise.domain.document import Document
from hindwise.domain.ports import Adds, IndexUpkeep, MemoryStore, Projections, Successor, Touched
from hindwise.domain.scope import Scope

MARGIN = timedelta(seconds=60)
"""What clocks may differ by, and how long a write may be on its way."""
BATCH = 100
Refused = list[tuple[Scope, str]]


class Filled(Model):
    """How many documents were written, how many the index refused, and whether that was all."""

    written: int = 0
    refused: int = 0
    whole: bool = True


def fill(
    upkeep: IndexUpkeep,
    projections: Projections,
    *,
    store: MemoryStore,
    clock: Callable[[], datetime],
    longest: timedelta,
) -> Filled:
    """Go on filling an index for a time, if it is not filled; raises Unavailable."""
    cursor = upkeep.unfilled()
    written = refused = 0
    end = clock() + longest
    while cursor is not None and clock() < end:
        found, cursor = projections.walk(cursor)
        turned_away = _add(upkeep, found)
        _give_back(turned_away, store)
        refused += len(turned_away)
        written += len(found)
        upkeep.reached(cursor)
    return Filled(written=written, refused=refused, whole=cursor is None)


def rebuild(
    successor: Successor,
    projections: Projections,
    *,
    store: MemoryStore,
    clock: Callable[[], datetime],
    progress: Callable[[int], None],
) -> Filled:
    """Fill an index beside the one that answers, and let it answer in its place.

    What is written meanwhile goes to the old one and is carried over: most of it while it is still
    written to, the rest when nobody can any more, so that nothing is lost wherever this is stopped.
    `progress` is told how many have been written.
    """
    since = clock() - MARGIN
    with ExitStack() as unfinished:
        unfinished.callback(successor.abandon)
        written, refused = _copy(successor, projections, progress)
        carried: set[Touched] = set()
        refused += _carry(successor, projections, since, carried)
        with successor.held():
            refused += _carry(successor, projections, since, carried)
            successor.take_over()
        unfinished.pop_all()
    successor.remove_old()
    _give_back(refused, store)
    return Filled(written=written, refused=len(set(refused)))


def _copy(
    successor: Successor, projections: Projections, progress: Callable[[int], None]
) -> tuple[int, Refused]:
    """Add all that the table holds; gives how many there were, and the refused."""
    written = 0
    refused: Refused = []
    cursor: str | None = ""
    while cursor is not None:
        found, cursor = projections.walk(cursor)
        refused += _add(successor, found)
        written += len(found)
        progress(written)
    return written, refused


def _carry(
    successor: Successor, projections: Projections, since: datetime, carried: set[Touched]
) -> Refused:
    """Carry over what was put into the old index and was not carried yet; gives the refused."""
    refused: Refused = []
    new = [one for one in successor.touched(since) if one not in carried]
    for at in range(0, len(new), BATCH):
        batch = new[at : at + BATCH]
        for scope, own in _by_scope((one.scope, one) for one in batch):
            ids = [one.memory_id for one in own if one.live]
            gone = {one.memory_id: one.version for one in own if not one.live}
            documents = list(projections.documents(scope, ids).values())
            refused += [(scope, one) for one in successor.put(scope, documents, gone)]
        carried.update(batch)
    return refused


def _add(index: Adds, found: Sequence[tuple[Scope, Document]]) -> Refused:
    """Add documents of any scopes; gives those that were refused."""
    return [
        (scope, refused) for scope, own in _by_scope(found) for refused in index.add(scope, own)
    ]


def _give_back(refused: Refused, store: MemoryStore) -> None:
    """Let the projection deal with what was refused."""
    for scope, memory_id in dict.fromkeys(refused):
        store.commit(scope, [Reproject(memory_id=memory_id)])


def _by_scope[T](found: Iterable[tuple[Scope, T]]) -> Iterable[tuple[Scope, list[T]]]:
    own: dict[Scope, list[T]] = defaultdict(list)
    for scope, one in found:
        own[scope].append(one)
    return own.items()
