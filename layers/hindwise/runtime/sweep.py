"""Drains the backlog of change rows, bucket by bucket, within a time.

A bucket is left when a round brings nothing forward: what is down stays down for the rest of it.
What was parked is tried again once an hour: a later version of the code or another index may take
it, and it may have been edited or forgotten meanwhile.
"""

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta

from hindwise.domain.base import Model
from hindwise.domain.changes import Change
from hindwise.domain.memory import millis
from hindwise.domain.ports import Queues
from hindwise.domain.scope import Scope
from hindwise.usecases.engine import Engine
from hindwise.usecases.project import project
from hindwise.usecases.settle_due import send_unsettled

BUCKETS = 16
ROUND = 100
LONGEST = timedelta(seconds=45)
TRIED_AGAIN_AT = 0
"""The minute of the hour: the sweep runs once in each."""


class Swept(Model):
    """How many change rows were projected, stayed behind, or stand parked (at most 100).

    `oldest_seconds` is the age of the oldest that was seen to stay behind, 0 where none did.
    """

    projected: int = 0
    failed: int = 0
    parked: int = 0
    oldest_seconds: float = 0


def drain(
    *,
    engine: Engine,
    queues: Queues,
    clock: Callable[[], datetime],
    longest: timedelta = LONGEST,
) -> Swept:
    """Project the oldest changes of every bucket until all are done or the time is up.

    When it is, the other buckets are still looked into: what waits there has an age too. What can
    be found now and was not compared with its neighbours yet is sent on to be.
    """
    end = clock() + longest
    projected = failed = 0
    left: list[Change] = []
    for bucket in range(BUCKETS):
        while changes := engine.projections.dirty(bucket, ROUND):
            if clock() >= end:
                left += _changes(changes)
                break
            result = project(changes, engine=engine, now=clock())
            projected += len(result.done)
            send_unsettled(result.unsettled, queues=queues)
            if not result.done:
                failed += len(result.failed)
                left += [change for change in _changes(changes) if change.key in result.failed]
                break
    parked = engine.projections.parked(ROUND)
    if parked and clock().minute == TRIED_AGAIN_AT:
        result = project(parked, engine=engine, now=clock())
        send_unsettled(result.unsettled, queues=queues)
        projected += len(result.done)
        parked = engine.projections.parked(ROUND)
    oldest = _oldest(left, clock())
    return Swept(projected=projected, failed=failed, parked=len(parked), oldest_seconds=oldest)


def _changes(rows: Sequence[tuple[Scope, Change]]) -> list[Change]:
    return [change for _, change in rows]


def _oldest(left: Sequence[Change], now: datetime) -> float:
    """Seconds since the oldest of these was written.

    Their place in the bucket does not tell: a failed attempt puts a change behind the others.
    """
    at = millis(now)
    return (at - min((change.written for change in left), default=at)) / 1000
