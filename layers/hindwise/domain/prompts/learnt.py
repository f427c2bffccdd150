"""One item of an answer, and the turns it came from.

A model may name the wrong turns, or be talked into it. Where those it names do not hold its
quote, the turns that do are added; where, without one, they share no word with what it says, those
of lower authority that do. Where none is named and none shares a word, all turns count. Authority
is the least of the sources: it is never guessed too high.
"""

import re
from collections.abc import Sequence
from datetime import datetime, tzinfo
from functools import cache
from typing import Literal

from pydantic import JsonValue

from hindwise.domain.guards_reading import reading
from hindwise.domain.memory import CONTENT_BYTES, CONTENT_CHARS, Cardinality, Type
from hindwise.domain.prompts.extract_shape import TYPES, content_of
from hindwise.domain.prompts.extracted import Learned, PromptTurn
from hindwise.domain.prompts.reading import (
    Object,
    choice,
    first,
    keyed,
    moment,
    numbers,
    optional,
    share,
    text,
    texts,
)
from hindwise.domain.text import flaw, normalised, speaks

LABEL_CHARS = 256
MOST_ENTITIES = 32
QUOTE_CHARS = 1_000
_CARDINALITIES = {
    **dict.fromkeys(("one", "single", "1", "唯一", "单一"), Cardinality.ONE),
    **dict.fromkeys(("many", "multiple", "several", "n", "多个", "多"), Cardinality.MANY),
}
Worth = Literal["keep", "drop", "review"]
_WORTH: dict[str, Worth] = {
    "keep": "keep", "yes": "keep", "保留": "keep",
    "drop": "drop", "discard": "drop", "no": "drop", "丢弃": "drop",
}  # fmt: skip
_TURNS = ("turns", "turn", "source_turns", "source_turn", "sources", "turn_ids", "turn_id",
          "evidence", "source")  # fmt: skip
_HAPPENED = ("event_time", "event_date", "date", "when", "happened_at", "occurred_at", "time")


class Refusal(Exception):
    """An item that is not taken; `reason` is the word it is counted under."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


def learnt(kind: Type | None, given: JsonValue, turns: Sequence[PromptTurn]) -> Learned:
    """Read an item offered under type `kind`, of the turns shown; raises Refusal."""
    if isinstance(given, str):
        given = {"content": given}
    if not isinstance(given, dict):
        raise Refusal("shape")
    item = keyed(given)
    content = _content(item)
    quote = _quote(item, turns)
    sources = _sources(item, turns, quote or content, quoted=quote is not None)
    slot = _slot(item)
    return Learned(
        type=_type(item, kind),
        content=content,
        subject=slot[0],
        attribute=slot[1],
        value=slot[2],
        cardinality=choice(_word(item.get("cardinality")), _CARDINALITIES),
        entities=texts(item.get("entities"), LABEL_CHARS, MOST_ENTITIES),
        confidence=_share(item, "confidence", 0.8),
        importance=_share(item, "importance", 0.5),
        **_times(item, _zone(turns, sources)),
        scene=_label(item.get("scene")),
        quote=quote,
        turns=sources,
        worth=_worth(item.get("worth")),
    )


def _content(item: Object) -> str:
    said = (content_of(item) or "").strip()
    if not speaks(said) or flaw(said):
        raise Refusal("content")
    if len(said) > CONTENT_CHARS or len(said.encode()) > CONTENT_BYTES:
        raise Refusal("content")
    return said


def _word(value: JsonValue) -> JsonValue:
    return str(value) if isinstance(value, int) else value


def _type(item: Object, kind: Type | None) -> Type:
    """The item's own type, else the one it stood under, else a fact."""
    given = optional(first(item, "type", "category", "kind"))
    if given is None:
        return kind or Type.FACT
    if (read := choice(given, TYPES)) is None:
        raise Refusal("type")
    return read


def _share(item: Object, name: str, default: float) -> float:
    if name in item and item[name] is None:
        raise Refusal(name)
    try:
        return share(item.get(name), default)
    except (ValueError, OverflowError) as error:
        raise Refusal(name) from error


def _label(value: JsonValue) -> str | None:
    try:
        return text(value, LABEL_CHARS)
    except ValueError:
        return None


def _slot(item: Object) -> tuple[str | None, str | None, str | None]:
    """Subject, attribute and value; without the first two it is no slot, and has no value."""
    subject, attribute = _label(item.get("subject")), _label(item.get("attribute"))
    if subject is None or attribute is None:
        return subject, None, None
    return subject, attribute, _label(item.get("value"))


