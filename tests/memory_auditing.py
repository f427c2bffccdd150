"""The audit over all records in memory; see `domain.ports.auditing`."""

from collections import defaultdict
from collections.abc import Sequence
from datetime import date
from zlib import crc32

from hindwise.domain.audit import chain_of
from hindwise.domain.audit_notes import Note, day_of
from hindwise.domain.changes import AuditEntry
from hindwise.domain.ports.auditing import NOTES, Row, Rows
from hindwise.domain.scope import Scope
from tests.memory_store import World


class InMemoryAuditLog:
    """Looks into the scopes of a world; `notes` are the tenants' own rows."""

    def __init__(self, world: World) -> None:
        self._world = world
        self.notes: dict[str, list[Note]] = defaultdict(list)
        self.known: set[str] = set()

    def shard_of(self, scope: Scope) -> int:
        return crc32(scope.user.encode()) % NOTES

    def day(
        self, tenant: str, day: date, shard: int, *, after: str | None, limit: int, newest: bool
    ) -> Rows:
        with self._world.lock:
            self._world.faults.called("audit_day")
            rows = [
                row
                for row in (self._notes(tenant) if shard == NOTES else self._own(tenant, shard))
                if row.entry is not None and day_of(row.entry.at) == day.isoformat()
            ]
            rows.sort(key=lambda row: row.id, reverse=newest)
            if after is not None:
                rows = [row for row in rows if (row.id < after if newest else row.id > after)]
            more = len(rows) > limit
            return Rows(rows=tuple(rows[:limit]), after=rows[limit - 1].id if more else None)

    def _notes(self, tenant: str) -> list[Row]:
        return [Row(id=one.id, entry=one, user=one.user) for one in self.notes[tenant]]

    def _own(self, tenant: str, shard: int) -> list[Row]:
        own = (s for s in self._world.homes if s.tenant == tenant and self.shard_of(s) == shard)
        return [row for scope in own for row in self._rows(scope)]

    def _rows(self, scope: Scope) -> list[Row]:
        audits = self._world.home(scope).audits
        return [
            Row(id=one.id, chain=chain, entry=one, user=scope.user, chained=one.memory_id == chain)
            for chain, entries in sorted(audits.items())
            for one in sorted(entries, key=_id)
        ]

    def chains(self, scope: Scope, *, after: str | None, limit: int) -> Rows:
        with self._world.lock:
            self._world.faults.called("audit_chains")
            rows = [row for row in self._rows(scope) if f"{row.chain}#{row.id}" > (after or "")]
            cut = rows[:limit]
            last = f"{cut[-1].chain}#{cut[-1].id}" if len(rows) > limit else None
            return Rows(rows=tuple(cut), after=last)

    def heads(self, scope: Scope, chains: Sequence[str]) -> dict[str, str | None]:
        with self._world.lock:
            home = self._world.home(scope)
            found: dict[str, str | None] = {one: None for one in home.tombstones if one in chains}
            talks = {chain_of(one.id): one.audit_head for one in home.conversations.values()}
            found |= {one: head for one, head in talks.items() if one in chains}
            records = (home.memories.get(one) or home.working.get(one) for one in chains)
            return found | {one.id: one.audit_head for one in records if one is not None}

    def note(self, tenant: str, note: Note) -> None:
        self._world.faults.called("note")
        self.notes[tenant].append(note)
        self.known.add(tenant)

    def know(self, tenant: str) -> None:
        self.known.add(tenant)

    def tenants(self) -> list[str]:
        return sorted(self.known)


def _id(entry: AuditEntry) -> str:
    return entry.id
