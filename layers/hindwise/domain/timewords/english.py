"""English date words, as patterns in the order in which they are tried."""

from datetime import date, timedelta
from re import Match

from hindwise.domain.timewords import days
from hindwise.domain.timewords.model import Days, Rule

_MONTHS = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
]
_WEEKDAYS = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
_NUMBERS = {
    "a": 1, "an": 1, "one": 1, "two": 2, "a couple of": 2, "couple": 2, "three": 3, "a few": 3,
    "few": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10,
    "eleven": 11, "twelve": 12,
}  # fmt: skip
_STEPS = {"last": -1, "previous": -1, "past": -1, "this": 0, "next": 1, "this past": -1}
_M = r"(?P<month>" + "|".join(rf"{m[:3]}(?:{m[3:]})?" if m[3:] else m for m in _MONTHS) + r"|sept)"
_FULL = "|".join(m for m in _MONTHS if m not in ("may", "march"))
_D = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?"
_Y = r"(?P<year>(?:19|20)\d\d)"
_N = r"(?P<count>\d{1,3}|" + "|".join(sorted(_NUMBERS, key=len, reverse=True)) + ")"
_UNIT = r"(?P<unit>day|week|month|year)"
_STEP = r"(?P<step>this past|last|previous|past|this|next)"
_AFTER = r"(?:in|of|during|since|until|by|before|after|around|late|early|mid|every)"


def _month(found: Match[str]) -> int:
    return [m[:3] for m in _MONTHS].index(found["month"].lower()[:3]) + 1


def _named(found: Match[str], today: date) -> Days:
    parts = found.groupdict()
    day, year = parts.get("day"), parts.get("year")
    return days.named(today, _month(found), int(day) if day else None, int(year) if year else None)


def _month_of(found: Match[str], today: date) -> Days:
    step, number = _STEPS[found["step"].lower()], _month(found)
    if step > 0:
        return days.month(today.year + (number <= today.month), number)
    return days.month(today.year - (step < 0 and number >= today.month), number)


def _weekday(found: Match[str], today: date) -> Days:
    index = _WEEKDAYS.index(found["weekday"].lower())
    step = (found["step"] or "").lower()
    if step in ("this", "next"):
        return days.weekday(today, _STEPS[step], index)
    return days.before(today, index) if step else days.before(today + timedelta(days=1), index)


def _number(word: str) -> int:
    return int(word) if word.isdigit() else _NUMBERS[word.lower()]


def _unit(found: Match[str], today: date) -> Days:
    step, name = found["step"].lower(), found["unit"].lower()
    return days.past(today, name, 1) if step == "past" else days.unit(today, name, _STEPS[step])


def _weekend(found: Match[str], today: date) -> Days:
    return days.weekend(today, _STEPS[found["step"].lower()])


def _date(found: Match[str], _: date) -> Days:
    return days.one(date(int(found["year"]), int(found[2]), int(found[3])))


RULES: tuple[Rule, ...] = (
    (rf"(?<![\w./-]){_Y}[-/](\d{{1,2}})[-/](\d{{1,2}})(?![\w/-])", _date),
    (rf"\b{_D}\s+(?:of\s+)?{_M}\b\.?(?:,?\s+(?:of\s+)?{_Y}\b)?", _named),
    (rf"\b{_M}\.?\s+{_D}\b(?![:\d%])(?:,?\s+{_Y}\b)?", _named),
    (rf"\b{_M}\.?,?\s+(?:of\s+)?{_Y}\b", _named),
    (rf"\b{_STEP}\s+{_M}\b", _month_of),
    (rf"\b(?P<month>{_FULL})\b", _named),
    (r"(?<=[a-z,]\s)(?-i:(?P<month>May|March))\b", _named),
    (rf"\b{_AFTER}\s+(?P<month>may|march)\b", _named),
    (
        rf"\b(?:{_STEP}|on)\s+(?P<weekday>{'|'.join(_WEEKDAYS)})\b",
        _weekday,
    ),
    (
        r"\bday before yesterday\b",
        lambda _, today: days.one(today - timedelta(days=2)),
    ),
    (
        r"\b(?:yesterday|last night)\b",
        lambda _, today: days.one(today - timedelta(days=1)),
    ),
    (
        r"\b(?:today|tonight|this (?:morning|afternoon|evening))\b",
        lambda _, today: days.one(today),
    ),
    (r"\btomorrow\b", lambda _, today: days.one(today + timedelta(days=1))),
    (
        rf"\b{_N}\s+{_UNIT}s?\s+ago\b",
        lambda found, today: days.ago(today, found["unit"].lower(), _number(found["count"])),
    ),
    (
        rf"\b(?:last|past|previous)\s+{_N}\s+{_UNIT}s?\b",
        lambda found, today: days.past(today, found["unit"].lower(), _number(found["count"])),
    ),
    (rf"\b{_STEP}\s+weekend\b", _weekend),
    (rf"\b{_STEP}\s+{_UNIT}\b", _unit),
    (
        rf"\b{_AFTER}\s+{_Y}\b(?![-/.:\d])",
        lambda found, _: days.year(int(found["year"])),
    ),
    (
        r"\bon the (?P<day>\d{1,2})(?:st|nd|rd|th)\b",
        lambda found, today: days.day_of_month(today, int(found["day"])),
    ),
)
"""(pattern, its days given the match and today). A place in the text is recognised once."""
