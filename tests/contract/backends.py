"""The backends that the store's contract is held against, all made alike."""

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from hindwise.adapters.dynamodb.api_keys import DynamoKeyRing
from hindwise.adapters.dynamodb.projections import DynamoProjections
from hindwise.adapters.dynamodb.requests import DynamoRequestLog
from hindwise.adapters.dynamodb.store import DynamoStore
from hindwise.adapters.dynamodb.table import Table
from hindwise.domain.changes import Change
from hindwise.domain.ports import KeyRing, MemoryStore, Projections, RequestLog
from hindwise.domain.scope import Scope
from tests.builders import Clock, new_id
from tests.fakes import InMemoryStore

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

EMBEDDER = "hashed/64"


@dataclass(frozen=True)
class Backend:
    """The four ports over one empty table, with a clock that stands."""

    store: MemoryStore
    requests: RequestLog
    keys: KeyRing
    projections: Projections
    clock: Clock
    calls: Counter[str] = field(default_factory=Counter)

    def dirty(self) -> list[tuple[Scope, Change]]:
        """The whole backlog, bucket by bucket."""
        return [one for bucket in range(16) for one in self.projections.dirty(bucket, 100)]


def in_memory() -> Backend:
    """The fakes."""
    clock = Clock()
    store = InMemoryStore(clock, new_id)
    return Backend(store, store.requests, store.keys, store.projections, clock)


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
        clock,
        calls,
    )
