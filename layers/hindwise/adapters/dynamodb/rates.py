"""`ports.rates.Rates` on the table: one row a tenant and minute, one a tenant and day."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta

from hindwise.adapters.dynamodb import audit_keys, rows
from hindwise.adapters.dynamodb.expressions import Key
from hindwise.adapters.dynamodb.table import Table

MINUTE_KEPT = timedelta(hours=1)
DAY_KEPT = timedelta(days=40)
WORDS = ("requests", "searches", "writes")


class DynamoRates:
    """Counts what tenants use."""

    def __init__(self, table: Table) -> None:
        self._table = table

    def add(self, tenant: str, used: Mapping[str, int], *, now: datetime) -> dict[str, int]:
        """Add to the counters of the minute; returns what they are now."""
        at = now.astimezone(UTC)
        key = audit_keys.rate(tenant, at.date(), f"RATE#{at:%H:%M}")
        more = {word: used.get(word, 0) for word in WORDS}
        return self._table.tally(key, more, ttl=rows.ttl(at + MINUTE_KEPT))

    def embed(self, tenant: str, texts: int, *, now: datetime) -> int:
        """Add to the texts embedded on the day; returns how many there are now."""
        at = now.astimezone(UTC)
        key: Key = audit_keys.rate(tenant, at.date(), "EMBED")
        return self._table.tally(key, {"texts": texts}, ttl=rows.ttl(at + DAY_KEPT))["texts"]
