"""`ports.auditing.AuditLog` on the table.

A record's row is listed under its day by the index `list`; a note of the tenant is found by its
key, for its partition holds nothing else. What a row says is always read from the table itself.
"""

from collections.abc import Sequence
from datetime import UTC, date, datetime, time, timedelta
from typing import TYPE_CHECKING

from pydantic import BaseModel, ValidationError

from hindwise.adapters.dynamodb import audit_keys, keys
from hindwise.adapters.dynamodb.expressions import Item, beginning, indexed_under, key_of, text
from hindwise.adapters.dynamodb.table import Table
from hindwise.domain.audit_notes import Note
from hindwise.domain.changes import AuditEntry
from hindwise.domain.ids import ulid
from hindwise.domain.memory import millis
from hindwise.domain.ports.auditing import NOTES, Row, Rows
from hindwise.domain.scope import Scope

if TYPE_CHECKING:
    from mypy_boto3_dynamodb.type_defs import QueryInputTypeDef

FIRST, LAST = bytes(10), b"\xff" * 10
ABSENT = "attribute_not_exists(pk)"
CONVERSATION = "conversation-"


class _Record(BaseModel):
    """Any record, of which only the head of its chain is wanted."""

    audit_head: str = ""


class DynamoAuditLog:
    """Audit rows over all records of a tenant."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self._known: set[str] = set()

    def shard_of(self, scope: Scope) -> int:
        """The bucket in which all rows of a user are listed."""
        return keys.audit_shard(scope)

    def day(
        self, tenant: str, day: date, shard: int, *, after: str | None, limit: int, newest: bool
    ) -> Rows:
        """Read rows of a day in one shard, by id, beyond the id `after`."""
        query = _notes(tenant, day) if shard == NOTES else _listed(tenant, day, shard)
        sort = "sk" if shard == NOTES else "l_sk"
        if after is not None:
            edge = {":high" if newest else ":low": text(after)}
            query["ExpressionAttributeValues"] = {**query["ExpressionAttributeValues"], **edge}
        query["KeyConditionExpression"] += f" AND {sort} BETWEEN :low AND :high"
        found, more = self._page(query, sort, after, limit=limit, newest=newest)
        items = found if shard == NOTES else self._whole(found)
        rows = tuple(_row(item) for item in items)
        return Rows(rows=rows, after=found[-1][sort]["S"] if more else None)

    def _page(
        self, query: "QueryInputTypeDef", sort: str, after: str | None, *, limit: int, newest: bool
    ) -> tuple[list[Item], bool]:
        """Up to `limit` rows beyond `after`, and whether there are more; BETWEEN gives it too."""
        asked: QueryInputTypeDef = {**query, "ScanIndexForward": not newest, "Limit": limit + 2}
        found: list[Item] = []
        for item in self._table.rows(asked):
            if item[sort]["S"] != after:
                found.append(item)
            if len(found) > limit:
                break
        return found[:limit], len(found) > limit

    def _whole(self, listed: Sequence[Item]) -> list[Item]:
        """The rows that an index names, in its order; those that are gone by now are left out."""
        wanted = [(item["pk"]["S"], item["sk"]["S"]) for item in listed]
        read = {(one["pk"]["S"], one["sk"]["S"]): one for one in self._table.get_many(wanted)}
        return [read[key] for key in wanted if key in read]

    def chains(self, scope: Scope, *, after: str | None, limit: int) -> Rows:
        """Read all rows of a user by chain; `after` is a sort key."""
        pk = keys.part(scope, "A")
        query = beginning(pk, "", limit=limit + 1)
        start: Item | None = None if after is None else key_of((pk, after))
        found: list[Item] = []
        while True:
            items, start = self._table.page(query, start)
            found += items
            if start is None or len(found) > limit:
                break
        more = len(found) > limit or start is not None
        rows = tuple(_row(item) for item in found[:limit])
        return Rows(rows=rows, after=found[:limit][-1]["sk"]["S"] if more and found else None)

    def heads(self, scope: Scope, chains: Sequence[str]) -> dict[str, str | None]:
        """Read what records hold as the last of their chain, None for a tombstone."""
        homes = {_home(scope, chain): chain for chain in chains}
        found: dict[str, str | None] = {}
        for item in self._table.get_many([*homes], "pk, sk, body, forgotten_at"):
            chain = homes[item["pk"]["S"], item["sk"]["S"]]
            if "body" in item:
                found[chain] = _head(item["body"]["S"])
            elif "forgotten_at" in item:
                found[chain] = None
        return found

    def note(self, tenant: str, note: Note) -> None:
        """Write a note, and see to it that `tenants` knows the tenant."""
        row = key_of(audit_keys.note(tenant, note.id)) | {"body": text(note.model_dump_json())}
        self._table.put(row, ABSENT)
        self.know(tenant)

    def know(self, tenant: str) -> None:
        """Write the tenant's row, once in the life of this container."""
        if tenant not in self._known:
            self._table.put(key_of(audit_keys.tenant(tenant)), ABSENT)
            self._known.add(tenant)

    def tenants(self) -> list[str]:
        """List the tenants that have something in the audit."""
        return [
            item["sk"]["S"] for item in self._table.rows(beginning(audit_keys.tenant("")[0], ""))
        ]


def _listed(tenant: str, day: date, shard: int) -> "QueryInputTypeDef":
    query = indexed_under("list", keys.audit_bucket(tenant, day, shard))
    values = {**query["ExpressionAttributeValues"], ":low": text("0"), ":high": text("Z")}
    return {**query, "ExpressionAttributeValues": values}


def _notes(tenant: str, day: date) -> "QueryInputTypeDef":
    begins = datetime.combine(day, time(), UTC)
    low = ulid(millis(begins), FIRST)
    high = ulid(millis(begins + timedelta(days=1)) - 1, LAST)
    query = beginning(audit_keys.note(tenant, "")[0], "")
    values = {**query["ExpressionAttributeValues"], ":low": text(low), ":high": text(high)}
    return {**query, "ExpressionAttributeValues": values}


def _home(scope: Scope, chain: str) -> tuple[str, str]:
    if chain.startswith(CONVERSATION):
        return keys.part(scope, "O"), chain.removeprefix(CONVERSATION)
    return keys.memory(scope, chain)


def _head(body: str) -> str:
    try:
        return _Record.model_validate_json(body).audit_head
    except ValidationError:
        return ""


def _row(item: Item) -> Row:
    """Read a row, and whether it stands where it belongs; one that cannot be read has no entry."""
    pk, sk = item["pk"]["S"], item["sk"]["S"]
    chain, _, own = sk.rpartition("#")
    body = item.get("body", {}).get("S", "")
    try:
        if "#U#" not in pk:
            note = Note.model_validate_json(body)
            return Row(id=sk, entry=note, user=note.user, chained=sk == note.id)
        entry = AuditEntry.model_validate_json(body)
    except ValidationError:
        return Row(id=own or sk, chain=chain, user=keys.scope_of(pk).user if chain else None)
    scope = keys.scope_of(pk)
    there = (item.get("l_pk", {}).get("S"), item.get("l_sk", {}).get("S"))
    return Row(
        id=own,
        chain=chain,
        entry=entry,
        user=scope.user,
        listed=there == (keys.audit_day(scope, entry.at), entry.id),
        chained=(pk, sk) == keys.audit(scope, entry.memory_id, entry.id),
    )
