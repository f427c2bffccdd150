"""A user with a canary in every place that holds words, and a look at all that is kept of it.

The canary is looked for plain, as JSON escapes it, in base64 (at every offset), hex and UTF-16, and
in what is packed with gzip.
"""

import base64
import gzip
import json
import zlib
from collections.abc import Iterable
from typing import Any

CANARY = "Kanari金丝雀7f3a"


def forms(canary: str) -> set[bytes]:
    """What the canary looks like, however it is written down."""
    plain = canary.encode()
    found = {plain, json.dumps(canary)[1:-1].encode(), plain.hex().encode()}
    found |= {canary.encode("utf-16-le"), canary.encode("utf-16-be")}
    for offset in range(3):
        encoded = base64.b64encode(b"\0" * offset + plain)
        begin = -(-offset * 8 // 6)
        found.add(encoded[begin : (offset + len(plain)) * 8 // 6])
    return {*found, *(one.upper() for one in found if one == plain.hex().encode())}


def sightings(kept: Iterable[tuple[str, bytes]], canary: str = CANARY) -> list[str]:
    """Where the canary still is."""
    wanted = forms(canary)
    return sorted(
        {name for name, data in kept for text in _read(data) if any(one in text for one in wanted)}
    )


def _read(data: bytes) -> list[bytes]:
    if data[:2] != b"\x1f\x8b":
        return [data]
    try:
        return [data, gzip.decompress(data)]
    except (OSError, zlib.error):
        return [data]


def planted(canary: str = CANARY) -> list[dict[str, Any]]:
    """Bodies of POST /v1/memories, each with the canary in another field."""
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
        {"content": f"周五{canary}又失败了", "domain": "work", "importance": 0.9,
         "session_id": f"s-{canary}"},
    ]  # fmt: skip
