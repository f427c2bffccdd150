"""A stage whose index is on a real node: the handlers in front, parts in memory behind it."""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import count
from threading import Event, Thread
from typing import Any
from uuid import uuid4

import httpx

from functions.sweep.app import sweep
from hindwise.adapters.embedded.table import TableIndex
from hindwise.adapters.embedders.hashed import HashedEmbedder
from hindwise.adapters.opensearch.client import NotThere
from hindwise.adapters.opensearch.domain import Domain
from hindwise.errors import Unavailable
from hindwise.runtime.wiring import use_wiring
from hindwise.usecases.engine import Engine
from hindwise.usecases.project import UNINDEXED
from tests.builders import scope
from tests.integration.cases import Stage
from tests.integration.http_client import Client, Reply, World

GONE = {"term": {"live": False}}
"""Tombstones."""
PATIENCE_SECONDS = 40.0


class Watched:
    """Stands before an index and keeps what its searches raised, and how long they took."""

    def __init__(self, index: Any) -> None:
        self.inner = index
        self.raised: list[Unavailable] = []
        self.seconds: list[float] = []

    def __getattr__(self, name: str) -> Callable[..., Any]:
        def call(*given: Any, **more: Any) -> Any:
            began = time.monotonic()
            try:
                return getattr(self.inner, name)(*given, **more)
            except Unavailable as error:
                self.raised += [error] if name == "nominate" else []
                raise
            finally:
                self.seconds += [time.monotonic() - began] if name == "nominate" else []

        return call

    @property
    def waited_for(self) -> int:
        """How many searches have asked the node and got no answer."""
        resting = [one for one in self.raised if one.details.get("resting")]
        return len(self.raised) - len(resting)

    @property
    def refused(self) -> int:
        """How many searches the node answered with an error."""
        return sum("status" in str(one) for one in self.raised)

    @property
    def missed(self) -> int:
        """How many searches have met no index."""
        return sum(isinstance(one, NotThere) for one in self.raised)


class SearchPlant(Stage):
    """`domain` is the index on the node; `user` names a scope of tenant acme."""

    domain: Domain
    index: Watched
    stage: str

    def sweep(self) -> None:
        """What the schedule does every minute."""
        sweep({})

    def whole(self, query: str, user: str = "u", **fields: Any) -> Reply:
        """A search that the index has answered, however cold or busy the node is."""
        end = time.monotonic() + PATIENCE_SECONDS
        while True:
            reply = self.search(query, user, **fields)
            assert reply.status == 200, reply.body
            if not reply.body["degraded"]:
                return reply
            assert time.monotonic() < end, reply.body["reasons"]
            time.sleep(0.05)

    def forget(self, memory_id: str, user: str = "u") -> None:
        query = {"user_id": user}
        path = f"/v1/memories/{memory_id}"
        assert self.client.send("DELETE", path, query=query).status == 200

    def waiting(self, user: str = "u") -> int:
        return len(self.world.store.backlog(scope(user), 1_000).changes)

    def truth(self, user: str = "u") -> dict[str, int]:
        """id → version of what has to be in the index."""
        page = self.world.store.page(scope(user), after=None, examine=1_000)
        return {one.id: one.version for one in page.memories if one.status not in UNINDEXED}

    def indexed(self, user: str = "u") -> dict[str, int]:
        """id → version of what is in the index."""
        end = time.monotonic() + PATIENCE_SECONDS
        while True:
            try:
                return self.domain.index.versions(scope(user))
            except Unavailable:
                assert time.monotonic() < end
                time.sleep(0.1)

    def agrees(self, *users: str) -> bool:
        """Whether index, projected rows and records are the same versions of the same memories."""
        for user in users or ("u",):
            rows = self.world.projections.newest(scope(user), 1_000)
            truth = self.truth(user)
            if not truth == {one.id: one.version for one in rows} == self.indexed(user):
                return False
        return True

    def entries(self, endpoint: str, query: dict[str, Any]) -> int:
        """How many entries of the index match, tombstones too."""
        alias = self.domain.alias.written
        httpx.post(f"{endpoint}/{alias}/_refresh", timeout=30).raise_for_status()
        answer = httpx.post(f"{endpoint}/{alias}/_count", json={"query": query}, timeout=30)
        return int(answer.raise_for_status().json()["count"])

    def use_node(self, endpoint: str, monotonic: Callable[[], float]) -> None:
        """Let an index on a node answer, and the table while it does not."""
        world, embedder = self.world, self.world.embedder
        self.stage = f"t-{uuid4().hex[:8]}"
        self.domain = Domain(endpoint, self.stage, embedder, clock=world.clock, monotonic=monotonic)
        self.index = Watched(self.domain.index)
        world.upkeep = self.domain.upkeep
        world.engine = Engine(
            store=world.store,
            projections=world.projections,
            index=self.index,  # type: ignore[arg-type]
            embedder=embedder,
            access=world.access,
            fallback=TableIndex(world.projections, embedder.dimensions, clock=world.clock),
        )


@contextmanager
def plant_at(endpoint: str, *, rests: bool = False) -> Iterator[SearchPlant]:
    """A stage on a node, its index filled; with `rests` the breakers know the real time."""
    seconds = count(step=60.0)
    with use_wiring(World(HashedEmbedder())) as world:
        plant = SearchPlant(world, world.embedder, Client())  # type: ignore[arg-type]
        plant.use_node(endpoint, time.monotonic if rests else lambda: next(seconds))
        plant.sweep()
        plant.whole("warm up")
        yield plant
        for name in plant.domain.alias.indexes():
            plant.domain.alias.remove(name)


@contextmanager
def at_work(*jobs: Callable[[int], None]) -> Iterator[None]:
    """Do each job again and again in a thread of its own; what one raises fails the test."""
    done, failures = Event(), list[BaseException]()

    def work(job: Callable[[int], None]) -> None:
        try:
            for number in count():
                if done.is_set():
                    return
                job(number)
                time.sleep(0.01)
        except BaseException as error:
            failures.append(error)

    threads = [Thread(target=work, args=(job,)) for job in jobs]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        done.set()
        for thread in threads:
            thread.join()
    if failures:
        raise failures[0]


def ids(reply: Reply) -> Sequence[str]:
    """The ids of an answer, best first."""
    return [str(one["id"]) for one in reply.body["results"]]
