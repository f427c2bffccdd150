"""Fixtures that several suites share."""

from collections.abc import Iterator

import pytest

from tests import opensearch_node
from tests.ministack import MiniStack, elsewhere, started


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--endpoint", help="an emulated AWS that runs already, for contract tests")


@pytest.fixture(scope="session")
def ministack(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[MiniStack]:
    """The emulated AWS, one for the session."""
    if endpoint := request.config.getoption("--endpoint"):
        yield elsewhere(endpoint)
        return
    with started(tmp_path_factory.mktemp("ministack") / "log") as server:
        yield server


@pytest.fixture(scope="session")
def opensearch() -> Iterator[str]:
    """The endpoint of an OpenSearch node, one for the session: tests share it, each its indexes."""
    with opensearch_node.started("session") as node:
        yield node.endpoint
