"""A laboratory of consolidation: episodes, a model that says what it is told to, and the worker."""

import json
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from typing import Any

from hindwise.domain.drafts import Edit, EpisodeDraft
from hindwise.domain.memory import SemanticMemory, Type
from hindwise.domain.ports import Question, QueueName, Reply
from hindwise.usecases.claims import Worker
from hindwise.usecases.consolidate import Consolidated, Wish, consolidate
from hindwise.usecases.consolidate_job import work
from hindwise.usecases.consolidating import Consolidation
from hindwise.usecases.edit import edit
from hindwise.usecases.forget import forget
from hindwise.usecases.ledger import Ledger
from hindwise.usecases.write import write
from tests.builders import scope
from tests.lab import Lab

Script = Callable[[Question], Any]


class Scripted:
    """A model that answers by a script, and remembers what it was asked."""

    id = "scripted"

    def __init__(self, *answers: Any) -> None:
        self.answers = list(answers)
        self.asked: list[Question] = []

    def ask(self, question: Question) -> Reply:
        self.asked.append(question)
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if callable(answer):
            answer = answer(question)
        if isinstance(answer, Exception):
            raise answer
        text = answer if isinstance(answer, str) else json.dumps(answer, ensure_ascii=False)
        return Reply(text=text, input_tokens=100, output_tokens=10)


def pattern(content: str, *evidence: str, **more: Any) -> dict[str, Any]:
    """A pattern as a model would offer it."""
    return {"content": content, "evidence_ids": list(evidence), "confidence": 0.8, **more}


def said(*patterns: dict[str, Any], conflicts: tuple[str, ...] = ()) -> dict[str, Any]:
    """A whole answer."""
    return {"patterns": list(patterns), "conflicts": list(conflicts)}


class PatternLab(Lab):
    """Episodes of `ada`, and what consolidates them."""

    def happened(self, content: str, *, user: str = "ada", **given: Any) -> str:
        """Write an episode and return its id."""
        self.clock.forward(minutes=1)
        draft = EpisodeDraft(content=content, **{"importance": 0.8, "domain": "release", **given})
        return write(draft, ledger=self.ledger(user)).id

    def releases(self, count: int = 5, **given: Any) -> list[str]:
        """As many failed releases, each with a day of its own."""
        return [self.happened(f"Release {number} failed", **given) for number in range(count)]

    def parts(
        self, user: str = "ada", *, worker: Worker | None = None, **who: Any
    ) -> Consolidation:
        worker = worker or self.worker
        ledger = replace(self.ledger(user, **who), store=worker.store)
        return self.parted(ledger, worker)

    def parted(self, ledger: Ledger, worker: Worker) -> Consolidation:
        return Consolidation(
            ledger=ledger,
            worker=worker,
            projections=self.store.projections,
            ripening=self.store.ripening,
            embedder_id="hashed-ngrams-v1:1024",
        )

    def consolidate(self, user: str = "ada", **wish: Any) -> Consolidated:
        wanted = Wish(**{"domain": "release", **wish})
        return consolidate(wanted, parts=self.parts(user))

    def deliver_patterns(self) -> int:
        """Have the consolidations worked on that have arrived; tells how many."""
        done = 0
        while message := self.queues.take(QueueName.CONSOLIDATE):
            where, job_id = message
            job = self.learning.jobs.get(where, job_id)
            assert job is not None
            work(job, parts=self.parts(where.user))
            done += 1
        return done

    def edit(self, memory_id: str, user: str = "ada", **fields: Any) -> Any:
        change = Edit(reason="a test says so", **fields)
        return edit(memory_id, change, ledger=self.ledger(user)).memory

    def forget(self, memory_id: str, user: str = "ada") -> Any:
        return forget(memory_id, ledger=self.ledger(user))

    def patterns(self, user: str = "ada") -> list[SemanticMemory]:
        return [one for one in self.learnt(user) if one.type is Type.PATTERN]

    def said(self, memory_id: str, user: str = "ada") -> str:
        return self.store.get(scope(user), [memory_id])[memory_id].content

    def known(self, memory_id: str, user: str = "ada") -> SemanticMemory:
        found = self.store.get(scope(user), [memory_id])[memory_id]
        assert isinstance(found, SemanticMemory)
        return found


def day(number: int) -> datetime:
    """A day of April 2026."""
    return datetime.fromisoformat(f"2026-04-{number:02d}T16:00:00+00:00")
