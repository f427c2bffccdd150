"""Fill an index from the table, or build another one beside it.

The table holds every document with its vector, so nothing is embedded again. Both can be stopped at
any time: filling goes on where it was, building begins anew, and a document written twice stays the
newest of the two.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime, timedelta

from hindwise.domain.base import Model
from hindwise.domain.document import Document
from hindwise.domain.ports import IndexUpkeep, Projections, Puts, Successor, Touched
from hindwise.domain.scope import Scope

MARGIN = timedelta(seconds=60)
"""What clocks may differ by, and how long a write may be on its way."""
QUIET_ROUNDS = 2
BATCH = 100


class Filled(Model):
    """How many documents were written, how many the index refused, and whether that was all."""

    written: int = 0
    refused: int = 0
    whole: bool = True


def fill(
    upkeep: IndexUpkeep,
    index: Puts,
    projections: Projections,
    *,
    clock: Callable[[], datetime],
    longest: timedelta,
) -> Filled:
    """Go on filling the index for a time, if it is not filled; raises Unavailable."""
    cursor = upkeep.unfilled()
    written = refused = 0
    end = clock() + longest
    while cursor is not None and clock() < end:
        found, cursor = projections.walk(cursor)
        refused += _put(index, found)
        written += len(found)
        upkeep.reached(cursor)
    return Filled(written=written, refused=refused, whole=cursor is None)


def rebuild(
    successor: Successor,
    projections: Projections,
    *,
    clock: Callable[[], datetime],
    pause: Callable[[], None],
    progress: Callable[[int], None],
) -> Filled:
    """Fill an index beside the one that answers, and let it answer in its place.

    What is written meanwhile goes to the old one and is carried over, before the exchange and
    after it, until `pause` brings nothing more. `progress` is told how many have been written.
    """
    since = clock() - MARGIN
    written = refused = 0
    cursor: str | None = ""
    while cursor is not None:
        found, cursor = projections.walk(cursor)
        refused += _put(successor, found)
        written += len(found)
        progress(written)
    carried: set[Touched] = set()
    _carry(successor, projections, since, carried)
    successor.take_over()
    quiet = 0
    while quiet < QUIET_ROUNDS:
        pause()
        quiet = 0 if _carry(successor, projections, since, carried) else quiet + 1
    successor.remove_old()
    return Filled(written=written, refused=refused)


def _carry(
    successor: Successor,
    projections: Projections,
    since: datetime,
    carried: set[Touched],
) -> int:
    """Carry over what was put into the old index and was not carried yet; gives how many."""
    new = [one for one in successor.touched(since) if one not in carried]
    for at in range(0, len(new), BATCH):
        batch = new[at : at + BATCH]
        for scope, own in _by_scope((one.scope, one) for one in batch):
            ids = [one.memory_id for one in own if one.live]
            gone = {one.memory_id: one.version for one in own if not one.live}
            successor.put(scope, list(projections.documents(scope, ids).values()), gone)
        carried.update(batch)
    return len(new)


def _put(index: Puts, found: Sequence[tuple[Scope, Document]]) -> int:
    """Write documents of any scopes; gives how many were refused."""
    return sum(len(index.put(scope, own, {})) for scope, own in _by_scope(found))


def _by_scope[T](found: Iterable[tuple[Scope, T]]) -> Iterable[tuple[Scope, list[T]]]:
    own: dict[Scope, list[T]] = defaultdict(list)
    for scope, one in found:
        own[scope].append(one)
    return own.items()
