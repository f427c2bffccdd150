"""`ports.Erasure` on the table: partition after partition, what lies behind a fence goes.

A row that could by now belong to something newer (a slot, a claimed text, a conversation of the
same name) goes only as it was read. Audit rows stay: they say who did what when, and hold no word.
"""

from collections.abc import Callable, Iterable, Iterator
from datetime import datetime
from functools import partial
from itertools import islice
from typing import NamedTuple

from hindwise.adapters.dynamodb import audit_keys, keys, rows
from hindwise.adapters.dynamodb.expressions import Item, Key, beginning, number
from hindwise.adapters.dynamodb.learning_rows import standing
from hindwise.adapters.dynamodb.memory_steps import members
from hindwise.adapters.dynamodb.table import Table
from hindwise.domain.fence import hidden
from hindwise.domain.ids import NewId
from hindwise.domain.memory import millis
from hindwise.domain.scope import Scope
from hindwise.errors import Unreadable

STORES = (
    "jobs", "conversations", "working", "slots", "texts", "links", "verdicts", "versions",
    "vectors", "domains", "errands", "recalls", "reviews", "places", "memories",
)  # fmt: skip
"""In the order in which they are taken: workers first, and last what names all the rest."""


class Row(NamedTuple):
    """A row that has to go; with `condition` only as long as it holds of `values`."""

    key: Key
    condition: str = ""
    values: Item | None = None
    item: Item | None = None


