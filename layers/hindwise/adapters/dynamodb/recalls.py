"""`ports.recalls.Recalls` on the table: rows in the scope, so that they go with their user."""

from datetime import datetime

from pydantic import ValidationError

from hindwise.adapters.dynamodb import audit_keys, keys, rows
from hindwise.adapters.dynamodb.expressions import (
    Item,
    beginning,
    indexed_under,
    key_of,
    text,
)
from hindwise.adapters.dynamodb.reading import readable
from hindwise.adapters.dynamodb.table import Table
from hindwise.domain.ports.recalls import Recall
from hindwise.domain.scope import Scope
from hindwise.errors import Unreadable


class DynamoRecalls:
    """What was recalled, while it is watched."""

    def __init__(self, table: Table) -> None:
        self._table = table

    def put(self, scope: Scope, recall: Recall) -> None:
        """Write one; one of the same id stays."""
        row = key_of(audit_keys.recall(scope, recall.id)) | {
            "body": text(recall.model_dump_json()),
            "l_pk": text(audit_keys.recalls_of(scope.tenant)),
            "l_sk": text(recall.id),
            "ttl": rows.ttl(recall.expires),
        }
        self._table.put(row, "attribute_not_exists(pk)")

    def of_user(
        self, scope: Scope, *, after: str | None, limit: int, now: datetime
    ) -> tuple[list[Recall], str | None]:
        """Read a user's, newest first."""
        pk, _ = audit_keys.recall(scope, "")
        query = beginning(pk, "", newest=True, limit=limit)
        start = None if after is None else key_of((pk, after))
        items, further = self._table.page(query, start)
        found = [recall for _, recall in _read(items, now)]
        return found, None if further is None else further["sk"]["S"]

    def of_tenant(
        self, tenant: str, *, after: str | None, limit: int, now: datetime
    ) -> tuple[list[tuple[Scope, Recall]], str | None]:
        """Read those of all users of a tenant, newest first."""
        query = indexed_under("list", audit_keys.recalls_of(tenant), newest=True, limit=limit)
        if after is not None:
            query["KeyConditionExpression"] += " AND l_sk < :after"
            values = {**query["ExpressionAttributeValues"], ":after": text(after)}
            query["ExpressionAttributeValues"] = values
        items, further = self._table.page(query, None)
        wanted = [(item["pk"]["S"], item["sk"]["S"]) for item in items]
        found = _read(self._table.get_many(wanted), now)
        found.sort(key=lambda one: one[1].id, reverse=True)
        return found, None if further is None else items[-1]["l_sk"]["S"]


def _read(items: list[Item], now: datetime) -> list[tuple[Scope, Recall]]:
    read = readable(items, _recall)
    return [(scope, recall) for scope, recall in read if recall.expires > now]


def _recall(item: Item) -> tuple[Scope, Recall]:
    try:
        recall = Recall.model_validate_json(item["body"]["S"])
    except (ValidationError, KeyError):
        raise Unreadable("the body of a recall cannot be read") from None
    return keys.scope_of(item["pk"]["S"]), recall
