"""Checks the audit, a bounded piece at a time: one user's chains, or a day against its digest.

Chains are checked from the rows and from the records, because a row that is gone shows in what
stands behind it, and a whole chain that is gone only in its record.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from typing import NamedTuple

from hindwise.domain import digests
from hindwise.domain.audit_faults import Fault, Wrong, chain_faults, row_faults, untouched
from hindwise.domain.audit_notes import Note
from hindwise.domain.audit_notes import genuine as genuine_note
from hindwise.domain.base import Model
from hindwise.domain.changes import AuditEntry
from hindwise.domain.digests import DayDigest, Line
from hindwise.domain.fence import hidden
from hindwise.domain.ids import is_working_id
from hindwise.domain.ports import MemoryStore, Records, Seal
from hindwise.domain.ports.auditing import SHARDS, AuditLog, Row
from hindwise.domain.scope import Scope
from hindwise.usecases.digest_book import Day

ROWS = 500
RECORDS = 50
LONGEST_CHAIN = 20_000
RECORD = "R:"
"""Begins the position of the second walk, over records."""
CONVERSATION = "conversation-"


class Checked(Model):
    """What a piece of the check found; `after` goes on, None at the end.

    `digest` is of a day: `absent` (not made yet), `whole` or `broken`; `late` counts sound rows
    that no digest names yet.
    """

    checked: int = 0
    faults: tuple[Fault, ...] = ()
    after: str | None = None
    digest: str | None = None
    late: int = 0


@dataclass(frozen=True)
class Verifier:
    """What checking needs."""

    log: AuditLog
    store: MemoryStore
    book: Records
    seal: Seal


def verify_user(scope: Scope, *, verifier: Verifier, after: str | None) -> Checked:
    """Check a piece of one user's chains: first all rows, then whether records have rows."""
    if after is not None and after.startswith(RECORD):
        return _records(scope, verifier, after.removeprefix(RECORD) or None)
    rows, further = _whole_chains(scope, verifier.log, after)
    chains: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        chains[row.chain].append(row)
    heads = verifier.log.heads(scope, [*chains])
    fence = verifier.store.fence(scope)
    ended = {one for one in chains if one.startswith(CONVERSATION) or hidden(one, fence)}
    faults: list[Fault] = []
    for one, own in chains.items():
        head = _Head(one in heads, heads.get(one), one in ended)
        faults += _chain(one, own, head, verifier.seal)
    return Checked(checked=len(rows), faults=tuple(faults), after=further or RECORD)


def _whole_chains(scope: Scope, log: AuditLog, after: str | None) -> tuple[list[Row], str | None]:
    """Rows up to the end of a chain, and where the next begins."""
    rows: list[Row] = []
    while True:
        page = log.chains(scope, after=after, limit=ROWS)
        rows += page.rows
        if (after := page.after) is None:
            return rows, None
        whole = [row for row in rows if row.chain != rows[-1].chain]
        if whole or len(rows) >= LONGEST_CHAIN:
            kept = whole or rows
            return kept, f"{kept[-1].chain}#{kept[-1].id}"


class _Head(NamedTuple):
    """What a record holds, if there is one; it may have `ended` without a word of its own.

    So do conversations, which go as a whole, and what lies behind a user's fence.
    """

    there: bool
    digest: str | None
    ended: bool


def _chain(chain: str, rows: Sequence[Row], head: _Head, seal: Seal) -> list[Fault]:
    found = [fault for row in rows for fault in _row(row)]
    entries = [row.entry for row in rows if isinstance(row.entry, AuditEntry)]
    if is_working_id(chain):
        return found + row_faults(entries, seal)
    if head.ended and head.digest is None:
        last = max(entries, key=lambda one: (one.version, one.id), default=None)
        return found + chain_faults(entries, "" if last is None else last.digest, seal)
    if head.there:
        return found + chain_faults(entries, head.digest, seal)
    return [*found, Fault(wrong=Wrong.HEAD, id="", chain=chain), *row_faults(entries, seal)]


def _row(row: Row) -> list[Fault]:
    """What is wrong with how a row is stored, whatever it says."""
    found = []
    if row.entry is None or not row.chained:
        found.append(Fault(wrong=Wrong.ALTERED, id=row.id, chain=row.chain))
    if not row.listed:
        found.append(Fault(wrong=Wrong.UNLISTED, id=row.id, chain=row.chain))
    return found


