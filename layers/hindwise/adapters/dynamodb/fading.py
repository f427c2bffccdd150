"""`ports.FadingList` on the table.

What is due is read from the index `work`, which may lag a moment behind: what is looked at once too
often finds nothing to do. A lease is a row of its own, which also knows how far the last run came.
"""

from datetime import datetime
from itertools import islice

from hindwise.adapters.dynamodb import fading_keys, keys
from hindwise.adapters.dynamodb.expressions import Item, indexed_under, key_of, number, text
from hindwise.adapters.dynamodb.rows import micros
from hindwise.adapters.dynamodb.table import Table
from hindwise.domain.ports import Lease, Overdue


class DynamoFadingList:
    """What is due over all scopes, and the leases of the sweeps."""

    def __init__(self, table: Table) -> None:
        self._table = table

    def overdue(
        self, bucket: int, *, now: datetime, limit: int, after: Overdue | None = None
    ) -> list[Overdue]:
        """Read what is due in one of the 64 buckets, the longest first, from `after` on."""
        home = fading_keys.due_bucket(bucket)
        query = indexed_under("work", home, limit=limit)
        query["KeyConditionExpression"] = "w_pk = :pk AND w_sk <= :until"
        values = {":pk": text(home), ":until": text(keys.moment(now))}
        query["ExpressionAttributeValues"] = values
        start = None if after is None else _place(after, home)
        found: list[Overdue] = []
        while len(found) < limit:
            items, start = self._table.page(query, start)
            found += [_overdue(item) for item in islice(items, limit - len(found))]
            if start is None:
                break
        return found

    def take(
        self, sweep: str, bucket: int, token: str, *, until: datetime, now: datetime
    ) -> Lease | None:
        """Take a bucket, and tell how far the last one came; None while somebody else has it."""
        key = fading_keys.lease(sweep, bucket)
        values = {
            ":token": text(token),
            ":until": number(micros(until)),
            ":now": number(micros(now)),
            ":late": number(micros(until + (until - now))),
        }
        free = (
            "attribute_not_exists(held_by) OR held_by = :token "
            "OR held_until <= :now OR held_until > :late"
        )
        if not self._table.update(key, "SET held_by = :token, held_until = :until", free, values):
            return None
        item = self._table.get(key)
        if item is None or "body" not in item:
            return Lease()
        return Lease.model_validate_json(item["body"]["S"])

    def leave(self, sweep: str, bucket: int, token: str, lease: Lease) -> bool:
        """Let go of a bucket and note how far it came; False where somebody else has it by now."""
        return self._table.update(
            fading_keys.lease(sweep, bucket),
            "SET body = :body REMOVE held_by, held_until",
            "held_by = :token",
            {":token": text(token), ":body": text(lease.model_dump_json())},
        )


def _place(one: Overdue, home: str) -> Item:
    key = key_of(keys.memory(one.scope, one.memory_id))
    return key | {"w_pk": text(home), "w_sk": text(keys.moment(one.due))}


def _overdue(item: Item) -> Overdue:
    return Overdue(
        scope=keys.scope_of(item["pk"]["S"]),
        memory_id=item["sk"]["S"].removeprefix("M#"),
        due=datetime.fromisoformat(item["w_sk"]["S"]),
    )
