"""Runs functions when their schedules say, as EventBridge would.

A laptop sleeps at night: a time of the day that passed while nothing ran is made up for, once, soon
after the next start. When each schedule ran last is kept in a file of the data folder; one that is
not in it has missed nothing.
"""

import json
import logging
import threading
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from infra.local.functions import FunctionFailed, Functions
from infra.local.pumps import Pump
from infra.local.template import Schedule
from infra.local.timetable import Daily, Rate

log = logging.getLogger("hindwise.local")


class Diary:
    """When each schedule ran last, by its name; all in one file."""

    def __init__(self, path: Path) -> None:
        self._path, self._lock = path, threading.Lock()

    def last(self, name: str, now: datetime) -> datetime:
        """When it ran last; what has never run counts as having run now."""
        with self._lock:
            held = self._held()
            return datetime.fromisoformat(held[name]) if name in held else self._note(name, now)

    def note(self, name: str, now: datetime) -> None:
        """Note that it ran."""
        with self._lock:
            self._note(name, now)

    def _note(self, name: str, now: datetime) -> datetime:
        self._path.write_text(json.dumps({**self._held(), name: now.isoformat()}))
        return now

    def _held(self) -> dict[str, str]:
        try:
            held: dict[str, str] = json.loads(self._path.read_text())
        except (FileNotFoundError, ValueError):
            return {}
        return held


class SchedulePump(Pump):
    """Runs a function at once and then every so many seconds, or at its times of the day."""

    def __init__(self, schedule: Schedule, functions: Functions, diary: Diary) -> None:
        super().__init__(f"schedule {schedule.name}", functions)
        self._schedule, self._diary = schedule, diary
        self._next = time.monotonic()

    def step(self) -> bool:
        """Run the function if its time has come."""
        if self.stopping.is_set() or not self._due(self._schedule.timetable):
            return False
        try:
            self.functions.invoke(self._schedule.function, self._event())
        except FunctionFailed:
            log.warning("%s: the next run will try again", self.name)
        return True

    def _due(self, timetable: Rate | Daily) -> bool:
        if isinstance(timetable, Rate):
            come = time.monotonic() >= self._next
            if come:
                self._next = time.monotonic() + timetable.seconds
            return come
        now = datetime.now(UTC)
        come = timetable.after(self._diary.last(self._schedule.name, now)) <= now
        if come:
            self._diary.note(self._schedule.name, now)
        return come

    def _event(self) -> dict[str, Any]:
        if self._schedule.input is not None:
            return dict(self._schedule.input)
        now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        return {"source": "aws.scheduler", "detail-type": "Scheduled Event", "time": now}
