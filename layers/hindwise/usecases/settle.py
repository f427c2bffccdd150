"""Compare a memory with its neighbours, once it can be found: merge, supersede, or keep both.

Each pair is one transaction under the versions of both and a verdict that is stored once, so any
redelivery, and the same pair seen from its other side, converges. What a judge cannot answer now
stays unsettled; the sweep sends it again. Without a judge, doubt keeps both.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from hindwise.domain.base import Model
from hindwise.domain.call import Call, Tools
from hindwise.domain.changes import Action, PutVerdict, Raced, Settled
from hindwise.domain.lapses import lapsed
from hindwise.domain.memory import Decided, PairVerdict, SemanticMemory, Status
from hindwise.domain.pairing import (
    CONFLICTING,
    Pair,
    Ruling,
    basis,
    comparable,
    judged,
    newer,
    resolved,
    ruled,
)
from hindwise.domain.ports import MemoryStore, Reply
from hindwise.domain.prompts import judge
from hindwise.domain.scope import Principal, Role, Scope
from hindwise.errors import Misconfigured, Unavailable, Unusable
from hindwise.usecases.engine import Engine
from hindwise.usecases.learning import Learning
from hindwise.usecases.ledger import Ledger
from hindwise.usecases.neighbours import Neighbour, neighbours
from hindwise.usecases.reasoning import ask
from hindwise.usecases.settle_pair import actions_for, holding
from hindwise.usecases.trust import Trust

SURE_ENOUGH = 0.5
"""A judge that is less sure of a verdict is in doubt."""
OF_THE_BUDGET = 0.8
"""The share of a tenant's day that comparing may use up: what is new has to be learnt first."""


class State(StrEnum):
    """How far a memory is: `waiting` ones are tried again, `gone` ones are no more."""

    SETTLED = "settled"
    WAITING = "waiting"
    GONE = "gone"


class Settling(Model):
    """What came of comparing one memory.

    `changed` counts the pairs of which one yielded, `asked` the questions to a judge. `reason` says
    what a waiting one waits for: projection, index, races, or the judge's own word.
    """

    id: str
    state: State
    changed: int = 0
    asked: int = 0
    reason: str = ""


def ledger_for(
    scope: Scope, *, store: MemoryStore, tools: Tools, learning: Learning, now: datetime,
    trust: Trust | None = None,
) -> Ledger:  # fmt: skip
    """The ledger under which this worker changes memories: its name stands in the audit."""
    worker = Principal(tenant=scope.tenant, name="settle", role=Role.WRITER)
    call = Call(scope=scope, principal=worker, now=now)
    trust = trust or Trust()
    return Ledger(call=call, store=store, tools=tools, rules=learning.rules, trust=trust)


def settle(memory_id: str, *, ledger: Ledger, engine: Engine, learning: Learning) -> Settling:
    """Compare one memory with its neighbours; doing it twice, late or at once is harmless.

    A judge that does not answer leaves the memory waiting, and so does an index where the table
    cannot stand in for it. Raises `errors.Unavailable` where the table does not answer.
    """
    settler = _Settler(ledger, engine, learning)
    patience = ledger.tools.patience()
    while True:
        try:
            state, reason = settler.attempt(memory_id), ""
        except Raced:
            if patience.again():
                continue
            state, reason = State.WAITING, "races"
        except _Waits as waits:
            state, reason = State.WAITING, str(waits)
        return Settling(
            id=memory_id,
            state=state,
            changed=settler.changed,
            asked=settler.asked,
            reason=reason,
        )


class _Waits(Exception):
    """The memory has to wait; says for what."""


