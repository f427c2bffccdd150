"""Leaves a failing dependency alone for a while, so that one call pays and the others go on.

Closed, it lets every call through. After a failure it is open for `rest` seconds and refuses at
once. Then a single call may probe while the others are still refused; what comes of the probe
closes or reopens it. One failure opens it: these calls have a deadline of a second or two, and a
caller who waits for several of them waits too long.
"""

import math
from collections.abc import Callable
from threading import Lock

from hindwise.errors import Unavailable

LONGEST_REST = 60.0


class Breaker:
    """Guards the calls to one dependency, called `name`, within one process.

    `clock` gives seconds that never go back. A failure asks for a longer rest by its `retry_after`,
    of which at most a minute is given. Errors of the types `harmless` say that the dependency
    answered, so they close the breaker and are passed on.
    """

    def __init__(
        self,
        name: str,
        clock: Callable[[], float],
        *,
        rest: float = 5.0,
        harmless: tuple[type[Unavailable], ...] = (),
    ) -> None:
        self.name = name
        self._clock = clock
        self._rest = rest
        self._harmless = harmless
        self._lock = Lock()
        self._open_until: float | None = None
        self._probing = False

    @property
    def resting(self) -> bool:
        """Tell whether a call made now would be refused at once."""
        with self._lock:
            return self._refuses()

    def call[T](self, ask: Callable[[], T]) -> T:
        """Ask the dependency; raises its own `errors.Unavailable`, or one at once while resting."""
        self._enter()
        try:
            answer = ask()
        except self._harmless:
            self._close()
            raise
        except Unavailable as error:
            self._open(max(self._rest, min(error.retry_after, LONGEST_REST)))
            raise
        finally:
            self._leave()
        self._close()
        return answer

    def _refuses(self) -> bool:
        if self._open_until is None:
            return False
        return self._probing or self._clock() < self._open_until

    def _enter(self) -> None:
        with self._lock:
            if self._open_until is None:
                return
            if self._refuses():
                error = Unavailable(
                    f"{self.name} failed a moment ago and is left alone",
                    details={"dependency": self.name, "resting": True},
                )
                error.retry_after = max(1, math.ceil(self._open_until - self._clock()))
                raise error
            self._probing = True

    def _open(self, seconds: float) -> None:
        with self._lock:
            self._open_until = self._clock() + seconds
            self._probing = False

    def _close(self) -> None:
        with self._lock:
            self._open_until = None
            self._probing = False

    def _leave(self) -> None:
        with self._lock:
            self._probing = False
