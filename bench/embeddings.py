"""Keeps vectors of stored texts on disk between runs: a benchmark embeds each text once.

Questions are always embedded anew: their time is part of what is measured.
"""

import os
import sqlite3
from array import array
from collections.abc import Sequence
from contextlib import closing
from hashlib import sha256
from itertools import batched
from pathlib import Path

from hindwise.domain.document import Vector
from hindwise.domain.ports import Embedder

ROOT = Path(__file__).parents[1]
READ_AT_ONCE = 500


def cache_folder() -> Path:
    """Where vectors are kept: RECALL_BENCH_CACHE, else `build/cache`."""
    folder = Path(os.environ.get("RECALL_BENCH_CACHE") or ROOT / "build" / "cache")
    folder.mkdir(parents=True, exist_ok=True)
    return folder


class KeptEmbedder:
    """Puts a file before the documents of an embedder; one file an embedder id."""

    def __init__(self, inner: Embedder, folder: Path) -> None:
        self.id = inner.id
        self.dimensions = inner.dimensions
        self._inner = inner
        name = "".join(one if one.isalnum() else "-" for one in inner.id)
        self._path = folder / f"hindwise-{name}.sqlite"
        with closing(sqlite3.connect(self._path)) as file:
            file.execute("CREATE TABLE IF NOT EXISTS kept (hash BLOB PRIMARY KEY, vector BLOB)")

    def query(self, text: str) -> Vector:
        """Embed a question, every time."""
        return self._inner.query(text)

    def documents(self, texts: Sequence[str]) -> list[Vector | None]:
        """Embed stored texts that are not kept yet; a text without a word is kept as such."""
        keys = [sha256(text.encode("utf-8", "surrogatepass")).digest() for text in texts]
        held = self._read(list(dict.fromkeys(keys)))
        new = {key: text for key, text in zip(keys, texts, strict=True) if key not in held}
        if new:
            made = dict(zip(new, self._inner.documents(list(new.values())), strict=True))
            rows = [(key, None if one is None else one.tobytes()) for key, one in made.items()]
            with closing(sqlite3.connect(self._path)) as file, file:
                file.executemany("INSERT OR REPLACE INTO kept VALUES (?, ?)", rows)
            held |= made
        return [held[key] for key in keys]

    def _read(self, keys: Sequence[bytes]) -> dict[bytes, Vector | None]:
        held: dict[bytes, Vector | None] = {}
        with closing(sqlite3.connect(self._path)) as file:
            for part in batched(keys, READ_AT_ONCE):
                marks = ",".join("?" * len(part))
                rows = file.execute(f"SELECT hash, vector FROM kept WHERE hash IN ({marks})", part)
                held |= {key: None if data is None else array("f", data) for key, data in rows}
        return held
