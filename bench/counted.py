"""Counts what a store in memory would ask of the table: calls, and keys or rows read.

Requests to a search node are counted where they are sent, as calls of the kind `index`.

The rules are the table adapter's: a read by ids is one BatchGet a hundred keys, a list is one Query
that reads what it returns, a commit is one transaction that reads nothing.
"""

from collections import Counter
from collections.abc import Callable, Sized
from dataclasses import dataclass, field
from math import ceil
from typing import Any

READ_BATCH, WRITE_BATCH = 100, 25
SHARDS = 8
"""Partitions that hold a scope's projected documents."""


@dataclass(slots=True)
class Counts:
    """Calls by kind, and keys and rows read, since `clear`."""

    calls: Counter[str] = field(default_factory=Counter)
    keys: int = 0

    @property
    def total(self) -> int:
        """All calls."""
        return self.calls.total()

    def note(self, kind: str, calls: int, keys: int) -> None:
        """Add calls and keys."""
        self.calls[kind] += calls
        self.keys += keys

    def clear(self) -> None:
        """Begin anew."""
        self.calls.clear()
        self.keys = 0


Rule = Callable[[tuple[Any, ...], Any], tuple[str, int, int]]


def _by_ids(args: tuple[Any, ...], _: Any) -> tuple[str, int, int]:
    ids = len(args[1])
    return "batch_get", ceil(ids / READ_BATCH), ids


def _one(_: tuple[Any, ...], answer: Any) -> tuple[str, int, int]:
    return "get", 1, 1


def _rows(_: tuple[Any, ...], answer: Sized) -> tuple[str, int, int]:
    return "query", 1, len(answer)


def _newest(_: tuple[Any, ...], answer: Sized) -> tuple[str, int, int]:
    return "query", SHARDS, len(answer)


def _backlog(_: tuple[Any, ...], answer: Any) -> tuple[str, int, int]:
    return "query", 1, len(answer.changes)


def _page(_: tuple[Any, ...], answer: Any) -> tuple[str, int, int]:
    return "query", 1, answer.examined


def _written(_: tuple[Any, ...], answer: object) -> tuple[str, int, int]:
    return "transact", 1, 0


def _updated(_: tuple[Any, ...], answer: object) -> tuple[str, int, int]:
    return "update", 1, 0


def _put(args: tuple[Any, ...], _: Any) -> tuple[str, int, int]:
    return "batch_write", ceil((len(args[1]) + len(args[2]) + 1) / WRITE_BATCH), 0


def _cleared(args: tuple[Any, ...], _: Any) -> tuple[str, int, int]:
    return "batch_write", ceil(len(args[1]) / WRITE_BATCH), 0


RULES: dict[str, Rule] = {
    "get": _by_ids, "documents": _by_ids,
    "slot": _one, "claim": _one, "find": _one,
    "backlog": _backlog, "page": _page, "logged": _rows,
    "turns": _rows, "of_task": _rows, "working": _rows, "newest": _newest, "versions": _rows,
    "dependants": _rows, "audit": _rows, "dirty": _rows, "parked": _rows, "all": _rows,
    "commit": _written, "record": _written, "add": _written, "revoke": _written,
    "next_seq": _updated, "take_seq": _updated, "touch": _updated, "failed": _updated,
    "put": _put, "clear": _cleared,
}  # fmt: skip


class Counted:
    """A port in memory whose calls are counted."""

    def __init__(self, inner: Any, counts: Counts) -> None:
        self._inner = inner
        self._counts = counts

    def __getattr__(self, name: str) -> Any:
        method = getattr(self._inner, name)
        rule = RULES.get(name)
        if rule is None:
            return method

        def counted(*args: Any, **named: Any) -> Any:
            answer = method(*args, **named)
            self._counts.note(*rule(args, answer))
            return answer

        self.__dict__[name] = counted
        return counted
