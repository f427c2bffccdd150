"""What a query asks, analysed once before anything is ranked."""

from datetime import datetime, time, timedelta

from pydantic import AwareDatetime

from hindwise.domain.base import Model
from hindwise.domain.retention import DEFAULT, Retention
from hindwise.domain.timewords import TimeAsked


class Asked(Model):
    """A query as the ranking sees it.

    `terms` and `exact` are the analysed words and identifiers, in the form in which documents hold
    them; `time` is what `timewords.read` recognised; `now` is the caller's clock in its own zone;
    `fading` says how fast what is believed fades, and what is hot.
    """

    text: str = ""
    terms: tuple[str, ...] = ()
    exact: tuple[str, ...] = ()
    time: TimeAsked = TimeAsked()
    now: AwareDatetime
    fading: Retention = DEFAULT

    @property
    def during(self) -> tuple[datetime, datetime] | None:
        """From when to before when the days are that it names, if all of them are over."""
        days = self.time.over(self.now.date())
        if days is None:
            return None
        begin, end = days.first, days.last + timedelta(days=1)
        zone = self.now.tzinfo
        return datetime.combine(begin, time(), zone), datetime.combine(end, time(), zone)
