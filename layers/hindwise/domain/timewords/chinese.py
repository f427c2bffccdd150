"""Chinese date words, as patterns in the order in which they are tried."""

from datetime import date, timedelta
from re import Match

from hindwise.domain.timewords import days
from hindwise.domain.timewords.model import Days, Rule

_DIGITS = {char: value for value, char in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2}
_N = r"\d{1,3}|[零〇一二三四五六七八九十两]{1,3}"
_YEAR = r"(?:(?P<year>(?:19|20)\d\d)\s*年\s*|(?P<rel>[去今明前]年)\s*的?\s*)"
_DAY = rf"(?P<day>{_N})\s*[日号](?![楼线院门店馆桌码机])"
_YEARS = {"去": -1, "今": 0, "明": 1, "前": -2}
_STEPS = {"上上": -2, "上": -1, "这": 0, "本": 0, "下": 1, "下下": 2}
_STEP = r"(?P<step>上上|下下|[上这本下])"
_RELATIVE = {
    "大前天": -3, "前天": -2, "昨天": -1, "昨日": -1, "昨晚": -1, "昨夜": -1, "今天": 0, "今日": 0,
    "今早": 0, "今晚": 0, "大后天": 3, "后天": 2, "明天": 1, "明日": 1, "明晚": 1, "明早": 1,
}  # fmt: skip
_UNITS = {"天": "day", "日": "day", "周": "week", "月": "month", "年": "year"}
_UNIT = r"(?P<unit>[天日周年]|个?(?:星期|礼拜|月))"


def number(text: str) -> int:
    """Read digits or a Chinese numeral up to 99; raises ValueError for another."""
    if text.isdigit():
        return int(text)
    tens, ten, ones = text.rpartition("十")
    if ten:
        return (_value(tens) if tens else 1) * 10 + (_value(ones) if ones else 0)
    return _value(text)


def _value(text: str) -> int:
    value = 0
    for char in text:
        if char not in _DIGITS:
            raise ValueError(f"not a number: {text}")
        value = value * 10 + _DIGITS[char]
    return value


def _unit(text: str) -> str:
    return "week" if text.endswith(("星期", "礼拜")) else _UNITS[text[-1]]


def _named(found: Match[str], today: date) -> Days:
    parts = found.groupdict()
    day = number(parts["day"]) if parts.get("day") else None
    year = int(parts["year"]) if parts.get("year") else None
    if parts.get("rel"):
        year = today.year + _YEARS[parts["rel"][0]]
    return days.named(today, number(found["month"]), day, year)


def _day_of(found: Match[str], today: date) -> Days:
    first = days.month(today.year, today.month + _STEPS[found["step"]]).first
    return days.one(first.replace(day=number(found["day"])))


def _weekday(found: Match[str], today: date) -> Days:
    step, day = _STEPS[found["step"]], found["weekday"]
    if day == "末":
        return days.weekend(today, step)
    return days.weekday(today, step, min("一二三四五六日天".index(day), 6))


def _whole(found: Match[str], today: date) -> Days:
    return days.unit(today, _unit(found["unit"]), _STEPS[found["step"]])


def _ago(found: Match[str], today: date) -> Days:
    if found["count"] == "半":
        return days.unit(today, "month", -6)
    return days.ago(today, _unit(found["unit"]), number(found["count"]))


RULES: tuple[Rule, ...] = (
    (rf"{_YEAR}?(?P<month>{_N})\s*月份?\s*(?:{_DAY})?", _named),
    (rf"{_STEP}个?月\s*{_DAY}", _day_of),
    (rf"{_STEP}个?(?:周|星期|礼拜)(?P<weekday>[一二三四五六日天末])", _weekday),
    (rf"(?<![\d第])(?P<count>{_N}|半)\s*{_UNIT}\s*(?:之前|以前|前)", _ago),
    (
        rf"(?:过去|最近|近)的?\s*(?P<count>{_N})\s*{_UNIT}",
        lambda found, today: days.past(today, _unit(found["unit"]), number(found["count"])),
    ),
    (
        "|".join(sorted(_RELATIVE, key=len, reverse=True)),
        lambda found, today: days.one(today + timedelta(days=_RELATIVE[found[0]])),
    ),
    (rf"{_STEP}个?(?P<unit>周|星期|礼拜|月)", _whole),
    (
        r"(?P<year>(?:19|20)\d\d)\s*年",
        lambda found, _: days.year(int(found["year"])),
    ),
    (
        r"(?P<rel>[去今明前])年",
        lambda found, today: days.year(today.year + _YEARS[found["rel"]]),
    ),
    (
        rf"(?<![\d第])(?P<day>{_N})\s*号(?![楼线院门店馆桌码机])",
        lambda found, today: days.day_of_month(today, number(found["day"])),
    ),
)
"""(pattern, its days given the match and today). A place in the text is recognised once."""
