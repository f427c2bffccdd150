"""Once a night: write down which audit rows there were on each day that is over.

A day is written in parts and closed by its head; whoever is interrupted goes on behind the last
part. Nothing is ever written over: what comes late goes into a supplement, what no longer agrees is
counted and left for `audit_verify` to name.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta

from hindwise.domain import digests
from hindwise.domain.base import Model
from hindwise.domain.digests import DayDigest, Line, Part, Shard
from hindwise.domain.ports import Records, Seal
from hindwise.domain.ports.auditing import SHARDS, AuditLog, Row
from hindwise.usecases.digest_book import Day

PART = 1_000
BACK = 31
"""How many days a digest that was missed is made up for."""


class Digested(Model):
    """How many days were closed, rows written down, and rows that no longer agree.

    `unfinished` where the time was up: the next run goes on.
    """

    tenants: int = 0
    days: int = 0
    rows: int = 0
    late: int = 0
    differing: int = 0
    unfinished: bool = False

    def plus(self, other: "Digested") -> "Digested":
        """Both together."""
        sums = {name: getattr(self, name) + getattr(other, name) for name in _COUNTS}
        return Digested(**sums, unfinished=self.unfinished or other.unfinished)


_COUNTS = ("tenants", "days", "rows", "late", "differing")


@dataclass(frozen=True)
class Digester:
    """What digesting needs; `clock` says when the time is up."""

    log: AuditLog
    book: Records
    seal: Seal
    clock: Callable[[], datetime]

    def day(self, tenant: str, day: date) -> Day:
        """A day in the book."""
        return Day(tenant, day, self.book, self.seal)


class _TimeIsUp(Exception):
    """The rest is for the next run."""


def digest(digester: Digester, *, until: datetime) -> Digested:
    """Digest what is not yet digested, of all tenants, as far as there is time for."""
    done = Digested()
    for tenant in digester.log.tenants():
        if digester.clock() >= until:
            return done.plus(Digested(unfinished=True))
        done = done.plus(digest_tenant(tenant, digester, until=until))
    return done


def digest_tenant(tenant: str, digester: Digester, *, until: datetime) -> Digested:
    """Digest the days of a tenant that are over; the last that was digested is looked at again."""
    yesterday = digester.clock().astimezone(UTC).date() - timedelta(days=1)
    oldest = yesterday - timedelta(days=BACK - 1)
    last = next((d for d in _back(yesterday, oldest) if digester.day(tenant, d).there()), None)
    done = Digested(tenants=1)
    try:
        if last is None:
            first = next((d for d in _forth(oldest, yesterday) if _any(digester, tenant, d)), None)
        else:
            done = done.plus(_again(digester.day(tenant, last), digester, until))
            first = last + timedelta(days=1)
        for day in _forth(first or yesterday, yesterday):
            done = done.plus(_closed(digester.day(tenant, day), digester, until))
    except _TimeIsUp:
        return done.plus(Digested(unfinished=True))
    return done


def _back(newest: date, oldest: date) -> Iterator[date]:
    return (newest - timedelta(days=n) for n in range((newest - oldest).days + 1))


def _forth(oldest: date, newest: date) -> Iterator[date]:
    return (oldest + timedelta(days=n) for n in range((newest - oldest).days + 1))


def _any(digester: Digester, tenant: str, day: date) -> bool:
    read = digester.log.day
    return any(
        read(tenant, day, shard, after=None, limit=1, newest=False).rows for shard in range(SHARDS)
    )


def _closed(day: Day, digester: Digester, until: datetime) -> Digested:
    """Write the parts of a day, then its head."""
    found = [_shard(day, shard, digester, until) for shard in range(SHARDS)]
    shards = tuple(shard for shard, _ in found)
    before = digester.day(day.tenant, day.day - timedelta(days=1)).last()
    head = DayDigest(
        tenant=day.tenant,
        day=day.name,
        made_at=digester.clock(),
        previous="" if before is None else before.seal,
        rows=sum(one.rows for one in shards),
        shards=shards,
    )
    _write(day, digests.head_name(day.name), digests.sealed(head, day.seal))
    return Digested(days=1, rows=head.rows, differing=sum(unread for _, unread in found))


def _write(day: Day, name: str, digest: DayDigest) -> None:
    day.book.keep(day.tenant, name, digest.model_dump_json().encode())


def _shard(day: Day, shard: int, digester: Digester, until: datetime) -> tuple[Shard, int]:
    """Write the parts of one shard that are not written yet; tell how many cannot be read.

    Such a part stays as it is, and its rows are written down behind it.
    """
    fingerprints: list[str] = []
    lasts: list[str] = []
    rows = unread = 0
    while True:
        written, fingerprint = day.part(shard, len(fingerprints))
        after = lasts[-1] if lasts else ""
        if not fingerprint:
            if digester.clock() >= until:
                raise _TimeIsUp
            read = digester.log.day(
                day.tenant, day.day, shard, after=after or None, limit=PART, newest=False
            )
            if not read.rows:
                return Shard(rows=rows, parts=tuple(fingerprints), lasts=tuple(lasts)), unread
            lines = tuple(day.line(row) for row in read.rows)
            part = Part(tenant=day.tenant, day=day.name, shard=shard, lines=lines)
            name = digests.part_name(day.name, shard, len(fingerprints))
            day.book.keep(day.tenant, name, part.model_dump_json().encode())
            continue
        fingerprints.append(fingerprint)
        lines = () if written is None else written.lines
        lasts.append(lines[-1].id if lines else after)
        rows, unread = rows + len(lines), unread + (not lines)


def _again(day: Day, digester: Digester, until: datetime) -> Digested:
    """Look at a day that is closed: what came late is added, what differs is only counted."""
    head = day.head()
    if head is None:
        return Digested(differing=1)
    supplements = list(day.supplements())
    late: list[tuple[int, Line]] = []
    differing = 0
    for shard in range(SHARDS):
        known = day.lines(shard, head, supplements)[0]
        for row in _rows(day, shard, digester, until):
            line = day.line(row)
            if (said := known.pop(line.id, None)) is None:
                late.append((shard, line))
            elif said != line:
                differing += 1
        differing += len(known)
    if late:
        number = len(supplements) + 1
        supplement = DayDigest(
            tenant=day.tenant,
            day=day.name,
            made_at=digester.clock(),
            previous=[head, *supplements][-1].seal,
            rows=len(late),
            supplement=number,
            late=tuple(late),
        )
        _write(day, digests.late_name(day.name, number), digests.sealed(supplement, day.seal))
    return Digested(late=len(late), differing=differing)


def _rows(day: Day, shard: int, digester: Digester, until: datetime) -> Iterator[Row]:
    after: str | None = None
    while True:
        if digester.clock() >= until:
            raise _TimeIsUp
        read = digester.log.day(day.tenant, day.day, shard, after=after, limit=PART, newest=False)
        yield from read.rows
        if (after := read.after) is None:
            return
