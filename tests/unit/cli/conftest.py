"""The stub API as a fixture."""

from collections.abc import Iterator

import pytest

from tests.unit.cli.stub import Stub, serving


@pytest.fixture
def stub() -> Iterator[Stub]:
    with serving() as server:
        yield server
