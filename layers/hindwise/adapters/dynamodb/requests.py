"""`ports.RequestLog` on the table: idempotency keys, 24 hours each, outside any scope."""

from collections.abc import Callable
from datetime import datetime

from hindwise.adapters.dynamodb import keys, rows
from hindwise.adapters.dynamodb.table import Table
from hindwise.adapters.dynamodb.transaction import request_condition
from hindwise.domain.changes import Answered, Raced, Request


class DynamoRequestLog:
    """Idempotency keys, per tenant and principal."""

    def __init__(self, table: Table, *, clock: Callable[[], datetime]) -> None:
        self._table = table
        self._clock = clock

    def find(self, tenant: str, principal: str, key_hash: str, *, now: datetime) -> Request | None:
        """Read the row of a key that has not expired."""
        item = self._table.get(keys.request(tenant, principal, key_hash))
        if item is None:
            return None
        request = Request.model_validate_json(item["body"]["S"])
        return request if request.expires > now else None

    def record(self, request: Request) -> None:
        """Write the row; an `open` one of the same body may become `done`.

        Raises `changes.Raced` where there is another that has not expired.
        """
        closing = request.state == "done"
        condition, values = request_condition(request, self._clock(), closing=closing)
        if not self._table.put(rows.request_row(request), condition, values):
            raise Raced((Answered(request=request, closing=closing),))
