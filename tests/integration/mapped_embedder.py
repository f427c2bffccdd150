"""An embedder whose vectors a test chooses; texts without one share nothing with any other."""

import math
from array import array
from collections.abc import Callable, Mapping, Sequence
from hashlib import sha256

from hindwise.domain.document import Vector
from hindwise.errors import Unavailable

DIMENSIONS = 8
Rule = Callable[[str], Sequence[float] | None]


class MappedEmbedder:
    """Looks vectors up, by text or by rule; counts what it was asked, and can be let down."""

    id = "mapped:8"
    dimensions = DIMENSIONS

    def __init__(self, known: Mapping[str, Sequence[float]] | None = None) -> None:
        self.known = dict(known or {})
        self.rule: Rule | None = None
        self.neutral = False
        self.down = False
        self.asked = 0

    def query(self, text: str) -> Vector:
        return self.documents([text])[0]

    def documents(self, texts: Sequence[str]) -> list[Vector]:
        if self.down:
            raise Unavailable("the embedder was let down by the test")
        self.asked += len(texts)
        return [self._vector(text) for text in texts]

    def _vector(self, text: str) -> Vector:
        values = self.known.get(text) or (self.rule(text) if self.rule else None)
        if values is None and self.neutral:
            values = [1.0]
        if values is None:
            values = [byte - 127.5 for byte in sha256(text.encode()).digest()[:DIMENSIONS]]
        padded = [*values, *[0.0] * (DIMENSIONS - len(values))]
        norm = math.hypot(*padded)
        return array("f", [value / norm for value in padded])
