"""The whole service in memory, driven through its handlers, with ports that fail as they are told.

Ids are the same in every run, so that what is found can be made smaller.
"""

import itertools
from collections.abc import Callable
from typing import Any

from functions.consolidate.app import handler as consolidate
from functions.extract.app import handler as extract
from functions.fade.app import handler as fade
from functions.forget.app import handler as forget
from functions.review.app import handler as review
from functions.settle.app import handler as settle
from functions.sweep.app import handler as sweep
from hindwise.adapters import pointers
from hindwise.domain.fading import Sweep
from hindwise.domain.ports import QueueName
from hindwise.domain.scope import Origin, Role, Scope
from hindwise.errors import HindwiseError
from hindwise.runtime.tools import Ulids
from tests.builders import principal, scope
from tests.integration.http_client import Client, Reply, World
from tests.lab import Killed
from tests.machine.faults import CALM, Fate, Wire, behind
from tests.machine.reasoner import DemoReasoner

WORKERS: dict[QueueName, Any] = {
    QueueName.EXTRACT: extract,
    QueueName.SETTLE: settle,
    QueueName.CONSOLIDATE: consolidate,
    QueueName.FORGET: forget,
    QueueName.REVIEW: review,
    QueueName.FADE: fade,
}
SCOPES = (scope("ada"), scope("bob"), scope("ada", "other"))


def people(tenant: str) -> dict[str, Client]:
    """A tenant's credentials: who speaks for users, who reports what tools said, who reviews."""
    return {
        "owner": Client(principal(tenant=tenant)),
        "tool": Client(principal(tenant=tenant, name="crawler", ceiling=Origin.TOOL)),
        "reviewer": Client(principal(tenant=tenant, name="judge", role=Role.REVIEWER)),
    }


class Plant:
    """Handlers, workers, schedules; every one may be struck by a blow."""

    def __init__(self) -> None:
        numbers = itertools.count(1)
        ids = Ulids(lambda size: (next(numbers) << 1).to_bytes(size))
        self.world = World(ids=ids)
        self.world.learn_with(DemoReasoner())
        self.truth = self.world.store
        self.wire = Wire()
        behind(self.wire, self.world)
        self.latest = self.world.clock()
        self.who = {tenant: people(tenant) for tenant in ("acme", "other")}

    def struck(
        self, act: Callable[[], Any], fate: Fate, meanwhile: Callable[[], None]
    ) -> Any | None:
        """What something comes to under a fate; None where it died of it."""
        self.wire.lay(fate, meanwhile)
        try:
            return act()
        except (Killed, HindwiseError):
            return None
        finally:
            self.wire.disarm()

    def send(
        self, whose: Scope, method: str, path: str, body: dict[str, Any] | None = None, **how: Any
    ) -> Reply:
        """A call of the API for a user, by one of the people of its tenant."""
        client = self.who[whose.tenant][how.pop("by", "owner")]
        named = {"user_id": whose.user}
        key = {"idempotency_key": how["key"]} if how.get("key") else {}
        if method in ("GET", "DELETE"):
            return client.send(method, path, query={**named, **(body or {})}, **key)
        return client.send(method, path, {**named, **(body or {})}, **key)

    def hand(self, name: QueueName, message: tuple[Scope, str]) -> bool:
        """Give a worker a message; tells whether it let go of it."""
        record = {"messageId": "m", "body": pointers.written(*message)}
        return bool(WORKERS[name]({"Records": [record]}, None) == {"batchItemFailures": []})

    def waiting(self, name: QueueName) -> list[tuple[Scope, str]]:
        """What has arrived in a queue."""
        now = self.world.clock()
        return [(whose, one) for at, whose, one in self.world.queues.waiting[name] if at <= now]

    def take(self, name: QueueName, number: int) -> tuple[Scope, str] | None:
        """Take one of the messages that have arrived, whichever; queues keep no order."""
        arrived = self.waiting(name)
        if not arrived:
            return None
        whose, one = arrived[number % len(arrived)]
        held = self.world.queues.waiting[name]
        held.remove(next(row for row in held if row[1:] == (whose, one)))
        return whose, one

    def minute(self) -> None:
        """What runs every minute."""
        sweep({}, None)

    def night(self, which: Sweep) -> None:
        """One of the nightly sweeps."""
        fade({"sweep": which.value}, None)

    def schedule(self, name: str) -> None:
        """What runs by schedule beside it."""
        if name == "consolidate":
            consolidate({}, None)
        else:
            review({"sweep": name}, None)

    def drain(self, rounds: int = 400) -> None:
        """Let everything come to its end, with nothing in the way, the clock put right first."""
        self.world.clock.now = max(self.latest, self.world.clock())
        for _ in range(rounds):
            self.minute()
            while any(self._delivered(name) for name in WORKERS):
                pass
            if not self._unfinished():
                return
            self.world.clock.forward(minutes=2)
        raise AssertionError("something is still waiting")

    def _delivered(self, name: QueueName) -> bool:
        message = self.take(name, 0)
        if message is not None:
            self.struck(lambda: self.hand(name, message), CALM, lambda: None)
        return message is not None

    def _unfinished(self) -> bool:
        if any(self.world.queues.waiting[name] for name in WORKERS):
            return True
        for home in self.truth.world.homes.values():
            jobs = any(job.open for job in home.jobs.values())
            receipts = any(one.open or one.next_at for one in home.receipts.values())
            idle = any(one.idle_at for one in home.conversations.values())
            if jobs or receipts or idle or home.changes:
                return True
        return False
