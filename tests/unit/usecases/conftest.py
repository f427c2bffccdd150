import pytest

from tests.unit.usecases.desk import Desk


@pytest.fixture
def desk() -> Desk:
    return Desk()
