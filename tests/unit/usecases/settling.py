"""A desk at which memories are compared with their neighbours, and a judge that says what it must.

The judge is a reasoner in the process: what a server may do wrong is tested where it is called over
HTTP.
"""

import json
import re
from collections.abc import Callable
from typing import Any

from hindwise.domain.learning_rules import LearningRules
from hindwise.domain.memory import SemanticMemory, Status
from hindwise.domain.ports import Embedder, Question, QueueName, Reasoner, Reply
from hindwise.usecases.learning import Learning
from hindwise.usecases.settle import Settling, ledger_for, settle
from hindwise.usecases.settle_due import send_overdue, send_unsettled
from tests.contract.blobs_fake import FakeBlobs
from tests.integration.mapped_embedder import MappedEmbedder
from tests.memory_queues import InMemoryBudget, InMemoryQueues
from tests.unit.usecases.desk import Desk, home

SHOWN = re.compile(r"^\[(?P<id>[^\]]+)\] .*?: (?P<content>.*)$", re.MULTILINE)
Opinion = Callable[[str, str], str | None]
KITCHEN = "The user wants to repaint the kitchen"
FULLER = "The user wants to repaint the kitchen; it is done every five years"


def always(verdict: str) -> Opinion:
    """A judge of one opinion."""
    return lambda new, other: verdict


class ScriptedJudge:
    """Says of each pair of texts what `opinion` says; raises `error` where there is one."""

    id = "scripted"

    def __init__(self, opinion: Opinion) -> None:
        self.opinion = opinion
        self.error: Exception | None = None
        self.replies: list[str] = []
        self.asked = 0

    def ask(self, question: Question) -> Reply:
        self.asked += 1
        if self.error is not None:
            raise self.error
        if self.replies:
            return Reply(text=self.replies.pop(0))
        (_, new), *others = SHOWN.findall(question.user)
        said = [(one, self.opinion(new, content)) for one, content in others]
        told = [{"id": one, "verdict": verdict} for one, verdict in said if verdict]
        return Reply(text=json.dumps({"decisions": told}))


class SettlingDesk(Desk):
    """A desk with a queue of what is to be compared.

    The judge has one opinion, or is a `reasoner`; without either there is none.
    """

    def __init__(
        self,
        opinion: Opinion | None = None,
        *,
        embedder: Embedder | None = None,
        reasoner: Reasoner | None = None,
        **rules: Any,
    ) -> None:
        self.embedder = MappedEmbedder()
        super().__init__(embedder or self.embedder)
        self.judge = ScriptedJudge(opinion) if opinion else None
        self.queues = InMemoryQueues(self.clock)
        told = LearningRules.model_validate(rules)
        self.learning = Learning(
            conversations=self.store.conversations,
            jobs=self.store.jobs,
            blobs=FakeBlobs(),
            queues=self.queues,
            reasoner=reasoner or self.judge,
            budget=InMemoryBudget(told.daily_calls, told.daily_tokens),
            rules=told,
        )

    def alike(self, *texts: str, cosine: float = 0.97) -> None:
        """Let these texts be near to each other: each to the first by this cosine."""
        rest = (1 - cosine**2) ** 0.5
        for number, text in enumerate(texts):
            self.embedder.known[text] = [1.0, 0.0] if not number else [cosine, rest]

    def settle(self, memory_id: str, user: str = "ada") -> Settling:
        scope = home(user)
        ledger = ledger_for(
            scope,
            store=self.store,
            tools=self.tools,
            learning=self.learning,
            now=self.clock(),
        )
        return settle(memory_id, ledger=ledger, engine=self.engine, learning=self.learning)

    def drain(self) -> list[Settling]:
        """Project all, then compare what is pointed at until nothing is."""
        done: list[Settling] = []
        while True:
            send_unsettled(self.project().unsettled, queues=self.queues)
            taken = self.queues.take(QueueName.SETTLE)
            if taken is None:
                return done
            done.append(self.settle(taken[1], taken[0].user))

    def overdue(self) -> int:
        return send_overdue(store=self.store, learning=self.learning, now=self.clock())

    def all(self, user: str = "ada") -> list[SemanticMemory]:
        page = self.store.page(home(user), after=None, examine=1_000)
        return [one for one in page.memories if isinstance(one, SemanticMemory)]

    def current(self, user: str = "ada") -> list[str]:
        return sorted(one.content for one in self.all(user) if one.status is Status.ACTIVE)

    def unsettled(self) -> list[str]:
        return [one.id for one in self.all() if not one.settled and one.status is Status.ACTIVE]
