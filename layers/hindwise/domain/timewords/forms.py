"""Forms of a text that matter to ranking: is it a question, does it tell or ask a time?"""

import re
from functools import cache

_QUESTION = r"[?？][\s\"'”’」』)）~～!！]*$"
_DATED = (
    r"\b(?:yesterday|today|tonight|tomorrow|last|next|ago|week|weekend|month|years?|monday|tuesday|"
    r"wednesday|thursday|friday|saturday|sunday|january|february|march|april|june|july|august|"
    r"september|october|november|december|since|recently|just|\d{4}|\d+(?:st|nd|rd|th))\b|"
    r"[昨今明前后]天|上周|下周|上个|下个|[去今明]年|[\d一二三四五六七八九十][月日号年点]|"
    r"周[一二三四五六日末]|星期"
)
_WHEN = (
    r"^\s*(?:(?:in|on|at|since|until|by|around)\s+)?"
    r"(?:when|(?:what|which) (?:date|day|month|year|week|time)|how long)\b|"
    r"什么时候|什么时间|什么日子|哪一?[天年]|哪个月|几[点号月时]|[周星]期?几|何时|多久|多长时间"
)


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)


def asks(text: str) -> bool:
    """Tell whether a text ends as a question; closing quotes and the like may follow the mark."""
    return _compiled(_QUESTION).search(text) is not None


def dated(text: str) -> bool:
    """Tell whether a text holds a time expression: a date, a weekday, "last", 昨天, ..."""
    return _compiled(_DATED).search(text) is not None


def asks_when(text: str) -> str | None:
    """Find the words by which a text asks for a time or a duration."""
    found = _compiled(_WHEN).search(text)
    return found.group().strip() if found else None
