"""The sources of time, ids and waiting that the domain must not have itself.

Ids that one process makes for one moment still grow, so that the items of a batch keep their order
in every list, whatever else is made between them.
"""

import random
import secrets
import time
from collections import OrderedDict
from collections.abc import Callable
from datetime import UTC, datetime
from threading import Lock

from hindwise.domain.ids import ulid
from hindwise.domain.memory import millis

RANDOM_BYTES = 10
MOMENTS = 256
"""How many moments are remembered: as many calls as may be under way at a time."""
PATIENCE_SECONDS = 3.0


def utc_now() -> datetime:
    """The server's clock."""
    return datetime.now(UTC)


class Ulids:
    """Makes ULIDs; safe for threads."""

    def __init__(self, randomness: Callable[[int], bytes] = secrets.token_bytes) -> None:
        self._randomness = randomness
        self._lock = Lock()
        self._last: OrderedDict[int, int] = OrderedDict()

    def __call__(self, moment: datetime) -> str:
        """A fresh id for `moment`, above the previous one of the same millisecond."""
        at = millis(moment)
        with self._lock:
            if at in self._last:
                number = self._last[at] + 1
            else:
                # The top bit stays free, so that counting on never overflows.
                number = int.from_bytes(self._randomness(RANDOM_BYTES)) >> 1
            self._last[at] = number
            self._last.move_to_end(at)
            if len(self._last) > MOMENTS:
                self._last.popitem(last=False)
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
