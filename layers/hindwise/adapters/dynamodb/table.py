"""One table bound to one client: the few calls the adapters make of it, in batches and pages.

How often each is tried, and what its errors become, is `calls`.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING

from hindwise.adapters.dynamodb.calls import Calls, Observer, unobserved, wait
from hindwise.adapters.dynamodb.client import SdkError
from hindwise.adapters.dynamodb.expressions import Item, Key, Value, key_of, number

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient
    from mypy_boto3_dynamodb.type_defs import (
        KeysAndAttributesTypeDef,
        QueryInputTypeDef,
        ScanInputTypeDef,
        TransactWriteItemTypeDef,
        WriteRequestTypeDef,
    )

READ_BATCH = 100
WRITE_BATCH = 25
FANOUT = 8
RESERVED = {"#s": "status", "#ttl": "ttl"}


class Table:
    """A table by name. `observe` is told of each call, `pause` waits between attempts."""

    def __init__(
        self,
        client: "DynamoDBClient",
        name: str,
        *,
        observe: Observer = unobserved,
        pause: Callable[[int], None] = wait,
    ) -> None:
        self.client = client
        self.name = name
        self._calls = Calls(observe, pause)

    def get(self, key: Key) -> Item | None:
        """Read one row, consistently."""
        answer = self._calls.once(
            "get",
            1,
            lambda: self.client.get_item(TableName=self.name, Key=key_of(key), ConsistentRead=True),
        )
        return answer.get("Item")

    def get_many(self, keys: Sequence[Key], attributes: str = "") -> list[Item]:
        """Read rows by key, consistently, in no order; any number, a hundred a call.

        `attributes` are those that are wanted, comma-separated; empty means all. Each one left out
        spares the SDK's parser, which is what a read costs here.
        """
        wanted = list(dict.fromkeys(keys))
        batches = [wanted[i : i + READ_BATCH] for i in range(0, len(wanted), READ_BATCH)]
        return list(chain.from_iterable(self.spread(partial(self._read, attributes), batches)))

    def _read(self, attributes: str, keys: Sequence[Key]) -> list[Item]:
        found: list[Item] = []

        def call(asked: Sequence[Key]) -> list[Key]:
            wanted: KeysAndAttributesTypeDef = {
                "Keys": [key_of(key) for key in asked],
                "ConsistentRead": True,
            }
            if attributes:
                wanted["ProjectionExpression"] = attributes
            answer = self.client.batch_get_item(RequestItems={self.name: wanted})
            found.extend(answer["Responses"].get(self.name, []))
            left = answer.get("UnprocessedKeys", {}).get(self.name, {"Keys": []})
            return [(key["pk"]["S"], key["sk"]["S"]) for key in left["Keys"]]

        self._calls.whole("batch_get", keys, call)
        return found

    def rows(self, query: "QueryInputTypeDef") -> Iterator[Item]:
        """Read the rows of a query, page after page, as far as they are wanted."""
        start: Item | None = None
        while True:
            items, start = self.page(query, start)
            yield from items
            if start is None:
                return

    def page(
        self, query: "QueryInputTypeDef", start: Item | None
    ) -> tuple[list[Item], Item | None]:
        """Read one page of a query from `start`; returns where the next one begins, if any."""
        asked: QueryInputTypeDef = {**query, "TableName": self.name}
        if start is not None:
            asked["ExclusiveStartKey"] = start
        answer = self._calls.once("query", 0, lambda: self.client.query(**asked))
        self._calls.observe("rows", len(answer["Items"]))
        return list(answer["Items"]), answer.get("LastEvaluatedKey")

    def scan(
        self, matching: str, values: Item, start: Item | None
    ) -> tuple[list[Item], Item | None]:
        """Read one page of all rows, those that match; not for calls, which wait for an answer."""
        given: ScanInputTypeDef = {
            "TableName": self.name,
            "FilterExpression": matching,
            "ExpressionAttributeValues": values,
        }
        if start is not None:
            given["ExclusiveStartKey"] = start
        answer = self._calls.once("scan", 0, lambda: self.client.scan(**given))
        return list(answer["Items"]), answer.get("LastEvaluatedKey")

    def put(self, item: Item, condition: str, values: Item | None = None) -> bool:
        """Put a row under a condition; False where it does not hold."""
        given = {"ExpressionAttributeValues": values} if values else {}
        return self._calls.holds(
            "put",
            lambda: self.client.put_item(
                TableName=self.name,
                Item=item,
                ConditionExpression=condition,
                **given,  # type: ignore[arg-type]
            ),
        )

    def update(self, key: Key, change: str, condition: str, values: Item) -> bool:
        """Change a row under a condition; False where it does not hold.

        `#s` stands for the attribute `status`, `#ttl` for `ttl`: reserved words.
        """
        used = {short: word for short, word in RESERVED.items() if short in change + condition}
        names = {"ExpressionAttributeNames": used} if used else {}
        return self._calls.holds(
            "update",
            lambda: self.client.update_item(
                TableName=self.name,
                Key=key_of(key),
                UpdateExpression=change,
                ConditionExpression=condition,
                ExpressionAttributeValues=values,
                **names,  # type: ignore[arg-type]
            ),
        )

    def delete(self, key: Key, condition: str, values: Item) -> bool:
        """Delete a row under a condition; False where it does not hold."""
        return self._calls.holds(
            "delete",
            lambda: self.client.delete_item(
                TableName=self.name,
                Key=key_of(key),
                ConditionExpression=condition,
                ExpressionAttributeValues=values,
            ),
        )

    def add(self, key: Key, attribute: str, count: int) -> int:
        """Add to a counter, which begins at nothing; returns its new value."""
        return self.tally(key, {attribute: count})[attribute]

    def tally(
        self, key: Key, more: Mapping[str, int], *, ttl: Value | None = None
    ) -> dict[str, int]:
        """Add to several counters of a row, which goes at `ttl`; returns what they are now."""
        names = {f"#n{place}": word for place, word in enumerate(more)}
        values = {f":{short[1:]}": number(more[word]) for short, word in names.items()}
        change = "ADD " + ", ".join(f"{short} :{short[1:]}" for short in names)
        if ttl is not None:
            change, values = f"SET #ttl = :ttl {change}", {":ttl": ttl, **values}
            names["#ttl"] = "ttl"
        call = partial(
            self.client.update_item,
            TableName=self.name,
            Key=key_of(key),
            UpdateExpression=change,
            ExpressionAttributeNames=names,
            ExpressionAttributeValues=values,
            ReturnValues="ALL_NEW",  # not only what changed: zero may be added
        )
        answer = self._calls.once("update", 1, call)
        return {word: int(answer["Attributes"][word]["N"]) for word in more}

    def delete_many(self, keys: Sequence[Key]) -> None:
        """Delete rows by key, whatever is there; 25 a call, and several calls at once."""
        self._write([{"DeleteRequest": {"Key": key_of(key)}} for key in keys])

    def put_many(self, items: Sequence[Item]) -> None:
        """Put rows, whatever is there; 25 a call, and several calls at once."""
        self._write([{"PutRequest": {"Item": item}} for item in items])

    def _write(self, requests: "Sequence[WriteRequestTypeDef]") -> None:
        def call(asked: "Sequence[WriteRequestTypeDef]") -> "Sequence[WriteRequestTypeDef]":
            answer = self.client.batch_write_item(RequestItems={self.name: asked})
            return answer.get("UnprocessedItems", {}).get(self.name, [])  # type: ignore[return-value]

        groups = [requests[i : i + WRITE_BATCH] for i in range(0, len(requests), WRITE_BATCH)]
        self.spread(lambda some: self._calls.whole("batch_write", some, call), groups)

    def transact(self, items: "Sequence[TransactWriteItemTypeDef]", token: str) -> SdkError | None:
        """Commit rows together; the cancellation, where a condition did not hold.

        `token` (1..36 characters) makes the repetition of a call whose answer was lost the same
        call. Conflicts with other transactions are tried again.
        """
        call = partial(
            self.client.transact_write_items, TransactItems=items, ClientRequestToken=token
        )
        return self._calls.together(len(items), call)

    def spread[A, B](self, work: Callable[[A], B], over: Sequence[A]) -> list[B]:
        """Do `work` on each of `over`, up to eight at once; the results in order."""
        if len(over) < 2:
            return [work(one) for one in over]
        with ThreadPoolExecutor(min(FANOUT, len(over))) as pool:
            return list(pool.map(work, over))
