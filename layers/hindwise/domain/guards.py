"""What forbids taking two similar statements for one.

A vector's nearness only nominates: in every embedder that was measured, "I can drive" and "I can't
drive" are nearer than most paraphrases. `differences` is what has to be empty before two texts are
merged on nearness alone; `conflicts` is the part of it that outweighs even a judge who takes them
for the same. Both are symmetric, and empty for a text and itself.
"""

from collections import Counter
from collections.abc import Callable, Sequence

from hindwise.domain.guards_reading import Reading, folded, plain, reading
from hindwise.domain.memory import SemanticMemory
from hindwise.domain.text import normalised

FEWEST_ADDED = 2


def same_words(one: str, other: str) -> bool:
    """Tell whether two texts are the same but for case, width, blanks and a final stop."""
    return plain(one) == plain(other)


def differences(one: SemanticMemory, other: SemanticMemory) -> tuple[str, ...]:
    """The guards that forbid merging two memories on nearness alone, by name.

    `polarity`, `condition`, `numbers`, `dates`, `units`, `owner`, `entity`, `wording` (a word of
    its own on either side, or the same words in another order), `type`, `scene`, `slot`,
    `validity`, `done`, `name` (each known to the caller by an id of its own).
    """
    if same_words(one.content, other.content):
        return _about(one, other)
    a, b = reading(one.content), reading(other.content)
    found = [name for name, part in _PARTS if part(a) != part(b)]
    if _foreign(one, other):
        found.append("entity")
    if a.words != b.words and not _continues(one.content, other.content):
        found.append("wording")
    return (*dict.fromkeys(found), *_about(one, other))


def conflicts(one: SemanticMemory, other: SemanticMemory) -> tuple[str, ...]:
    """The guards by which two memories cannot say the same, whoever thinks so.

    Each must have something of the kind that the other contradicts, not merely leaves out.
    """
    a, b = reading(one.content), reading(other.content)
    found = []
    if bool(a.negations) != bool(b.negations):
        found.append("polarity")
    if _each_its_own(a.numbers, b.numbers):
        found.append("numbers")
    if any(_each_its_own(*pair) for pair in _by_kind(a.dates, b.dates)):
        found.append("dates")
    if a.numbers == b.numbers and _each_its_own(a.units, b.units):
        found.append("units")
    if set(a.people) != set(b.people):
        found.append("owner")
    if _foreign(one, other, latin=True):
        found.append("entity")
    return (*found, *(name for name in _about(one, other) if name != "type"))


_PARTS: tuple[tuple[str, Callable[[Reading], object]], ...] = (
    ("polarity", lambda one: one.negations),
    ("condition", lambda one: one.conditions),
    ("numbers", lambda one: one.numbers),
    ("dates", lambda one: one.dates),
    ("units", lambda one: one.units),
    ("owner", lambda one: one.people),
)


def _about(one: SemanticMemory, other: SemanticMemory) -> tuple[str, ...]:
    """By what else than their words two memories differ."""
    found = []
    if one.type is not other.type:
        found.append("type")
    if normalised(one.scene or "") != normalised(other.scene or ""):
        found.append("scene")
    for name in ("subject", "attribute", "value"):
        mine, theirs = getattr(one, name), getattr(other, name)
        if mine and theirs and plain(mine) != plain(theirs):
            found.append("slot")
            break
    if one.valid_until != other.valid_until:
        found.append("validity")
    if (one.done_at is None) != (other.done_at is None):
        found.append("done")
    if one.external_id and other.external_id and one.external_id != other.external_id:
        found.append("name")
    return tuple(found)


def _each_its_own(a: Sequence[str], b: Sequence[str]) -> bool:
    return bool(Counter(a) - Counter(b)) and bool(Counter(b) - Counter(a))


def _by_kind(a: Sequence[str], b: Sequence[str]) -> list[tuple[list[str], list[str]]]:
    """The dates of two texts kind by kind (month, weekday, ...)."""
    kinds = {date.partition(":")[0] for date in (*a, *b)}

    def of(kind: str, dates: Sequence[str]) -> list[str]:
        return [one for one in dates if one.partition(":")[0] == kind]

    return [(of(kind, a), of(kind, b)) for kind in sorted(kinds)]


def _foreign(one: SemanticMemory, other: SemanticMemory, *, latin: bool = False) -> bool:
    """Tell whether each names somebody or something that the other does not speak of.

    With `latin`, only names are looked at that are written alike in both languages' texts.
    """
    mine, theirs = _named(one, latin), _named(other, latin)
    a, b = folded(one.content).casefold(), folded(other.content).casefold()
    only_mine = [name for name in mine if name not in b]
    only_theirs = [name for name in theirs if name not in a]
    return bool(only_mine and only_theirs) if latin else bool(only_mine or only_theirs)


def _named(memory: SemanticMemory, latin: bool) -> set[str]:
    names = set(reading(memory.content).names)
    said = folded(memory.content)
    given = {name for name in map(folded, memory.entities) if name in said}
    if latin:
        given = {name for name in given if name.isascii() and not name.islower()}
    return names | {name.casefold() for name in given}


def _continues(one: str, other: str) -> bool:
    """Tell whether one text is the other and goes on with a clause of its own."""
    short, long = sorted((plain(one), plain(other)), key=len)
    if not short or not long.startswith(short) or long[len(short)] not in ";,.；，。、:：":
        return False
    return len(reading(long).words) - len(reading(short).words) >= FEWEST_ADDED
