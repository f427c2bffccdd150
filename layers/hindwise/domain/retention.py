"""When a rule of fading could next change a memory.

`due_at` is the earliest such instant, so that a sweep reads only what may change; it errs early,
never late: an access that comes in between only makes the sweep look and find nothing to do. Ages
count from `created_at` or the last access, never from `event_time`: an imported history is not
purged the first night.
"""

from datetime import datetime, timedelta
from math import ceil, log

from hindwise.domain.base import Model
from hindwise.domain.memory import Episode, LongTermMemory, Status


class Retention(Model):
    """The periods and thresholds of fading; every one is a setting."""

    unimportant: float = 0.3
    purge_after: timedelta = timedelta(days=7)
    archive_after: timedelta = timedelta(days=30)
    cold_after: timedelta = timedelta(days=365)
    faded: float = 0.3
    fade_factor: float = 0.9
    fade_step: timedelta = timedelta(days=30)


DEFAULT = Retention()
SETTLED = frozenset({Status.ARCHIVED, Status.REJECTED, Status.FORGOTTEN})


def due_at(memory: LongTermMemory, rules: Retention = DEFAULT) -> datetime | None:
    """The next instant at which a rule could change `memory`; None where none ever will."""
    if memory.status in SETTLED:
        return None
    touched = memory.last_access_at or memory.created_at
    dates = [memory.valid_until, memory.review_at, touched + rules.cold_after]
    if memory.importance < rules.unimportant:
        dates.append(memory.created_at + rules.archive_after)
        if isinstance(memory, Episode) and memory.access_count == 0:
            dates.append(memory.created_at + rules.purge_after)
    dates.append(_fades_at(memory.confidence, touched, rules))
    return min(
        (date for date in dates if date is not None and date > memory.updated_at), default=None
    )


def _fades_at(confidence: float, touched: datetime, rules: Retention) -> datetime | None:
    """When base x factor^steps first falls below `faded`."""
    if confidence < rules.faded:
        return None
    steps = ceil(log(rules.faded / confidence, rules.fade_factor) + 1e-9)
    return touched + max(1, steps) * rules.fade_step
