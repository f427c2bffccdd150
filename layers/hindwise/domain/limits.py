"""How much a tenant may ask for; zero is no limit."""

from collections.abc import Mapping
from datetime import datetime

from pydantic import Field

from hindwise.domain.base import Model
from hindwise.errors import Limited


class TenantLimits(Model):
    """What of the limits is otherwise for one tenant; None leaves it as it is."""

    requests_per_minute: int | None = Field(default=None, ge=0)
    writes_per_minute: int | None = Field(default=None, ge=0)
    searches_per_minute: int | None = Field(default=None, ge=0)
    embeddings_per_day: int | None = Field(default=None, ge=0)


class Limits(Model):
    """Requests, writes and searches a minute, and texts to embed a day (UTC), of one tenant."""

    requests_per_minute: int = Field(default=6_000, ge=0)
    writes_per_minute: int = Field(default=3_000, ge=0)
    searches_per_minute: int = Field(default=3_000, ge=0)
    embeddings_per_day: int = Field(default=0, ge=0)
    tenants: dict[str, TenantLimits] = Field(default_factory=dict)

    def of(self, tenant: str) -> "Limits":
        """The limits of one tenant."""
        own = self.tenants.get(tenant)
        other = {} if own is None else own.model_dump(exclude_none=True)
        return self.model_copy(update={**other, "tenants": {}})

    @property
    def any_rate(self) -> bool:
        """Tell whether anything is limited a minute."""
        return any((self.requests_per_minute, self.writes_per_minute, self.searches_per_minute))

    def told(self) -> dict[str, int]:
        """The limits by name."""
        return self.model_dump(exclude={"tenants"})

    def over(self, counted: Mapping[str, int], asked: Mapping[str, int]) -> str | None:
        """The first limit that `counted` (by `requests`, …) is over, of what is asked."""
        for word in asked:
            name = f"{word}_per_minute"
            if 0 < getattr(self, name) < counted.get(word, 0):
                return name
        return None


def over_limit(name: str, limits: Limits, now: datetime) -> Limited:
    """What is said to who is over a limit: which, how much it is, when to come back."""
    allowed = getattr(limits, name)
    wait = 60 - now.second
    message = f"over the tenant's limit {name} ({allowed}); try again in {wait} s"
    return Limited(message, details={"limit": name, "allowed": allowed, "retry_after": wait})