def _records(scope: Scope, verifier: Verifier, after: str | None) -> Checked:
    """Check that records which have a head have rows at all."""
    page = verifier.store.page(scope, after=after, examine=RECORDS)
    heads = verifier.log.heads(scope, [one.id for one in page.memories])
    bare = [one for one, head in heads.items() if not verifier.store.audit(scope, one)]
    faults = tuple(Fault(wrong=Wrong.MISSING, id="", chain=one) for one in bare)
    further = None if page.after is None else f"{RECORD}{page.after}"
    return Checked(checked=page.examined, faults=faults, after=further)


def verify_day(tenant: str, day: date, *, verifier: Verifier, after: str | None) -> Checked:
    """Check a piece of a day (UTC) against its digest, or its rows alone where there is none.

    A position is a shard, and the id behind which the piece begins.
    """
    book = Day(tenant, day, verifier.book, verifier.seal)
    given, _, last = (after or "0/").partition("/")
    shard, low = int(given), last or None
    head = book.head()
    read = verifier.log.day(tenant, day, shard, after=low, limit=ROWS, newest=False)
    found = _Found(book, verifier)
    if after is None:
        found.sealed(head)
    found.rows(read.rows, shard, head, (low, read.after))
    further = f"{shard}/{read.after}" if read.after else f"{shard + 1}/"
    ended = read.after is None and shard + 1 >= SHARDS
    return Checked(
        checked=len(read.rows),
        faults=tuple(found.faults),
        after=None if ended else further,
        digest="absent" if head is None and not book.there() else found.state,
        late=found.late,
    )


class _Found:
    """Collects what is wrong with a day."""

    def __init__(self, book: Day, verifier: Verifier) -> None:
        self._book = book
        self._verifier = verifier
        self.faults: list[Fault] = []
        self.state = "whole"
        self.late = 0

    def sealed(self, head: DayDigest | None) -> None:
        """The day's digest and supplements: each as it was sealed, chained to the one before."""
        name = digests.head_name(self._book.name)
        if head is None:
            if self._book.there():
                self._broken(name)
            return
        yesterday = replace(self._book, day=self._book.day - timedelta(days=1))
        older = yesterday.head()
        known = [""] if older is None else [older.seal, *(s.seal for s in yesterday.supplements())]
        for one in (head, *self._book.supplements()):
            place = digests.late_name(self._book.name, one.supplement) if one.supplement else name
            own = (one.tenant, one.day) == (self._book.tenant, self._book.name)
            if not (own and digests.genuine(one, self._verifier.seal) and one.previous in known):
                self._broken(place)
            known = [one.seal]

    def _broken(self, name: str) -> None:
        self.state = "broken"
        self.faults.append(Fault(wrong=Wrong.DIGEST, id=name))

    def rows(
        self,
        rows: Sequence[Row],
        shard: int,
        head: DayDigest | None,
        span: tuple[str | None, str | None],
    ) -> None:
        """Rows of a span of a shard: each as it was written, and all those that were written."""
        lines: dict[str, Line] = {}
        if head is not None and shard < len(head.shards):
            supplements = list(self._book.supplements())
            lines, broken = self._book.lines(shard, head, supplements, span=span)
            for name in broken:
                self._broken(name)
        for row in rows:
            said = lines.pop(row.id, None)
            if not self._genuine(row):
                kind = Wrong.INSERTED if said is None and head is not None else Wrong.ALTERED
                self.faults.append(Fault(wrong=kind, id=row.id, chain=row.chain))
            elif said is None:
                self.late += head is not None
            elif said != self._book.line(row):
                self.faults.append(Fault(wrong=Wrong.ALTERED, id=row.id, chain=row.chain))
        for line in lines.values():
            self.faults.append(Fault(wrong=Wrong.MISSING, id=line.id, chain=line.chain))

    def _genuine(self, row: Row) -> bool:
        if row.entry is None or not row.chained:
            return False
        if isinstance(row.entry, Note):
            return genuine_note(row.entry, self._book.tenant, self._verifier.seal)
        return untouched(row.entry, self._verifier.seal)
