"""Forgetting on the emulated AWS and a real search node: real wiring, handlers, queues, indexes."""

import base64
import json
import os
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest import mock

import boto3

from functions.extract.app import handler as extract
from functions.forget.app import handler as forget
from functions.index.app import handler as index
from hindwise.domain.ports import QueueName
from hindwise.domain.scope import Scope
from hindwise.runtime.forgetting import worker_of
from hindwise.runtime.wiring import Wiring, use_wiring
from hindwise.usecases.forget_job import work
from infra.local.search_node import NodeFailed
from tests import ministack
from tests.canaries import planted, sightings
from tests.integration.http_client import Client
from tests.integration.test_http_on_dynamodb import changes, make_table
from tests.lab import Killed, Port, Tripwire, die

CALL_SECONDS = 120
Row = dict[str, Any]


@dataclass(frozen=True)
class Real:
    """A stage on emulators."""

    wired: Wiring
    queues: dict[str, str]
    backend: str
    node: str


@contextmanager
def real_stage(folder: Path) -> Iterator[Real]:
    """A stage with a table, buckets, queues, and a search node where one can run."""
    with ExitStack() as cleanup:
        aws = cleanup.enter_context(ministack.started(folder / "ministack.log"))
        credentials = aws.session.get_credentials()
        assert credentials is not None
        given = {
            "AWS_ACCESS_KEY_ID": credentials.access_key, "AWS_SECRET_ACCESS_KEY": "test",
            "AWS_DEFAULT_REGION": "eu-central-1", "AWS_ENDPOINT_URL": aws.endpoint,
        }  # fmt: skip
        cleanup.enter_context(mock.patch.dict(os.environ, given))
        node = _node(cleanup)
        make_table("memories")
        where: Any = {"LocationConstraint": "eu-central-1"}
        for bucket in ("blobs", "blobs-receipts"):
            boto3.client("s3").create_bucket(Bucket=bucket, CreateBucketConfiguration=where)
        names = [f"{name}{end}" for name in QueueName for end in ("", "-dlq")] + ["access"]
        sqs = boto3.client("sqs")
        urls = {name: sqs.create_queue(QueueName=name)["QueueUrl"] for name in names}
        env = {
            "STAGE": "bench", "MEMORY_TABLE": "memories", "EMBEDDER": "hashed",
            "SECRET_FILE": str(folder / "secret"), "ACCESS_QUEUE_URL": urls["access"],
            "MEMORY_BUCKET": "blobs", "AWS_ENDPOINT_URL": aws.endpoint,
            "WORK_QUEUES": urls["extract"].removesuffix("extract"),
        }  # fmt: skip
        if node:
            env |= {"SEARCH_BACKEND": "opensearch", "OPENSEARCH_ENDPOINT": node}
        wired = cleanup.enter_context(use_wiring(Wiring(env)))
        assert isinstance(wired, Wiring)
        yield Real(wired, urls, "ministack, opensearch" if node else "ministack", node)


def _node(cleanup: ExitStack) -> str:
    from tests.opensearch_node import started

    try:
        return cleanup.enter_context(started("bench", heap="512m")).endpoint
    except NodeFailed as error:
        print(f"without OpenSearch: {error}", file=sys.stderr)
        return ""


def real_run(stage: Real, kill: int) -> tuple[int, float]:
    """Plant, forget, be killed once, go on; how many places still hold a canary, after how long."""
    who = f"u-{kill}"
    _plant(stage, who)
    assert sightings(_kept(stage))
    began = time.monotonic()
    body = {"user_id": who, "all": True, "dry_run": False}
    begun = Client().send("POST", "/v1/forget", body)
    assert begun.status == 202, begun.body
    _killed(stage, Scope(tenant="acme", user=who), begun.body["id"], kill)
    while time.monotonic() - began < CALL_SECONDS:
        _pump(stage)
        found = Client().send("GET", begun.headers["location"], query={"user_id": who}).body
        if found["state"] == "complete":
            break
        time.sleep(0.2)
    assert found["state"] == "complete", found
    return len(sightings(_kept(stage))), time.monotonic() - began


def _plant(stage: Real, who: str) -> None:
    for body in planted():
        reply = Client().send("POST", "/v1/memories", {"user_id": who, **body})
        assert reply.status in (200, 201, 202), reply.body
    words = planted()[0]["content"]
    told = {"user_id": who, "id": "s1", "messages": [{"role": "user", "content": words}]}
    assert Client().send("POST", "/v1/conversations", told).status == 202
    _pump(stage)
    told = {"user_id": who, "id": "s2", "messages": [{"role": "user", "content": f"So {words}"}]}
    assert Client().send("POST", "/v1/conversations", told).status == 202


def _killed(stage: Real, scope: Scope, receipt: str, kill: int) -> None:
    """Have the work killed at one of its calls; its lease is over when nobody waits any longer."""
    wire = Tripwire()
    wire.arm(kill * 3, die)
    real = worker_of(stage.wired)
    fields = ("receipts", "erasure", "records")
    parts = type(real.parts)(
        *(Port(getattr(real.parts, name), wire) for name in fields[:2]),
        real.parts.learning,
        Port(real.parts.records, wire),
    )
    fragile = type(real)(
        parts, Port(real.store, wire), real.tools, real.clock, real.users, real.rules, hands=1
    )
    try:
        work(scope, receipt, worker=fragile)
    except Killed:
        found = real.parts.receipts.get(scope, receipt)
        assert found is not None


def _pump(stage: Real) -> None:
    """What stream, queues and the sweep would bring."""
    for name, handler in (("extract", extract), ("forget", forget)):
        for record in _messages(stage.queues[name]):
            handler({"Records": [record]}, None)
    while (event := changes(stage.wired))["Records"]:
        index({"Records": event["Records"][:100]}, None)
    now = stage.wired.clock()
    assert stage.wired.trust.receipts is not None
    for scope, receipt in stage.wired.trust.receipts.due(now=now, limit=10):
        work(scope, receipt, worker=worker_of(stage.wired))


def _messages(url: str) -> list[Row]:
    sqs = boto3.client("sqs")
    found = sqs.receive_message(QueueUrl=url, MaxNumberOfMessages=10).get("Messages", [])
    for one in found:
        sqs.delete_message(QueueUrl=url, ReceiptHandle=one["ReceiptHandle"])
    return [{"messageId": one["MessageId"], "body": one["Body"]} for one in found]


def _kept(stage: Real) -> Iterator[tuple[str, bytes]]:
    """Every row, object and indexed document that the emulators hold."""
    pages = boto3.client("dynamodb").get_paginator("scan").paginate(TableName="memories")
    for page in pages:
        for item in page["Items"]:
            yield item["pk"]["S"] + " " + item["sk"]["S"][:2], repr(item).encode()
    s3 = boto3.client("s3")
    for bucket in ("blobs", "blobs-receipts"):
        for entry in s3.list_objects_v2(Bucket=bucket).get("Contents", []):
            yield entry["Key"], s3.get_object(Bucket=bucket, Key=entry["Key"])["Body"].read()
    if stage.node:
        query = json.dumps({"size": 1000, "query": {"match_all": {}}}).encode()
        asked = urllib.request.Request(
            f"{stage.node}/hindwise-*/_search", query, {"content-type": "application/json"}
        )
        with urllib.request.urlopen(asked, timeout=30) as answer:
            hits = json.load(answer)["hits"]["hits"]
        for hit in hits:
            text = json.dumps(hit["_source"], ensure_ascii=False)
            yield "index " + hit["_id"], text.encode() + base64.b64encode(text.encode())
