"""A stage that learns, as it is called from outside: HTTP, queues, workers, a sweep, and a model.

The model is a real HTTP server; the workers are the functions' own handlers.
"""

import itertools
import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from functions.consolidate.app import handler as consolidate
from functions.extract.app import handler as extract
from functions.forget.app import handler as forget
from functions.settle.app import handler as settle
from functions.sweep.app import handler as sweep
from hindwise.adapters import pointers
from hindwise.domain.ports import QueueName
from hindwise.runtime.wiring import use_wiring
from infra.local.fake_llm import Asked, FakeLlm
from tests.integration.http_client import Client, World
from tests.integration.talks import reasoner

WORKERS = {
    QueueName.EXTRACT: extract,
    QueueName.SETTLE: settle,
    QueueName.CONSOLIDATE: consolidate,
    QueueName.FORGET: forget,
}


class LearningStage:
    """What an operator and a caller can do."""

    def __init__(self, world: World, llm: FakeLlm) -> None:
        self.world, self.llm, self.client = world, llm, Client()
        self.failed = 0

    def ingest(self, user: str, session: str, *messages: Any, **more: Any) -> str:
        """Send a conversation and return the id of its job."""
        body = {"user_id": user, "session_id": session, "messages": list(messages), **more}
        reply = self.client.send("POST", "/v1/conversations", body)
        assert reply.status == 202, reply
        return str(reply.body["job_id"])

    def deliver(self, name: QueueName = QueueName.EXTRACT, *, most: int = 1_000) -> int:
        """Have what has arrived in a queue worked on."""
        done = 0
        while done < most and (message := self.world.queues.take(name)):
            self.failed += not self.hand_over(name, *message)
            done += 1
        return done

    def hand_over(self, name: QueueName, scope: Any, pointed: str) -> bool:
        """Give a worker one message; tells whether it was let go of."""
        record = {"messageId": "m1", "body": pointers.written(scope, pointed)}
        return WORKERS[name]({"Records": [record]}, None) == {"batchItemFailures": []}

    def at_once(self) -> None:
        """Work on what has arrived until nothing is left, and let no time pass."""
        self.world.project()
        while any(self.deliver(name) for name in WORKERS):
            self.world.project()

    def drain(self, most: int = 1_000) -> int:
        """Work until nothing is left, letting time pass for what is delayed."""
        done = 0
        while done < most:
            self.world.project()
            step = sum(self.deliver(name, most=most - done) for name in WORKERS)
            done += step
            waiting = itertools.chain(*self.world.queues.waiting.values())
            later = min((at for at, _, _ in waiting), default=None)
            if not step and later is None:
                return done
            if not step and later is not None:
                self.world.clock.now = max(self.world.clock(), later)
        return done

    def sweep(self, **forward: float) -> None:
        """Let time pass, then what runs every minute."""
        self.world.clock.forward(**forward)
        sweep({}, None)

    def get(self, path: str, user: str, **query: Any) -> Any:
        reply = self.client.send("GET", path, query={"user_id": user, **query})
        assert reply.status == 200, reply
        return reply.body

    def job(self, job_id: str, user: str) -> Any:
        return self.get(f"/v1/jobs/{job_id}", user)

    def retry(self, job_id: str, user: str) -> None:
        reply = self.client.send("POST", f"/v1/jobs/{job_id}/retry", {"user_id": user})
        assert reply.status in (200, 202), reply

    def memories(self, user: str, kind: str = "semantic", **query: Any) -> list[Any]:
        """Oldest first; a semantic one unless it is told otherwise."""
        found = self.get("/v1/memories", user, kind=kind, limit=100, **query)["results"]
        return list(found)[::-1]

    def contents(self, user: str, **query: Any) -> list[str]:
        return sorted(one["content"] for one in self.memories(user, **query))

    def search(self, user: str, query: str, **more: Any) -> list[str]:
        body = {"user_id": user, "query": query, **more}
        reply = self.client.send("POST", "/v1/search", body)
        assert reply.status == 200, reply
        return [one["content"] for one in reply.body["results"]]

    def asked(self) -> Sequence[Asked]:
        return self.llm.asked("extract")

    def letters(self) -> list[str]:
        return [letter.id for _, letter in self.world.queues.dead[QueueName.EXTRACT]]


@contextmanager
def learning_stage(world: World | None = None, *, asking: bool = True) -> Iterator[LearningStage]:
    """A stage of its own, and a model that says nothing yet; nobody asks it where not `asking`."""
    world = world or World()
    with FakeLlm() as llm, use_wiring(world):
        model = reasoner(llm)
        world.learn_with(model if asking else None)
        try:
            yield LearningStage(world, llm)
        finally:
            model.close()


def facts(*items: dict[str, Any]) -> list[dict[str, Any]]:
    """Items as the acceptance cases script them."""
    return [{"confidence": 0.9, "valid_until": None, **one} for one in items]


def fact(content: str, **more: Any) -> dict[str, Any]:
    return {"type": "fact", "content": content, **more}


def user(text: Any, when: str | None = None, **more: Any) -> dict[str, Any]:
    return {"role": "user", "content": text, **({"at": when} if when else {}), **more}


def assistant(text: Any, when: str | None = None, **more: Any) -> dict[str, Any]:
    return {**user(text, when, **more), "role": "assistant"}


def as_json(*items: dict[str, Any]) -> str:
    return json.dumps(facts(*items), ensure_ascii=False)
