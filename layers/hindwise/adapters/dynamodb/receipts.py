"""`ports.Receipts` on the table."""

from datetime import datetime
from functools import partial
from itertools import islice

from hindwise.adapters.dynamodb import forget_keys, keys, learning_rows
from hindwise.adapters.dynamodb.expressions import beginning, indexed_under, text
from hindwise.adapters.dynamodb.reading import readable
from hindwise.adapters.dynamodb.table import Table
from hindwise.domain.receipts import Errand, Receipt
from hindwise.domain.scope import Scope
from hindwise.errors import Unreadable


class DynamoReceipts:
    """Receipts of forgetting, by user, and which of them are due."""

    def __init__(self, table: Table) -> None:
        self._table = table

    def get(self, scope: Scope, receipt_id: str) -> Receipt | None:
        """Read a receipt; raises Unreadable."""
        item = self._table.get(forget_keys.receipt(scope, receipt_id))
        return None if item is None else learning_rows.read(Receipt, item)

    def page(self, scope: Scope, *, after: str | None, limit: int) -> list[Receipt]:
        """Read a scope's receipts, newest id first, those before `after`."""
        home, prefix = forget_keys.receipt(scope, "")
        query = beginning(home, prefix, newest=True, limit=limit)
        if after is not None:
            query["ExclusiveStartKey"] = {"pk": text(home), "sk": text(prefix + after)}
        items = islice(self._table.rows(query), limit)
        return list(readable(items, partial(learning_rows.read, Receipt)))

    def due(self, *, now: datetime, limit: int) -> list[tuple[Scope, str]]:
        """Name what the index `work` lists by now; each is read again before it is worked on."""
        found: list[tuple[Scope, str]] = []
        for bucket in range(forget_keys.FORGET_BUCKETS):
            query = indexed_under("work", forget_keys.forgetting(bucket), limit=limit)
            query["KeyConditionExpression"] = "w_pk = :pk AND w_sk <= :until"
            values = {":pk": text(forget_keys.forgetting(bucket)), ":until": text(keys.moment(now))}
            query["ExpressionAttributeValues"] = values
            entries = list(islice(self._table.rows(query), limit - len(found)))
            items = self._table.get_many([(one["pk"]["S"], one["sk"]["S"]) for one in entries])
            read = readable(items, partial(learning_rows.read, Receipt))
            found += [(one.scope, one.id) for one in read]
            if len(found) >= limit:
                break
        return found

    def errand(self, scope: Scope, receipt_id: str) -> Errand | None:
        """Read what an open receipt looks for; None where that cannot be read any more."""
        item = self._table.get(forget_keys.errand(scope, receipt_id))
        try:
            return None if item is None else learning_rows.read(Errand, item)
        except Unreadable:
            return None
