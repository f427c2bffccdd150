"""Two writers, one reader, and parts that fail.

Nothing is lost, and everything agrees again afterwards.
"""

import random
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from hindwise.adapters.embedded.index import EmbeddedIndex
from hindwise.adapters.embedded.table import TableIndex
from hindwise.errors import Unavailable
from hindwise.runtime.wiring import use_wiring
from hindwise.usecases.engine import Engine
from hindwise.usecases.project import UNINDEXED, project
from tests.builders import scope
from tests.integration.cases import Stage
from tests.integration.http_client import Client, World
from tests.integration.mapped_embedder import MappedEmbedder


class Switch:
    """Stands before a part and refuses every call while it is off."""

    def __init__(self, inner: Any) -> None:
        self.inner, self.off = inner, False

    def __getattr__(self, name: str) -> Callable[..., Any]:
        def call(*args: Any, **more: Any) -> Any:
            if self.off:
                raise Unavailable("let down by the test")
            return getattr(self.inner, name)(*args, **more)

        return call


class Plant(Stage):
    """A stage with an index of its own that can fail, and the table behind it."""

    index: Switch

    def truth(self, user: str = "u") -> dict[str, int]:
        """id → version of what has to be in the index."""
        page = self.world.store.page(scope(user), after=None, examine=1_000)
        return {one.id: one.version for one in page.memories if one.status not in UNINDEXED}

    def agrees(self, user: str = "u") -> bool:
        rows = self.world.projections.newest(scope(user), 1_000)
        indexed = self.index.inner.versions(scope(user))
        return self.truth(user) == indexed == {one.id: one.version for one in rows}

    def waiting(self, user: str = "u") -> int:
        return len(self.world.store.backlog(scope(user), 1_000).changes)


@pytest.fixture
def plant(monkeypatch: pytest.MonkeyPatch) -> Iterator[Plant]:
    monkeypatch.setenv("POWERTOOLS_METRICS_DISABLED", "true")
    world = World(MappedEmbedder())
    index = Switch(EmbeddedIndex(world.embedder.dimensions))
    table = world.engine.index
    world.engine = Engine(
        store=world.store,
        projections=world.projections,
        index=index,  # type: ignore[arg-type]
        embedder=world.embedder,
        access=world.access,
        fallback=table,
    )
    with use_wiring(world):
        made = Plant(world, world.embedder, Client())  # type: ignore[arg-type]
        made.index = index
        yield made


def busy(plant: Plant, rounds: int = 30, seed: int = 1) -> None:
    """Two writers at one user's memories: writes, edits, forgets.

    Each is found by the next request.
    """
    chance = random.Random(seed)
    known: dict[str, str] = {}
    for n in range(rounds):
        todo = chance.choice(["write", "write", "edit", "forget"]) if known else "write"
        one = chance.choice(sorted(known)) if known else ""
        word = f"marker{seed}x{n}"
        if todo == "write":
            known[plant.write(f"note {word}", session_id=f"s{n % 3}")] = word
        elif todo == "edit":
            assert plant.edit(one, content=f"changed {word}").status == 200
            known[one] = word
        else:
            path = f"/v1/memories/{one}"
            assert plant.client.send("DELETE", path, query={"user_id": "u"}).status == 200
            assert one not in plant.found(f"note {known.pop(one)}", top_k=100)
            continue
        assert plant.found(word)[0] in {known_id for known_id, w in known.items() if w == word}


def test_each_write_is_found_by_the_next_request_with_projection_stopped(plant: Plant) -> None:
    busy(plant)
    assert plant.waiting() > 20
    plant.project()
    assert plant.waiting() == 0 and plant.agrees()


def test_with_the_index_down_writes_succeed_and_the_backlog_drains_later(plant: Plant) -> None:
    busy(plant, 10)
    plant.project()
    plant.index.off = True
    during = plant.write("the lighthouse keeper called")
    plant.project()
    reply = plant.search("lighthouse")
    assert reply.status == 200 and reply.body["degraded"] is True
    assert reply.body["reasons"] == ["index"] and reply.body["results"][0]["id"] == during
    assert plant.context("lighthouse").body["degraded"] is True
    assert plant.waiting() > 0
    plant.index.off = False
    plant.project()
    assert plant.waiting() == 0 and plant.agrees()
    assert plant.search("lighthouse").body["degraded"] is False


def test_with_the_embedder_down_documents_wait_for_their_vectors(plant: Plant) -> None:
    plant.embedder.down = True
    busy(plant, 10)
    plant.project()
    assert plant.waiting() > 0 and plant.agrees()
    rows = plant.world.projections.newest(scope("u"), 100)
    assert rows and all(row.vector is None for row in rows)
    plant.embedder.down = False
    plant.project()
    rows = plant.world.projections.newest(scope("u"), 100)
    assert plant.waiting() == 0 and plant.agrees() and all(row.vector for row in rows)


def test_without_any_index_it_is_an_error_and_no_empty_answer(plant: Plant) -> None:
    plant.write("something")
    plant.index.off = True
    monkey = plant.world.engine
    plant.world.engine = Engine(
        store=monkey.store,
        projections=monkey.projections,
        index=monkey.index,
        embedder=monkey.embedder,
        access=monkey.access,
    )
    reply = plant.search("something")
    assert (reply.status, reply.error["code"]) == (503, "unavailable")
    assert "retry-after" in reply.headers


@pytest.mark.parametrize("seed", range(4))
def test_events_in_any_order_and_number_give_the_same_index(plant: Plant, seed: int) -> None:
    busy(plant, 25, seed)
    rows = [row for bucket in range(16) for row in plant.world.projections.dirty(bucket, 1_000)]
    chance = random.Random(seed)
    events = [row for row in rows for _ in range(chance.randint(1, 3))]
    chance.shuffle(events)
    while events:
        size = chance.randint(1, 7)
        batch, events = events[:size], events[size:]
        project(batch, engine=plant.world.engine, now=plant.world.clock())
    assert plant.waiting() == 0 and plant.agrees()


def test_what_is_beyond_the_newest_is_said_to_be_skipped(plant: Plant) -> None:
    index = TableIndex(
        plant.world.projections, plant.embedder.dimensions, clock=plant.world.clock, newest=5
    )
    plant.world.engine = Engine(
        store=plant.world.store,
        projections=plant.world.projections,
        index=index,
        embedder=plant.world.embedder,
        access=plant.world.access,
    )
    plant.many([f"story {n}" for n in range(4)])
    plant.project()
    assert plant.search("story").body["skipped"] == []
    plant.many([f"tale {n}" for n in range(4)])
    plant.project()
    plant.world.clock.forward(minutes=51)
    for reply in (plant.search("story"), plant.context("story")):
        assert reply.body["skipped"] == ["older_memories"]
