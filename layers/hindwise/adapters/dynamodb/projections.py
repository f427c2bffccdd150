"""`ports.Projections` on the table: projected documents, their log, and what is still to be done.

A document is written under the condition that no newer one is there, and then checked against its
record: what was forgotten or changed between reading the record and writing its projection is taken
back, so nothing that arrives late brings a forgotten memory back.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from functools import partial
from itertools import islice

import orjson

from hindwise.adapters.dynamodb import documents as codec
from hindwise.adapters.dynamodb import keys, rows
from hindwise.adapters.dynamodb.expressions import (
    Item,
    beginning,
    indexed_under,
    key_of,
    number,
    text,
)
from hindwise.adapters.dynamodb.fences import fence_of
from hindwise.adapters.dynamodb.reading import readable
from hindwise.adapters.dynamodb.table import Table
from hindwise.domain.changes import Change
from hindwise.domain.document import Document
from hindwise.domain.fence import hidden
from hindwise.domain.ids import NewId, ulid
from hindwise.domain.memory import millis
from hindwise.domain.ports import Logged
from hindwise.domain.scope import Scope

LOG_KEPT = timedelta(hours=1)
OVERLAP = timedelta(seconds=5)
"""How far `logged` looks back behind its moment: longer than a row is on its way."""


class DynamoProjections:
    """The projected documents of one embedder, and the backlog of all scopes."""

    def __init__(
        self, table: Table, embedder: str, *, clock: Callable[[], datetime], new_id: NewId
    ) -> None:
        self._table = table
        self._embedder = embedder
        self._clock = clock
        self._new_id = new_id

    def documents(self, scope: Scope, ids: Sequence[str]) -> dict[str, Document]:
        """Read projected documents (with vectors) of the current embedder; any number."""
        if not ids:
            return {}
        wanted = [keys.document(scope, memory_id, self._embedder) for memory_id in ids]
        items = self._table.get_many([*wanted, keys.fence(scope)])
        fence = rows.fence_in(items)
        found = readable((one for one in items if "body" in one), codec.document_of)
        return {one.id: one for one in found if not hidden(one.id, fence)}

    def newest(self, scope: Scope, limit: int) -> list[Document]:
        """Read the newest `limit` documents of a scope, newest id first; eight shards at once.

        Each shard gives its fair share and a little more; one that has been read to its end while
        it may still hold newer ones than the last of the result is read on.
        """
        if limit < 1:
            return []
        share = limit // keys.SHARDS + 2 * int(limit**0.5) + 1
        shards = [_Shard(self._rows(scope, number, share)) for number in range(keys.SHARDS)]
        self._table.spread(lambda shard: shard.read(share), shards)
        while True:
            items = sorted((item for shard in shards for item in shard.items), key=_sk)[-limit:]
            oldest = _sk(items[0]) if len(items) == limit else ""
            short = [shard for shard in shards if shard.may_hold(oldest)]
            if not short:
                fence = fence_of(self._table, scope)
                found = readable(reversed(items), codec.document_of)
                return [one for one in found if not hidden(one.id, fence)]
            self._table.spread(lambda shard: shard.read(share), short)

    def _rows(self, scope: Scope, number: int, page: int) -> Iterator[Item]:
        """A shard's rows of the current embedder, newest first, `page` of them a call."""
        ending = f"#{keys.quoted(self._embedder)}"
        query = beginning(keys.shard(scope, number), "", newest=True, limit=page)
        return (item for item in self._table.rows(query) if _sk(item).endswith(ending))

    def put(
        self,
        scope: Scope,
        documents: Sequence[Document],
        gone: Mapping[str, int],
        *,
        now: datetime,
    ) -> None:
        """Write documents and remove `gone` ones (id → version), then log both.

        The log is stamped when the documents are there, not when the work on them began.
        """
        self._table.spread(partial(self._put, scope), documents)
        late = self._overtaken(scope, documents)
        self._table.spread(partial(self._remove, scope), [*gone.items(), *late])
        ids = [document.id for document in documents] + list(gone)
        if not ids:
            return
        key = keys.log(scope, self._new_id(self._clock()))
        body = {"ids": text(orjson.dumps(ids).decode()), "ttl": rows.ttl(now + LOG_KEPT)}
        self._table.put(key_of(key) | body, "attribute_not_exists(pk)")

    def _put(self, scope: Scope, document: Document) -> bool:
        return self._table.put(
            codec.document_row(scope, document, self._embedder),
            "attribute_not_exists(pk) OR version <= :version",
            {":version": number(document.version)},
        )

    def _overtaken(self, scope: Scope, documents: Sequence[Document]) -> list[tuple[str, int]]:
        """Those that are behind their record, or without one, and their versions."""
        wanted = [keys.memory(scope, document.id) for document in documents]
        items = self._table.get_many(wanted, "sk, version")
        versions = {_sk(item).removeprefix("M#"): int(item["version"]["N"]) for item in items}
        return [(one.id, one.version) for one in documents if versions.get(one.id) != one.version]

    def _remove(self, scope: Scope, gone: tuple[str, int]) -> None:
        memory_id, version = gone
        self._table.delete(
            keys.document(scope, memory_id, self._embedder),
            "attribute_not_exists(pk) OR version <= :version",
            {":version": number(version)},
        )

    def logged(self, scope: Scope, *, since: datetime) -> tuple[Logged, ...]:
        """Read what was projected since a moment, or up to 5 s before it."""
        pk, first = keys.log(scope, ulid(millis(since - OVERLAP), bytes(10)))
        query = beginning(pk, "")
        query["KeyConditionExpression"] = "pk = :pk AND sk >= :first"
        query["ExpressionAttributeValues"] = {":pk": text(pk), ":first": text(first)}
        now = self._clock().timestamp()
        live = [item for item in self._table.rows(query) if int(item["ttl"]["N"]) > now]
        return tuple(Logged(key=_sk(item), ids=orjson.loads(item["ids"]["S"])) for item in live)

    def clear(self, scope: Scope, changes: Sequence[Change]) -> None:
        """Delete exactly these change rows."""
        home = keys.part(scope, "D")
        self._table.delete_many(list(dict.fromkeys((home, change.key) for change in changes)))

    def failed(
        self,
        scope: Scope,
        change: Change,
        *,
        reason: str,
        park: bool,
        until: datetime | None = None,
    ) -> None:
        """Count a failed attempt, and put the row behind the others of its bucket, or park it.

        So nothing waits behind what fails. A row that has been cleared meanwhile is left alone.
        """
        values = {":one": number(1), ":reason": text(reason)}
        values[":behind"] = text(self._new_id(until or self._clock()))
        parking = ""
        if park:
            parking = ", w_pk = :parked"
            values[":parked"] = text(keys.PARKED)
        self._table.update(
            (keys.part(scope, "D"), change.key),
            f"SET reason = :reason, w_sk = :behind{parking} ADD attempts :one",
            "attribute_exists(pk)",
            values,
        )

    def dirty(self, bucket: int, limit: int) -> list[tuple[Scope, Change]]:
        """Read the oldest unprojected changes of one of the 16 buckets, over all scopes."""
        now = ulid(millis(self._clock()), b"\xff" * 10)
        return self._waiting(keys.dirty(bucket), limit, until=now)

    def parked(self, limit: int) -> list[tuple[Scope, Change]]:
        """Read parked changes."""
        return self._waiting(keys.PARKED, limit)

    def walk(self, cursor: str) -> tuple[list[tuple[Scope, Document]], str | None]:
        """Read some of all documents of the current embedder, and where it goes on.

        A page is the table's: a megabyte of rows of all kinds, most of which are passed over.
        """
        start = key_of(tuple(orjson.loads(cursor))) if cursor else None
        values = {":part": text(keys.DOCUMENTS)}
        items, end = self._table.scan("contains(pk, :part)", values, start)
        ending = f"#{keys.quoted(self._embedder)}"
        own = (item for item in items if _sk(item).endswith(ending))
        found = [
            (keys.scope_of(item["pk"]["S"]), document)
            for item in own
            for document in readable([item], codec.document_of)
        ]
        on = None if end is None else orjson.dumps([end["pk"]["S"], _sk(end)]).decode()
        return found, on

    def _waiting(self, home: str, limit: int, *, until: str = "~") -> list[tuple[Scope, Change]]:
        """Read an index entry's rows as they are now: the index may be a moment behind."""
        query = indexed_under("work", home, limit=limit)
        query["KeyConditionExpression"] = "w_pk = :pk AND w_sk <= :until"
        query["ExpressionAttributeValues"] = {":pk": text(home), ":until": text(until)}
        entries = islice(self._table.rows(query), limit)
        listed = [(item["pk"]["S"], item["sk"]["S"]) for item in entries]
        items = [i for i in self._table.get_many(listed) if i.get("w_pk", {}).get("S") == home]
        return [
            (keys.scope_of(item["pk"]["S"]), rows.change_of(item))
            for item in sorted(items, key=lambda item: item["w_sk"]["S"])
        ]


class _Shard:
    """What has been read of one shard, newest first."""

    def __init__(self, rows: Iterator[Item]) -> None:
        self._rows = rows
        self.items: list[Item] = []
        self.ended = False

    def read(self, count: int) -> None:
        """Read on."""
        read = list(islice(self._rows, count))
        self.items += read
        self.ended = len(read) < count

    def may_hold(self, oldest: str) -> bool:
        """Tell whether an unread row could be newer than `oldest`."""
        return not self.ended and bool(self.items) and _sk(self.items[-1]) > oldest


def _sk(item: Item) -> str:
    return item["sk"]["S"]
