"""The metering client counts what DynamoDB would, from the rows as they were and became."""

from collections.abc import Iterator
from typing import Any

import boto3
import pytest
from moto import mock_aws

from bench.metered import MeteredClient, Units
from hindwise.adapters.dynamodb.expressions import beginning, indexed_under, key_of
from hindwise.adapters.dynamodb.table import Table
from tests.integration.test_http_on_dynamodb import make_table

NAME = "metered"


@pytest.fixture
def table(monkeypatch: pytest.MonkeyPatch) -> Iterator[Table]:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "none")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    monkeypatch.delenv("AWS_ENDPOINT_URL", raising=False)
    with mock_aws():
        make_table(NAME)
        yield Table(MeteredClient(boto3.client("dynamodb")), NAME, pause=lambda _: None)  # type: ignore[arg-type]


def metered(table: Table) -> Units:
    """Count from now on."""
    client: Any = table.client
    client.units = Units()
    return client.units


def row(sk: str, size: int = 100, **more: str) -> dict[str, Any]:
    texts = {name: {"S": text} for name, text in more.items()}
    return {**key_of(("p", sk)), "body": {"S": "a" * size}, **texts}


def test_writes_count_the_larger_image_and_the_indexes(table: Table) -> None:
    units = metered(table)
    assert table.put(row("a", 2000, w_pk="W", w_sk="1"), "attribute_not_exists(pk)")
    assert (units.written, units.indexed) == (2, 1)
    units = metered(table)
    assert table.update(("p", "a"), "SET body = :b", "attribute_exists(pk)", {":b": {"S": "x"}})
    assert (units.written, units.indexed) == (2, 0)
    units = metered(table)
    assert table.delete(("p", "a"), "attribute_exists(pk)", {":x": {"S": "x"}})
    assert (units.written, units.indexed) == (1, 1)
    assert dict(units.writes) == {"p": 1}
    assert dict(units.index_writes) == {"work W": 1}


def test_a_refused_write_is_billed_by_what_is_there(table: Table) -> None:
    table.put(row("a", 2500), "attribute_not_exists(pk)")
    units = metered(table)
    assert not table.put(row("a", 10), "attribute_not_exists(pk)")
    assert (units.written, units.calls["PutItem failed"]) == (3, 1)


def test_a_transaction_counts_twice_in_the_table_and_once_in_an_index(table: Table) -> None:
    units = metered(table)
    puts = [row("a", 10, l_pk="L", l_sk="1"), row("b", 1500)]
    assert table.transact([{"Put": {"TableName": NAME, "Item": one}} for one in puts], "t") is None
    assert (units.written, units.indexed) == (2 + 4, 1)
    units = metered(table)
    refused = {"ConditionExpression": "attribute_not_exists(pk)"}
    item: Any = {"Put": {"TableName": NAME, "Item": puts[1], **refused}}
    assert table.transact([item], "u") is not None
    assert (units.written, units.indexed) == (4, 0)


def test_reads_round_row_by_row_or_all_together(table: Table) -> None:
    for number in range(10):
        table.put(row(f"{number}", 900, w_pk="W", w_sk=str(number)), "attribute_not_exists(pk)")
    units = metered(table)
    assert len(table.get_many([("p", str(n)) for n in range(10)], "sk")) == 10
    assert table.get(("p", "none")) is None
    assert units.read == 10 + 1
    units = metered(table)
    query = beginning("p", "")
    query["ProjectionExpression"] = "pk, sk"
    assert len(list(table.rows(query))) == 10
    assert units.read == 3
    units = metered(table)
    assert len(list(table.rows(indexed_under("work", "W")))) == 10
    assert list(table.rows(indexed_under("work", "nothing"))) == []
    assert dict(units.reads) == {"work W": 0.5, "work nothing": 0.5}


def test_deletes_in_a_batch_are_counted_one_by_one(table: Table) -> None:
    table.put(row("a", 1500, w_pk="W", w_sk="1"), "attribute_not_exists(pk)")
    units = metered(table)
    table.delete_many([("p", "a"), ("p", "none")])
    assert (units.written, units.indexed) == (2 + 1, 1)


def test_what_is_asked_at_once_is_waited_for_once(table: Table) -> None:
    units = metered(table)
    table.spread(lambda n: table.get(("p", str(n))), range(9))
    table.get(("p", "x"))
    assert (units.calls["GetItem"], units.waits) == (10, 2 + 1)
