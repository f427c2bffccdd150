"""The sources of time, ids and waiting that the domain must not have itself.

Ids made in one process within one millisecond still grow, so that the items of a batch keep their
order in every list.
"""

import random
import secrets
import time
from collections.abc import Callable
from datetime import UTC, datetime
from threading import Lock

from hindwise.domain.ids import ulid
from hindwise.domain.memory import millis

RANDOM_BYTES = 10
PATIENCE_SECONDS = 3.0


def utc_now() -> datetime:
    """The server's clock."""
    return datetime.now(UTC)


class Ulids:
    """Makes ULIDs; safe for threads."""

    def __init__(self, randomness: Callable[[int], bytes] = secrets.token_bytes) -> None:
        self._randomness = randomness
        self._lock = Lock()
        self._last = (-1, 0)

    def __call__(self, moment: datetime) -> str:
        """A fresh id for `moment`, above the previous one of the same millisecond."""
        at = millis(moment)
        with self._lock:
            number = self._last[1] + 1
            if at != self._last[0]:
                # The top bit stays free, so that counting on never overflows.
                number = int.from_bytes(self._randomness(RANDOM_BYTES)) >> 1
            self._last = (at, number)
        return ulid(at, number.to_bytes(RANDOM_BYTES))


class Backoff:
    """`ports.Patience`: waits a random part of a doubling pause, up to `seconds` in all."""

    def __init__(
        self,
        seconds: float = PATIENCE_SECONDS,
        *,
        first: float = 0.02,
        longest: float = 0.4,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._deadline = clock() + seconds
        self._pause = first
        self._longest = longest
        self._clock = clock
        self._sleep = sleep

    def again(self) -> bool:
        """Wait a little; False, without waiting, when the time would be up."""
        pause = random.uniform(0, self._pause)
        if self._clock() + pause >= self._deadline:
            return False
        self._sleep(pause)
        self._pause = min(self._pause * 2, self._longest)
        return True
