"""What becomes of a memory with time, and when that could next be something else.

All of it is a function of (record, now, rules). Ages count from when a memory was made (or last
said again, or brought back), or from its last access, never from `event_time`: an imported history
is not purged the first night. A moment that lies ahead, by whosever clock, is no age at all. What a
person pinned neither goes nor cools.

A memory has one fate at a time, so that sweeps may run in any order: what is to be purged waits for
`purge`, whichever sweep comes by.
"""

from datetime import UTC, datetime
from enum import StrEnum
from math import ceil, log

from hindwise.domain.confidence import effective
from hindwise.domain.memory import (
    Cardinality,
    Episode,
    LongTermMemory,
    Mark,
    SemanticMemory,
    Status,
    Type,
)
from hindwise.domain.retention import DEFAULT, Retention
from hindwise.domain.reviews import DECISION

LIVE = frozenset({Status.ACTIVE, Status.OBSOLETE})
"""States that fade; others are history, or wait for a person."""
EXPIRED, FADED = "expired", "faded"
TURNED = frozenset({EXPIRED, DECISION, FADED})
"""Flags that time sets and takes away."""


class Sweep(StrEnum):
    """The nightly sweeps."""

    PURGE = "purge"
    ARCHIVE = "archive"
    DECAY = "decay"
    TIERS = "tiers"


class Fate(StrEnum):
    """What is to become of a memory now."""

    PURGE = "purge"
    UNIMPORTANT = "unimportant"
    DONE = "done"
    COLD = "cold"
    TREND = "trend"
    TURN = "turn"


SWEEPS = {
    Fate.PURGE: Sweep.PURGE,
    Fate.UNIMPORTANT: Sweep.ARCHIVE,
    Fate.DONE: Sweep.ARCHIVE,
    Fate.COLD: Sweep.TIERS,
    Fate.TREND: Sweep.TIERS,
    Fate.TURN: Sweep.DECAY,
}
"""Whose work a fate is."""


class Tier(StrEnum):
    """How near a memory is kept: what is not hot is found by searching only."""

    HOT = "hot"
    WARM = "warm"
    COLD = "cold"


def since(memory: LongTermMemory) -> datetime:
    """When a memory was made, was last said again, or was brought back: the latest of these."""
    moments = (memory.created_at, memory.last_seen_at, memory.restored_at)
    return max(one for one in moments if one is not None)


def tier(memory: LongTermMemory, now: datetime, rules: Retention = DEFAULT) -> Tier:
    """How near a memory is kept at `now`."""
    made = since(memory)
    touched = max(made, memory.last_access_at or made)
    if memory.access_count >= rules.hot_hits or now - touched <= rules.hot_for:
        return Tier.HOT
    if Mark.PINNED in memory.marks:
        return Tier.HOT
    if memory.access_count == 0 and now - made >= rules.cold_after:
        return Tier.COLD
    return Tier.WARM


def fate(
    memory: LongTermMemory, now: datetime, rules: Retention = DEFAULT, *, rests: bool = False
) -> Fate | None:
    """What is to become of a memory at `now`, None where it stays as it is.

    `rests` says that others rest on it: it is not purged then.
    """
    if memory.status is Status.ARCHIVED:
        ripe = trend_at(memory, rules)
        return Fate.TREND if ripe is not None and ripe <= now else None
    if memory.status not in LIVE or not memory.settled:
        return None
    leaves = _leaves(memory, now, rules, rests)
    if leaves is not None:
        return leaves
    if memory.status is Status.ACTIVE and turned(memory, now, rules) != turned_so_far(memory):
        return Fate.TURN
    return None


def _leaves(memory: LongTermMemory, now: datetime, rules: Retention, rests: bool) -> Fate | None:
    for when, how in _leaving(memory, rules, rests):
        if when <= now:
            return how
    return None


def _leaving(
    memory: LongTermMemory, rules: Retention, rests: bool
) -> tuple[tuple[datetime, Fate], ...]:
    """When a memory goes and how, were it never touched again; what counts first comes first."""
    if Mark.PINNED in memory.marks:
        return ()
    made, found = since(memory), list[tuple[datetime, Fate]]()
    unseen = memory.access_count == 0
    if memory.importance < rules.unimportant:
        episode = isinstance(memory, Episode) and memory.status is Status.ACTIVE
        if episode and unseen and not rests:
            found.append((made + rules.purge_after, Fate.PURGE))
        if not in_slot(memory):
            found.append((made + rules.archive_after, Fate.UNIMPORTANT))
    if isinstance(memory, SemanticMemory) and memory.type is Type.TODO and memory.done_at:
        found.append((max(memory.done_at, made) + rules.done_after, Fate.DONE))
    if unseen:
        found.append((made + rules.cold_after, Fate.COLD))
    return tuple(found)