@dataclass
class _Settler:
    """One memory being settled.

    `told` keeps what the judge said by the basis of the pair: a lost race asks nothing twice.
    `verdicts` are those that change neither memory and are stored at the end.
    """

    ledger: Ledger
    engine: Engine
    learning: Learning
    told: dict[str, Decided | None] = field(default_factory=dict)
    verdicts: list[Action] = field(default_factory=list)
    changed: int = 0
    asked: int = 0

    def attempt(self, memory_id: str) -> State:
        """Go through all neighbours; raises Raced where one of them changed meanwhile."""
        self.verdicts = []
        memory = self.ledger.read(memory_id)
        if not isinstance(memory, SemanticMemory):
            return State.GONE
        if memory.settled:
            return State.SETTLED
        self.ledger = self.ledger.not_before(memory.created_at)
        near: tuple[Neighbour, ...] = ()
        if memory.status is Status.ACTIVE:
            near = self._near(memory)
        memory, doubts = self._by_rules(memory, near)
        mine = [one for one in doubts if not _later(one.memory, memory)]
        theirs = [one for one in doubts if _later(one.memory, memory)]
        memory = self._by_judge(memory, mine)
        if theirs:
            memory = self._by_judge(memory, self._left(memory, theirs))
        last = [] if memory.settled else [Settled(memory=memory)]
        if self.verdicts or last:
            self.ledger.commit([*self.verdicts, *last])
        return State.SETTLED

    def _near(self, memory: SemanticMemory) -> tuple[Neighbour, ...]:
        """Whom to compare it with; an index that is down or not whole yet is waited for."""
        try:
            near = neighbours(memory, ledger=self.ledger, engine=self.engine)
        except Unavailable as error:
            if error.details.get("dependency") != "index":
                raise
            raise _Waits("index") from error
        if near is None:
            raise _Waits("projection")
        return near

    def _by_rules(
        self, memory: SemanticMemory, near: Sequence[Neighbour]
    ) -> tuple[SemanticMemory, list[Neighbour]]:
        """Settle what rules can tell; gives back the others that are near enough for a judge."""
        rules, now = self.learning.rules, self.ledger.call.now
        embedder = self.engine.embedder.id
        threshold, doubtful = rules.threshold_for(embedder), rules.judge_from(embedder)
        doubts = []
        for one in near:
            if not comparable(memory, one.memory, now=now):
                continue
            ruling = ruled(memory, one.memory, cosine=one.cosine, threshold=threshold, now=now)
            if ruling is None and one.near < doubtful:
                continue
            known = self._known(memory, one.memory)
            if known is not None and known.basis in ("", basis(memory, one.memory)):
                ruling = lapsed((memory, one.memory), known)
                if ruling is None:
                    continue
            if ruling is None:
                doubts.append(one)
            else:
                memory = self._apply((memory, one.memory), ruling, known)
        return memory, doubts

    def _left(self, memory: SemanticMemory, theirs: Sequence[Neighbour]) -> list[Neighbour]:
        """Of those that were to compare themselves, the ones that are done and did not see this."""
        found = self.ledger.store.get(self.ledger.call.scope, [one.memory.id for one in theirs])
        now = ((one, found.get(one.memory.id)) for one in theirs)
        return [
            one.model_copy(update={"memory": record})
            for one, record in now
            if isinstance(record, SemanticMemory)
            and record.settled
            and self._known(memory, record) is None
        ]

    def _by_judge(self, memory: SemanticMemory, doubts: Sequence[Neighbour]) -> SemanticMemory:
        """Ask about the nearest; conflicts count before repeats, so that none is left behind."""
        now = self.ledger.call.now
        asked = [
            one.memory
            for one in doubts[: self.learning.rules.neighbours]
            if comparable(memory, one.memory, now=now)
        ]
        if not asked or self.learning.reasoner is None:
            return memory
        said = self._told(memory, asked)
        rulings = [
            (other, judged(memory, other, said[other.id], now=now))
            for other in asked
            if other.id in said
        ]
        rulings.sort(key=lambda one: one[1].verdict not in CONFLICTING)
        for other, ruling in rulings:
            if comparable(memory, other, now=now):
                known = self._known(memory, other)
                memory = self._apply((memory, other), ruling, known)
        return memory

    def _known(self, one: SemanticMemory, other: SemanticMemory) -> PairVerdict | None:
        return self.learning.jobs.verdict(self.ledger.call.scope, one.id, other.id)

    def _told(self, memory: SemanticMemory, others: Sequence[SemanticMemory]) -> dict[str, Decided]:
        """What the judge says of each; those it is in doubt about are left out."""
        keys = {other.id: basis(memory, other) for other in others}
        unasked = [other for other in others if keys[other.id] not in self.told]
        said = self._judged(memory, unasked) if unasked else {}
        self.told |= {keys[other.id]: said.get(other.id) for other in unasked}
        found = {one: self.told[key] for one, key in keys.items()}
        return {one: verdict for one, verdict in found.items() if verdict is not None}

    def _judged(
        self, memory: SemanticMemory, others: Sequence[SemanticMemory]
    ) -> dict[str, Decided]:
        """One question about all; an answer of no use is asked for once more, then it is doubt."""
        asking = judge.question(memory, others)
        scope, now = self.ledger.call.scope, self.ledger.call.now
        rules, spent = self.learning.rules, self.learning.budget.spent(scope.tenant, now=now)
        calls, tokens = spent.calls / OF_THE_BUDGET, spent.tokens / OF_THE_BUDGET
        if calls >= rules.daily_calls or tokens >= rules.daily_tokens:
            raise _Waits("budget")
        for _ in range(2):
            self.asked += 1
            try:
                reply = ask(self.learning, scope, asking, now=now)
            except Unavailable as error:
                raise _Waits(str(error.details.get("reason", "unavailable"))) from error
            except Misconfigured as error:
                raise _Waits("misconfigured") from error
            try:
                decisions = _read(reply, memory.id, [one.id for one in others])
            except Unusable as error:
                asking = judge.repaired(asking, reply, error.problem)
            else:
                sure = (one for one in decisions.items() if one[1].confidence >= SURE_ENOUGH)
                return {one: decision.verdict for one, decision in sure}
        return {}

    def _apply(self, pair: Pair, ruling: Ruling, known: PairVerdict | None) -> SemanticMemory:
        """Store what follows for a pair and give the first one as it is then."""
        now, memory = self.ledger.call.now, pair[0]
        held = holding(pair, ledger=self.ledger)
        yielding = self.ledger.yielding(newer(pair))
        resolution = resolved(pair, ruling, yielding=yielding, held=held.keys(), now=now)
        stored = PutVerdict(pair=resolution.pair, before=known)
        if not resolution.changed:
            self.verdicts.append(stored)
            return memory
        actions, after = actions_for(resolution, held, ledger=self.ledger)
        self.ledger.commit([stored, *actions])
        self.changed += 1
        return after[memory.id]


def _read(reply: Reply, new: str, others: Sequence[str]) -> dict[str, judge.Decision]:
    """What was decided; a verdict is of a pair, so of two it may be told of either."""
    decisions = judge.read(reply, others)
    if not decisions and len(others) == 1:
        own = judge.read(reply, [new])
        return {others[0]: own[new]} if new in own else {}
    return decisions


def _later(other: SemanticMemory, memory: SemanticMemory) -> bool:
    """Tell whether a pair is the other one's to ask about: it came later, and is not done yet.

    So a judge is asked once about two that come together, and about the new one of them.
    """
    return not other.settled and other.id > memory.id
