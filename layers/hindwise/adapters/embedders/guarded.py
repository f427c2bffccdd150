"""Leaves an embedder that is down alone, so that one search pays and the next are keyword only."""

from collections.abc import Callable, Sequence

from hindwise.adapters.breaker import Breaker
from hindwise.adapters.embedders.texts import Unusable
from hindwise.domain.document import Vector
from hindwise.domain.ports import Embedder


class GuardedEmbedder:
    """Puts a breaker before an embedder.

    An unusable vector does not open it: one odd text must not cost the others their vector search.
    """

    def __init__(self, inner: Embedder, clock: Callable[[], float], *, rest: float = 5.0) -> None:
        self.id = inner.id
        self.dimensions = inner.dimensions
        self._inner = inner
        self._breaker = Breaker(f"embedder {inner.id}", clock, rest=rest, harmless=(Unusable,))

    def query(self, text: str) -> Vector:
        """Embed a question; raises `errors.Unavailable`, at once while the embedder rests."""
        return self._breaker.call(lambda: self._inner.query(text))

    def documents(self, texts: Sequence[str]) -> Sequence[Vector | None]:
        """Embed stored texts in order; raises as `query` does."""
        return self._breaker.call(lambda: self._inner.documents(texts))
