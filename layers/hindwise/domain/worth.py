"""What a model offers to remember and what of it is taken: rules first, then the model's own word.

An offer that is a guess, unsure or about what a tenant does not want is refused, one by one and
counted by reason. One that is too long to be a statement, or that the model would have a person
look at, is held for review; nothing is ever cut. What a caller writes directly has no such gate.
"""

import re
from collections.abc import Sequence
from functools import cache
from typing import Literal

from hindwise.domain.base import Model
from hindwise.domain.text import normalised, speaks

HAN_CHARS = 4
"""What a Chinese character counts against the limit: 40 say about as much as 25 English words."""
_HEDGED_ENGLISH = (
    r"\b(?:maybe|perhaps|possibly|probably|presumably|supposedly|apparently|"
    r"seems?|seemed|seemingly|appears? to (?!the\b|an?\b|your?\b)|"
    r"(?:is|are|was|were|most|very|quite) likely|might|could be|"
    r"i (?:guess|think|suppose|assume)|it is (?:possible|unclear|not clear)|"
    r"may (?:well |also |not )?"
    r"(?:be|have|prefer|like|love|want|need|enjoy|become|feel|dislike|know|use|live|own|work)\b)"
)
_HEDGED_CHINESE = (
    r"(?<![不没尽])(?:有)?可能(?!性)|也许|或许|兴许|似乎|好像|貌似|看起来|看样子|说不定|"
    r"没准(?!备)|恐怕|大概(?!念|.{0,3}[\d一二三四五六七八九十百千万两几])|多半(?:是|会|在|要)|"
    r"八成(?:是|会|在|要)|应该(?:是|会(?!议)|不会|喜欢|比较|很)|"
    r"(?:我|我们)(?:猜|估计|觉得|认为)|猜测|推测|估计(?:是|会(?!议))|不知道是不是"
)
_QUOTED = r"\"[^\"\n]*\"|“[^”\n]*”|「[^」\n]*」|『[^』\n]*』|《[^》\n]*》|‘[^’\n]*’"
_HAN = "[\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]"


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


class Gate(Model):
    """What a tenant lets in.

    `floor` is the least confidence, `words` are texts that nothing learnt may hold, `longest` is
    how many characters a statement may have before a person must see it.
    """

    floor: float = 0.3
    words: tuple[str, ...] = ()
    longest: int = 200


class Judgement(Model):
    """What becomes of an offer, and why where it is not simply kept."""

    fate: Literal["keep", "refuse", "hold"] = "keep"
    reason: str = ""


KEEP = Judgement()


def judge(content: str, confidence: float, worth: str, *, gate: Gate) -> Judgement:
    """Decide about one offer; `worth` is the model's own word: `keep`, `drop` or `review`."""
    if not speaks(content):
        return Judgement(fate="refuse", reason="blank")
    if confidence < gate.floor:
        return Judgement(fate="refuse", reason="low_confidence")
    if named(content, gate.words):
        return Judgement(fate="refuse", reason="word_list")
    if guessed(content):
        return Judgement(fate="refuse", reason="guess")
    if worth == "drop":
        return Judgement(fate="refuse", reason="not_worth")
    if length(content) > gate.longest:
        return Judgement(fate="hold", reason="too_long")
    return Judgement(fate="hold", reason="review") if worth == "review" else KEEP


def guessed(content: str) -> bool:
    """Tell whether a statement is hedged: 可能, perhaps, seems; what is quoted does not count."""
    plain = _compiled(_QUOTED).sub(" ", content)
    # Only in lower case, but for a first letter: May is a month, Might an album.
    lowered = plain[:1].lower() + plain[1:]
    lowered = re.sub(r"(?<=[.;:] )[A-Z]", lambda found: found[0].lower(), lowered)
    return _compiled(f"{_HEDGED_ENGLISH}|{_HEDGED_CHINESE}").search(lowered) is not None


def named(content: str, words: Sequence[str]) -> bool:
    """Tell whether a text holds one of these words, whatever their case."""
    text = normalised(content)
    return any(word and word in text for word in map(normalised, words))


def length(content: str) -> int:
    """How long a statement is, in characters of which a Chinese one counts for four."""
    return len(content) + (HAN_CHARS - 1) * len(_compiled(_HAN).findall(content))
