"""A laboratory of learning: conversations, a worker, a sweep, and a clock that goes on by itself.

Every port that the worker calls can be made to do something at its n-th call: to die before or
after it, or to let something else happen first.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any, cast

from hindwise.domain.call import Call, Tools
from hindwise.domain.conversation import Conversation, Message, SpeakerRole, turn_id
from hindwise.domain.jobs import Job
from hindwise.domain.learning_rules import LearningRules
from hindwise.domain.memory import Episode, SemanticMemory
from hindwise.domain.ports import QueueName, Reasoner
from hindwise.domain.talk import Sent, Talk
from hindwise.runtime.tools import Ulids
from hindwise.usecases.claims import Worker
from hindwise.usecases.converse import Taken, converse
from hindwise.usecases.extract import extract
from hindwise.usecases.learning import Learning
from hindwise.usecases.ledger import Ledger
from hindwise.usecases.resend import Resent, resend
from hindwise.usecases.transcript import Transcript
from tests.builders import principal, scope
from tests.contract.backends import Backend, in_memory
from tests.contract.blobs_fake import FakeBlobs
from tests.fakes import FixedSeal, InMemoryStore, InstantPatience
from tests.memory_queues import InMemoryBudget, InMemoryQueues


class Killed(BaseException):
    """The process is gone: nothing in it can catch this."""


class Tripwire:
    """Counts the calls of all ports it is laid in front of, and does something at one of them."""

    def __init__(self) -> None:
        self.calls = 0
        self.names: list[str] = []
        self.armed: tuple[int, Callable[[], None], bool] | None = None

    def arm(self, call: int, act: Callable[[], None], *, after: bool = False) -> None:
        """Do `act` before (or after) the call with this number, counted from 1 from now on."""
        self.calls, self.names = 0, []
        self.armed = (call, act, after)

    def disarm(self) -> None:
        self.armed = None

    def before(self, name: str) -> None:
        self.calls += 1
        self.names.append(name)
        self._trip(after=False)

    def after(self) -> None:
        self._trip(after=True)

    def _trip(self, *, after: bool) -> None:
        if self.armed is None or (self.armed[0], self.armed[2]) != (self.calls, after):
            return
        act, self.armed = self.armed[1], None
        act()


class Port:
    """A port behind the tripwire."""

    def __init__(self, real: Any, wire: Tripwire) -> None:
        self._real, self._wire = real, wire

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._real, name)
        if not callable(found):
            return found

        def call(*args: Any, **given: Any) -> Any:
            self._wire.before(f"{type(self._real).__name__}.{name}")
            answer = found(*args, **given)
            self._wire.after()
            return answer

        return call


def die() -> None:
    raise Killed


class Lab:
    """Everything in memory, or on a given backend, but the model, which is whatever it is given."""

    def __init__(
        self, reasoner: Reasoner | None = None, *, backend: Backend | None = None, **rules: Any
    ) -> None:
        self.ids = Ulids()
        backend = backend or in_memory()
        self.clock, self.store = backend.clock, cast(InMemoryStore, backend.store)
        self.spoke: set[str] = set()
        self.queues, self.blobs = InMemoryQueues(self.clock), FakeBlobs()
        self.tools = Tools(new_id=self.ids, seal=FixedSeal(), patience=InstantPatience)
        told = LearningRules(llm_configured=reasoner is not None, **rules)
        self.learning = Learning(
            conversations=backend.conversations,
            jobs=backend.jobs,
            blobs=self.blobs,
            queues=self.queues,
            reasoner=reasoner,
            budget=InMemoryBudget(told.daily_calls, told.daily_tokens),
            rules=told,
        )
        self.wire = Tripwire()
        self.worker = Worker(self.learning, self.store, self.tools, self.clock)

    def fragile(self) -> Worker:
        """The worker with every port behind the tripwire."""

        def wired(port: Any) -> Any:
            return None if port is None else Port(port, self.wire)

        learning = replace(
            self.learning,
            conversations=wired(self.learning.conversations),
            jobs=wired(self.learning.jobs),
            blobs=wired(self.learning.blobs),
            queues=wired(self.learning.queues),
            reasoner=wired(self.learning.reasoner),
            budget=wired(self.learning.budget),
        )
        return replace(self.worker, learning=learning, store=wired(self.store))

    def ledger(self, user: str = "ada", **who: Any) -> Ledger:
        call = Call(scope=scope(user), principal=principal(**who), now=self.clock())
        return Ledger(call=call, store=self.store, tools=self.tools)

    def say(self, *said: str | Sent, user: str = "ada", **talk: Any) -> Taken:
        """Take in a conversation: users and assistants by turns, unless it is said who speaks."""
        self.spoke.add(user)
        roles = (SpeakerRole.USER, SpeakerRole.ASSISTANT)
        sent = tuple(
            Sent(role=roles[number % 2], text=one) if isinstance(one, str) else one
            for number, one in enumerate(said)
        )
        given = Talk(**{"id": "c1", "end": True, "messages": sent, **talk})
        return converse(given, ledger=self.ledger(user), learning=self.learning)

    def take(self) -> tuple[Any, str] | None:
        """The next message that has arrived."""
        return self.queues.take(QueueName.EXTRACT)

    def deliver(self, most: int = 1_000) -> int:
        """Have what has arrived worked on, what follows from it included; tells how many."""
        done = 0
        while done < most and (message := self.take()):
            extract(*message, worker=self.worker)
            done += 1
        return done

    def sweep(self) -> Resent:
        return resend(worker=self.worker, until=self.clock() + timedelta(seconds=45))

    def settle(self, *, sweeping: bool = True, minutes: int = 3_000) -> None:
        """Let time pass, a minute a step where something waits, until nothing is left to do."""
        for _ in range(minutes):
            self.deliver()
            if sweeping:
                self.sweep()
                self.deliver()
            if not self.waiting():
                return
            self.clock.forward(minutes=1)
        raise AssertionError("something is still waiting")

    def waiting(self) -> bool:
        """Tell whether a message is on its way, or a job is open."""
        open_jobs = any(job.open for user in self.users() for job in self.jobs(user))
        return bool(self.queues.waiting[QueueName.EXTRACT]) or open_jobs

    def users(self) -> list[str]:
        return sorted(self.spoke)

    def jobs(self, user: str = "ada") -> list[Job]:
        """Oldest first."""
        return self.learning.jobs.page(scope(user), after=None, limit=1_000)[::-1]

    def job(self, taken: Taken, user: str = "ada") -> Job:
        found = self.learning.jobs.get(scope(user), taken.job_id or "")
        assert found is not None
        return found

    def talk(self, conversation_id: str = "c1", user: str = "ada") -> Conversation:
        found = self.learning.conversations.get(scope(user), conversation_id)
        assert found is not None
        return found

    def memories(self, user: str = "ada") -> list[Episode | SemanticMemory]:
        """Oldest id first."""
        page = self.store.page(scope(user), after=None, examine=1_000)
        return list(page.memories)[::-1]

    def episodes(self, user: str = "ada") -> list[Episode]:
        found = [one for one in self.memories(user) if isinstance(one, Episode)]
        return sorted(found, key=lambda one: (one.session_id or "", one.seq or 0))

    def learnt(self, user: str = "ada") -> list[SemanticMemory]:
        return [one for one in self.memories(user) if isinstance(one, SemanticMemory)]

    def contents(self, user: str = "ada") -> list[str]:
        return sorted(one.content for one in self.learnt(user))

    def turns(self, conversation_id: str = "c1", user: str = "ada") -> Sequence[Message]:
        said = Transcript(self.learning.conversations, self.blobs)
        return said.turns(scope(user), conversation_id, 1, 10_000)

    def turn_ids(self, conversation_id: str = "c1", user: str = "ada") -> list[str]:
        turns = self.turns(conversation_id, user)
        return [turn_id(scope(user), conversation_id, one) for one in turns]

    def buried(self) -> list[str]:
        return [letter.id for _, letter in self.queues.dead[QueueName.EXTRACT]]


def at(text: str) -> datetime:
    """An aware datetime from RFC 3339."""
    return datetime.fromisoformat(text)


def sent(
    text: str, *, role: str = "user", when: str | None = None, name: str | None = None
) -> Sent:
    """A message, said by a user unless it is told otherwise."""
    return Sent(role=SpeakerRole(role), text=text, name=name, at=at(when) if when else None)
