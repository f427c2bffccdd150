"""One table bound to one client: the few calls the adapters make of it, paged, paced and counted.

Whatever is throttled or left unprocessed is asked again with jitter, a few times; then it is
`errors.Unavailable`. A condition that does not hold is an answer (False), not an error.
"""

import random
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TYPE_CHECKING, Protocol

from hindwise import errors
from hindwise.adapters.dynamodb.client import (
    CROWDED,
    SDK_ERRORS,
    SdkError,
    code_of,
    reasons_of,
    translated,
)
from hindwise.adapters.dynamodb.expressions import Item, Key, key_of, number

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient
    from mypy_boto3_dynamodb.type_defs import (
        KeysAndAttributesTypeDef,
        QueryInputTypeDef,
        TransactWriteItemTypeDef,
        WriteRequestTypeDef,
    )

ATTEMPTS = 6
READ_BATCH = 100
WRITE_BATCH = 25
FANOUT = 8


class Observer(Protocol):
    """Told of each call to the table."""

    def __call__(self, operation: str, keys: int) -> None:
        """Note that `operation` was called on `keys` keys or returned as many rows."""


def unobserved(operation: str, keys: int) -> None:
    """Observe nothing."""


def wait(attempt: int) -> None:
    """Sleep a random time that doubles with each attempt: up to 20 ms, 40 ms, ... 640 ms."""
    time.sleep(random.uniform(0, 0.02 * 2**attempt))


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
        self.observe = observe
        self._pause = pause

    def asked[T](self, operation: str, keys: int, call: Callable[[], T]) -> T:
        """Make one call, again while the table is crowded; raises our errors."""
        last: SdkError | None = None
        for _ in self._attempts():
            self.observe(operation, keys)
            try:
                return call()
            except SDK_ERRORS as error:
                if code_of(error) not in CROWDED:
                    raise translated(error) from error
                last = error
        raise errors.Unavailable("the table is crowded") from last

    def _attempts(self) -> Iterator[int]:
        """Count the attempts at one thing, with a pause before each but the first."""
        for attempt in range(ATTEMPTS):
            if attempt > 0:
                self._pause(attempt - 1)
            yield attempt

    def get(self, key: Key) -> Item | None:
        """Read one row, consistently."""
        answer = self.asked(
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
        return [
            item
            for found in self.spread(partial(self._read, attributes), batches)
            for item in found
        ]

    def _read(self, attributes: str, keys: Sequence[Key]) -> list[Item]:
        found: list[Item] = []
        asked = [key_of(key) for key in keys]
        wanted: KeysAndAttributesTypeDef = {"Keys": [], "ConsistentRead": True}
        if attributes:
            wanted["ProjectionExpression"] = attributes
        for _ in self._attempts():
            self.observe("batch_get", len(asked))
            try:
                wanted["Keys"] = asked
                answer = self.client.batch_get_item(RequestItems={self.name: wanted})
            except SDK_ERRORS as error:
                if code_of(error) not in CROWDED:
                    raise translated(error) from error
            else:
                found.extend(answer["Responses"].get(self.name, []))
                left = answer.get("UnprocessedKeys", {}).get(self.name)
                if not left:
                    return found
                asked = [{"pk": key["pk"], "sk": key["sk"]} for key in left["Keys"]]
        raise errors.Unavailable("the table left keys unread")

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
        answer = self.asked("query", 0, lambda: self.client.query(**asked))
        self.observe("rows", len(answer["Items"]))
        return list(answer["Items"]), answer.get("LastEvaluatedKey")

    def put(self, item: Item, condition: str, values: Item | None = None) -> bool:
        """Put a row under a condition; False where it does not hold."""
        given = {"ExpressionAttributeValues": values} if values else {}
        return self._conditional(
            lambda: self.client.put_item(
                TableName=self.name,
                Item=item,
                ConditionExpression=condition,
                **given,  # type: ignore[arg-type]
            ),
            "put",
        )

    def update(self, key: Key, change: str, condition: str, values: Item) -> bool:
        """Change a row under a condition; False where it does not hold.

        `#s` stands for the attribute `status`, a reserved word.
        """
        names = {"ExpressionAttributeNames": {"#s": "status"}} if "#s" in condition else {}
        return self._conditional(
            lambda: self.client.update_item(
                TableName=self.name,
                Key=key_of(key),
                UpdateExpression=change,
                ConditionExpression=condition,
                ExpressionAttributeValues=values,
                **names,  # type: ignore[arg-type]
            ),
            "update",
        )

    def delete(self, key: Key, condition: str, values: Item) -> bool:
        """Delete a row under a condition; False where it does not hold."""
        return self._conditional(
            lambda: self.client.delete_item(
                TableName=self.name,
                Key=key_of(key),
                ConditionExpression=condition,
                ExpressionAttributeValues=values,
            ),
            "delete",
        )

    def _conditional(self, call: Callable[[], object], operation: str) -> bool:
        try:
            self.asked(operation, 1, lambda: _held(call))
        except _NotHeld:
            return False
        return True

    def add(self, key: Key, attribute: str, count: int) -> int:
        """Add to a counter, which begins at nothing; returns its new value."""
        answer = self.asked(
            "update",
            1,
            lambda: self.client.update_item(
                TableName=self.name,
                Key=key_of(key),
                UpdateExpression="ADD #n :n",
                ExpressionAttributeNames={"#n": attribute},
                ExpressionAttributeValues={":n": number(count)},
                ReturnValues="UPDATED_NEW",
            ),
        )
        return int(answer["Attributes"][attribute]["N"])

    def delete_many(self, keys: Sequence[Key]) -> None:
        """Delete rows by key, whatever is there; 25 a call."""
        for i in range(0, len(keys), WRITE_BATCH):
            self._write([{"DeleteRequest": {"Key": key_of(k)}} for k in keys[i : i + WRITE_BATCH]])

    def _write(self, requests: "Sequence[WriteRequestTypeDef]") -> None:
        left = requests
        for _ in self._attempts():
            call = partial(self.client.batch_write_item, RequestItems={self.name: left})
            answer = self.asked("batch_write", len(left), call)
            left = answer.get("UnprocessedItems", {}).get(self.name, [])  # type: ignore[assignment]
            if not left:
                return
        raise errors.Unavailable("the table left rows unwritten")

    def transact(self, items: "Sequence[TransactWriteItemTypeDef]", token: str) -> SdkError | None:
        """Commit rows together; the cancellation, where a condition did not hold.

        `token` (1..36 characters) makes the repetition of a call whose answer was lost the same
        call. Conflicts with other transactions are tried again.
        """
        for _ in self._attempts():
            self.observe("transact", len(items))
            try:
                self.client.transact_write_items(TransactItems=items, ClientRequestToken=token)
            except SDK_ERRORS as error:
                reasons = reasons_of(error)
                if "ConditionalCheckFailed" in reasons:
                    return error
                if not CROWDED.intersection((code_of(error), *reasons)):
                    raise translated(error) from error
            else:
                return None
        raise errors.Unavailable("other writers were always faster")

    def spread[A, B](self, work: Callable[[A], B], over: Sequence[A]) -> list[B]:
        """Do `work` on each of `over`, up to eight at once; the results in order."""
        if len(over) < 2:
            return [work(one) for one in over]
        with ThreadPoolExecutor(min(FANOUT, len(over))) as pool:
            return list(pool.map(work, over))


class _NotHeld(Exception):
    """A condition did not hold."""


def _held(call: Callable[[], object]) -> None:
    try:
        call()
    except SDK_ERRORS as error:
        if code_of(error) == "ConditionalCheckFailedException":
            raise _NotHeld from error
        raise
