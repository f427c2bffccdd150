"""A node that is killed or frozen while memories are written and searched.

No search fails nor waits long, what was written meanwhile is found, and afterwards the index holds
what the table holds.
"""

import logging
import os
import signal
import time
from collections.abc import Iterator
from dataclasses import dataclass, field

import pytest

from hindwise.adapters.opensearch.client import CONNECT_SECONDS, SEARCH_SECONDS
from infra.local.search_node import SearchNode
from tests.integration.http_client import Reply
from tests.integration.search_plant import SearchPlant, at_work, ids, plant_at
from tests.opensearch_node import started

pytestmark = pytest.mark.opensearch
REST_SECONDS = 5.0
SLOWEST_SECONDS = CONNECT_SECONDS + SEARCH_SECONDS + 2.0
"""What a search waits for the node at most, with room for a busy machine."""
SEARCHERS = 2


@pytest.fixture(scope="module")
def node() -> Iterator[SearchNode]:
    with started("faults") as running:
        yield running


@pytest.fixture
def plant(node: SearchNode, monkeypatch: pytest.MonkeyPatch) -> Iterator[SearchPlant]:
    monkeypatch.setenv("POWERTOOLS_METRICS_DISABLED", "true")
    with plant_at(node.endpoint, rests=True) as made:
        yield made


@dataclass
class Traffic:
    """Writers, searchers and projection at one user's memories."""

    plant: SearchPlant
    written: list[str] = field(default_factory=list)
    replies: list[Reply] = field(default_factory=list)

    def write(self, number: int) -> None:
        memory_id = self.plant.write(f"note number {number} of the xylophone")
        self.written.append(memory_id)
        if number % 3 == 1:
            self.plant.edit(memory_id, content=f"changed note {number}")
        if number % 4 == 1:
            self.plant.forget(memory_id)
        time.sleep(0.05)

    def search(self, number: int) -> None:
        self.replies.append(self.plant.search("note of the xylophone"))

    def project(self, number: int) -> None:
        self.plant.project()

    def during(self, seconds: float) -> list[Reply]:
        """The replies of the time from now on."""
        before = len(self.replies)
        time.sleep(seconds)
        return self.replies[before + SEARCHERS :]

    def until_whole(self) -> None:
        """Let the traffic go on until the index answers again."""
        end = time.monotonic() + 60
        while self.replies[-1].body["degraded"]:
            assert time.monotonic() < end
            time.sleep(0.1)


def test_killed_and_started_again(
    plant: SearchPlant, node: SearchNode, caplog: pytest.LogCaptureFixture
) -> None:
    for name in ("", "opensearch", "urllib3"):
        caplog.set_level(logging.DEBUG, logger=name)
    traffic = Traffic(plant)
    work = [traffic.write, traffic.project, *[traffic.search] * SEARCHERS]
    with at_work(*work):
        traffic.during(1.0)
        traffic.until_whole()
        plant.index.raised.clear()
        node.kill()
        began = time.monotonic()
        down = traffic.during(2.0)
        node.start()
        seconds = time.monotonic() - began
        traffic.until_whole()
    answered(traffic, plant)
    assert len(down) > 10 and all(one.body["reasons"] == ["index"] for one in down)
    assert plant.index.waited_for <= SEARCHERS + (seconds + 60) / REST_SECONDS
    caught_up(plant)
    assert "xylophone" not in caplog.text


def test_frozen_and_woken(plant: SearchPlant, node: SearchNode) -> None:
    traffic = Traffic(plant)
    work = [traffic.write, traffic.project, *[traffic.search] * SEARCHERS]
    assert node.pid is not None
    with at_work(*work):
        traffic.during(1.0)
        traffic.until_whole()
        plant.index.raised.clear()
        os.kill(node.pid, signal.SIGSTOP)
        try:
            down = traffic.during(2 * REST_SECONDS)
            paid = plant.index.waited_for
        finally:
            os.kill(node.pid, signal.SIGCONT)
        traffic.until_whole()
    answered(traffic, plant)
    assert len(down) > 20 and all(one.body["reasons"] == ["index"] for one in down)
    assert 1 <= paid <= SEARCHERS + 3, "one search in five seconds pays, the others go without"
    caught_up(plant)


def answered(traffic: Traffic, plant: SearchPlant) -> None:
    """No search has failed, come back empty or waited long for the node."""
    assert {one.status for one in traffic.replies} == {200}
    assert all(one.body["results"] for one in traffic.replies[-100:])
    assert max(plant.index.seconds) < SLOWEST_SECONDS


def caught_up(plant: SearchPlant) -> None:
    """The backlog drains, and index and table hold the same."""
    end = time.monotonic() + 30
    while plant.waiting():
        assert time.monotonic() < end
        plant.sweep()
        time.sleep(0.2)
    assert plant.agrees() and len(plant.truth()) > 5
    last = plant.write("the very last one")
    plant.project()
    assert last in ids(plant.whole("very last one"))
