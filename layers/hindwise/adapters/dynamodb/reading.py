"""Rows that do not read as what they should be: passed over and named, never in anybody's way.

One such row, of a later version of the code or damaged, must not fail the reads of all others of
its user. It stays as it is, and a log line says which it is, by key, not by content.
"""

import logging
import re
from collections.abc import Callable, Iterable, Iterator

from hindwise.adapters.dynamodb.expressions import Item
from hindwise.errors import Unreadable

_ID = re.compile(r'"id": ?"([0-9A-Z]{1,64})"')
_log = logging.getLogger(__name__)


def readable[M](items: Iterable[Item], read: Callable[[Item], M | None]) -> Iterator[M]:
    """Read rows; those that give nothing (None) or cannot be read are left out."""
    for item in items:
        try:
            found = read(item)
        except Unreadable:
            _log.error("a row cannot be read: %s", id_of(item))
        else:
            if found is not None:
                yield found


def reads(item: Item, read: Callable[[Item], object]) -> bool:
    """Tell whether a row can be read."""
    try:
        read(item)
    except Unreadable:
        return False
    return True


def id_of(item: Item) -> str:
    """The id that a row is of, from its key or, where that was not read, from its body."""
    if "sk" in item:
        return item["sk"]["S"].removeprefix("M#")
    found = _ID.search(item.get("body", {}).get("S", ""))
    return found[1] if found else "of an unknown id"
