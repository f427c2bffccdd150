"""What the use cases need from outside.

Every store and index call takes a Scope first: there is no unscoped query. All of them may raise
`errors.Unavailable`; what else they raise is said at the method.
"""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Protocol

from pydantic import ConfigDict

from hindwise.domain.base import Model
from hindwise.domain.changes import Action, AuditEntry, Change, Request, Slot, Touch
from hindwise.domain.document import Candidate, Document, Vector
from hindwise.domain.memory import LongTermMemory, Memory, WorkingMemory
from hindwise.domain.query import Filter, View
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
    """The truth. Reads are consistent; forgotten and outlived memories are not returned."""

    def get(self, scope: Scope, ids: Sequence[str]) -> dict[str, Memory]:
        """Read up to 100 memories of any kind by id; what is missing is left out."""

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
        """Reserve `count` places in a session and return the first.

        Places of a write that fails stay empty.
        """

    def working(self, scope: Scope, task_id: str, *, now: datetime) -> list[WorkingMemory]:
        """Read a task's scratch values that have not expired."""

    def slot(self, scope: Scope, key: str) -> Slot | None:
        """Read who holds a slot."""

    def claim(self, scope: Scope, key: str, *, now: datetime) -> str | None:
        """Read the memory id that a claimed key stands for, unless the claim is over."""

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


class Projections(Protocol):
    """The projected documents as rows of the table.

    And the backlog of what is still to be projected.
    """

    def documents(self, scope: Scope, ids: Sequence[str]) -> dict[str, Document]:
        """Read projected documents (with vectors) of the current embedder."""

    def newest(self, scope: Scope, limit: int) -> list[Document]:
        """Read the newest `limit` documents of a scope, newest id first."""

    def put(
        self,
        scope: Scope,
        documents: Sequence[Document],
        gone: Mapping[str, int],
        *,
        now: datetime,
    ) -> None:
        """Write documents and remove `gone` ones (id → version) unless a newer one is there.

        And log both for containers that hold a copy of the scope.
        """

    def logged(self, scope: Scope, *, since: datetime) -> tuple[str, ...]:
        """Read the ids that were projected since a moment (kept for one hour)."""

    def clear(self, scope: Scope, changes: Sequence[Change]) -> None:
        """Delete exactly these change rows."""

    def failed(self, scope: Scope, change: Change, *, reason: str, park: bool) -> None:
        """Count a failed attempt at a change row, and park it where `park` is true.

        Out of the backlog, with its reason.
        """

    def dirty(self, bucket: int, limit: int) -> list[tuple[Scope, Change]]:
        """Read the oldest unprojected changes of one of the 16 buckets, over all scopes.

        The sweeper's list.
        """

    def parked(self, limit: int) -> list[tuple[Scope, Change]]:
        """Read parked changes."""


class Ask(Model):
    """What the arms are asked.

    `terms` are the analysed query words; without `vector` the vector arm is not asked.
    """

    terms: tuple[str, ...]
    exact: tuple[str, ...] = ()
    filter: Filter = Filter()
    view: View = View()
    now: datetime
    per_arm: int = 100


class Nominations(Model):
    """What the arms returned.

    `coverage` is the share of the scope that was looked at, None where unknown.
    """

    model_config = ConfigDict(frozen=True, arbitrary_types_allowed=True)

    candidates: tuple[Candidate, ...]
    coverage: float | None = None
    degraded: tuple[str, ...] = ()


class SearchIndex(Protocol):
    """The projection that finds things.

    It only nominates ids; raises `errors.Unavailable` when it is down.
    """

    def nominate(self, scope: Scope, ask: Ask, vector: Vector | None) -> Nominations:
        """Ask the keyword, vector and recent arms, each under the scope and the filter."""

    def beside(self, scope: Scope, places: Sequence[tuple[str, int]]) -> list[Candidate]:
        """Read the documents at these (session, seq) places."""

    def listing(self, scope: Scope, ask: Ask, *, limit: int, newest: bool = False) -> list[str]:
        """List ids by filter.

        Semantic memories come first, by confidence then last update, then episodes by importance
        then event time; with `newest` all by creation, newest first.
        """

    def put(
        self, scope: Scope, documents: Sequence[Document], gone: Mapping[str, int]
    ) -> Mapping[str, str]:
        """Write documents and tombstones (id → version) unless a newer version is there.

        Returns id → reason of the refused.
        """

    def versions(self, scope: Scope) -> dict[str, int]:
        """Read id → version of everything indexed in the scope, for checks."""


class Embedder(Protocol):
    """Text to vectors. `id` names model and dimension and is stored with each vector.

    Vectors of two ids never meet.
    """

    id: str
    dimensions: int

    def query(self, text: str) -> Vector:
        """Embed a question; raises `errors.Unavailable`, also where no usable vector comes."""

    def documents(self, texts: Sequence[str]) -> Sequence[Vector | None]:
        """Embed stored texts, in order; None where a text has no word to embed, now and ever.

        Raises as above; `details["refused"]` lists the positions if only some got no vector.
        """


class AccessQueue(Protocol):
    """Carries ids that were returned to callers; losing one loses a count, nothing else."""

    def send(self, scope: Scope, touches: Sequence[Touch]) -> None:
        """Queue access counts; never raises."""


class Seal(Protocol):
    """Keyed hashes from the one generated secret of this stage."""

    def digest(self, purpose: str, data: str) -> str:
        """64 hex digits over `data`, different for each purpose, tenant secret and stage."""

    def matches(self, purpose: str, data: str, digest: str) -> bool:
        """Compare in constant time, also against the secret that is being rotated out."""


class Patience(Protocol):
    """Paces retries within the time that is left."""

    def again(self) -> bool:
        """Wait a little longer than last time, with jitter; False when the time is up."""


class BlobStore(Protocol):
    """Bytes under names of `A-Za-z0-9._=-` and slashes, at most 500 characters."""

    def put(self, scope: Scope, name: str, data: bytes, *, if_absent: bool = False) -> bool:
        """Store bytes; with `if_absent`, False where the name is taken, and nothing changes."""

    def get(self, scope: Scope, name: str) -> bytes | None:
        """Read what is stored, None where there is nothing."""

    def delete(self, scope: Scope, name: str) -> None:
        """Remove what is stored, if anything is."""

    def names(self, scope: Scope, prefix: str = "") -> Iterator[str]:
        """List the scope's names that start with `prefix`, in the order of their bytes."""
