"""`ports.KeyRing` on the table: API keys under the hash of their secret.

Finding one is a consistent read, so that a revoked key is not let in by a late replica; listing and
revoking go by the index `list`, which may be a moment behind.
"""

from datetime import datetime
from itertools import islice

from hindwise.adapters.dynamodb import keys, rows
from hindwise.adapters.dynamodb.expressions import indexed_under, number, text
from hindwise.adapters.dynamodb.table import Table
from hindwise.domain.changes import Raced
from hindwise.domain.ports import ApiKey


class DynamoKeyRing:
    """API keys, stored as the sha256 of the secret."""

    def __init__(self, table: Table) -> None:
        self._table = table

    def find(self, digest: str) -> ApiKey | None:
        """Read a key by its hash, revoked or not."""
        item = self._table.get(keys.api_key(digest))
        return None if item is None else rows.key_of_row(item)

    def add(self, key: ApiKey) -> None:
        """Store a new key; raises `changes.Raced` if its hash is taken."""
        if not self._table.put(rows.key_row(key), "attribute_not_exists(pk)"):
            raise Raced(())

    def revoke(self, tenant: str, key_id: str, *, at: datetime) -> bool:
        """Revoke a key; False where there is none, or it was revoked before."""
        query = indexed_under("list", keys.tenant_keys(tenant))
        query["KeyConditionExpression"] += " AND l_sk = :id"
        query["ExpressionAttributeValues"] = {
            ":pk": text(keys.tenant_keys(tenant)),
            ":id": text(key_id),
        }
        for item in islice(self._table.rows(query), 1):
            return self._table.update(
                (item["pk"]["S"], item["sk"]["S"]),
                "SET revoked_at = :at",
                "attribute_exists(pk) AND attribute_not_exists(revoked_at)",
                {":at": number(rows.micros(at))},
            )
        return False

    def all(self, tenant: str) -> list[ApiKey]:
        """List a tenant's keys, newest first."""
        query = indexed_under("list", keys.tenant_keys(tenant), newest=True)
        listed = [(item["pk"]["S"], item["sk"]["S"]) for item in self._table.rows(query)]
        found = [rows.key_of_row(item) for item in self._table.get_many(listed)]
        return sorted(found, key=lambda key: key.id, reverse=True)
