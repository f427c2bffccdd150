"""Fields of a record as words of one keyword field, equal and ordered as the values are.

`name`, a separator, a letter for the kind of value, and the value: a number in 16 hex digits that
sort as numbers do, a text as it is. A long text is cut and made distinct by a hash, so that it is
found by equality, and by order as far as it was kept. A field whose value cannot be written so, or
is an empty list, has a fact that says no more than that it is there.
"""

import math
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256

from hindwise.domain.ids import key_hash
from hindwise.domain.memory import LongTermMemory
from hindwise.domain.visibility import field_of

FIELDS = (
    "kind", "type", "domain", "task_id", "session_id", "event_type", "speaker", "agent_id", "scene",
    "subject", "attribute", "value", "conversation_id", "external_id", "language", "origin",
    "tags", "entities", "marks", "flags", "names",
)  # fmt: skip
KEPT = 200
"""Characters of a text that are kept as they are."""
NAME_BYTES = 100
"""Of a field's name that are kept as they are."""
_LARGEST = 2**53
"""Whole numbers beyond this are not told apart by a double."""
_SEPARATOR = "\x1f"
_MISSING = object()


def facts_of(record: LongTermMemory) -> list[str]:
    """All facts of a record, each once."""
    found: dict[str, None] = {}
    for name in (*FIELDS, *(f"metadata.{key}" for key in record.metadata)):
        found.update(dict.fromkeys(_facts(name, _value(record, name))))
    return list(found)


def known(name: str) -> bool:
    """Tell whether a field is written as facts."""
    return name in FIELDS or name.startswith("metadata.")


def fact(name: str, value: object) -> str | None:
    """The fact that a record holds if its field is, or its list holds, this value.

    None for a value that cannot be written.
    """
    word = None if _vast(value) else _word(value)
    return None if word is None else head(name) + word


def head(name: str) -> str:
    """What all facts of a field begin with: a record that has the field has one.

    A long name stands as its hash: a node takes no prefix or range of a thousand bytes.
    """
    short = name if len(name.encode("utf-8", "replace")) <= NAME_BYTES else key_hash(name)
    return short + _SEPARATOR


@dataclass(frozen=True, slots=True)
class Reach:
    """The facts of one field and kind of value, from `first` to before `end`, and a `place` in it.

    The place of a text that was cut is the cut, which is not `exact`.
    """

    first: str
    end: str
    place: str
    exact: bool = True


def reach(name: str, value: object) -> Reach | None:
    """Where a value stands among the facts of its field; None for what has no order."""
    if isinstance(value, str):
        kind, place, exact = "s", f"s{value[:KEPT]}", len(value) <= KEPT
    else:
        kind, place, exact = "n", _word(value) or "", not _vast(value)
    if not place.startswith(kind):
        return None
    return Reach(head(name) + kind, head(name) + chr(ord(kind) + 1), head(name) + place, exact)


def beyond(place: str) -> str:
    """A fact behind that of every text which is cut at `place`."""
    return place + chr(ord(_SEPARATOR) + 1)


def _value(record: LongTermMemory, name: str) -> object:
    special = name.startswith("metadata.") or name in ("conversation_id", "names")
    here = special or hasattr(record, name)
    return field_of(record, name) if here else _MISSING


def _facts(name: str, value: object) -> Iterator[str]:
    if value is _MISSING:
        return
    several = value if isinstance(value, tuple | list) else (value,)
    for one in several:
        yield f"{head(name)}{_word(one) or 'odd'}"
    if not several:
        yield f"{head(name)}empty"


def _word(value: object) -> str | None:
    if value is None:
        return "0"
    if isinstance(value, bool):
        return "b1" if value else "b0"
    if isinstance(value, int | float):
        return f"n{_sortable(value)}"
    if isinstance(value, str):
        return f"s{_short(value)}"
    return None


def _short(text: str) -> str:
    text = text.encode("utf-8", "replace").decode()
    if len(text) <= KEPT:
        return text
    return f"{text[:KEPT]}{_SEPARATOR}{sha256(text.encode()).hexdigest()}"


def _vast(value: object) -> bool:
    """Tell whether a number is one of several that a double does not tell apart."""
    return isinstance(value, int | float) and abs(value) >= _LARGEST


def _sortable(value: float) -> str:
    """16 hex digits that sort as the numbers do (the sign turned, negative ones inverted)."""
    try:
        number = float(value)
    except OverflowError:
        number = math.copysign(math.inf, value)
    (bits,) = struct.unpack(">Q", struct.pack(">d", number + 0.0))
    return f"{bits ^ (2**64 - 1 if bits >> 63 else 2**63):016x}"
