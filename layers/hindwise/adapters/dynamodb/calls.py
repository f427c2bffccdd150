"""How the table is called: paced, counted, and with its errors turned into ours.

What is throttled or left unprocessed is asked again with jitter, a few times; then it is
`errors.Unavailable`. A condition that does not hold is an answer (False), not an error.
"""

import random
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Protocol

from hindwise import errors
from hindwise.adapters.dynamodb.client import (
    CROWDED,
    SDK_ERRORS,
    SdkError,
    code_of,
    reasons_of,
    translated,
)

ATTEMPTS = 6


class Observer(Protocol):
    """Told of each call to the table."""

    def __call__(self, operation: str, keys: int) -> None:
        """Note that `operation` was called on `keys` keys or returned as many rows."""


def unobserved(operation: str, keys: int) -> None:
    """Observe nothing."""


def wait(attempt: int) -> None:
    """Sleep a random time that doubles with each attempt: up to 20 ms, 40 ms, ... 640 ms."""
    time.sleep(random.uniform(0, 0.02 * 2**attempt))


class Calls:
    """Makes calls. `observe` is told of each, `pause` waits between attempts."""

    def __init__(self, observe: Observer, pause: Callable[[int], None]) -> None:
        self.observe = observe
        self._pause = pause

    def _attempts(self) -> Iterator[int]:
        """Count the attempts at one thing, with a pause before each but the first."""
        for attempt in range(ATTEMPTS):
            if attempt > 0:
                self._pause(attempt - 1)
            yield attempt

    def once[T](self, operation: str, keys: int, call: Callable[[], T]) -> T:
        """Make one call, again while the table is crowded; raises our errors."""
        last: SdkError | None = None
        for _ in self._attempts():
            self.observe(operation, keys)
            try:
                return call()
            except SDK_ERRORS as error:
                if code_of(error) not in CROWDED:
                    raise translated(error) from error
                last = error
        raise errors.Unavailable("the table is crowded") from last

    def holds(self, operation: str, call: Callable[[], object]) -> bool:
        """Make one call under a condition; False where it does not hold."""
        try:
            self.once(operation, 1, lambda: _held(call))
        except _NotHeld:
            return False
        return True

    def whole[A](
        self, operation: str, given: Sequence[A], call: Callable[[Sequence[A]], Sequence[A]]
    ) -> None:
        """Call with what is `given`, and again with what the call says it left undone."""
        left = given
        for _ in self._attempts():
            left = self.once(operation, len(left), partial(call, left))
            if not left:
                return
        raise errors.Unavailable("the table left keys undone")

    def together(self, rows: int, call: Callable[[], object]) -> SdkError | None:
        """Make a transaction; the cancellation, where a condition did not hold.

        Conflicts with other transactions are tried again.
        """
        for _ in self._attempts():
            self.observe("transact", rows)
            try:
                call()
            except SDK_ERRORS as error:
                reasons = reasons_of(error)
                if "ConditionalCheckFailed" in reasons:
                    return error
                if not CROWDED.intersection((code_of(error), *reasons)):
                    raise translated(error) from error
            else:
                return None
        raise errors.Unavailable("other writers were always faster")


class _NotHeld(Exception):
    """A condition did not hold."""


def _held(call: Callable[[], object]) -> None:
    try:
        call()
    except SDK_ERRORS as error:
        if code_of(error) == "ConditionalCheckFailedException":
            raise _NotHeld from error
        raise
