"""Whose word comes first where two memories speak about the same thing.

Lower authority never stands before higher, however well it matches, how new or how often said it
is: that is what keeps planted text from answering in the place of what its owner said. Detection
plays no part in it. What speaks about something else keeps its place, so what tools and documents
report is found as well as before; and in a dialogue an agent's answer may stand before the
question of its owner.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache

from hindwise.domain.analysis import STOP_QUERY, index_words, stem
from hindwise.domain.document import ASKS, Candidate
from hindwise.domain.memory import Episode, LongTermMemory, Status, place_of
from hindwise.domain.projection import flags_of, prefix_of
from hindwise.domain.scope import Origin
from hindwise.domain.supersession import slot_key
from hindwise.domain.visibility import held

FAMILY = 5
"""Letters that make a family of words: deploy, deployment, deploys."""
REPORTED, LEARNT, SPOKEN = range(3)
"""How two memories stand to each other: only one is trusted, or both are, as things known or as
what was said in a dialogue. More has to speak for it between those who chat about much."""
ANSWERS = {REPORTED: 0.33, LEARNT: 0.5, SPOKEN: 0.66}
"""What share of the question's words in the lower one the higher one has too."""
RESTATES = {REPORTED: 0.4, LEARNT: 0.4, SPOKEN: 0.6}
"""What share of the words of the shorter text both have."""
NEAR = 0.8
"""This share of the best cosine is as near to the question as what is nearest."""
HALF_NEAR = 0.5
SPEAKING = frozenset({Status.ACTIVE, Status.SUPERSEDED})
USER = ("user", "owner", "用户")
FILLING = frozenset("的了是在从把被和与对用我们你他她它这那个有为到就也都会要吗呢吧着于及或其")
"""Characters that hold a sentence together."""
Words = frozenset[str]


def trusted(origin: Origin) -> bool:
    """Tell whether it is the owner's word or the agent's own, not what one of them was told."""
    return origin >= Origin.AGENT


def outranks(high: LongTermMemory, low: LongTermMemory) -> bool:
    """Tell whether the word of one memory counts more than that of another.

    Among turns of dialogues only where one is trusted and the other reported: an answer repeats
    its question. What lost, or is no longer meant, speaks with no authority.
    """
    if high.origin <= low.origin or high.status not in SPEAKING:
        return False
    if place_of(high) is not None and place_of(low) is not None:
        return trusted(high.origin) and not trusted(low.origin)
    return True


@dataclass(frozen=True, slots=True)
class Speech:
    """What a memory says, as far as it can be told from its words.

    `heard` are the words of the question in it, `near` its cosine as a share of the best.
    """

    memory: LongTermMemory
    words: Words
    heard: Words
    asks: bool
    near: float
    slot: str | None


def same_thing(low: Speech, high: Speech) -> bool:
    """Tell whether a memory speaks about what one of higher authority speaks about.

    In the same slot, in the same words, or in answer to the same of the question. Who asks tells
    nothing about it.
    """
    if low.slot is not None and low.slot == high.slot:
        return True
    if high.asks:
        return False
    how = _between(low.memory, high.memory)
    if low.heard and len(low.heard & high.heard) >= ANSWERS[how] * len(low.heard):
        return True
    if how is REPORTED and high.near >= NEAR:
        return True
    shared = len(low.words & high.words)
    fewer = min(len(low.words), len(high.words))
    if shared < max(min(2, fewer), 1) or shared < RESTATES[how] * fewer:
        return False
    return bool(high.heard) or high.near >= HALF_NEAR * low.near


def _between(low: LongTermMemory, high: LongTermMemory) -> int:
    if trusted(high.origin) and not trusted(low.origin):
        return REPORTED
    return SPOKEN if isinstance(low, Episode) or isinstance(high, Episode) else LEARNT


