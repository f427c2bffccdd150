"""What the search index knows of a memory: enough to rank and to filter, nothing to read.

A document is a function of a record and of the turn before it in its session. It is projected after
the write, may be stale, and only ever nominates: text and truth are read from the table.
"""

from array import array
from dataclasses import dataclass, field

from hindwise.domain.analysis import length
from hindwise.domain.memory import LongTermMemory

ASKS, DATED, CHINESE = 1, 2, 4
Vector = array[float]
"""A float32 vector as `array("f")`; unit length unless said otherwise."""


@dataclass(frozen=True, slots=True)
class Document:
    """One projected memory.

    `words` are the analysed tokens, blank-separated, and `length` is the number of their places,
    which follows from them and is kept because every search needs it. `exact` are identifiers in
    lower case. `flags` is a bit set of ASKS (is a question), DATED (holds a time expression) and
    CHINESE. `facets` is the record without its text, for filters and ranking. `text_hash` covers
    the embedded text and the embedder's id, so that unchanged text is never embedded twice.
    """

    id: str
    version: int
    words: str
    exact: tuple[str, ...]
    chars: int
    flags: int
    facets: LongTermMemory
    text_hash: str = ""
    vector: Vector | None = field(default=None, compare=False, repr=False)
    length: int = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        """Count the places of the words."""
        object.__setattr__(self, "length", length(self.words))


@dataclass(slots=True)
class Candidate:
    """A document that an arm nominated.

    Its scores in the arms (None where it was not returned), to be fused.
    """

    document: Document
    keyword: float | None = None
    cosine: float | None = None
    recent: float | None = None
    pending: bool = False
