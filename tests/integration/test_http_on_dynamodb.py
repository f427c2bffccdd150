"""The real wiring, once through: handlers, settings, table, secret and queue of an emulated AWS."""

import json

import boto3
import pytest
from moto import mock_aws
from samtranslator.yaml_helper import yaml_parse

from functions.index.app import handler as index
from functions.reinforce.app import handler as reinforce
from functions.sweep.app import handler as sweep
from hindwise.domain.drafts import Edit
from hindwise.runtime.wiring import Wiring, use_wiring
from tests.integration.http_client import Client
from tests.integration.test_http_openapi import TEMPLATE

ADA = {"user_id": "ada/张三"}


def make_table(name):
    resources = yaml_parse(TEMPLATE.read_text())["Resources"]
    declared = resources["MemoryTable"]["Properties"]
    wanted = ("AttributeDefinitions", "KeySchema", "GlobalSecondaryIndexes", "BillingMode")
    given = {key: declared[key] for key in wanted}
    boto3.client("dynamodb").create_table(TableName=name, **given)


def without_account(monkeypatch):
    """What an SDK wants to find set, none of it of an account."""
    given = {"AWS_ACCESS_KEY_ID": "t", "AWS_SECRET_ACCESS_KEY": "t", "POWERTOOLS_METRICS_DISABLED":
             "true", "AWS_DEFAULT_REGION": "eu-west-1"}  # fmt: skip
    for name, value in given.items():
        monkeypatch.setenv(name, value)
    monkeypatch.delenv("AWS_ENDPOINT_URL", raising=False)


@pytest.fixture
def wired(monkeypatch, tmp_path):
    without_account(monkeypatch)
    with mock_aws():
        make_table("memories")
        url = boto3.client("sqs").create_queue(QueueName="access")["QueueUrl"]
        where = {"LocationConstraint": "eu-west-1"}
        for bucket in ("blobs", "blobs-receipts"):
            boto3.client("s3").create_bucket(Bucket=bucket, CreateBucketConfiguration=where)
        env = {"STAGE": "test", "MEMORY_TABLE": "memories", "EMBEDDER": "hashed",
               "MEMORY_BUCKET": "blobs",
               "SECRET_FILE": str(tmp_path / "secret"), "ACCESS_QUEUE_URL": url}  # fmt: skip
        with use_wiring(Wiring(env)) as wired:
            yield wired


def changes(wired):
    items = boto3.client("dynamodb").scan(TableName="memories")["Items"]
    keys = [{"pk": item["pk"], "sk": item["sk"]} for item in items]
    return {
        "Records": [
            {"eventName": "INSERT", "dynamodb": {"Keys": key, "SequenceNumber": str(number)}}
            for number, key in enumerate(keys)
            if key["sk"]["S"].startswith("D#")
        ]
    }


def test_write_project_search_count_edit_forget(wired):
    client = Client()
    metadata = {"price": 12.65, "big": 12345678901234567890, "neg": -0.0, "nothing": None}
    body = {**ADA, "content": "订了周五去成都的机票", "metadata": metadata, "session_id": "s/1"}
    written = client.send("POST", "/v1/memories", body, idempotency_key="k")
    assert written.status == 201, written.body
    again = client.send("POST", "/v1/memories", body, idempotency_key="k")
    assert again.body == written.body
    path = f"/v1/memories/{written.body['id']}"
    assert client.send("GET", path, query=ADA).body["metadata"] == metadata

    def found(**more):
        reply = client.send("POST", "/v1/search", {**ADA, "query": "成都 机票", **more})
        assert reply.status == 200, reply.body
        return [hit["id"] for hit in reply.body["results"]]

    assert found() == [written.body["id"]]
    event = changes(wired)
    assert len(event["Records"]) == 1
    assert index(event, None) == {"batchItemFailures": []}
    assert changes(wired)["Records"] == []
    assert found(filters={"price": {"gte": 12.6, "lte": 12.7}}) == [written.body["id"]]

    sqs = boto3.client("sqs")
    url = sqs.get_queue_url(QueueName="access")["QueueUrl"]
    messages = sqs.receive_message(QueueUrl=url, MaxNumberOfMessages=10)["Messages"]
    records = [{"messageId": one["MessageId"], "body": one["Body"]} for one in messages]
    assert reinforce({"Records": records}, None) == {"batchItemFailures": []}
    assert client.send("GET", path, query=ADA).body["access_count"] >= 1

    edit = {**ADA, "reason": "moved", "content": "改订了周六去成都的机票"}
    assert client.send("PATCH", path, edit, if_match='"1"').body["version"] == 2
    assert sweep({}, None)["projected"] == 1
    listed = client.send("GET", "/v1/memories", query={**ADA, "limit": 1})
    assert [one["content"] for one in listed.body["results"]] == ["改订了周六去成都的机票"]
    history = client.send("GET", f"{path}/history", query=ADA)
    assert [one["version"] for one in history.body["versions"]] == [1]
    assert client.send("DELETE", path, query=ADA).status == 200
    assert found() == []
    assert "成都" not in json.dumps(
        boto3.client("dynamodb").scan(TableName="memories"), default=str
    )


