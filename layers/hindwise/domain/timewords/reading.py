"""Reads the time words of a question."""

import re
from collections.abc import Callable, Iterator
from datetime import date, datetime
from re import Match, Pattern

from hindwise.domain.timewords import chinese, english
from hindwise.domain.timewords.forms import asks_when
from hindwise.domain.timewords.model import Days, TimeAsked, TimeWord

CHARS = 2_000
"""A question's time words are looked for in this many characters; the rest is pasted text."""
Rule = tuple[Pattern[str], Callable[[Match[str], date], Days]]
_LATEST = re.compile(
    r"\b(?:now|nowadays|current(?:ly)?|latest|newest|(?:most )?recent(?:ly)?|lately|these days|"
    r"at present|at the moment)\b|现在|目前|最近|如今|眼下|当前|最新|近来|近期|这阵子|这段时间",
    re.IGNORECASE,
)
_NEWEST = re.compile(
    r"\b(?:last time|previous time|latest|newest|most recent(?:ly)?)\b|"
    r"上一?[次回]|最后一次|最新|(?:^|[，。,、\s我你您他她们])之前(?!的?[那这一]天)",
    re.IGNORECASE,
)
_THAT_DAY = re.compile(r"那一?天|当天|\bthat (?:same )?day\b", re.IGNORECASE)
_FULL_WIDTH = {0xFF10 + digit: ord("0") + digit for digit in range(10)}


def read(text: str, now: datetime) -> TimeAsked:
    """Recognise the time words of a question asked at `now`, in the caller's zone."""
    text = text[:CHARS].translate(_FULL_WIDTH)
    words = [word for _, word in sorted(_dates(text, now.date()), key=lambda pair: pair[0])]
    if words and (that_day := _THAT_DAY.search(text)):
        words.append(TimeWord(word=that_day.group(), meaning="date", days=words[0].days))
    if latest := _LATEST.search(text):
        words.append(TimeWord(word=latest.group(), meaning="latest"))
    if newest := _NEWEST.search(text):
        words.append(TimeWord(word=newest.group().strip("，。,、 我你您他她们"), meaning="newest"))
    if when := asks_when(text):
        words.append(TimeWord(word=when, meaning="when"))
    return TimeAsked(words=tuple(words))


def _dates(text: str, today: date) -> Iterator[tuple[int, TimeWord]]:
    """Find date words and where they stand; what one rule took, later ones do not see."""
    rules: tuple[Rule, ...] = (*english.RULES, *chinese.RULES)
    for pattern, resolve in rules:
        for found in pattern.finditer(text):
            start, end = found.span()
            text = text[:start] + "\x00" * (end - start) + text[end:]
            try:
                days = resolve(found, today)
            except (ValueError, OverflowError):
                continue
            yield start, TimeWord(word=found.group().strip(), meaning="date", days=days)
