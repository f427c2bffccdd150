"""What finding needs: the truth, its projection, the index, the embedder, and the queue that counts
what was found.
"""

from dataclasses import dataclass, replace

from hindwise.domain.document import Vector
from hindwise.domain.ports import (
    AccessQueue,
    Ask,
    Embedder,
    MemoryStore,
    Nominations,
    Projections,
    Reranker,
    SearchIndex,
    Users,
)
from hindwise.domain.ports.auditing import AuditLog
from hindwise.domain.scope import Scope
from hindwise.errors import Unavailable
from hindwise.usecases.limiting import Allowance, Metered
from hindwise.usecases.ripening import Ripener


@dataclass(frozen=True)
class Engine:
    """The parts that search and projection share; `fallback` answers while `index` is down.

    `ripener` is told of new episodes by what projects, `users` whose
    memories they are, `audit` of which tenant. `reranker`,
    where there is one, orders the best results of a search that wants it once more.
    `allowance` bounds what is embedded.
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
    allowance: Allowance | None = None
    audit: AuditLog | None = None

    def nominate(
        self, scope: Scope, ask: Ask, vector: Vector | None
    ) -> tuple[Nominations, tuple[str, ...]]:
        """What the index nominates, or its fallback where it is down, and what was down.

        Never an empty answer because something failed: raises Unavailable where neither answers.
        """
        try:
            return self.index.nominate(scope, ask, vector), ()
        except Unavailable:
            if self.fallback is None:
                raise
            return self.fallback.nominate(scope, ask, vector), ("index",)

    def within(self, scope: Scope) -> "Engine":
        """The same, whose embedder embeds as much as the scope's tenant may have embedded."""
        if self.allowance is None:
            return self
        metered = Metered(self.embedder, scope.tenant, self.allowance)
        return replace(self, embedder=metered)
