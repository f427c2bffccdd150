from collections.abc import Iterator

import pytest

from hindwise.runtime.wiring import use_wiring
from tests.integration.http_client import Client, World


@pytest.fixture
def world(monkeypatch: pytest.MonkeyPatch) -> Iterator[World]:
    monkeypatch.setenv("POWERTOOLS_METRICS_DISABLED", "true")
    with use_wiring(World()) as world:
        yield world


@pytest.fixture
def client(world: World) -> Client:
    return Client()
