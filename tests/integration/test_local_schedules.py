"""Schedules on a laptop: when their time comes, and what passed while nothing ran."""

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from infra.local import schedule_pump, template, timetable
from infra.local.functions import Functions
from infra.local.schedule_pump import Diary, SchedulePump
from infra.local.timetable import Rate

SYSTEM = template.read(Path(__file__).parents[2] / "template.yaml")
NIGHT = datetime(2026, 3, 14, 3, 0, tzinfo=UTC)
"""A Saturday."""


@pytest.mark.parametrize(
    ("expression", "zone", "moment", "due"),
    [
        ("cron(0 3 * * ? *)", "UTC", NIGHT, NIGHT + timedelta(days=1)),
        ("cron(30 3 * * ? *)", "UTC", NIGHT, NIGHT + timedelta(minutes=30)),
        ("cron(0 3 * * ? *)", "Asia/Shanghai", NIGHT, NIGHT + timedelta(hours=16)),
        ("cron(0 5 ? * MON *)", "UTC", NIGHT, NIGHT + timedelta(days=2, hours=2)),
        ("cron(0 5 ? * SUN,SAT *)", "UTC", NIGHT, NIGHT + timedelta(hours=2)),
    ],
)
def test_a_time_of_the_day_comes_in_its_zone(
    expression: str, zone: str, moment: datetime, due: datetime
) -> None:
    found = timetable.read(expression, zone)
    assert not isinstance(found, Rate)
    assert found.after(moment) == due


def test_a_rate_is_in_seconds() -> None:
    paces = [timetable.read(f"rate({each})", "UTC") for each in ("1 minute", "2 hours", "1 day")]
    assert paces == [Rate(60), Rate(7_200), Rate(86_400)]


@pytest.mark.parametrize("expression", ["cron(0 3 1 * ? *)", "at(2026-03-14T03:00:00)", "rate(5)"])
def test_an_expression_that_is_not_known_is_refused(expression: str) -> None:
    with pytest.raises(ValueError, match="knows no schedule"):
        timetable.read(expression, "UTC")


class Slept:
    """A laptop whose clock the test sets; `start` is a start of the server."""

    def __init__(self, path: Path, patch: pytest.MonkeyPatch) -> None:
        self.now, self.events, self._path = NIGHT - timedelta(hours=6), [], path
        outer = self

        class Clock(datetime):
            @classmethod
            def now(cls, tz: Any = None) -> datetime:
                return outer.now

        patch.setattr(schedule_pump, "datetime", Clock)

    events: list[dict[str, Any]]

    def start(self) -> SchedulePump:
        purge = next(each for each in SYSTEM.schedules if each.name == "purge")
        called = Functions(SYSTEM, {purge.function: lambda event, _: self.events.append(event)})
        return SchedulePump(purge, called, Diary(self._path))


def test_a_night_that_was_slept_through_is_made_up_for_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    laptop = Slept(tmp_path / "schedules.json", monkeypatch)
    assert laptop.start().step() is False, "a first start has missed nothing"
    laptop.now += timedelta(days=3)
    again = laptop.start()
    assert again.step() is True and again.step() is False
    assert laptop.start().step() is False
    assert laptop.events == [{"sweep": "purge"}]
    laptop.now += timedelta(hours=12)
    assert again.step() is True
    assert json.loads((tmp_path / "schedules.json").read_text()) == {
        "purge": laptop.now.isoformat()
    }


def test_a_diary_that_cannot_be_read_has_missed_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "schedules.json").write_text("{")
    assert Slept(tmp_path / "schedules.json", monkeypatch).start().step() is False
