"""Holds a tenant to its limits without standing in its way.

What is asked for is counted here and added to the table's counters every few seconds, beside the
work: less than one write a request. Where the counters do not answer everybody is let through.
Another container's count is known a few seconds late, so a limit may be passed by what all
containers take in in that time.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from threading import Lock

from hindwise.domain.document import Vector
from hindwise.domain.limits import Limits, over_limit
from hindwise.domain.ports import Embedder
from hindwise.domain.ports.rates import Rates
from hindwise.errors import HindwiseError, Unavailable

FRESH_SECONDS = 5.0
AT_LEAST = 2
"""Requests that are worth a write: one alone is not, or an idle tenant would pay one for each."""
MOST_TENANTS = 1_000


@dataclass
class _Minute:
    """What is known of a tenant's minute: `known` of the table, `pending` of this container."""

    minute: str
    known: Counter[str] = field(default_factory=Counter)
    pending: Counter[str] = field(default_factory=Counter)
    flushed: float = 0.0

    @property
    def counted(self) -> Counter[str]:
        """Both together."""
        return self.known + self.pending


class Limiter:
    """Counts what tenants ask for; one for a container. `seconds` never go back."""

    def __init__(self, rates: Rates, limits: Limits, *, seconds: Callable[[], float]) -> None:
        self.limits = limits
        self._rates = rates
        self._seconds = seconds
        self._lock = Lock()
        self._tenants: dict[str, _Minute] = {}

    def admit(self, tenant: str, asked: Sequence[str], *, now: datetime) -> None:
        """Count a request (`requests`, and `writes` or `searches`); raises Limited."""
        limits = self.limits.of(tenant)
        if not limits.any_rate:
            return
        with self._lock:
            state = self._of(tenant, now)
            state.pending.update(asked)
            flushing = self._due(state)
        if flushing:
            self._flush(tenant, state, flushing, now)
        with self._lock:
            name = limits.over(state.counted, dict.fromkeys(asked, 1))
        if name is not None:
            raise over_limit(name, limits, now)

    def _of(self, tenant: str, now: datetime) -> _Minute:
        minute = now.astimezone(UTC).isoformat(timespec="minutes")
        state = self._tenants.get(tenant)
        if state is None or state.minute != minute:
            if len(self._tenants) >= MOST_TENANTS:
                self._tenants.clear()
            began = self._seconds() if state is None else state.flushed
            state = self._tenants[tenant] = _Minute(minute, flushed=began)
        return state

    def _due(self, state: _Minute) -> Counter[str]:
        """What is to be written now: it counts as known from here on, whatever becomes of it."""
        seconds = self._seconds()
        if seconds - state.flushed < FRESH_SECONDS or state.pending["requests"] < AT_LEAST:
            return Counter()
        taken, state.pending = state.pending, Counter()
        state.known += taken
        state.flushed = seconds
        return taken

    def _flush(self, tenant: str, state: _Minute, taken: Mapping[str, int], now: datetime) -> None:
        try:
            known = self._rates.add(tenant, taken, now=now)
        except HindwiseError:
            return
        with self._lock:
            state.known = Counter({word: max(known[word], state.known[word]) for word in known})


class Allowance:
    """How many texts of a tenant may still be embedded today; one for a container."""

    def __init__(self, rates: Rates, limits: Limits, clock: Callable[[], datetime]) -> None:
        self._rates = rates
        self._limits = limits
        self._clock = clock
        self._used: dict[str, tuple[str, int]] = {}

    def take(self, tenant: str, texts: int) -> None:
        """Count texts that are to be embedded; raises Unavailable where the day's are used up.

        Where the counter does not answer, they are let through uncounted.
        """
        allowed = self._limits.of(tenant).embeddings_per_day
        if allowed == 0 or texts == 0:
            return
        if texts > self.left(tenant):
            raise _used_up(allowed)
        now = self._clock()
        try:
            used = self._rates.embed(tenant, texts, now=now)
        except HindwiseError:
            return
        self._used[tenant] = (_day(now), used)
        if used > allowed:
            self._give_back(tenant, texts, now)
            raise _used_up(allowed)

    def left(self, tenant: str) -> int:
        """How many may be embedded yet, as far as this container knows, where there is a limit."""
        day, used = self._used.get(tenant, ("", 0))
        today = day == _day(self._clock())
        return max(self._limits.of(tenant).embeddings_per_day - (used if today else 0), 0)

    def bounds(self, tenant: str) -> bool:
        """Tell whether the tenant has a limit."""
        return self._limits.of(tenant).embeddings_per_day > 0

    def renewed(self, tenant: str) -> datetime | None:
        """When the tenant may embed again, None where it may, as far as this container knows."""
        if not self.bounds(tenant) or self.left(tenant):
            return None
        today = self._clock().astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
        return today + timedelta(days=1)

    def _give_back(self, tenant: str, texts: int, now: datetime) -> None:
        """They are not embedded: less may still be."""
        try:
            used = self._rates.embed(tenant, -texts, now=now)
        except HindwiseError:
            return
        self._used[tenant] = (self._used[tenant][0], used)


def _day(now: datetime) -> str:
    return now.astimezone(UTC).date().isoformat()


def _used_up(allowed: int) -> Unavailable:
    message = f"the tenant's limit embeddings_per_day ({allowed}) is used up"
    return Unavailable(message, details={"limit": "embeddings_per_day", "allowed": allowed})


class Metered:
    """An embedder for one tenant, as far as its allowance goes."""

    def __init__(self, inner: Embedder, tenant: str, allowance: Allowance) -> None:
        self.id = inner.id
        self.dimensions = inner.dimensions
        self._inner = inner
        self._tenant = tenant
        self._allowance = allowance

    def query(self, text: str) -> Vector:
        """Embed a question; raises Unavailable, also where the allowance is used up."""
        self._allowance.take(self._tenant, 1)
        return self._inner.query(text)

    def documents(self, texts: Sequence[str]) -> Sequence[Vector | None]:
        """Embed stored texts in order; raises as `query` does.

        Where only some may be embedded, the others are named as `refused`, to be left out.
        """
        left = self._allowance.left(self._tenant)
        if self._allowance.bounds(self._tenant) and 0 < left < len(texts):
            message = f"only {left} more texts may be embedded today"
            raise Unavailable(message, details={"refused": [*range(left, len(texts))]})
        self._allowance.take(self._tenant, len(texts))
        return self._inner.documents(texts)
