"""Fixtures that several suites share."""

from collections.abc import Iterator

import pytest

from tests import opensearch_node
from tests.ministack import MiniStack, started


@pytest.fixture(scope="session")
def ministack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[MiniStack]:
    """The emulated AWS, one for the session."""
    with started(tmp_path_factory.mktemp("ministack") / "log") as server:
        yield server


@pytest.fixture(scope="session")
def opensearch() -> Iterator[str]:
    """The endpoint of an OpenSearch node, one for the session: tests share it, each its indexes."""
    with opensearch_node.started("session") as node:
        yield node.endpoint
