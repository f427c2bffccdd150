"""What finding needs: the truth, its projection, the index, the embedder, and the queue that counts
what was found.
"""

from dataclasses import dataclass

from hindwise.domain.ports import (
    AccessQueue,
    Embedder,
    MemoryStore,
    Projections,
    Reranker,
    SearchIndex,
    Users,
)
from hindwise.usecases.ripening import Ripener


@dataclass(frozen=True)
class Engine:
    """The parts that search and projection share; `fallback` answers while `index` is down.

    `ripener` is told of new episodes by what projects, `users` whose memories they are. `reranker`,
    where there is one, orders the best results of a search that wants it once more.
    """

    store: MemoryStore
    projections: Projections
    index: SearchIndex
    embedder: Embedder
    access: AccessQueue
    fallback: SearchIndex | None = None
    reranker: Reranker | None = None
    ripener: Ripener | None = None
    users: Users | None = None