def _worth(value: JsonValue) -> Worth:
    """What is not said is worth keeping; what cannot be read is for a person to see."""
    if optional(value) is None:
        return "keep"
    return choice(value, _WORTH) or "review"


def _times(item: Object, zone: tzinfo | None) -> dict[str, datetime | None]:
    try:
        start = moment(item.get("valid_from"), zone)
        end = moment(item.get("valid_until"), zone, ends=True)
        happened = moment(first(item, *_HAPPENED), zone)
    except (ValueError, OverflowError) as error:
        raise Refusal("date") from error
    if start is not None and end is not None and end <= start:
        raise Refusal("date")
    return {"valid_from": start, "valid_until": end, "event_time": happened}


def _zone(turns: Sequence[PromptTurn], sources: Sequence[int]) -> tzinfo | None:
    """The offset of the first source turn that has one, else of any turn."""
    own = [each.at for each in turns if each.turn in sources and each.at is not None]
    every = [each.at for each in turns if each.at is not None]
    return next(iter(own or every)).tzinfo if own or every else None


def _quote(item: Object, turns: Sequence[PromptTurn]) -> str | None:
    """The quote, if somebody really said so."""
    try:
        quote = text(item.get("quote"), QUOTE_CHARS)
    except ValueError:
        return None
    if quote is None or not _holding(quote, turns):
        return None
    return quote


def _holding(quote: str, turns: Sequence[PromptTurn]) -> list[int]:
    wanted = normalised(quote)
    return [each.turn for each in turns if wanted and wanted in normalised(each.text)]


def _sources(
    item: Object, turns: Sequence[PromptTurn], words: str, *, quoted: bool
) -> tuple[int, ...]:
    """The turns that an item came from; raises Refusal where it names only ones not shown."""
    shown = {each.turn for each in turns}
    named = optional(first(item, *_TURNS))
    try:
        claimed = set(numbers(named))
    except (ValueError, OverflowError) as error:
        raise Refusal("turn") from error
    if claimed and not claimed & shown:
        raise Refusal("turn")
    kept = claimed & shown
    if quoted:
        holding = set(_holding(words, turns))
        return tuple(sorted(kept if kept & holding else kept | holding))
    nearest = _nearest(words, turns)
    if kept and not any(_shared(words, each) for each in turns if each.turn in kept):
        least = min(_weight(each) for each in turns if each.turn in kept)
        kept |= {each.turn for each in turns if each.turn in nearest and _weight(each) < least}
    return tuple(sorted(kept or nearest or shown))


def _weight(turn: PromptTurn) -> int:
    """Whose word counts more: the user's, then the assistant's."""
    return {"user": 2, "assistant": 1}.get(turn.role, 0)


@cache
def _pieces() -> re.Pattern[str]:
    return re.compile(r"[a-z0-9][a-z0-9.:_-]*[a-z0-9]|[\u3400-\u9fff]{2}")


def _terms(said: str) -> set[str]:
    """Words of two letters on, and pairs of Chinese characters."""
    folded = normalised(said)
    return {*_pieces().findall(folded), *_pieces().findall(folded[1:])}


def _shared(content: str, turn: PromptTurn) -> int:
    """How many words a turn shares with an item."""
    return len(_terms(content) & _terms(turn.text))


def _nearest(content: str, turns: Sequence[PromptTurn]) -> set[int]:
    """The turns that share the most words with an item; none where none shares any.

    Without those that say no more of it than somebody of higher authority has said before: who
    repeats what was said is not where it is from.
    """
    wanted = _terms(content)
    shared = {each.turn: wanted & _terms(each.text) for each in turns}
    most = max(map(len, shared.values()), default=0)
    near = [each for each in turns if most and len(shared[each.turn]) == most]
    return {
        each.turn
        for each in near
        if not any(
            one.turn < each.turn
            and _weight(one) > _weight(each)
            and shared[one.turn] == shared[each.turn]
            and _states(one.text, content)
            for one in near
        )
    }


def _states(said: str, content: str) -> bool:
    """Tell whether a turn may have stated an item: it asks nothing, and denies what that denies."""
    asks = any(mark in said for mark in ("?", "？", "吗"))
    return not asks and bool(reading(said).negations) == bool(reading(content).negations)
