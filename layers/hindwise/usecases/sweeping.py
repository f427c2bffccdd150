"""The nightly sweeps: over what is due of all scopes, or over all that one scope holds.

A run goes through 64 buckets. Each is taken on a lease, worked on in pieces, and left with a note
of how far it came, so that a run that was cut off goes on from there, and two that overlap share
the work. What was worked on leaves the list or moves to its next date: whoever looks again finds
nothing to do.
"""

import logging
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from pydantic import Field

from hindwise.domain.base import Model
from hindwise.domain.confidence import steps_down
from hindwise.domain.fading import SWEEPS, Fate, Sweep, fate
from hindwise.domain.memory import Episode, LongTermMemory, Status
from hindwise.domain.ports import Lease, Overdue
from hindwise.domain.retention import Retention
from hindwise.domain.trends import group_of
from hindwise.errors import Unavailable, Unreadable
from hindwise.usecases.fade import Fading, fade, planned
from hindwise.usecases.ledger import Ledger
from hindwise.usecases.trends import compress

BUCKETS = 64
PIECE = 50
LEASE = timedelta(seconds=60)
NAMED = 100
"""Ids that a report names of each fate."""
_log = logging.getLogger(__name__)
_CHANGES = (Fate.PURGE, Fate.UNIMPORTANT, Fate.DONE, Fate.COLD, Fate.TURN)


class Report(Model):
    """What a sweep did, or would do: how many of each fate, and the first ids of each.

    `looked` counts what was looked at, `kept` what would go and has to stay, `failed` what comes
    again. `steps` of `decay` says how many have become less sure by how many steps. Not `done`
    where it goes on: `after` is where, in a scope.
    """

    sweep: Sweep
    dry_run: bool = False
    looked: int = 0
    kept: int = 0
    failed: int = 0
    counts: dict[Fate, int] = Field(default_factory=dict)
    steps: dict[int, int] = Field(default_factory=dict)
    ids: dict[Fate, tuple[str, ...]] = Field(default_factory=dict)
    done: bool = True
    after: str | None = None


@dataclass
class Tally:
    """A report in the making; groups whose trend was looked for are not looked for again."""

    sweep: Sweep
    looked: int = 0
    kept: int = 0
    failed: int = 0
    counts: Counter[Fate] = field(default_factory=Counter)
    steps: Counter[int] = field(default_factory=Counter)
    ids: dict[Fate, list[str]] = field(default_factory=dict)
    groups: set[tuple[str, str]] = field(default_factory=set)

    def add(self, fate: Fate, memory_id: str) -> None:
        """Count a fate."""
        self.counts[fate] += 1
        named = self.ids.setdefault(fate, [])
        if len(named) < NAMED:
            named.append(memory_id)

    def look_at(self, memory: LongTermMemory | None, now: datetime, rules: Retention) -> None:
        """Count a memory that is looked at, and how much less sure it is of late."""
        self.looked += 1
        if self.sweep is not Sweep.DECAY or not memory or memory.status is not Status.ACTIVE:
            return
        if steps := steps_down(memory, now, rules):
            self.steps[steps] += 1

    def report(
        self, *, dry_run: bool = False, done: bool = True, after: str | None = None
    ) -> Report:
        """What was counted so far."""
        return Report(
            sweep=self.sweep,
            dry_run=dry_run,
            looked=self.looked,
            kept=self.kept,
            failed=self.failed,
            counts=dict(self.counts),
            steps=dict(sorted(self.steps.items())),
            ids={one: tuple(named) for one, named in self.ids.items()},
            done=done,
            after=after,
        )


def run(sweep: Sweep, name: str, *, fading: Fading, until: datetime) -> Report:
    """Sweep over all scopes until all buckets are done in this run, or the time is up.

    `name` is the run's: whoever goes on with it skips what is done. A bucket that somebody else
    holds is not done. Raises Unavailable where the list cannot be read.
    """
    tally, done = Tally(sweep), True
    for bucket in range(BUCKETS):
        if fading.clock() >= until:
            return tally.report(done=False)
        done = _bucket(bucket, name, tally, fading=fading, until=until) and done
    return tally.report(done=done)


