"""The numbers of a scope's documents, one array a number and one place a document (its row).

Times are whole microseconds, so that comparing them is comparing instants; an open validity is the
smallest or largest number. Rows are only ever added: a row that is no longer `alive` waits for the
next rebuild.
"""

import math
from datetime import UTC, datetime
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hindwise.adapters.embedded.best import order_of
from hindwise.domain.memory import Episode, LongTermMemory, Status
from hindwise.domain.ranking import fresh_at

ALWAYS = np.iinfo(np.int64)
STATUS_CODE = {status: code for code, status in enumerate(Status)}
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_KINDS: dict[str, Any] = {
    "alive": np.bool_,
    "status": np.int8,
    "begins": np.int64,
    "ends": np.int64,
    "event_time": np.int64,
    "created_at": np.int64,
    "updated_at": np.int64,
    "importance": np.float64,
    "confidence": np.float64,
    "weight": np.float64,
    "order": np.int64,
    "seen": np.int64,
    "share": np.float64,
    "stamp": np.int64,
}


def micros(moment: datetime) -> int:
    """Microseconds since 1970 of an aware datetime, exactly."""
    gone = moment - _EPOCH
    return (gone.days * 86_400 + gone.seconds) * 1_000_000 + gone.microseconds


def numbers_of(record: LongTermMemory) -> dict[str, float]:
    """What of a record is compared as a number, under the names of `Columns`."""
    event, updated = micros(record.event_time), micros(record.updated_at)
    by_event = isinstance(record, Episode)
    begins, ends = record.valid_from, record.valid_until
    return {
        "begins": ALWAYS.min if begins is None else micros(begins),
        "ends": ALWAYS.max if ends is None else micros(ends),
        "event_time": event,
        "created_at": micros(record.created_at),
        "updated_at": updated,
        "importance": record.importance,
        "confidence": record.confidence,
        "weight": math.log2(record.importance) if record.importance else -math.inf,
        "seen": micros(fresh_at(record)),
        "share": record.importance if by_event else record.confidence + 2,
        "stamp": event if by_event else updated,
    }


class Columns:
    """Growable arrays; `seen` is when it was last news, `weight` log2(importance).

    `share` and `stamp` are what lists are ordered by: importance and event time of an episode,
    confidence + 2 and last update of a semantic memory, which so comes before every episode.
    """

    def __init__(self) -> None:
        self.count = 0
        self._arrays = {name: np.zeros(16, kind) for name, kind in _KINDS.items()}

    def __getitem__(self, name: str) -> NDArray[Any]:
        """The column of all rows so far."""
        return self._arrays[name][: self.count]

    def append(self, facets: LongTermMemory) -> int:
        """Add a document's numbers and return its row."""
        row = self.count
        if row == len(self._arrays["alive"]):
            self._grow(row * 2)
        values = numbers_of(facets) | {
            "alive": True,
            "status": STATUS_CODE[facets.status],
            "order": order_of(facets.id),
        }
        for name, value in values.items():
            self._arrays[name][row] = value
        self.count += 1
        return row

    def kill(self, row: int) -> None:
        """Take a row out of every later search."""
        self._arrays["alive"][row] = False

    def _grow(self, room: int) -> None:
        for name, old in self._arrays.items():
            new = np.zeros(room, old.dtype)
            new[: self.count] = old[: self.count]
            self._arrays[name] = new
