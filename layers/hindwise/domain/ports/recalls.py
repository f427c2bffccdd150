"""What was recalled, while audit mode watches; kept for seven days."""

from datetime import datetime
from typing import Protocol

from pydantic import AwareDatetime, Field

from hindwise.domain.base import Model
from hindwise.domain.scope import Scope


class Place(Model):
    """A memory that was given back: its rank from 1, its rank in each arm, what came of the two."""

    id: str
    rank: int
    arms: dict[str, int] = Field(default_factory=dict)
    score: float | None = None


class Recall(Model):
    """Who was given what, when, and why; `query` is encrypted."""

    id: str
    at: AwareDatetime
    actor: str
    call: str
    query: str
    results: tuple[Place, ...] = ()
    degraded: tuple[str, ...] = ()
    expires: AwareDatetime


class Recalls(Protocol):
    """Rows of recalls in their user's scope; what has expired is not returned."""

    def put(self, scope: Scope, recall: Recall) -> None:
        """Write one."""

    def of_user(
        self, scope: Scope, *, after: str | None, limit: int, now: datetime
    ) -> tuple[list[Recall], str | None]:
        """Read a user's, newest first; and the id after which it goes on."""

    def of_tenant(
        self, tenant: str, *, after: str | None, limit: int, now: datetime
    ) -> tuple[list[tuple[Scope, Recall]], str | None]:
        """Read those of all users of a tenant, newest first."""
