"""Drains the backlog of change rows, bucket by bucket, within a time.

A bucket is left when a round brings nothing forward: what is down stays down for the rest of it.
"""

from collections.abc import Callable
from datetime import datetime, timedelta

from hindwise.domain.base import Model
from hindwise.usecases.engine import Engine
from hindwise.usecases.project import project

BUCKETS = 16
ROUND = 100
LONGEST = timedelta(seconds=45)


class Swept(Model):
    """How many change rows were projected, stayed behind, or stand parked (at most 100)."""

    projected: int = 0
    failed: int = 0
    parked: int = 0


def drain(*, engine: Engine, clock: Callable[[], datetime], longest: timedelta = LONGEST) -> Swept:
    """Project the oldest changes of every bucket until all are done or the time is up."""
    end = clock() + longest
    projected = failed = 0
    for bucket in range(BUCKETS):
        while clock() < end and (changes := engine.projections.dirty(bucket, ROUND)):
            result = project(changes, engine=engine, now=clock())
            projected += len(result.done)
            if not result.done:
                failed += len(result.failed)
                break
    parked = len(engine.projections.parked(ROUND))
    return Swept(projected=projected, failed=failed, parked=parked)
