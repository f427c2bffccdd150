"""What review reads across a tenant: what waits for a person, and which users there are."""

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

from hindwise.domain.base import Model
from hindwise.domain.memory import Type
from hindwise.domain.scope import Scope


class Waiting(Model):
    """A memory that is listed for review."""

    scope: Scope
    memory_id: str


class WaitingPage(Model):
    """A page of what is listed, newest memory first; `after` continues it, None at the end."""

    entries: tuple[Waiting, ...]
    after: str | None


class Reviews(Protocol):
    """What waits for a reviewer, by tenant; the list may be a moment behind the records."""

    def waiting(self, tenant: str, *, after: str | None, limit: int) -> WaitingPage:
        """Read up to `limit` entries of a tenant, whatever user they are of."""

    def current(self, scope: Scope, type_: Type, *, limit: int) -> Sequence[str]:
        """Read the ids of a scope's active semantic memories of a type, newest first."""


class Users(Protocol):
    """The users of a tenant: each is noted once, by what projects its first memory."""

    def note(self, scope: Scope, *, now: datetime) -> None:
        """Note a user who may be known already."""

    def page(self, tenant: str, *, prefix: str, after: str | None, limit: int) -> Sequence[str]:
        """List users whose id begins with `prefix`, in a fixed order, those after `after`."""

    def drop(self, scope: Scope) -> None:
        """Take a user off the list, if it is on it; one who writes again is noted again."""

    def due(self, bucket: int, *, now: datetime, limit: int) -> Sequence[Scope]:
        """Read the scopes whose periodic review is due, of one of 16 buckets, the longest first."""

    def looked(self, scope: Scope, *, again: datetime, now: datetime) -> bool:
        """Put a scope's periodic review off until `again`; False where it is not due any more."""
