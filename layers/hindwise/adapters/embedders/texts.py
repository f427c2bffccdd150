"""What all embedders do before and after the model: clean and cut the text, check the vector.

A text without a letter or digit (emoji, punctuation) is not embedded: models give all such texts
much the same vector (USE: cosines of 0.7 to 0.95 among them), which would rank noise. It gets no
vector and is found by its words alone.
"""

import re
from collections.abc import Iterable, Sequence

from hindwise.domain.document import Vector
from hindwise.domain.vectors import UnusableVector, checked
from hindwise.errors import Unavailable

EMBEDDED_CHARS = 2_000
"""How much of a text is embedded in process, from its start.

Costs USE up to 60 ms (Chinese; 630 ms for 20,000 characters), and adds little: these models
average.
"""
_SPEAKS = re.compile(r"[^\W_]")
_BREAKS = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff]+")


class Unusable(Unavailable):
    """The embedder is there, but some text did not get a usable vector.

    `refused` are the positions of such texts among those that were given, also in `details`.
    """

    def __init__(self, message: str, *, embedder: str, refused: Sequence[int]) -> None:
        super().__init__(message, details={"embedder": embedder, "refused": list(refused)})
        self.embedder = embedder
        self.refused = tuple(refused)

    def moved(self, positions: Sequence[int]) -> "Unusable":
        """The same refusal, where the text at `i` is the caller's text at `positions[i]`."""
        refused = [positions[place] for place in self.refused]
        return Unusable(str(self), embedder=self.embedder, refused=refused)


def prepared(text: str, limit: int = EMBEDDED_CHARS) -> str | None:
    """The first `limit` characters without controls; None where there is nothing to embed."""
    clean = _BREAKS.sub(" ", text[:limit]).strip()
    return clean if _SPEAKS.search(clean) else None


def asked(text: str, embedder: str, limit: int = EMBEDDED_CHARS) -> str:
    """The question as `prepared`; raises Unusable where it has nothing to embed."""
    clean = prepared(text, limit)
    if clean is None:
        raise Unusable(
            f"{embedder}: there is no word in this text to embed",
            embedder=embedder,
            refused=[0],
        )
    return clean


def usable(
    rows: Sequence[Iterable[float]], positions: Sequence[int], embedder: str, dimensions: int
) -> list[Vector]:
    """The checked vectors of an embedder's answer.

    `positions` are those of the texts in the caller's list; raises Unusable, naming the embedder.
    """
    vectors, refused, cause = [], [], None
    for position, row in zip(positions, rows, strict=True):
        try:
            vectors.append(checked(row, dimensions))
        except UnusableVector as error:
            refused.append(position)
            cause = error
    if cause is not None:
        raise Unusable(f"{embedder}: {cause}", embedder=embedder, refused=refused) from cause
    return vectors


def spread(vectors: Sequence[Vector], positions: Sequence[int], count: int) -> list[Vector | None]:
    """Put `vectors` at `positions` of a list of `count`, None elsewhere."""
    rows: list[Vector | None] = [None] * count
    for position, vector in zip(positions, vectors, strict=True):
        rows[position] = vector
    return rows


def speaking(texts: Sequence[str], limit: int = EMBEDDED_CHARS) -> tuple[list[int], list[str]]:
    """The positions of the texts that have something to embed, and these texts as `prepared`."""
    found = [(place, prepared(text, limit)) for place, text in enumerate(texts)]
    kept = [(place, text) for place, text in found if text is not None]
    return [place for place, _ in kept], [text for _, text in kept]
