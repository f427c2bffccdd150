"""What every change needs: who does it, the store it goes to, and the audit row that goes with it.

A use case collects its actions here and commits once; nothing is written before that.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from hindwise.domain.audit import audited
from hindwise.domain.call import Call, Tools
from hindwise.domain.changes import (
    Action,
    Answered,
    Raced,
    Request,
    Stands,
    UnderClaim,
)
from hindwise.domain.fence import MILLISECOND, Behind, require_after, require_known
from hindwise.domain.learning_rules import LearningRules
from hindwise.domain.memory import (
    LongTermMemory,
    Memory,
    MemoryBase,
    SemanticMemory,
    WorkingMemory,
)
from hindwise.domain.ports import MemoryStore
from hindwise.domain.receipts import Unforgotten
from hindwise.domain.yielding import Yielding
from hindwise.errors import NotFound
from hindwise.usecases.trust import Trust

CROWD = 3


@dataclass(frozen=True)
class Ledger:
    """One call's way to the store.

    `request` is the idempotency row that its commit closes; `lost` counts the races that its
    commits have lost; `rules` say what a newer value does to an older one, `trust` what is let in;
    what comes from one of the `held` sources (their marks) is not.
    A worker's commits happen only `under` its claim, and while what they rest on stands.
    """

    call: Call
    store: MemoryStore
    tools: Tools
    request: Request | None = None
    lost: int = 0
    under: tuple[UnderClaim | Stands, ...] = ()
    rules: LearningRules | None = None
    trust: Trust = field(default_factory=Trust)
    held: frozenset[str] = frozenset()

    def yielding(self, newer: SemanticMemory) -> Yielding:
        """What a value does to an older one: as its writer wants, or as usual for its type."""
        rules = self.rules or LearningRules()
        policy = newer.policy or rules.policy_for(newer.type, self.call.scope.tenant)
        margin = rules.confidence_margin
        return Yielding(
            policy=policy, factor=rules.weaken_factor, margin=margin, fading=self.trust.fading
        )

    def answering(self, request: Request) -> "Ledger":
        """The same ledger, whose next commit also stores the answer to `request`."""
        return replace(self, request=request)

    def after_a_loss(self) -> "Ledger":
        """The same ledger, after a lost race."""
        return replace(self, lost=self.lost + 1)

    def not_before(self, moment: datetime) -> "Ledger":
        """The same ledger, whose present is not before `moment`, whoever's clock it was told by."""
        now = max(self.call.now, moment)
        return replace(self, call=self.call.model_copy(update={"now": now}))

    def after_fence[A](self, act: Callable[["Ledger"], A]) -> A:
        """Do `act`; once more after the fence, where a clock is behind the one that forgot.

        What is accepted now would else be hidden. Reads that come before a write look for that.
        """
        try:
            return act(self)
        except Behind as behind:
            return act(self.not_before(behind.after))

    def fenced(self) -> tuple["Ledger", datetime | None]:
        """The same ledger after the fence, and that: read once for what many commits go by."""
        fence = self.store.fence(self.call.scope)
        return (self if fence is None else self.not_before(fence + MILLISECOND)), fence

    @property
    def crowded(self) -> bool:
        """Tell whether so many write at once that each should touch as little as it can."""
        return self.lost >= CROWD

    def read(self, memory_id: str) -> Memory | None:
        """Read one memory, None where there is none in this scope."""
        return self.store.get(self.call.scope, [memory_id]).get(memory_id)

    def need(self, memory_id: str, *, known: frozenset[str] | None = None) -> Memory:
        """Read one memory; raises NotFound, and `Guarded` where more is held than is `known`."""
        found = self.store.get(self.call.scope, [memory_id], known=known).get(memory_id)
        if found is None:
            raise NotFound(f"there is no memory {memory_id}")
        return found

    def recorded[M: MemoryBase](
        self, memory: M, decision: str, rules: tuple[str, ...] = ()
    ) -> tuple[M, Action]:
        """Append `decision` to the memory's audit chain."""
        return audited(
            memory,
            decision,
            principal=self.call.principal,
            at=self.call.now,
            seal=self.tools.seal,
            rules=rules,
        )

    def commit(self, actions: Sequence[Action], *, answer: str = "") -> None:
        """Do all actions at once, with the answer to the request where there is one."""
        closing: list[Action] = []
        if self.request is not None:
            closing = [Answered(request=self.request.model_copy(update={"answer": answer}))]
        self.store.commit(self.call.scope, [*self.under, *actions, *closing])

    def commit_unforgotten(
        self, actions: Sequence[Action], *, answer: str = "", known: frozenset[str] | None = None
    ) -> None:
        """Commit what no read came before; raises `Behind` where it would be forgotten already.

        And `Guarded` where sources are held that are not `known`; None asks about none.
        """
        scope, now = self.call.scope, self.call.now
        unheld = known is not None and not known
        try:
            self.commit([*actions, Unforgotten(at=now, unheld=unheld)], answer=answer)
        except Raced as raced:
            if raced.on(Unforgotten):
                gate = self.store.gate(scope)
                require_after(gate.fence, now)
                require_known(gate.held, known)
            raise


def long_term(memory: Memory) -> LongTermMemory:
    """The memory, known not to be a scratch value."""
    assert not isinstance(memory, WorkingMemory)
    return memory
