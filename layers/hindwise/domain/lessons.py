"""What reviewers turned away, as keyed hashes: what is like it is known again, and says nothing.

A lesson is a sketch (bottom-k, Cohen and Kaplan 2007): the least hashes of a text's runs of four
characters, read as the screens read it. The share that two sketches have in common estimates how
much of both texts is the same (Jaccard), within .06 or so for 64 hashes. Hashes are keyed by a
secret and the tenant: nobody who reads the table can try words out on them.
"""

from collections.abc import Iterable
from hashlib import blake2b
from heapq import nsmallest

from hindwise.domain.admission.folding import folded
from hindwise.domain.base import Model
from hindwise.domain.ports.around import Seal

PURPOSE = "lesson"
RUN = 4
HASHES = 64
BYTES = 6


class Lesson(Model):
    """A text that was turned away; `memory_id` is whose it was, `sketch` is ascending."""

    memory_id: str
    sketch: tuple[str, ...]


def lesson_of(memory_id: str, text: str, *, tenant: str, seal: Seal) -> Lesson:
    """The lesson of a memory that was turned away."""
    return Lesson(memory_id=memory_id, sketch=sketch_of(text, tenant=tenant, seal=seal))


def sketch_of(text: str, *, tenant: str, seal: Seal) -> tuple[str, ...]:
    """The 64 least keyed hashes of a text's runs of four characters; fewer of a short text."""
    key = bytes.fromhex(seal.digest(PURPOSE, tenant))
    said = folded(text)
    runs = {said[start : start + RUN] for start in range(max(len(said) - RUN, 0) + 1)}
    return tuple(nsmallest(HASHES, (_hashed(run, key) for run in runs)))


def _hashed(run: str, key: bytes) -> str:
    return blake2b(run.encode(), key=key, digest_size=BYTES).hexdigest()


def likeness(one: tuple[str, ...], other: tuple[str, ...]) -> float:
    """How much of two texts is the same, 0..1, as their sketches tell."""
    both = set(one) & set(other)
    least = nsmallest(HASHES, set(one) | set(other))
    return sum(each in both for each in least) / len(least) if least else 0.0


def known(sketch: tuple[str, ...], lessons: Iterable[Lesson], *, least: float) -> bool:
    """Tell whether a text is one of the lessons, or at least so much like one."""
    return any(likeness(sketch, lesson.sketch) >= least for lesson in lessons)