class Authority:
    """Which of several memories come after which others of them, for want of authority."""

    def __init__(self, speeches: Sequence[Speech], during: tuple[datetime, datetime] | None):
        self._speeches = speeches
        self._during = during

    def above(self, place: int, among: Iterable[int]) -> list[int]:
        """Those `among` the places that the one at a place has to come after."""
        low = self._speeches[place]
        return [
            one
            for one in among
            if outranks(self._speeches[one].memory, low.memory)
            and not self._then(low.memory, self._speeches[one].memory)
            and same_thing(low, self._speeches[one])
        ]

    def _then(self, low: LongTermMemory, high: LongTermMemory) -> bool:
        """Whether the lower one alone held on the days of the past that are asked for."""
        during = self._during
        if during is None or low.status is not Status.SUPERSEDED:
            return False
        return held(low, during) and not held(high, during)


def among_candidates(
    candidates: Sequence[Candidate],
    terms: Iterable[str],
    exact: Iterable[str] = (),
    *,
    during: tuple[datetime, datetime] | None = None,
) -> Authority | None:
    """The order of authority among the candidates of a search; None where all have the same."""
    if not _mixed(one.document.facets.origin for one in candidates):
        return None
    wanted, named = _content(_families(terms)) or _families(terms), frozenset(exact)
    best = max((one.cosine or 0.0 for one in candidates), default=0.0)
    found = []
    for one in candidates:
        document = one.document
        prefix = len(index_words(prefix_of(document.facets, document.flags)))
        words = _families(document.words.split()[prefix:])
        heard = (words & wanted) | named.intersection(document.exact)
        found.append(
            Speech(
                memory=document.facets,
                words=_content(words),
                heard=heard,
                asks=bool(document.flags & ASKS),
                near=(one.cosine or 0.0) / best if best > 0 else 0.0,
                slot=slot_key(document.facets),
            )
        )
    return Authority(found, during)


def among_memories(
    memories: Sequence[LongTermMemory],
    terms: Iterable[str] = (),
    *,
    cosines: Mapping[str, float] | None = None,
    during: tuple[datetime, datetime] | None = None,
) -> dict[str, tuple[str, ...]]:
    """Which of the memories come after which others of them, by id; empty where none does."""
    if not _mixed(one.origin for one in memories):
        return {}
    cosines, wanted = cosines or {}, _families(terms)
    wanted = _content(wanted) or wanted
    best = max(cosines.values(), default=0.0)
    speeches = []
    for one in memories:
        words = _families(index_words(one.content))
        near = cosines.get(one.id, 0.0) / best if best > 0 else 0.0
        asks = bool(flags_of(one.content) & ASKS)
        speeches.append(Speech(one, _content(words), words & wanted, asks, near, slot_key(one)))
    order, places = Authority(speeches, during), range(len(memories))
    found = {memories[at].id: order.above(at, places) for at in places}
    return {one: tuple(memories[at].id for at in above) for one, above in found.items() if above}


def later(order: Sequence[str], above: Mapping[str, Collection[str]]) -> list[str]:
    """The ids in order, but each behind all those of higher authority that it comes after.

    What has nobody above it comes first to its place, so `above` must not go round in a circle.
    """
    found: list[str] = []
    waiting: list[str] = []
    left = set(order)
    for one in order:
        waiting.append(one)
        free = _free(waiting, left, above)
        while free is not None:
            found.append(free)
            waiting.remove(free)
            left.discard(free)
            free = _free(waiting, left, above)
    return [*found, *waiting]


def _free(
    waiting: Sequence[str], left: Collection[str], above: Mapping[str, Collection[str]]
) -> str | None:
    return next((one for one in waiting if not any(a in left for a in above.get(one, ()))), None)


def _mixed(origins: Iterable[Origin]) -> bool:
    return len(set(origins)) > 1


def _families(words: Iterable[str]) -> Words:
    return frozenset(word[:FAMILY] if word.isascii() else word for word in words)


@lru_cache(maxsize=1)
def _stopped() -> Words:
    return _families([*STOP_QUERY, *map(stem, STOP_QUERY), *USER])


def _content(words: Words) -> Words:
    """The words that tell what a text is about: no stop words, and of Chinese the pairs alone.

    Without those that only hold a sentence together, or stand for the user.
    """
    told = (one for one in words if one.isascii() or (len(one) > 1 and FILLING.isdisjoint(one)))
    return frozenset(told) - _stopped()
