"""The truth: memories, answered requests and API keys."""

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

from hindwise.domain.base import Model
from hindwise.domain.changes import Action, AuditEntry, Change, Request, Slot, Touch
from hindwise.domain.fence import Gate
from hindwise.domain.memory import LongTermMemory, Memory, WorkingMemory
from hindwise.domain.scope import Principal, Scope


class Page(Model):
    """A page of memories, newest first; `after` continues it, None where the scope ends.

    `examined` counts what was read.
    """

    memories: tuple[LongTermMemory, ...]
    after: str | None
    examined: int


class Backlog(Model):
    """Change rows of a scope, newest first; `more` where there are others beyond."""

    changes: tuple[Change, ...]
    more: bool


class Turn(Model):
    """A memory's place in a session."""

    seq: int
    memory_id: str


class MemoryStore(Protocol):
    """The truth. Reads are consistent; forgotten and outlived memories are not returned.

    Nor are those whose record cannot be read; it stays, and `unreadable` names them.
    """

    def get(
        self, scope: Scope, ids: Sequence[str], *, known: frozenset[str] | None = None
    ) -> dict[str, Memory]:
        """Read up to 100 memories of any kind by id; what is missing is left out.

        Raises `fence.Guarded` where other sources are held than are `known`.
        """

    def fence(self, scope: Scope) -> datetime | None:
        """Read the moment up to which all of the scope is forgotten; every read hides that."""

    def gate(self, scope: Scope) -> Gate:
        """Read the fence, and what is held from now on."""

    def unreadable(self, scope: Scope, ids: Sequence[str]) -> frozenset[str]:
        """Tell which of these memories are there but cannot be read."""

    def page(self, scope: Scope, *, after: str | None, examine: int) -> Page:
        """Read long-term memories, newest id first.

        Examining at most `examine` (1..1000) of them.
        """

    def versions(self, scope: Scope, memory_id: str) -> list[LongTermMemory]:
        """Read the old versions of a memory, oldest first."""

    def backlog(self, scope: Scope, limit: int) -> Backlog:
        """Read the scope's newest change rows."""

    def turns(self, scope: Scope, session_id: str, *, first: int, last: int) -> list[Turn]:
        """Read the places `first..last` of a session, in order."""

    def of_task(self, scope: Scope, task_id: str, *, limit: int) -> list[str]:
        """Read the ids of a task's episodes, newest first."""

    def next_seq(self, scope: Scope, session_id: str, *, count: int) -> int:
        """Reserve `count` places in a session, after all that are taken, and return the first.

        Places of a write that fails stay empty.
        """

    def take_seq(self, scope: Scope, session_id: str, seq: int) -> None:
        """Let later reservations begin after a place that a caller chose itself."""

    def working(self, scope: Scope, task_id: str | None, *, now: datetime) -> list[WorkingMemory]:
        """Read the scratch values of a task, or of all tasks, that have not expired."""

    def slot(self, scope: Scope, key: str) -> Slot | None:
        """Read who holds a slot."""

    def claim(
        self, scope: Scope, key: str, *, now: datetime, known: frozenset[str] | None = None
    ) -> str | None:
        """Read the memory id that a claimed key stands for, unless the claim is over.

        For whoever is to write at `now`: raises `fence.Behind` where that would be forgotten.
        And `fence.Guarded` where other sources are held than are `known`.
        """

    def dependants(self, scope: Scope, source: str) -> list[str]:
        """Read the ids of what rests on a source."""

    def audit(self, scope: Scope, memory_id: str) -> list[AuditEntry]:
        """Read the audit chain of a memory, oldest first."""

    def commit(self, scope: Scope, actions: Sequence[Action]) -> None:
        """Do all actions in one transaction.

        Raises `changes.Raced` if a condition no longer holds.
        """

    def touch(self, scope: Scope, touches: Sequence[Touch]) -> None:
        """Count accesses of active memories.

        No version, no change row, at most one write a memory and minute.
        """


class RequestLog(Protocol):
    """Idempotency keys, per tenant and principal."""

    def find(self, tenant: str, principal: str, key_hash: str, *, now: datetime) -> Request | None:
        """Read the row of a key that has not expired."""

    def record(self, request: Request) -> None:
        """Write the row; an `open` one may become `done`.

        Raises `changes.Raced` where there is another that has not expired.
        """


class ApiKey(Model):
    """A credential as it is listed: never the secret, only its hash."""

    id: str
    digest: str
    principal: Principal
    created_at: datetime
    revoked_at: datetime | None = None
    label: str = ""


class KeyRing(Protocol):
    """API keys, stored as the sha256 of the secret."""

    def find(self, digest: str) -> ApiKey | None:
        """Read a key by its hash, revoked or not."""

    def add(self, key: ApiKey) -> None:
        """Store a new key; raises `changes.Raced` if its hash is taken."""

    def revoke(self, tenant: str, key_id: str, *, at: datetime) -> bool:
        """Revoke a key; tells whether there was one to revoke."""

    def all(self, tenant: str) -> list[ApiKey]:
        """List a tenant's keys, newest first."""