class DynamoErasure:
    """Counts and removes what lies behind a scope's fence."""

    stores: tuple[str, ...] = STORES

    def __init__(self, table: Table, *, clock: Callable[[], datetime], new_id: NewId) -> None:
        self._table = table
        self._clock = clock
        self._new_id = new_id

    def count(self, scope: Scope, fence: datetime) -> dict[str, int]:
        """Count what there is of each store, and the changes that the index has still to take."""
        kinds = [*STORES, "changes"]
        counts = self._table.spread(lambda one: self._count(scope, fence, one), kinds)
        return {kind: count for kind, count in zip(kinds, counts, strict=True) if count}

    def _count(self, scope: Scope, fence: datetime, store: str) -> int:
        if store == "domains" and self._survivors(scope, fence):
            return 0  # counts of what is newer, begun anew
        return sum(1 for _ in self._rows(scope, fence, store))

    def _survivors(self, scope: Scope, fence: datetime) -> bool:
        newest = next(self._sk(scope, "M#", newest=True), "")
        return bool(newest) and not hidden(newest.removeprefix("M#"), fence)

    def _sk(self, scope: Scope, prefix: str, *, newest: bool = False) -> Iterator[str]:
        query = beginning(keys.scope_pk(scope), prefix, newest=newest, limit=1 if newest else 0)
        return (item["sk"]["S"] for item in self._table.rows(query))

    def erase(self, scope: Scope, fence: datetime, store: str, *, most: int) -> int:
        """Remove up to `most` rows of a store, and tell how many; 0 where none is left.

        The change rows are there before the memories go, and their places go with them.
        """
        found = list(islice(self._rows(scope, fence, store), most))
        if store == "memories":
            now = self._clock()
            ulid = self._new_id(now)
            ids = [row.key[1].removeprefix("M#") for row in found]
            changes = [keys.change(scope, ulid, one) for one in ids]
            self._table.put_many(
                [rows.change_row(k, ulid, one) for k, one in zip(changes, ids, strict=True)]
            )
            belonging = (_members(scope, row.item, now) for row in found if row.item is not None)
            self._table.delete_many(list({key for some in belonging for key in some}))
        self._table.delete_many([row.key for row in found if not row.condition])
        self._table.spread(self._drop, [row for row in found if row.condition])
        return len(found)

    def _drop(self, row: Row) -> bool:
        return self._table.delete(row.key, row.condition, row.values or {})

    def _rows(self, scope: Scope, fence: datetime, store: str) -> Iterator[Row]:
        return getattr(self, f"_{store}")(scope, fence)  # type: ignore[no-any-return]

    def _all(self, pk: str, prefix: str = "") -> Iterator[Item]:
        return self._table.rows(beginning(pk, prefix))

    def _by_id(
        self, items: Iterable[Item], fence: datetime, ids_of: Callable[[str], list[str]]
    ) -> Iterator[Row]:
        """Rows in whose sort key an id stands that lies behind the fence."""
        for item in items:
            if any(hidden(one, fence) for one in ids_of(item["sk"]["S"])):
                yield Row(_key(item), item=item)

    def _memories(self, scope: Scope, fence: datetime) -> Iterator[Row]:
        items = self._all(keys.scope_pk(scope), "M#")
        return self._by_id(items, fence, lambda sk: [sk.removeprefix("M#")])

    def _changes(self, scope: Scope, fence: datetime) -> Iterator[Row]:
        return self._by_id(
            self._all(keys.part(scope, "D"), "D#"), fence, lambda sk: sk.split("#")[2:]
        )

    def _versions(self, scope: Scope, fence: datetime) -> Iterator[Row]:
        return self._by_id(self._all(keys.part(scope, "H")), fence, lambda sk: sk.split("#")[:1])

    def _vectors(self, scope: Scope, fence: datetime) -> Iterator[Row]:
        for number_ in range(keys.SHARDS):
            items = self._all(keys.shard(scope, number_))
            yield from self._by_id(items, fence, lambda sk: sk.split("#")[:1])

    def _links(self, scope: Scope, fence: datetime) -> Iterator[Row]:
        return self._by_id(self._all(keys.part(scope, "R")), fence, lambda sk: sk.split("#"))

    def _verdicts(self, scope: Scope, fence: datetime) -> Iterator[Row]:
        return self._by_id(self._all(keys.part(scope, "P")), fence, lambda sk: sk.split("#"))

    def _errands(self, scope: Scope, fence: datetime) -> Iterator[Row]:
        return self._by_id(self._all(keys.part(scope, "F")), fence, lambda sk: [sk])

    def _recalls(self, scope: Scope, fence: datetime) -> Iterator[Row]:
        return self._by_id(self._all(audit_keys.recall(scope, "")[0]), fence, lambda sk: [sk])

    def _reviews(self, scope: Scope, fence: datetime) -> Iterator[Row]:
        return self._by_id(self._all(keys.part(scope, "Q")), fence, lambda sk: [sk])

    def _texts(self, scope: Scope, fence: datetime) -> Iterator[Row]:
        return self._held(keys.part(scope, "X"), "memory_id", fence)

    def _slots(self, scope: Scope, fence: datetime) -> Iterator[Row]:
        return self._held(keys.part(scope, "L"), "holder", fence)

    def _held(self, pk: str, name: str, fence: datetime) -> Iterator[Row]:
        """Rows that stand for a memory behind the fence, or for none any more."""
        for item in self._all(pk):
            if name not in item:
                yield Row(_key(item), f"attribute_exists(pk) AND attribute_not_exists({name})")
            elif hidden(item[name]["S"], fence):
                yield Row(_key(item), f"{name} = :held", {":held": item[name]})

    def _conversations(self, scope: Scope, fence: datetime) -> Iterator[Row]:
        return self._born(keys.part(scope, "O"), fence)

    def _jobs(self, scope: Scope, fence: datetime) -> Iterator[Row]:
        """Jobs, and what was answered to those that are not younger."""
        home, young = keys.part(scope, "J"), set()
        for item in self._all(home, "J#"):
            if standing(item, fence):
                young.add(item["sk"]["S"].removeprefix("J#"))
        yield from self._born(home, fence, "J#")
        for item in self._all(home, "A#"):
            if item["sk"]["S"].split("#")[1] not in young:
                yield Row(_key(item))

    def _born(self, pk: str, fence: datetime, prefix: str = "") -> Iterator[Row]:
        values = {":fence": number(millis(fence))}
        for item in self._all(pk, prefix):
            if not standing(item, fence):
                yield Row(_key(item), "attribute_not_exists(born) OR born <= :fence", values)

    def _working(self, scope: Scope, fence: datetime) -> Iterator[Row]:
        last = (millis(fence) + 1) * 1000 - 500
        values = {":last": number(last)}
        for item in self._all(keys.part(scope, "W")):
            if int(item.get("written_at", {}).get("N", "0")) < last:
                yield Row(_key(item), "attribute_not_exists(pk) OR written_at < :last", values)

    def _domains(self, scope: Scope, fence: datetime) -> Iterator[Row]:
        for item in self._all(keys.part(scope, "N")):
            yield Row(_key(item))

    def _places(self, scope: Scope, fence: datetime) -> Iterator[Row]:
        """Places of sessions that the counters know, and counters of sessions without others."""
        for counter in self._all(keys.part(scope, "C")):
            home = keys.part(scope, "T", counter["sk"]["S"])
            ids = partial(lambda sk: sk.split("#")[1:])
            yield from self._by_id(self._all(home), fence, ids)
            if all(hidden(one["sk"]["S"].split("#")[1], fence) for one in self._all(home)):
                held = counter.get("places", number(0))
                yield Row(_key(counter), "places = :places", {":places": held})


def _members(scope: Scope, item: Item, now: datetime) -> set[Key]:
    """Where a memory's row says that it has a place; none for what cannot be read."""
    try:
        memory = rows.lasting(item, now)
    except Unreadable:
        return set()
    return set() if memory is None else set(members(scope, memory))


def _key(item: Item) -> Key:
    return item["pk"]["S"], item["sk"]["S"]
