"""`ports.Reviews` and `ports.Users` on the table.

The review list is an index of keys, which may lag a moment behind: whoever reads it looks at the
records. A user's row is also the clock of its periodic review: it stands in the index `work` at
the next moment to look, so that no sweep needs a list of tenants, or a place to go on from.
"""

from collections.abc import Callable
from datetime import datetime, timedelta
from itertools import islice

from hindwise.adapters.dynamodb import keys
from hindwise.adapters.dynamodb.expressions import Item, beginning, indexed_under, key_of, text
from hindwise.adapters.dynamodb.table import Table
from hindwise.domain.memory import Type
from hindwise.domain.ports import Waiting, WaitingPage
from hindwise.domain.scope import Scope

NOTED_FOR = timedelta(hours=1)
"""How long a container takes a user for noted, who may have been dropped elsewhere."""
MOST_NOTED = 10_000


class DynamoReviews:
    """What waits for a reviewer."""

    def __init__(self, table: Table) -> None:
        self._table = table

    def waiting(self, tenant: str, *, after: str | None, limit: int) -> WaitingPage:
        """Read entries of a tenant, newest memory first; one more is read, to know if it ends."""
        home = keys.review(tenant)
        query = indexed_under("list", home, newest=True, limit=limit + 1)
        if after is not None:
            query["KeyConditionExpression"] = "l_pk = :pk AND l_sk < :after"
            query["ExpressionAttributeValues"] = {":pk": text(home), ":after": text(after)}
        found = [
            Waiting(
                scope=keys.scope_of(item["pk"]["S"]), memory_id=keys.reviewed_id(item["sk"]["S"])
            )
            for item in islice(self._table.rows(query), limit + 1)
        ]
        more = len(found) > limit
        entries = tuple(found[:limit])
        return WaitingPage(entries=entries, after=entries[-1].memory_id if more else None)

    def current(self, scope: Scope, type_: Type, *, limit: int) -> list[str]:
        """Read the ids of a scope's active semantic memories of a type, newest first."""
        query = indexed_under("list", keys.of_type(scope, type_), newest=True, limit=limit)
        found = islice(self._table.rows(query), limit)
        return [item["sk"]["S"].removeprefix("M#") for item in found]


class DynamoUsers:
    """The users of all tenants, each a row."""

    def __init__(self, table: Table, *, clock: Callable[[], datetime]) -> None:
        self._table = table
        self._clock = clock
        self._noted: dict[Scope, datetime] = {}

    def note(self, scope: Scope, *, now: datetime) -> None:
        """Note a user, unless this container has done so within the hour."""
        seen = self._noted.get(scope)
        if seen is not None and self._clock() - seen < NOTED_FOR:
            return
        key = keys.user(scope)
        look = keys.look_bucket(keys.bucket("#".join(key), keys.WORK_BUCKETS))
        at = text(keys.moment(now))
        row = key_of(key) | {"created_at": at, "w_pk": text(look), "w_sk": at}
        self._table.put(row, "attribute_not_exists(pk)")
        if len(self._noted) >= MOST_NOTED:
            self._noted.clear()
        self._noted[scope] = self._clock()

    def page(self, tenant: str, *, prefix: str, after: str | None, limit: int) -> list[str]:
        """List users whose id begins with `prefix`, in the order of their encoded names."""
        home, own = keys.user(Scope(tenant=tenant, user=prefix))
        query = beginning(home, own, limit=limit)
        start: Item | None = None
        if after is not None:
            start = key_of(keys.user(Scope(tenant=tenant, user=after)))
        found: list[str] = []
        while len(found) < limit:
            items, start = self._table.page(query, start)
            found += [keys.user_of((home, item["sk"]["S"])).user for item in items]
            if start is None:
                break
        return found[:limit]

    def drop(self, scope: Scope) -> None:
        """Take a user off the list, if it is on it."""
        home, own = keys.user(scope)
        self._table.delete((home, own), "pk = :pk", {":pk": text(home)})
        self._noted.pop(scope, None)

    def due(self, bucket: int, *, now: datetime, limit: int) -> list[Scope]:
        """Read the scopes whose periodic review is due, the longest first."""
        home = keys.look_bucket(bucket)
        query = indexed_under("work", home, limit=limit)
        query["KeyConditionExpression"] = "w_pk = :pk AND w_sk <= :until"
        values = {":pk": text(home), ":until": text(keys.moment(now))}
        query["ExpressionAttributeValues"] = values
        found = islice(self._table.rows(query), limit)
        return [keys.user_of((item["pk"]["S"], item["sk"]["S"])) for item in found]

    def looked(self, scope: Scope, *, again: datetime, now: datetime) -> bool:
        """Put a scope's periodic review off until `again`; False where it is not due any more."""
        return self._table.update(
            keys.user(scope),
            "SET w_sk = :again",
            "attribute_exists(pk) AND w_sk <= :now",
            {":again": text(keys.moment(again)), ":now": text(keys.moment(now))},
        )
