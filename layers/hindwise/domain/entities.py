"""Names in memories: when two are the same, which memory speaks of one, and what stands beside it.

A name is what `entities`, `subject` or `value` say, without regard to case, width and blanks. A
text speaks of a name that it holds as a whole word; Chinese has no blanks between words, so there
it is enough that it holds it.
"""

import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from hindwise.domain.base import Model
from hindwise.domain.memory import Memory, SemanticMemory
from hindwise.domain.text import normalised

VALUE_CHARS = 64
"""A longer value is a description and no name."""
NEIGHBOURS = 50
RELATIONS = 10
"""Of each neighbour."""
_UNSPACED = "\u2e80"
"""From here on are the scripts that put no blanks between words, and what goes with them."""


class Relation(Model):
    """What one memory says of two names: `attribute` of `subject` is `value`."""

    subject: str
    attribute: str
    value: str
    id: str


class Neighbour(Model):
    """A name that stands beside another: in how many memories, and what they say of the two.

    At most ten relations, of the newest memories.
    """

    name: str
    count: int
    relations: tuple[Relation, ...] = ()


def entity_key(name: str) -> str:
    """The form in which names are compared: full-width as half-width, one blank, case folded."""
    return normalised(unicodedata.normalize("NFKC", name))


def names_of(memory: Memory) -> dict[str, str]:
    """The names in a memory's fields, by their keys, as it spells them."""
    return {key: name for name in _named(memory) if (key := entity_key(name))}


def _named(memory: Memory) -> Iterator[str]:
    yield from memory.entities
    if isinstance(memory, SemanticMemory):
        if memory.subject:
            yield memory.subject
        if memory.value and len(memory.value) <= VALUE_CHARS:
            yield memory.value


def speaks_of(memory: Memory, key: str) -> bool:
    """Tell whether a memory's fields or its text hold the name of this key."""
    return key in names_of(memory) or holds(entity_key(memory.content), key)


def holds(folded: str, key: str) -> bool:
    """Tell whether a folded text holds a name as a whole word."""
    at = folded.find(key)
    while key and at >= 0:
        end = at + len(key)
        if not (_joined(folded[at - 1 : at], key[0]) or _joined(folded[end : end + 1], key[-1])):
            return True
        at = folded.find(key, at + 1)
    return False


def _joined(beside: str, edge: str) -> bool:
    """Tell whether the letter beside a name belongs to the same word as the name's edge."""
    return all(one.isalnum() and one < _UNSPACED for one in (beside, edge))


@dataclass(slots=True)
class _Beside:
    spellings: Counter[str] = field(default_factory=Counter)
    relations: list[Relation] = field(default_factory=list)


def neighbours_of(key: str, memories: Iterable[Memory]) -> tuple[tuple[Neighbour, ...], bool]:
    """Names that stand beside this one in memories that speak of it, the most frequent first.

    Given newest first. Tells whether that was all: at most 50 are given.
    """
    beside: dict[str, _Beside] = {}
    for memory in memories:
        relation, ends = _relation(memory)
        for other, spelling in names_of(memory).items():
            if other == key:
                continue
            near = beside.setdefault(other, _Beside())
            near.spellings[spelling] += 1
            if relation and {key, other} == ends and len(near.relations) < RELATIONS:
                near.relations.append(relation)
    found = [
        Neighbour(
            name=near.spellings.most_common(1)[0][0],
            count=near.spellings.total(),
            relations=tuple(near.relations),
        )
        for near in beside.values()
    ]
    found.sort(key=lambda one: (-one.count, -len(one.relations), one.name))
    return tuple(found[:NEIGHBOURS]), len(found) <= NEIGHBOURS


def _relation(memory: Memory) -> tuple[Relation | None, set[str]]:
    """What a memory says of two names, and the keys of both."""
    if not isinstance(memory, SemanticMemory):
        return None, set()
    subject, attribute, value = memory.subject, memory.attribute, memory.value
    if not (subject and attribute and value):
        return None, set()
    said = Relation(subject=subject, attribute=attribute, value=value, id=memory.id)
    return said, {entity_key(subject), entity_key(value)}
