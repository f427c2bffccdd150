"""The contract's backends as fixtures: a fresh table, queue and bucket for each test.

Their names are this run's own and they are deleted afterwards: the server may be somebody else's.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from secrets import token_hex
from typing import TYPE_CHECKING, Any

import pytest

from hindwise.adapters.dynamodb.client import connect
from tests.contract.backends import Backend, in_memory, on_dynamodb
from tests.contract.search_indexes import GUARDED, INDEXES, Arranged
from tests.ministack import MiniStack, create_table

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient
    from mypy_boto3_s3 import S3Client

_numbers = count(1)
_run = token_hex(4)


def fresh(kind: str) -> str:
    """A name that nothing else has."""
    return f"contract-{_run}-{kind}-{next(_numbers)}"


@pytest.fixture(scope="session")
def dynamodb(ministack: MiniStack) -> Iterator["DynamoDBClient"]:
    """A client of the emulated DynamoDB."""
    client = connect(ministack.endpoint, session=ministack.session)
    yield client
    client.close()


@pytest.fixture
def table(dynamodb: "DynamoDBClient") -> Iterator[str]:
    """A table of the test's own."""
    with a_table(dynamodb) as name:
        yield name


@pytest.fixture(scope="module")
def shared_table(dynamodb: "DynamoDBClient") -> Iterator[str]:
    """A table for all tests of a module."""
    with a_table(dynamodb) as name:
        yield name


@contextmanager
def a_table(dynamodb: "DynamoDBClient") -> Iterator[str]:
    """A table with a name of its own, as long as it is needed."""
    name = fresh("memories")
    create_table(dynamodb, name)
    dynamodb.get_waiter("table_exists").wait(TableName=name, WaiterConfig={"Delay": 1})
    try:
        yield name
    finally:
        dynamodb.delete_table(TableName=name)


@pytest.fixture
def bucket(ministack: MiniStack) -> Iterator[tuple["S3Client", str]]:
    """A client and a bucket of the test's own."""
    client = ministack.session.client("s3", endpoint_url=ministack.endpoint)
    name = fresh("blobs")
    where: Any = {"LocationConstraint": ministack.session.region_name}
    client.create_bucket(Bucket=name, CreateBucketConfiguration=where)
    yield client, name
    for page in client.get_paginator("list_objects_v2").paginate(Bucket=name):
        for found in page.get("Contents", []):
            client.delete_object(Bucket=name, Key=found["Key"])
    client.delete_bucket(Bucket=name)
    client.close()


@pytest.fixture(params=["memory", pytest.param("ministack", marks=pytest.mark.ministack)])
def backend(request: pytest.FixtureRequest) -> Backend:
    """Each test runs on the fakes and on the adapters."""
    if request.param == "memory":
        return in_memory()
    return on_dynamodb(request.getfixturevalue("dynamodb"), request.getfixturevalue("table"))


@pytest.fixture(params=INDEXES, ids=lambda make: make.__name__)
def at(request: pytest.FixtureRequest) -> Iterator[Arranged]:
    """Each test runs on every search index."""
    with request.param(request) as arranged:
        yield arranged


@pytest.fixture(params=GUARDED, ids=lambda make: make.__name__)
def guarded(request: pytest.FixtureRequest) -> Iterator[Arranged]:
    """Each test runs on the search indexes that compare versions themselves."""
    with request.param(request) as arranged:
        yield arranged
