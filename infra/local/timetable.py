"""When a schedule's time comes: `rate(15 minutes)`, `cron(30 3 * * ? *)`, `cron(0 5 ? * MON *)`.

Of EventBridge's expressions it knows those that name one minute of the day, on all days or on some
of the week; the template has no others.
"""

import re
from dataclasses import dataclass
from datetime import datetime, time, timedelta
from zoneinfo import ZoneInfo

UNITS = {"minute": 60, "hour": 3600, "day": 86400}
DAYS = ("MON", "TUE", "WED", "THU", "FRI", "SAT", "SUN")
_RATE = re.compile(r"rate\((\d+) (minute|hour|day)s?\)")
_CRON = re.compile(r"cron\((\d+) (\d+) (\*|\?) \* (\*|\?|[A-Z,]+) \*\)")


@dataclass(frozen=True)
class Rate:
    """Again and again, `seconds` apart."""

    seconds: int


@dataclass(frozen=True)
class Daily:
    """At a time of the day, in a zone; on those weekdays, 0 is Monday."""

    at: time
    days: frozenset[int]
    zone: ZoneInfo

    def after(self, moment: datetime) -> datetime:
        """The first such time that is later than a moment."""
        day = moment.astimezone(self.zone).date()
        while True:
            found = datetime.combine(day, self.at, self.zone)
            if found > moment and day.weekday() in self.days:
                return found
            day += timedelta(days=1)


Timetable = Rate | Daily


def read(expression: str, zone: str) -> Timetable:
    """Read an expression; raises ValueError for one that the laptop does not know."""
    if rate := _RATE.fullmatch(expression):
        return Rate(int(rate[1]) * UNITS[rate[2]])
    if cron := _CRON.fullmatch(expression):
        minute, hour, _, named = cron.groups()
        days = [DAYS.index(each) for each in named.split(",")] if named not in "*?" else range(7)
        return Daily(time(int(hour), int(minute)), frozenset(days), ZoneInfo(zone))
    raise ValueError(f"the laptop knows no schedule {expression}")
