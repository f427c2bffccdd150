"""A DynamoDB client that meters what it is asked: units from the items as they were and became.

Each call is made as it was asked for. What the answer does not show (the images of a row before and
after, attributes that were not asked for) is read beside it, unmetered.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import ceil
from threading import Lock, current_thread
from typing import Any

from botocore.exceptions import ClientError

from bench.capacity import entry, index_writes, item_size, read_units, write_units
from hindwise.adapters.dynamodb.table import FANOUT

Image = Mapping[str, Any] | None
TRANSACTED = 2


@dataclass
class Units:
    """Request units since they were last taken, and the same by partition."""

    written: float = 0
    indexed: float = 0
    read: float = 0
    writes: Counter[str] = field(default_factory=Counter)
    reads: Counter[str] = field(default_factory=Counter)
    index_writes: Counter[str] = field(default_factory=Counter)
    calls: Counter[str] = field(default_factory=Counter)
    threads: Counter[str] = field(default_factory=Counter)

    @property
    def waits(self) -> int:
        """Calls that are waited for one after the other; what a pool asks at once counts once."""
        alone = self.threads["MainThread"]
        return alone + sum(
            ceil(calls / FANOUT) for pool, calls in self.threads.items() if pool != "MainThread"
        )

    def called(self, name: str) -> None:
        """Count a call, under its own name and under the pool of threads that makes it."""
        self.calls[name] += 1
        self.threads[current_thread().name.partition("_")[0]] += 1

    def reading(self, partition: str, units: float) -> None:
        """Add read units."""
        self.read += units
        self.reads[partition] += units  # type: ignore[assignment]

    def writing(self, partition: str, units: float) -> None:
        """Add write units of the table."""
        self.written += units
        self.writes[partition] += units  # type: ignore[assignment]

    def changed(self, before: Image, after: Image) -> None:
        """Add write units of the indexes."""
        for write in index_writes(before, after):
            self.indexed += write.units
            self.index_writes[f"{write.index} {write.partition}"] += write.units


class MeteredClient:
    """Passes calls on to `inner`; while `units` is set, adds to them."""

    def __init__(self, inner: Any) -> None:
        self._inner = inner
        self._lock = Lock()
        self.units: Units | None = None

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    def get_item(self, **asked: Any) -> Any:
        """Get one row."""
        answer = self._inner.get_item(**asked)
        if self.units:
            size = item_size(answer.get("Item", {}))
            units = read_units(size, consistent=asked.get("ConsistentRead", False))
            self.units.reading(asked["Key"]["pk"]["S"], units)
            self.units.called("GetItem")
        return answer

    def batch_get_item(self, **asked: Any) -> Any:
        """Get rows; each is rounded up on its own."""
        answer = self._inner.batch_get_item(**asked)
        if self.units:
            self.units.called("BatchGetItem")
            for table, wanted in asked["RequestItems"].items():
                for key in wanted["Keys"]:
                    size = item_size(self._image(table, key) or {})
                    units = read_units(size, consistent=wanted.get("ConsistentRead", False))
                    self.units.reading(key["pk"]["S"], units)
        return answer

    def query(self, **asked: Any) -> Any:
        """Read a page; its rows are added up before they are rounded."""
        answer = self._inner.query(**asked)
        if self.units:
            self.units.called("Query")
            items, index = answer["Items"], asked.get("IndexName")
            if "ProjectionExpression" in asked:
                whole = {k: v for k, v in asked.items() if k != "ProjectionExpression"}
                items = self._inner.query(**whole)["Items"]
            images = [entry(index, item) or {} for item in items] if index else items
            size = sum(map(item_size, images))
            units = read_units(size, consistent=asked.get("ConsistentRead", False))
            home = asked["ExpressionAttributeValues"][":pk"]["S"]
            self.units.reading(f"{index} {home}" if index else home, units)
        return answer

    def put_item(self, **asked: Any) -> Any:
        """Put a row."""
        return self._write("PutItem", self._inner.put_item, asked, _key(asked["Item"]))

    def update_item(self, **asked: Any) -> Any:
        """Change a row."""
        return self._write("UpdateItem", self._inner.update_item, asked, asked["Key"])

    def delete_item(self, **asked: Any) -> Any:
        """Delete a row."""
        return self._write("DeleteItem", self._inner.delete_item, asked, asked["Key"])

    def batch_write_item(self, **asked: Any) -> Any:
        """Put and delete rows."""
        [(table, requests)] = asked["RequestItems"].items()
        keys = [
            one["DeleteRequest"]["Key"]
            if "DeleteRequest" in one
            else _key(one["PutRequest"]["Item"])
            for one in requests
        ]
        return self._metered("BatchWriteItem", self._inner.batch_write_item, asked, table, keys)

    def transact_write_items(self, **asked: Any) -> Any:
        """Write rows together, each at twice its units."""
        parts = [part for item in asked["TransactItems"] for part in item.values()]
        keys = [_key(part["Item"]) if "Item" in part else part["Key"] for part in parts]
        call, table = self._inner.transact_write_items, parts[0]["TableName"]
        return self._metered("TransactWriteItems", call, asked, table, keys, times=TRANSACTED)

    def _write(self, name: str, call: Any, asked: Any, key: Any) -> Any:
        return self._metered(name, call, asked, asked["TableName"], [key])

    def _metered(
        self, name: str, call: Any, asked: Any, table: str, keys: Sequence[Any], *, times: int = 1
    ) -> Any:
        """Make a call between two looks at its rows; what fails takes what was there before."""
        units = self.units
        if not units:
            return call(**asked)
        with self._lock:
            units.called(name)
            before = [self._image(table, key) for key in keys]
            after = before
            try:
                answer = call(**asked)
                after = [self._image(table, key) for key in keys]
                return answer
            except ClientError:
                units.calls[f"{name} failed"] += 1
                raise
            finally:
                for key, old, new in zip(keys, before, after, strict=True):
                    units.writing(key["pk"]["S"], write_units(old, new, times=times))
                    units.changed(old, new)

    def _image(self, table: str, key: Any) -> Image:
        return self._inner.get_item(TableName=table, Key=key, ConsistentRead=True).get("Item")


def _key(item: Any) -> dict[str, Any]:
    return {"pk": item["pk"], "sk": item["sk"]}
