"""What was recognised in a question, in a form that can be shown to the caller."""

from collections.abc import Callable
from datetime import date, datetime
from re import Match
from typing import Literal

from hindwise.domain.base import Model

OTHER_YEAR = 0.8
OTHER_MONTH = 0.5


class Days(Model):
    """The civil days `first..last`.

    `month` and `day` are set where a date was named without its year (or its year and month): then
    the same day of other years (or months) is meant almost as well.
    """

    first: date
    last: date
    month: int | None = None
    day: int | None = None

    def fit(self, one: date) -> float:
        """How well a day fits: 1 inside, less on the same day of another year or month, else 0."""
        if self.first <= one <= self.last:
            return 1.0
        if self.month is not None and self.month == one.month:
            return OTHER_YEAR if self.day in (None, one.day) else 0.0
        return OTHER_MONTH if self.month is None and self.day == one.day else 0.0


Rule = tuple[str, Callable[[Match[str], date], Days]]
"""A pattern, tried without regard to case, and what it means given the match and today.

May raise ValueError or OverflowError where no such day exists. Patterns are compiled on first use.
"""


class TimeWord(Model):
    """A recognised word and what it was taken to mean.

    `date` names days, `latest` lets time count, `newest` prefers the newest match, `when` asks for
    a time.
    """

    word: str
    meaning: Literal["date", "latest", "newest", "when"]
    days: Days | None = None


class TimeAsked(Model):
    """All time words of a question, in the order in which they were recognised."""

    words: tuple[TimeWord, ...] = ()

    @property
    def latest(self) -> bool:
        """The question asks how things stand now."""
        return any(word.meaning == "latest" for word in self.words)

    @property
    def newest(self) -> bool:
        """The question asks for the last time something happened."""
        return any(word.meaning == "newest" for word in self.words)

    @property
    def when(self) -> bool:
        """The question asks for a time."""
        return any(word.meaning == "when" for word in self.words)

    @property
    def dates(self) -> tuple[Days, ...]:
        """The days that the question names."""
        return tuple(word.days for word in self.words if word.days is not None)

    def over(self, today: date) -> Days | None:
        """The run of days from the first to the last named day, where all of them are over.

        None where no day is named, or one is not over: then the present may be meant as well.
        """
        if not self.dates or any(days.last >= today for days in self.dates):
            return None
        first, last = (days.first for days in self.dates), (days.last for days in self.dates)
        return Days(first=min(first), last=max(last))

    def fits(self, moment: datetime) -> float:
        """How well an event time, read in its own offset, fits the named days: 0..1."""
        day = moment.date()
        return max((days.fit(day) for days in self.dates), default=0.0)
