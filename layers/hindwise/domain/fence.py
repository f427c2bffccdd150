"""What a fence hides: all that a scope held before a moment, for good.

A memory is older than the fence by its id, whose first half is a time: what a late worker makes of
an old job, or a late retry of an old batch, has an old id whenever it comes. Whatever has no such
id goes by when it was written. Both to the millisecond, the fence's own included.
"""

from datetime import UTC, datetime, timedelta

from pydantic import AwareDatetime

from hindwise.domain.base import Model
from hindwise.domain.ids import millis_of
from hindwise.domain.memory import millis
from hindwise.errors import Unavailable


class Gate(Model):
    """What a scope keeps out: all up to the fence, and from now on the sources of these marks."""

    fence: AwareDatetime | None = None
    held: frozenset[str] = frozenset()


EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MILLISECOND = timedelta(milliseconds=1)


class Behind(Unavailable):
    """What is to be written would lie behind the fence: a clock is behind the one that forgot.

    `after` is the first moment that is not forgotten.
    """

    def __init__(self, fence: datetime) -> None:
        super().__init__("the clock is behind the one that forgot; try again")
        self.after = fence + MILLISECOND


class Guarded(Unavailable):
    """What is to be written may come from one of the `held` sources, which nobody asked about."""

    def __init__(self, held: frozenset[str]) -> None:
        super().__init__("sources of this user are quarantined; try again")
        self.held = held


def fence_at(moment: datetime) -> datetime:
    """The fence that hides all of a moment's millisecond, to the nearest one as in ids."""
    return EPOCH + timedelta(milliseconds=millis(moment))


def hidden(memory_id: str, fence: datetime | None) -> bool:
    """Tell whether a long-term memory, or what belongs to it, lies behind a fence."""
    if fence is None:
        return False
    try:
        return millis_of(memory_id) <= millis(fence)
    except ValueError:
        return False


def before(moment: datetime, fence: datetime | None) -> bool:
    """Tell whether what was written at a moment lies behind a fence."""
    return fence is not None and millis(moment) <= millis(fence)


def require_after(fence: datetime | None, moment: datetime) -> None:
    """Raise `Behind` where what is written at a moment would lie behind a fence."""
    if fence is not None and before(moment, fence):
        raise Behind(fence)


def require_known(held: frozenset[str], known: frozenset[str] | None) -> None:
    """Raise `Guarded` where other sources are held than are known; None asks about none."""
    if known is not None and held - known:
        raise Guarded(held)
