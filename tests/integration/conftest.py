from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from hindwise.runtime.wiring import use_wiring
from infra.local.emulator import free_port
from tests.integration.cases import Stage
from tests.integration.http_client import Client, World
from tests.integration.mapped_embedder import MappedEmbedder
from tests.integration.search_plant import SearchPlant, plant_at
from tests.local_dev import Dev


@pytest.fixture
def world(monkeypatch: pytest.MonkeyPatch) -> Iterator[World]:
    monkeypatch.setenv("POWERTOOLS_METRICS_DISABLED", "true")
    with use_wiring(World()) as world:
        yield world


@pytest.fixture
def client(world: World) -> Client:
    return Client()


@pytest.fixture(params=["projected", "unprojected"])
def stage(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[Stage]:
    """A stage on which searches run after projection, and once more with projection stopped."""
    monkeypatch.setenv("POWERTOOLS_METRICS_DISABLED", "true")
    embedder = MappedEmbedder()
    with use_wiring(World(embedder)) as world:
        if request.param == "unprojected":
            monkeypatch.setattr(world, "project", lambda: None)
        yield Stage(world, embedder, Client())


@pytest.fixture
def run() -> Iterator[Callable[..., Dev]]:
    """Starts dev servers, and stops those that are left."""
    started: list[Dev] = []

    def start(data: Path, port: int | None = None, *options: str, **env: str) -> Dev:
        started.append(Dev(data, port or free_port(), *options, **env))
        return started[-1]

    yield start
    for dev in started:
        if dev.process.poll() is None:
            dev.stop()
        dev.process.communicate()


@pytest.fixture
def plant(opensearch: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[SearchPlant]:
    """A stage that searches the session's node."""
    monkeypatch.setenv("POWERTOOLS_METRICS_DISABLED", "true")
    with plant_at(opensearch) as made:
        yield made
