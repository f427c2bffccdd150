"""Remembers the vectors of this container's latest texts, so that none is embedded twice.

Keys are hashes of the text, and questions are kept apart from documents, because some models embed
them differently. A vector is a function of the text alone, so scopes may share it: nothing of one
can be read by another who does not hold the same text. Failures are never remembered.
"""

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from hashlib import sha256
from threading import Lock

from hindwise.adapters.embedders.texts import Unusable
from hindwise.domain.document import Vector
from hindwise.domain.ports import Embedder

CACHED_TEXTS = 4_096
"""At 512 dimensions these are 8 MB."""


class CachedEmbedder:
    """Puts an LRU cache of `size` texts before an embedder."""

    def __init__(self, inner: Embedder, *, size: int = CACHED_TEXTS) -> None:
        self.id = inner.id
        self.dimensions = inner.dimensions
        self._inner = inner
        self._size = size
        self._lock = Lock()
        self._held: OrderedDict[bytes, Vector | None] = OrderedDict()

    def query(self, text: str) -> Vector:
        """Embed a question; raises what the embedder raises."""
        key = _key("q", text)
        found = self._read([key]).get(key)
        if found is None:
            found = self._inner.query(text)
            self._write({key: found})
        return found[:]

    def documents(self, texts: Sequence[str]) -> list[Vector | None]:
        """Embed stored texts in order, asking once for each that is new."""
        keys = [_key("d", text) for text in texts]
        found = self._read(keys)
        missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in found}
        if missing:
            fresh = self._ask(missing, keys)
            self._write(fresh)
            found.update(fresh)
        return [None if (vector := found[key]) is None else vector[:] for key in keys]

    def _ask(
        self, missing: Mapping[bytes, str], keys: Sequence[bytes]
    ) -> dict[bytes, Vector | None]:
        try:
            answers = self._inner.documents(list(missing.values()))
        except Unusable as error:
            raise error.moved([keys.index(key) for key in missing]) from error
        return dict(zip(missing, answers, strict=True))

    def _read(self, keys: Sequence[bytes]) -> dict[bytes, Vector | None]:
        with self._lock:
            held = {key: self._held[key] for key in keys if key in self._held}
            for key in held:
                self._held.move_to_end(key)
        return held

    def _write(self, fresh: dict[bytes, Vector | None]) -> None:
        with self._lock:
            self._held.update(fresh)
            while len(self._held) > self._size:
                self._held.popitem(last=False)


def _key(use: str, text: str) -> bytes:
    return sha256(f"{use}\x1f{text}".encode("utf-8", "surrogatepass")).digest()