def test_numbers_lists_and_slots_through_the_table(wired):
    client = Client()
    items = [{"content": f"note {n}", "importance": n / 10} for n in range(8)]
    assert client.send("POST", "/v1/memories", {**ADA, "items": items}).status == 201
    seen, cursor = [], {}
    while cursor is not None:
        query = {**ADA, "limit": 3, "min_importance": "0.3", **cursor}
        page = client.send("GET", "/v1/memories", query=query).body
        seen += [memory["importance"] for memory in page["results"]]
        cursor = {"cursor": page["next"]} if page["next"] else None
    assert seen == [0.7, 0.6, 0.5, 0.4, 0.3]
    slot = {"subject": "ada", "attribute": "city", "cardinality": "one"}
    for city in ("Oslo", "Rome"):
        body = {**ADA, "content": f"Lives in {city}", "value": city, **slot}
        assert client.send("POST", "/v1/memories", body).status == 201
    work = {**ADA, "content": "step 3", "task_id": "t/1", "key": "k"}
    assert client.send("POST", "/v1/memories", work).status == 201
    query = {**ADA, "kind": "working", "task_id": "t/1"}
    assert len(client.send("GET", "/v1/memories", query=query).body["results"]) == 1
    stats = client.send("GET", "/v1/stats", query=ADA).body
    assert stats["by_status"] == {"active": 9, "superseded": 1}


FULL = {"scene": "work", "valid_from": "2026-01-01T00:00:00Z",
        "valid_until": "2036-01-01T00:00:00Z",
        "tags": ["a"], "metadata": {"a": 1}}  # fmt: skip
KINDS = {
    "episodic": {"summary": "short", "outcome": {"result": "success"}, "session_id": "s"},
    "semantic": {"subject": "ada", "attribute": "city", "value": "Oslo", "type": "decision"},
    "working": {"task_id": "t", "key": "k"},
}


@pytest.mark.parametrize("kind", KINDS)
def test_no_null_in_an_edit_breaks_a_record(wired, kind):
    client = Client()
    body = {**ADA, "content": "Some words.", "kind": kind, **FULL, **KINDS[kind]}
    path = f"/v1/memories/{client.send('POST', '/v1/memories', body).body['id']}"
    cleared = set()
    for name in sorted(set(Edit.model_fields) - {"reason"}):
        reply = client.send("PATCH", path, {**ADA, "reason": "a test", name: None})
        assert reply.status == 200 or reply.error["details"]["field"] == name, reply.body
        assert reply.status in (200, 400)
        cleared |= {name} if reply.status == 200 else set()
        assert client.send("GET", path, query=ADA).status == 200
    assert {"scene", "valid_from", "valid_until"} <= cleared
    assert sweep({}, None)["failed"] == 0
    scratch = {"kind": "working"} if kind == "working" else {}
    [shown] = client.send("GET", "/v1/memories", query={**ADA, **scratch}).body["results"]
    assert (shown["content"], shown["tags"], shown["metadata"]) == ("Some words.", ["a"], {"a": 1})
    assert all(shown.get(name) is None for name in cleared)
    if kind != "working":
        assert client.send("GET", f"{path}/history", query=ADA).status == 200
        assert client.send("POST", "/v1/search", {**ADA, "query": "words"}).body["results"]
