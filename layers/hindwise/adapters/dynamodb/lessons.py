"""`ports.Lessons` on the table: one small partition a tenant, read whole, and seldom.

What was read is kept for a minute: whoever writes for somebody else than an owner asks each time.
"""

from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime, timedelta
from itertools import islice
from threading import Lock

from pydantic import ValidationError

from hindwise.adapters.dynamodb import keys
from hindwise.adapters.dynamodb.expressions import Item, beginning, key_of, text
from hindwise.adapters.dynamodb.table import Table
from hindwise.domain.lessons import Lesson
from hindwise.errors import Unreadable

KEPT = timedelta(minutes=1)
TENANTS = 64
"""Of so many tenants a container keeps what it read: at most 64 MB."""


class DynamoLessons:
    """The lessons of tenants; `most` of the newest memories each."""

    def __init__(self, table: Table, *, most: int, clock: Callable[[], datetime]) -> None:
        self._table = table
        self._most = most
        self._clock = clock
        self._lock = Lock()
        self._read: OrderedDict[str, tuple[datetime, Sequence[Lesson]]] = OrderedDict()

    def learn(self, tenant: str, lesson: Lesson) -> None:
        """Keep a lesson, and let go of those that are too many."""
        key = keys.lesson(tenant, lesson.memory_id)
        row = key_of(key) | {"body": text(lesson.model_dump_json())}
        self._table.put(row, "attribute_exists(pk) OR attribute_not_exists(pk)")
        old = islice(self._rows(tenant), self._most, None)
        self._table.delete_many([(one["pk"]["S"], one["sk"]["S"]) for one in old])
        self._forgotten(tenant)

    def unlearn(self, tenant: str, memory_id: str) -> None:
        """Let go of a lesson."""
        self._table.delete_many([keys.lesson(tenant, memory_id)])
        self._forgotten(tenant)

    def all(self, tenant: str) -> Sequence[Lesson]:
        """Read the lessons, as they were within the last minute."""
        now = self._clock()
        with self._lock:
            kept = self._read.get(tenant)
        if kept is not None and now - KEPT <= kept[0] <= now:
            return kept[1]
        found = tuple(_lesson(row) for row in islice(self._rows(tenant), self._most))
        with self._lock:
            self._read[tenant] = (now, found)
            self._read.move_to_end(tenant)
            if len(self._read) > TENANTS:
                self._read.popitem(last=False)
        return found

    def _rows(self, tenant: str) -> Iterator[Item]:
        """The newest memory's first."""
        return self._table.rows(beginning(keys.lesson(tenant, "")[0], "", newest=True))

    def _forgotten(self, tenant: str) -> None:
        with self._lock:
            self._read.pop(tenant, None)


def _lesson(row: Item) -> Lesson:
    try:
        return Lesson.model_validate_json(row["body"]["S"])
    except ValidationError:
        raise Unreadable("a lesson does not read as one") from None
