"""The contract's backends as fixtures: a fresh table for each test."""

from collections.abc import Iterator
from itertools import count
from typing import TYPE_CHECKING

import pytest

from hindwise.adapters.dynamodb.client import connect
from tests.contract.backends import Backend, in_memory, on_dynamodb
from tests.ministack import MiniStack, create_table

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

_tables = count(1)


@pytest.fixture(scope="session")
def dynamodb(ministack: MiniStack) -> Iterator["DynamoDBClient"]:
    """A client of the emulated DynamoDB."""
    client = connect(ministack.endpoint, session=ministack.session)
    yield client
    client.close()


@pytest.fixture
def table(dynamodb: "DynamoDBClient") -> str:
    """A table of the test's own."""
    name = f"memories-{next(_tables)}"
    create_table(dynamodb, name)
    return name


@pytest.fixture(params=["memory", pytest.param("ministack", marks=pytest.mark.ministack)])
def backend(request: pytest.FixtureRequest) -> Backend:
    """Each test runs on the fakes and on the adapters."""
    if request.param == "memory":
        return in_memory()
    return on_dynamodb(request.getfixturevalue("dynamodb"), request.getfixturevalue("table"))
