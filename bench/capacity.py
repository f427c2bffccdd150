"""DynamoDB's published rules: how large an item is, and how many request units a call takes.

Sizes: docs.aws.amazon.com/amazondynamodb/latest/developerguide/CapacityUnitCalculations.html;
units: read-write-operations.html and GSI.html#GSI.Writes of the same guide. One thing is nowhere
published: what a transaction takes in an index. Indexes follow the table later, outside the
transaction, so an index write counts once here, not twice.
"""

from collections.abc import Iterable, Iterator, Mapping
from decimal import Decimal
from math import ceil
from typing import Any, NamedTuple

type Attributes = Mapping[str, Any]
READ_BYTES, WRITE_BYTES = 4096, 1024
OVERHEAD_BYTES = 100
"""What storing an item, or its entry in an index, adds to its own bytes."""
INDEXES = {"work": ("w_pk", "w_sk"), "list": ("l_pk", "l_sk")}
"""Both hold keys only, of the rows that have their attributes."""


def item_size(item: Attributes) -> int:
    """Bytes of an item: names and values."""
    return sum(len(name.encode()) + value_size(value) for name, value in item.items())


def value_size(value: Attributes) -> int:
    """Bytes of one attribute value, e.g. `{"S": "abc"}`; raises ValueError for an unknown type."""
    [(kind, held)] = value.items()
    match kind:
        case "S":
            return len(held.encode())
        case "N":
            return number_size(held)
        case "B":
            return len(held)
        case "BOOL" | "NULL":
            return 1
        case "SS" | "NS" | "BS":
            return sum(value_size({kind[0]: one}) for one in held)
        case "L":
            return 3 + sum(1 + value_size(one) for one in held)
        case "M":
            return 3 + item_size(held) + len(held)
    raise ValueError(f"no attribute type: {kind}")


def number_size(text: str) -> int:
    """Bytes of a number: one for two significant digits, and one; one more below zero."""
    significant = "".join(map(str, Decimal(text).as_tuple().digits)).strip("0")
    return ceil(len(significant) / 2) + 1 + text.startswith("-")


def read_units(size: int, *, consistent: bool) -> float:
    """Read request units for so many bytes; one block at least, also where nothing is found."""
    blocks = max(1, ceil(size / READ_BYTES))
    return float(blocks) if consistent else blocks / 2


def write_units(before: Attributes | None, after: Attributes | None, *, times: int = 1) -> int:
    """Write request units of a change from one image to another; the larger of the two counts.

    Twice in a transaction (`times`). A write whose condition fails takes what the item that is
    there would; nothing there takes one.
    """
    size = max(item_size(image) if image else 0 for image in (before, after))
    return times * max(1, ceil(size / WRITE_BYTES))


class IndexWrite(NamedTuple):
    """Units that a change takes in one partition of an index."""

    index: str
    partition: str
    units: int


def index_writes(before: Attributes | None, after: Attributes | None) -> Iterator[IndexWrite]:
    """What a change takes in the indexes: put or delete one, move two, leave alone none."""
    for index in INDEXES:
        old, new = entry(index, before), entry(index, after)
        if old == new:
            continue
        for image in filter(None, (old, new)):
            partition = image[INDEXES[index][0]]["S"]
            yield IndexWrite(index, partition, write_units(None, image))


def entry(index: str, item: Attributes | None) -> Attributes | None:
    """An item's entry in an index; None where it has none."""
    names = INDEXES[index]
    if item is None or any(name not in item for name in names):
        return None
    return {name: item[name] for name in ("pk", "sk", *names)}


def stored_bytes(items: Iterable[Attributes]) -> int:
    """Bytes that are billed for storing items and their index entries."""
    total = 0
    for item in items:
        images = [item, *filter(None, (entry(index, item) for index in INDEXES))]
        total += sum(item_size(image) + OVERHEAD_BYTES for image in images)
    return total
