"""The backends that the store's contract is held against, all made alike."""

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from hindwise.adapters.dynamodb.api_keys import DynamoKeyRing
from hindwise.adapters.dynamodb.auditing import DynamoAuditLog
from hindwise.adapters.dynamodb.budget import DynamoBudget
from hindwise.adapters.dynamodb.erasure import DynamoErasure
from hindwise.adapters.dynamodb.learning import DynamoConversations, DynamoJobs
from hindwise.adapters.dynamodb.lessons import DynamoLessons
from hindwise.adapters.dynamodb.projections import DynamoProjections
from hindwise.adapters.dynamodb.rates import DynamoRates
from hindwise.adapters.dynamodb.recalls import DynamoRecalls
from hindwise.adapters.dynamodb.receipts import DynamoReceipts
from hindwise.adapters.dynamodb.requests import DynamoRequestLog
from hindwise.adapters.dynamodb.reviews import DynamoReviews, DynamoUsers
from hindwise.adapters.dynamodb.ripening import DynamoRipening
from hindwise.adapters.dynamodb.store import DynamoStore
from hindwise.adapters.dynamodb.table import Table
from hindwise.domain.changes import Change
from hindwise.domain.ports import (
    Budget,
    Conversations,
    Due,
    Erasure,
    Jobs,
    KeyRing,
    MemoryStore,
    Projections,
    Receipts,
    RequestLog,
    Reviews,
    Ripening,
    Users,
)
from hindwise.domain.ports.auditing import AuditLog
from hindwise.domain.ports.lessons import Lessons
from hindwise.domain.ports.rates import Rates
from hindwise.domain.ports.recalls import Recalls
from hindwise.domain.scope import Scope
from tests.builders import Clock, new_id
from tests.fakes import InMemoryStore
from tests.memory_lessons import InMemoryLessons
from tests.memory_queues import InMemoryBudget

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

EMBEDDER = "hashed/64"
LESSONS = 3
"""How many lessons a tenant keeps."""
ALLOWED = {"calls": 3, "tokens": 1_000}
"""What a tenant may use of a reasoner in a day."""


@dataclass(frozen=True)
class Backend:
    """The ports over one empty table, with a clock that stands."""

    store: MemoryStore
    requests: RequestLog
    keys: KeyRing
    projections: Projections
    conversations: Conversations
    jobs: Jobs
    budget: Budget
    clock: Clock
    reviews: Reviews
    users: Users
    receipts: Receipts
    erasure: Erasure
    ripening: Ripening
    audit: AuditLog
    rates: Rates
    recalls: Recalls
    lessons: Lessons
    calls: Counter[str] = field(default_factory=Counter)

    def dirty(self) -> list[tuple[Scope, Change]]:
        """The whole backlog, bucket by bucket."""
        return [one for bucket in range(16) for one in self.projections.dirty(bucket, 100)]

    def due(self, limit: int = 100) -> list[Due]:
        """All jobs and conversations that are due, bucket by bucket."""
        now = self.clock()
        return [one for b in range(16) for one in self.jobs.due(b, now=now, limit=limit)]

    def unsettled(self, limit: int = 100) -> list[tuple[Scope, str]]:
        """All memories that wait for comparison, bucket by bucket."""
        now = self.clock()
        return [one for b in range(16) for one in self.jobs.unsettled(b, before=now, limit=limit)]


def in_memory() -> Backend:
    """The fakes."""
    clock = Clock()
    store = InMemoryStore(clock, new_id)
    return Backend(
        store,
        store.requests,
        store.keys,
        store.projections,
        store.conversations,
        store.jobs,
        InMemoryBudget(**ALLOWED),
        clock,
        store.reviews,
        store.users,
        store.receipts,
        store.erasure,
        store.ripening,
        store.audit_log,
        store.rates,
        store.recalls,
        InMemoryLessons(store.world, most=LESSONS),
    )


def on_dynamodb(client: "DynamoDBClient", table: str, embedder: str = EMBEDDER) -> Backend:
    """The adapters on a table."""
    clock = Clock()
    calls: Counter[str] = Counter()

    def observe(operation: str, keys: int) -> None:
        calls[operation] += 1

    bound = Table(client, table, observe=observe)
    return Backend(
        DynamoStore(bound, clock=clock, new_id=new_id),
        DynamoRequestLog(bound, clock=clock),
        DynamoKeyRing(bound),
        DynamoProjections(bound, embedder, clock=clock, new_id=new_id),
        DynamoConversations(bound),
        DynamoJobs(bound, clock=clock),
        DynamoBudget(bound, **ALLOWED),
        clock,
        DynamoReviews(bound),
        DynamoUsers(bound, clock=clock),
        DynamoReceipts(bound),
        DynamoErasure(bound, clock=clock, new_id=new_id),
        DynamoRipening(bound, 5),
        DynamoAuditLog(bound),
        DynamoRates(bound),
        DynamoRecalls(bound),
        DynamoLessons(bound, most=LESSONS, clock=clock),
        calls,
    )
