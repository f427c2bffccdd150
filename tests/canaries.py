"""What a canary looks like, however it is written down, and a look for it in all that is kept.

It is looked for as it is and folded to lower case: plain, as JSON, Python and URLs
escape it, in base64 (at every offset), hex and UTF-16, and in what is packed with gzip.
"""

import base64
import gzip
import json
import logging
import zlib
from collections.abc import Iterable
from typing import Any
from urllib.parse import quote

from hindwise.runtime.telemetry import logger

CANARY = "Kanari金丝雀7f3a"
TERMS = ("kanari", "金丝", "丝雀")
"""What an analyser leaves of it."""


def forms(canary: str) -> set[bytes]:
    """What the canary looks like, however it is written down."""
    found: set[bytes] = set()
    for one in (canary, canary.lower()):
        plain = one.encode()
        escaped = json.dumps(one)[1:-1]
        found |= {plain, escaped.encode(), escaped.replace("\\", r"\\").encode()}
        found |= {repr(plain)[2:-1].encode(), quote(one).encode()}
        found |= {plain.hex().encode(), plain.hex().upper().encode()}
        found |= {one.encode("utf-16-le"), one.encode("utf-16-be")}
        for offset in range(3):
            encoded = base64.b64encode(b"\0" * offset + plain)
            begin = -(-offset * 8 // 6)
            found.add(encoded[begin : (offset + len(plain)) * 8 // 6])
    return found


def sightings(kept: Iterable[tuple[str, bytes]], canary: str = CANARY) -> list[str]:
    """Where the canary still is; a name of what is kept counts as what it holds."""
    wanted = forms(canary)
    return sorted(
        {
            name
            for name, data in kept
            for text in (name.encode(), *_read(data))
            if any(one in text for one in wanted)
        }
    )


def _read(data: bytes) -> list[bytes]:
    if data[:2] != b"\x1f\x8b":
        return [data]
    try:
        return [data, gzip.decompress(data)]
    except (OSError, zlib.error):
        return [data]


def laid_out(value: Any) -> bytes:
    """A value of an AWS answer as bytes, those that it holds as they are."""
    match value:
        case bytes():
            return b"".join(_read(value)) + b"\n"
        case dict():
            return b"".join(laid_out(each) for pair in value.items() for each in pair)
        case list() | tuple() | set():
            return b"".join(map(laid_out, value))
        case _:
            return f"{value}\n".encode()


class Logged(logging.Handler):
    """All that is logged while it is entered, with whatever a record carries along."""

    def __init__(self) -> None:
        super().__init__(logging.DEBUG)
        self.records: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.records.append(f"{record.getMessage()} {record.__dict__}")

    def __enter__(self) -> "Logged":
        self._were = [(one, one.level) for one in (logging.getLogger("hindwise"), _powertools())]
        for one, _ in self._were:
            one.addHandler(self)
            one.setLevel(logging.DEBUG)
        return self

    def __exit__(self, *_: object) -> None:
        for one, level in self._were:
            one.removeHandler(self)
            one.setLevel(level)


def _powertools() -> logging.Logger:
    return logging.getLogger(logger().name)


def planted(canary: str = CANARY) -> list[dict[str, Any]]:
    """Bodies of POST /v1/memories, each with the canary in another field."""
    failed = [
        {"content": f"周五{canary}又失败了，第{number}次", "domain": "work", "importance": 0.9,
         "session_id": f"s{number}-{canary}"}
        for number in range(3)
    ]  # fmt: skip
    return [
        {"content": f"The word is {canary}.", "type": "fact", "external_id": f"x-{canary}"},
        {"content": "Something happened.", "metadata": {"note": [canary]}, "task_id": canary[:40]},
        {"content": "A letter came.", "source": {"document": f"{canary}.txt", "author": canary}},
        {"content": "Somebody called.", "entities": [canary], "tags": [canary]},
        {
            "content": f"{canary} lives upstairs.", "type": "fact", "subject": canary,
            "attribute": "home", "value": "upstairs", "cardinality": "one",
        },
        {"content": canary, "kind": "working", "task_id": "t", "key": "k"},
        {"content": f"Of {canary} there was nothing new.", "importance": 0.1},
        *failed,
    ]  # fmt: skip
