"""Makers of scopes and records for tests: every default is sensible, every field can be given."""

from datetime import UTC, datetime, timedelta
from itertools import count
from typing import Any

from hindwise.domain.changes import AuditEntry, Request
from hindwise.domain.conversation import Chunk, Conversation
from hindwise.domain.document import Document, Vector
from hindwise.domain.ids import ulid, working_id
from hindwise.domain.jobs import Job, JobKind
from hindwise.domain.memory import (
    Episode,
    LongTermMemory,
    PairVerdict,
    SemanticMemory,
    Type,
    WorkingMemory,
    millis,
)
from hindwise.domain.ports import ApiKey
from hindwise.domain.scope import Origin, Principal, Role, Scope

NOW = datetime(2026, 3, 13, 18, 30, tzinfo=UTC)
_numbers = count(1)


class Clock:
    """A clock that stands until it is told to go on."""

    def __init__(self, now: datetime = NOW) -> None:
        self.now = now

    def __call__(self) -> datetime:
        return self.now

    def forward(self, **by: float) -> datetime:
        """Go on by `seconds=`, `minutes=`, ... and return the new time."""
        self.now += timedelta(**by)
        return self.now


def new_id(moment: datetime = NOW) -> str:
    """A fresh ULID; within a process later ones of the same moment sort after earlier ones."""
    return ulid(millis(moment), next(_numbers).to_bytes(10))


def scope(user: str = "ada", tenant: str = "acme") -> Scope:
    return Scope(tenant=tenant, user=user)


def principal(**given: Any) -> Principal:
    return Principal(**{"tenant": "acme", "name": "tester", "role": Role.WRITER, **given})


def _base(content: str, at: datetime, given: dict[str, Any]) -> dict[str, Any]:
    times = {"event_time": at, "created_at": at, "updated_at": at}
    return {"id": new_id(at), "content": content, "origin": Origin.OWNER, **times, **given}


def episode(
    content: str = "Deployed 2.4.1 to prod.", *, at: datetime = NOW, **given: Any
) -> Episode:
    """An episodic memory made at `at`."""
    return Episode(**_base(content, at, given))


def fact(
    content: str = "The user drinks tea.", *, at: datetime = NOW, **given: Any
) -> SemanticMemory:
    """A semantic memory made at `at`; a fact unless `type` says otherwise."""
    return SemanticMemory(**_base(content, at, {"type": Type.FACT, **given}))


def working(content: str = "step 3", *, at: datetime = NOW, **given: Any) -> WorkingMemory:
    """A scratch value, gone an hour after `at`."""
    named = {"task_id": "task-1", "key": "latest", "expires_at": at + timedelta(hours=1), **given}
    own_id = working_id(named["task_id"], named["key"])
    return WorkingMemory(**_base(content, at, {"id": own_id, **named}))


def newer[M: (Episode, SemanticMemory)](memory: M, **changes: Any) -> M:
    """The next version of a memory."""
    return memory.model_copy(update={"version": memory.version + 1, **changes})


def document(
    memory: LongTermMemory, *, words: str = "tea", vector: Vector | None = None
) -> Document:
    """A projected document of a memory, its facets without the text."""
    return Document(
        id=memory.id,
        version=memory.version,
        words=words,
        exact=("v2.4.1",),
        chars=len(memory.content),
        flags=4,
        facets=memory.model_copy(update={"content": ""}),
        text_hash="h" + memory.id,
        vector=vector,
    )


def entry(memory: LongTermMemory, *, previous: str = "", **given: Any) -> AuditEntry:
    """An audit row for a memory's current version."""
    fields: dict[str, Any] = {
        "id": new_id(memory.updated_at),
        "memory_id": memory.id,
        "version": memory.version,
        "actor": "tester",
        "origin": memory.origin,
        "decision": "created",
        "at": memory.updated_at,
        "previous": previous,
        "digest": f"{memory.version:064d}",
    }
    return AuditEntry(**{**fields, **given})


def request(**given: Any) -> Request:
    """An idempotency row, open, of a key of its own."""
    fields: dict[str, Any] = {
        "tenant": "acme",
        "principal": "tester",
        "key_hash": new_id(),
        "digest": "d" * 64,
        "state": "open",
        "answer": "",
        "first_seen": NOW,
        "expires": NOW + timedelta(hours=24),
    }
    return Request(**{**fields, **given})


def api_key(**given: Any) -> ApiKey:
    """An API key of tenant `acme`."""
    fields: dict[str, Any] = {
        "id": new_id(),
        "digest": new_id(),
        "principal": principal(),
        "created_at": NOW,
        "label": "laptop",
    }
    return ApiKey(**{**fields, **given})


def conversation(id: str = "chat-1", *, at: datetime = NOW, **given: Any) -> Conversation:
    """A conversation of which nothing is known yet."""
    fields = {"sender": principal(), "created_at": at, "updated_at": at, **given}
    return Conversation(id=id, **fields)


def chunk(first: int = 1, count: int = 2, *, of: str = "chat-1", **given: Any) -> Chunk:
    """A chunk of messages that all speak."""
    fields: dict[str, Any] = {
        "conversation_id": of,
        "first": first,
        "count": count,
        "first_turn": first,
        "turns": count,
        "blob": f"conversations/{first}",
        "digest": f"{first:064d}",
        "at": NOW,
    }
    return Chunk(**{**fields, **given})


def job(*, at: datetime = NOW, **given: Any) -> Job:
    """An accepted extraction, due at once."""
    fields: dict[str, Any] = {
        "id": new_id(at),
        "kind": JobKind.EXTRACT,
        "principal": principal(),
        "next_at": at,
        "created_at": at,
        "updated_at": at,
    }
    return Job(**{**fields, **given})


def pair(one: str, other: str, **given: Any) -> PairVerdict:
    """What was decided between two memories: that both stand."""
    fields: dict[str, Any] = {"verdict": "coexist", "by": "rule", "at": NOW, **given}
    return PairVerdict(one=one, other=other, **fields)
