"""What a query asks, analysed once before anything is ranked."""

from pydantic import AwareDatetime

from hindwise.domain.base import Model
from hindwise.domain.timewords import TimeAsked


class Asked(Model):
    """A query as the ranking sees it.

    `terms` and `exact` are the analysed words and identifiers, in the form in which documents hold
    them; `time` is what `timewords.read` recognised; `now` is the caller's clock in its own zone.
    """

    text: str = ""
    terms: tuple[str, ...] = ()
    exact: tuple[str, ...] = ()
    time: TimeAsked = TimeAsked()
    now: AwareDatetime
