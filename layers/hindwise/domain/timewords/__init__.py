"""Time words of a question, English and Chinese: which days it names, and whether it asks for news.

Days are civil days. A question's are found from the caller's now in the caller's zone; a memory's
event time is read as a day in its own offset, as the one who said "Friday" meant it.
"""

from hindwise.domain.timewords.forms import asks, asks_when, dated
from hindwise.domain.timewords.model import TimeAsked, TimeWord
from hindwise.domain.timewords.reading import read

__all__ = ["TimeAsked", "TimeWord", "asks", "asks_when", "dated", "read"]
