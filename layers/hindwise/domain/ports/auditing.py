"""The audit over all records: rows by day, the tenant's own notes, and who is known."""

from collections.abc import Sequence
from datetime import date
from typing import Protocol

from hindwise.domain.audit_notes import Note
from hindwise.domain.base import Model
from hindwise.domain.changes import AuditEntry
from hindwise.domain.scope import Scope

SHARDS = 9
"""Eight of records, by user, and one of the tenant's own notes."""
NOTES = 8
"""The shard of the notes."""


class Row(Model):
    """A row of the audit: a record's, with its user, or a note of the tenant.

    `chain` is whose (a memory id), `entry` None where what stands there cannot be read. `listed` is
    False where it does not stand under its day, `chained` where not under its own key.
    """

    id: str
    chain: str = ""
    entry: AuditEntry | Note | None = None
    user: str | None = None
    listed: bool = True
    chained: bool = True


class Rows(Model):
    """Some rows; `after` goes on behind the last that was looked at, None at the end."""

    rows: tuple[Row, ...] = ()
    after: str | None = None


class AuditLog(Protocol):
    """Audit rows over all records of a tenant.

    What is read by day may be a moment behind; one user's rows, and heads, are consistent.
    """

    def shard_of(self, scope: Scope) -> int:
        """The shard in which all rows of a user are listed."""

    def day(
        self, tenant: str, day: date, shard: int, *, after: str | None, limit: int, newest: bool
    ) -> Rows:
        """Read rows of a day (UTC) in one shard, by id, beyond the id `after`."""

    def chains(self, scope: Scope, *, after: str | None, limit: int) -> Rows:
        """Read all rows of a user by chain, consistently; `after` is what `Rows.after` said."""

    def heads(self, scope: Scope, chains: Sequence[str]) -> dict[str, str | None]:
        """Read what records hold as the last of their chain, None for a tombstone.

        What has no record is left out.
        """

    def note(self, tenant: str, note: Note) -> None:
        """Write a note, and see to it that `tenants` knows the tenant."""

    def know(self, tenant: str) -> None:
        """See to it that `tenants` knows this one."""

    def tenants(self) -> list[str]:
        """List the tenants that have something in the audit."""
