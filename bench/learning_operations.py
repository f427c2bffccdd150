"""What learning does, by operation: a conversation of ten turns, and what follows from it."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from bench.agent import Agent
from bench.metered_stack import MeteredStack
from bench.operation import POLLED, Operation
from hindwise.domain.ports import QueueName

EPISODES = 10
"""Episodes that a consolidation looks at."""
Event = dict[str, Any]


class LearningOperations:
    """All operations of learning.

    `settle` projects what waits, `waiting` gives it as the stream's records.
    """

    def __init__(
        self,
        stack: MeteredStack,
        agent: Agent,
        *,
        settle: Callable[[], None],
        waiting: Callable[[], list[Event]],
    ) -> None:
        self._stack, self._agent = stack, agent
        self._settle, self._waiting = settle, waiting

    def all(self) -> Iterator[Operation]:
        """In the order of the page."""
        yield Operation("take in a conversation of 10 turns", self.quiet, self._agent.converse)
        yield Operation("learn from it: 10 turns, 3 facts", self._said, self._work("extract"))
        yield Operation(
            "project: learn from it", self._learnt, partial(self._stack.invoke, "index")
        )
        yield Operation("settle a fact with 5 neighbours", self._known, self._work("settle"))
        what = f"consolidate {EPISODES} episodes, 3 patterns"
        yield Operation(what, self._recurring, self._agent.consolidate)
        idle = partial(self._stack.invoke, "consolidate", {"source": "aws.scheduler"})
        yield Operation("idle look for ripe domains", self.quiet, lambda _: idle())

    def _work(self, function: str) -> Callable[[Event], None]:
        def worked(event: Event) -> None:
            self._stack.used.sqs += POLLED
            answer = self._stack.invoke(function, event)
            if answer["batchItemFailures"]:
                raise RuntimeError(f"{function} gave a message back")

        return worked

    def quiet(self) -> None:
        """Everything is projected, learnt from and settled: nothing is in a queue or due."""
        busy = True
        while busy:
            self._settle()
            waiting = {name.value: self._stack.received(name.value) for name in QueueName}
            busy = any(waiting.values())
            for name, bodies in waiting.items():
                for body in bodies:
                    self._work(name)(_message(body))

    def _said(self) -> Event:
        """A conversation was taken in, and its message has come."""
        self.quiet()
        self._agent.converse()
        return self._message("extract")

    def _learnt(self) -> Event:
        """A conversation was learnt from, and its changes have come."""
        self._work("extract")(self._said())
        return {"Records": self._waiting()}

    def _known(self) -> Event:
        """Facts were learnt and projected, and the message of one of them has come."""
        self._stack.invoke("index", self._learnt())
        return self._message("settle")

    def _recurring(self) -> str:
        """Episodes that matter were written in a domain of their own; gives its name."""
        domain = self._agent.domain(EPISODES)
        self._settle()
        return domain

    def _message(self, name: str) -> Event:
        """The first message that has come; the others are let go of, as others would take them."""
        bodies = self._stack.received(name)
        return _message(bodies[0])


def _message(body: str) -> Event:
    return {"Records": [{"messageId": "1", "body": body}]}
