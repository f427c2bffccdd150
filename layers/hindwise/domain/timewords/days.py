"""Civil-day arithmetic behind the time words; weeks run from Monday to Sunday.

Everything may raise ValueError or OverflowError for a day that does not exist.
"""

import calendar
from datetime import date, timedelta

from hindwise.domain.timewords.model import Days

UNITS = ("day", "week", "month", "year")


def one(day: date) -> Days:
    """A single day."""
    return Days(first=day, last=day)


def week(today: date, step: int) -> Days:
    """The whole week that is `step` weeks from this one."""
    monday = today - timedelta(days=today.weekday()) + timedelta(weeks=step)
    return Days(first=monday, last=monday + timedelta(days=6))


def weekend(today: date, step: int) -> Days:
    """Saturday and Sunday of the week that is `step` weeks from this one."""
    last = week(today, step).last
    return Days(first=last - timedelta(days=1), last=last)


def weekday(today: date, step: int, index: int) -> Days:
    """Day `index` (Monday is 0) of the week that is `step` weeks from this one."""
    return one(week(today, step).first + timedelta(days=index))


def before(today: date, index: int) -> Days:
    """The latest weekday `index` that is over."""
    return one(today - timedelta(days=(today.weekday() - index - 1) % 7 + 1))


def month(year: int, number: int) -> Days:
    """A whole month; numbers beyond 1..12 run into other years."""
    year, number = year + (number - 1) // 12, (number - 1) % 12 + 1
    last = calendar.monthrange(year, number)[1]
    return Days(first=date(year, number, 1), last=date(year, number, last))


def year(number: int) -> Days:
    """A whole year."""
    return Days(first=date(number, 1, 1), last=date(number, 12, 31))


def unit(today: date, name: str, step: int) -> Days:
    """The whole day, week, month or year that is `step` of them from today's."""
    if name == "day":
        return one(today + timedelta(days=step))
    if name == "week":
        return week(today, step)
    if name == "month":
        return month(today.year, today.month + step)
    return year(today.year + step)


def ago(today: date, name: str, count: int) -> Days:
    """What "two weeks ago" means: the day itself, or some days around it for longer units."""
    if name == "day":
        return one(today - timedelta(days=count))
    if name == "week":
        middle = today - timedelta(weeks=count)
        return Days(first=middle - timedelta(days=3), last=middle + timedelta(days=3))
    return unit(today, name, -count)


def past(today: date, name: str, count: int) -> Days:
    """The last `count` days, weeks, months or years up to today."""
    length = {"day": 1, "week": 7, "month": 30, "year": 365}[name] * count
    return Days(first=today - timedelta(days=length), last=today)


def named(today: date, number: int, day: int | None, in_year: int | None) -> Days:
    """A month or a day of a month; without a year the latest that has begun, loosely."""
    if in_year is not None:
        return _dated(in_year, number, day)
    found = _dated(_leap(today.year, number, day), number, day)
    if found.first > today:
        found = _dated(_leap(today.year - 1, number, day), number, day)
    return found.model_copy(update={"month": number, "day": day})


def day_of_month(today: date, day: int) -> Days:
    """The latest day with this number that has come, loosely."""
    for back in range(13):
        first = month(today.year, today.month - back).first
        days = calendar.monthrange(first.year, first.month)[1]
        if 1 <= day <= days and first.replace(day=day) <= today:
            found = first.replace(day=day)
            return Days(first=found, last=found, day=day)
    raise ValueError(f"no month has a day {day}")


def _dated(in_year: int, number: int, day: int | None) -> Days:
    if not 1 <= number <= 12:
        raise ValueError(f"no month {number}")
    return month(in_year, number) if day is None else one(date(in_year, number, day))


def _leap(in_year: int, number: int, day: int | None) -> int:
    """The latest year up to `in_year` that has this day: 29 February is not in every one."""
    if (number, day) != (2, 29):
        return in_year
    return next(y for y in range(in_year, in_year - 9, -1) if calendar.isleap(y))