def in_slot(memory: LongTermMemory) -> bool:
    """Tell whether a memory is the one value of something: it is current until it is cold."""
    return (
        isinstance(memory, SemanticMemory)
        and memory.cardinality is Cardinality.ONE
        and bool(memory.subject and memory.attribute)
    )


def turned(memory: LongTermMemory, now: datetime, rules: Retention = DEFAULT) -> frozenset[str]:
    """The flags that an active memory should have at `now` because of the time."""
    found = set()
    if memory.valid_until is not None and memory.valid_until <= now:
        found.add(EXPIRED)
    if _to_be_reviewed(memory, now):
        found.add(DECISION)
    if memory.confidence >= rules.faded > effective(memory, now, rules):
        found.add(FADED)
    return frozenset(found)


def _to_be_reviewed(memory: LongTermMemory, now: datetime) -> bool:
    """Tell whether a decision is due: nobody has said how it ended, nor looked at it since."""
    due, seen = memory.review_at, memory.reviewed_at
    if due is None or due > now or memory.outcome is not None:
        return False
    return seen is None or seen < due


def turned_so_far(memory: LongTermMemory) -> frozenset[str]:
    """Those of such flags that a memory has."""
    return TURNED.intersection(memory.flags)


def with_time(memory: LongTermMemory, now: datetime, rules: Retention = DEFAULT) -> LongTermMemory:
    """The next version of an active memory, with the flags that it should have."""
    kept = [one for one in memory.flags if one not in TURNED]
    flags = (*kept, *sorted(turned(memory, now, rules)))
    changes = {"flags": flags, "version": memory.version + 1, "updated_at": now}
    return memory.model_copy(update=changes)


def due_at(
    memory: LongTermMemory,
    rules: Retention = DEFAULT,
    *,
    after: datetime | None = None,
    rests: bool = False,
) -> datetime | None:
    """The next instant at which a sweep could have something to do; None where none ever will.

    That is by `after` (when it was last changed) where there is something to do already. It errs
    early, never late: an access in between only makes a sweep look and find nothing to do.
    """
    if memory.status is Status.ARCHIVED:
        return trend_at(memory, rules)
    if memory.status not in LIVE:
        return None
    after = after or memory.updated_at
    dates = [when for when, _ in _leaving(memory, rules, rests)]
    if memory.status is Status.ACTIVE:
        touched = memory.last_access_at or memory.created_at
        dates += [one for one in (memory.valid_until, memory.review_at) if one is not None]
        if (fades := _fades_at(memory.confidence, touched, rules)) is not None:
            dates.append(fades)
    if fate(memory.model_copy(update={"settled": True}), after, rules, rests=rests) is not None:
        return min(after, *dates)
    return min((date for date in dates if date > after), default=None)


def _fades_at(confidence: float, touched: datetime, rules: Retention) -> datetime | None:
    """When base x factor^steps first falls below `faded`; the floor may lie above that."""
    if confidence < rules.faded or min(confidence, rules.fade_floor) >= rules.faded:
        return None
    steps = ceil(log(rules.faded / confidence, rules.fade_factor) + 1e-9)
    return touched + max(1, steps) * rules.fade_step


def month_of(moment: datetime) -> str:
    """The month of an instant (UTC), e.g. `2025-05`."""
    return moment.astimezone(UTC).strftime("%Y-%m")


def after_month(moment: datetime) -> datetime:
    """When the month of an instant (UTC) is over."""
    at = moment.astimezone(UTC)
    year, month = (at.year + 1, 1) if at.month == 12 else (at.year, at.month + 1)
    return datetime(year, month, 1, tzinfo=UTC)


def trend_at(memory: LongTermMemory, rules: Retention = DEFAULT) -> datetime | None:
    """When all that was made in an archived episode's month is cold; None for all other memories.

    Only then is it said what they were about, once and for all of them.
    """
    if not isinstance(memory, Episode) or memory.archive is None or memory.archive.why != "cold":
        return None
    return after_month(memory.created_at) + rules.cold_after
