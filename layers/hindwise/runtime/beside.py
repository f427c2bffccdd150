"""What is done beside the work: whoever does not answer at once is not waited for.

One thread asks. A caller waits a quarter of a second at most; while an answer is out nothing else
is asked, so that a table that is down slows nobody. What was asked is still done, if it can be.
"""

from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from datetime import datetime
from functools import cached_property
from threading import Lock

from hindwise.domain.ports.rates import Rates
from hindwise.errors import Unavailable

PATIENCE_SECONDS = 0.25


class Beside:
    """Asks soon or raises Unavailable; `seconds` is how long a caller waits."""

    def __init__(self, *, seconds: float = PATIENCE_SECONDS) -> None:
        self._patience = seconds
        self._lock = Lock()
        self._answered: Callable[[], bool] = lambda: True

    @cached_property
    def _pool(self) -> ThreadPoolExecutor:
        return ThreadPoolExecutor(1, "beside")

    def __call__[T](self, ask: Callable[[], T]) -> T:
        """What `ask` answers; raises Unavailable where it does not soon, and what it raises."""
        with self._lock:
            if not self._answered():
                raise Unavailable("what was asked before has not answered yet")
            future: Future[T] = self._pool.submit(ask)
            self._answered = future.done
        try:
            return future.result(self._patience)
        except TimeoutError as error:
            raise Unavailable("it does not answer") from error


class SoonRates:
    """`ports.rates.Rates` asked beside the work."""

    def __init__(self, rates: Rates, beside: Beside) -> None:
        self._rates = rates
        self._beside = beside

    def add(self, tenant: str, used: Mapping[str, int], *, now: datetime) -> dict[str, int]:
        """Add to the counters of the minute; raises Unavailable."""
        return self._beside(lambda: self._rates.add(tenant, used, now=now))

    def embed(self, tenant: str, texts: int, *, now: datetime) -> int:
        """Add to the texts embedded on the day; raises Unavailable."""
        return self._beside(lambda: self._rates.embed(tenant, texts, now=now))
