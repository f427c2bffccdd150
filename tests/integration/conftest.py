from collections.abc import Iterator

import pytest

from hindwise.runtime.wiring import use_wiring
from tests.integration.cases import Stage
from tests.integration.http_client import Client, World
from tests.integration.mapped_embedder import MappedEmbedder


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
