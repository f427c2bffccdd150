"""Who changed what: the audit rows of a memory, of a user, of a day, newest first; no content."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from functools import partial

from hindwise.domain.ports import MemoryStore
from hindwise.domain.ports.auditing import NOTES, SHARDS, AuditLog, Row
from hindwise.domain.scope import Scope

DAYS = 31
"""Days, or reads of one, that a page of a user's rows takes, at most."""
READ = 100
"""Rows read at once, at least: those of other users stand between them and are left out."""


@dataclass(frozen=True)
class Trail:
    """A page of rows; only `after` None ends it."""

    rows: tuple[Row, ...]
    after: str | None = None


def of_memory(memory_id: str, *, scope: Scope, store: MemoryStore) -> Trail:
    """All rows of one memory, also of a forgotten one; empty where there never was one."""
    rows = [
        Row(id=one.id, chain=memory_id, entry=one, user=scope.user)
        for one in store.audit(scope, memory_id)
    ]
    return Trail(tuple(reversed(rows)))


def of_day(
    tenant: str,
    day: date,
    *,
    log: AuditLog,
    may_see: Callable[[Row], bool],
    after: str | None,
    limit: int,
) -> Trail:
    """The rows of all users on a day (UTC)."""
    wanted = _Wanted(log, tenant, range(SHARDS), may_see)
    return _merged(wanted, day, before=after, limit=limit)


def of_user(
    scope: Scope, *, log: AuditLog, since: date, until: date, after: str | None, limit: int
) -> Trail:
    """The rows of one user, from the day `until` back to the day `since`."""
    given, _, before = (after or until.isoformat()).partition("/")
    day, rows = date.fromisoformat(given), list[Row]()
    position = before or None
    shards = (log.shard_of(scope), NOTES)
    wanted = _Wanted(log, scope.tenant, shards, lambda row: row.user == scope.user)
    for _ in range(DAYS):
        if day < since:
            return Trail(tuple(rows))
        page = _merged(wanted, day, before=position, limit=limit - len(rows))
        rows += page.rows
        if page.after is not None:
            position = page.after
        else:
            day, position = day - timedelta(days=1), None
        if len(rows) >= limit:
            break
    at = day.isoformat() + (f"/{position}" if position else "")
    return Trail(tuple(rows), None if day < since else at)


@dataclass(frozen=True)
class _Wanted:
    log: AuditLog
    tenant: str
    shards: Sequence[int]
    let: Callable[[Row], bool]


def _merged(wanted: _Wanted, day: date, *, before: str | None, limit: int) -> Trail:
    """The newest of some shards together; nothing older than where one of them was cut."""
    size = max(limit, READ)
    read_day = partial(wanted.log.day, wanted.tenant, day, after=before, limit=size, newest=True)
    pages = [read_day(shard) for shard in wanted.shards]
    floor = max((page.after for page in pages if page.after is not None), default=None)
    read = [row for page in pages for row in page.rows if floor is None or row.id >= floor]
    rows = [row for row in sorted(read, key=_id, reverse=True) if wanted.let(row)]
    if len(rows) > limit:
        return Trail(tuple(rows[:limit]), rows[limit - 1].id)
    return Trail(tuple(rows), floor)


def _id(row: Row) -> str:
    return row.id
