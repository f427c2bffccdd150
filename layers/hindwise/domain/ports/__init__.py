"""What the use cases need from outside.

Every store and index call takes a Scope first: there is no unscoped query. All of them may raise
`errors.Unavailable`; what else they raise is said at the method.
"""

from hindwise.domain.ports.around import (
    AccessQueue,
    BlobStore,
    Patience,
    Seal,
)
from hindwise.domain.ports.fading import FadingList, Lease, Overdue
from hindwise.domain.ports.finding import (
    Ask,
    Embedder,
    Logged,
    Nominations,
    Projections,
    Reranker,
    SearchIndex,
)
from hindwise.domain.ports.learning import (
    Budget,
    Conversations,
    Depth,
    Due,
    Jobs,
    Letter,
    Question,
    QueueName,
    Queues,
    Reasoner,
    Reply,
    Ripe,
    Ripening,
    Spent,
)
from hindwise.domain.ports.receipts import Erasure, Receipts
from hindwise.domain.ports.records import Records
from hindwise.domain.ports.reviews import Reviews, Users, Waiting, WaitingPage
from hindwise.domain.ports.truth import (
    ApiKey,
    Backlog,
    KeyRing,
    MemoryStore,
    Page,
    RequestLog,
    Turn,
)
from hindwise.domain.ports.upkeep import Adds, IndexUpkeep, Successor, Touched

__all__ = [
    "AccessQueue",
    "Adds",
    "ApiKey",
    "Ask",
    "Backlog",
    "BlobStore",
    "Budget",
    "Conversations",
    "Depth",
    "Due",
    "Embedder",
    "Erasure",
    "FadingList",
    "IndexUpkeep",
    "Jobs",
    "KeyRing",
    "Lease",
    "Letter",
    "Logged",
    "MemoryStore",
    "Nominations",
    "Overdue",
    "Page",
    "Patience",
    "Projections",
    "Question",
    "QueueName",
    "Queues",
    "Reasoner",
    "Receipts",
    "Records",
    "Reply",
    "RequestLog",
    "Reranker",
    "Reviews",
    "Ripe",
    "Ripening",
    "Seal",
    "SearchIndex",
    "Spent",
    "Successor",
    "Touched",
    "Turn",
    "Users",
    "Waiting",
    "WaitingPage",
]
