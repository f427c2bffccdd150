"""Reads the time words of a question.

Any blank is read as one space, so that no pattern meets a long run of them.
"""

import re
from collections.abc import Iterator
from datetime import date, datetime
from functools import cache

from hindwise.domain.timewords import chinese, english
from hindwise.domain.timewords.forms import asks_when
from hindwise.domain.timewords.model import TimeAsked, TimeWord

CHARS = 2_000
"""A question's time words are looked for in this many characters; the rest is pasted text."""
DATES = 20
"""Date words of a question that count; every candidate is compared with each of them."""
_LATEST = (
    r"\b(?:now|nowadays|current(?:ly)?|latest|newest|(?:most )?recent(?:ly)?|lately|these days|"
    r"at present|at the moment)\b|现在|目前|最近|如今|眼下|当前|最新|近来|近期|这阵子|这段时间"
)
_NEWEST = (
    r"\b(?:last time|previous time|latest|newest|most recent(?:ly)?)\b|"
    r"上一?[次回]|最后一次|最新|(?:^|[，。,、\s我你您他她们])之前(?!的?[那这一]天)"
)
_THAT_DAY = r"那一?天|当天|\bthat (?:same )?day\b"
_FULL_WIDTH = {0xFF10 + digit: ord("0") + digit for digit in range(10)}


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)


def _found(pattern: str, text: str) -> str | None:
    match = _compiled(pattern).search(text)
    return match.group() if match else None


def read(text: str, now: datetime) -> TimeAsked:
    """Recognise the time words of a question asked at `now`, in the caller's zone."""
    text = " ".join(text[:CHARS].translate(_FULL_WIDTH).split())
    found = sorted(_dates(text, now.date()), key=lambda pair: pair[0])
    words = [word for _, word in found[:DATES]]
    if words and (that_day := _found(_THAT_DAY, text)):
        words.append(TimeWord(word=that_day, meaning="date", days=words[0].days))
    if latest := _found(_LATEST, text):
        words.append(TimeWord(word=latest, meaning="latest"))
    if newest := _found(_NEWEST, text):
        words.append(TimeWord(word=newest.strip("，。,、 我你您他她们"), meaning="newest"))
    if when := asks_when(text):
        words.append(TimeWord(word=when, meaning="when"))
    return TimeAsked(words=tuple(words))


def _dates(text: str, today: date) -> Iterator[tuple[int, TimeWord]]:
    """Find date words and where they stand; what one rule took, later ones do not see."""
    for pattern, resolve in (*english.RULES, *chinese.RULES):
        for found in _compiled(pattern).finditer(text):
            start, end = found.span()
            text = text[:start] + "\x00" * (end - start) + text[end:]
            try:
                days = resolve(found, today)
            except (ValueError, OverflowError):
                continue
            yield start, TimeWord(word=found.group().strip(), meaning="date", days=days)
