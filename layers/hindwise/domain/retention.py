"""The periods and thresholds of fading, in one place: a stage may set each of them otherwise.

What they decide is in `fading`. A period is ISO 8601 (`P30D`) or a number of seconds.
"""

from datetime import timedelta
from typing import Annotated

from pydantic import Field

from hindwise.domain.base import Model

Share = Annotated[float, Field(ge=0, le=1)]
Period = Annotated[timedelta, Field(ge=timedelta(0))]


class Retention(Model):
    """The periods and thresholds of fading; every one is a setting.

    What is less than `unimportant` is purged (episodes that nobody ever saw) or archived. What is
    `hot` was made or hit within `hot_for`, or hit `hot_hits` times. A closed to-do is archived
    after `done_after`. A trend says what `trend_least` or more cold episodes of a month were about.
    """

    unimportant: Share = 0.3
    purge_after: Period = timedelta(days=7)
    archive_after: Period = timedelta(days=30)
    done_after: Period = timedelta(days=30)
    cold_after: Period = timedelta(days=365)
    hot_for: Period = timedelta(days=30)
    hot_hits: int = Field(default=5, ge=1)
    trend_least: int = Field(default=3, ge=2)
    faded: Share = 0.3
    fade_factor: Annotated[float, Field(gt=0, lt=1)] = 0.9
    fade_step: Annotated[timedelta, Field(gt=timedelta(0))] = timedelta(days=30)
    fade_floor: Share = 0.1


DEFAULT = Retention()