def _bucket(bucket: int, name: str, tally: Tally, *, fading: Fading, until: datetime) -> bool:
    """Whether a bucket is done; one in which nothing is due is, without a lease."""
    now = fading.clock()
    if not fading.listed.overdue(bucket, now=now, limit=1):
        return True
    token = fading.tools.new_id(now)
    lease = fading.listed.take(tally.sweep, bucket, token, until=now + LEASE, now=now)
    if lease is None:
        return False
    if lease.run == name and lease.done:
        return fading.listed.leave(tally.sweep, bucket, token, lease)
    after = lease.after if lease.run == name else None
    ended = False
    while not ended and fading.clock() < until:
        piece = fading.listed.overdue(bucket, now=fading.clock(), limit=PIECE, after=after)
        after, ended = _piece(piece, after, tally, fading=fading, until=until)
        now = fading.clock()
        held = fading.listed.take(tally.sweep, bucket, token, until=now + LEASE, now=now)
        if held is None:
            return False
    left = Lease(run=name, after=None if ended else after, done=ended)
    return fading.listed.leave(tally.sweep, bucket, token, left) and ended


def _piece(
    piece: Sequence[Overdue],
    after: Overdue | None,
    tally: Tally,
    *,
    fading: Fading,
    until: datetime,
) -> tuple[Overdue | None, bool]:
    """Work on a piece; after what the next one begins, and whether this was the last."""
    for one in piece:
        if fading.clock() >= until:
            return after, False
        _one(one, tally, fading=fading, until=until)
        after = one
    return after, len(piece) < PIECE


def _one(one: Overdue, tally: Tally, *, fading: Fading, until: datetime) -> None:
    """Work on a memory; what fails is named, stays due, and is in nobody's way."""
    ledger = fading.ledger(one.scope)
    try:
        _worked(one.memory_id, tally, ledger=ledger, fading=fading, until=until)
    except (Unavailable, Unreadable) as error:
        tally.failed += 1
        _log.warning("%s: %s fades later: %s", tally.sweep, one.memory_id, error.code)


def _worked(
    memory_id: str, tally: Tally, *, ledger: Ledger, fading: Fading, until: datetime
) -> None:
    seen = fade(memory_id, tally.sweep, ledger=ledger, fading=fading)
    tally.look_at(seen.memory, ledger.call.now, fading.rules)
    tally.kept += seen.kept
    if seen.fate in _CHANGES:
        tally.add(seen.fate, memory_id)
    stub = seen.memory
    if isinstance(stub, Episode) and _to_be_compressed(stub, tally, ledger, fading):
        done = compress(stub, ledger=ledger, fading=fading, until=until)
        for archived in done.archived:
            tally.add(Fate.COLD, archived)
        if done.made is not None:
            tally.add(Fate.TREND, done.made)


def _to_be_compressed(stub: Episode, tally: Tally, ledger: Ledger, fading: Fading) -> bool:
    """Tell whether a memory is the first of its group that came by, when its month is over."""
    if tally.sweep is not Sweep.TIERS:
        return False
    if fate(stub, ledger.call.now, fading.rules) is not Fate.TREND:
        return False
    key = (ledger.call.scope.model_dump_json(), group_of(stub).model_dump_json())
    first = key not in tally.groups
    tally.groups.add(key)
    return first


def look(
    sweep: Sweep, *, ledger: Ledger, fading: Fading, after: str | None, until: datetime, dry: bool
) -> Report:
    """Go through all that a scope holds, from `after` on; with `dry` only tell what would be done.

    Raises Unavailable.
    """
    tally = Tally(sweep)
    while True:
        page = ledger.store.page(ledger.call.scope, after=after, examine=PIECE)
        for memory in page.memories:
            if dry:
                _foretold(memory, tally, ledger=ledger, fading=fading)
            else:
                _worked(memory.id, tally, ledger=ledger, fading=fading, until=until)
        after = page.after
        if after is None or fading.clock() >= until:
            return tally.report(dry_run=dry, done=after is None, after=after)


def _foretold(memory: LongTermMemory, tally: Tally, *, ledger: Ledger, fading: Fading) -> None:
    tally.look_at(memory, ledger.call.now, fading.rules)
    how, _ = planned(memory, ledger=ledger, rules=fading.rules)
    if how in _CHANGES and SWEEPS[how] is tally.sweep:
        tally.add(how, memory.id)
