"""Forgetting on the emulated AWS and a real search node: real wiring, handlers, queues, indexes."""

import json
import os
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest import mock

import boto3

from bench import trust_forget_kept
from functions.consolidate.app import handler as consolidate
from functions.extract.app import handler as extract
from functions.forget.app import handler as forget
from functions.index.app import handler as index
from functions.settle.app import handler as settle
from functions.sweep.app import handler as sweep
from hindwise.adapters.s3 import scope_prefix
from hindwise.domain.ports import QueueName
from hindwise.domain.scope import Scope
from hindwise.runtime.wiring import Wiring, use_wiring
from infra.local.fake_llm import FakeLlm
from infra.local.search_node import NodeFailed
from tests import ministack
from tests.canaries import Logged, laid_out, sightings
from tests.integration.canary_plant import AT_ONCE, plant, teach
from tests.integration.forgetting_lab import fragile
from tests.integration.http_client import Client, Reply
from tests.integration.test_http_on_dynamodb import changes, make_table
from tests.lab import Killed, Tripwire, die

CALL_SECONDS = 120
EVERY = 5
"""So many calls of ports are between the deaths of two runs."""
WORKERS = {"extract": extract, "settle": settle, "consolidate": consolidate, "forget": forget}
PLACES = ("M#", "conversations/", "archive/")
INDEXED = ("index words", "index facts")
Row = dict[str, Any]


@dataclass(frozen=True)
class Real:
    """A stage on emulators."""

    wired: Wiring
    queues: dict[str, str]
    node: str
    sent: list[str]
    logged: list[str]

    @property
    def backend(self) -> str:
        return "ministack, opensearch" if self.node else "ministack"

    @property
    def places(self) -> tuple[str, ...]:
        """Where a canary has to be seen before it is looked for afterwards."""
        return PLACES + INDEXED if self.node else PLACES


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
        llm = cleanup.enter_context(FakeLlm())
        teach(llm)
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
            "RULES": json.dumps({"fading": AT_ONCE.model_dump(mode="json")}),
            "LLM_MODEL": "scripted-model", "LLM_BASE_URL": llm.url, "LLM_API_KEY": "k",
        }  # fmt: skip
        if node:
            env |= {"SEARCH_BACKEND": "opensearch", "OPENSEARCH_ENDPOINT": node}
        wired = cleanup.enter_context(use_wiring(Wiring(env)))
        assert isinstance(wired, Wiring)
        sent = cleanup.enter_context(trust_forget_kept.sent_to_queues())
        logged = cleanup.enter_context(Logged())
        yield Real(wired, urls, node, sent, logged.records)


def _node(cleanup: ExitStack) -> str:
    from tests.opensearch_node import started

    try:
        return cleanup.enter_context(started("bench", heap="512m")).endpoint
    except NodeFailed as error:
        print(f"without OpenSearch: {error}", file=sys.stderr)
        return ""


def real_run(stage: Real, number: int) -> tuple[int, float]:
    """Plant, forget, be killed once, go on; how many places still hold a canary, after how long.

    Each run is killed at a later call of a port, every other one after it.
    """
    who = f"u-{number}"
    plant(who, lambda: _pump(stage))
    _pump(stage)
    seen = " ".join(sightings(kept(stage)))
    assert all(place in seen for place in stage.places), seen
    there = _counted(who)
    began = time.monotonic()
    body = {"user_id": who, "all": True, "dry_run": False}
    begun = Client().send("POST", "/v1/forget", body)
    assert begun.status == 202, begun.body
    wire = Tripwire()
    wire.arm(1 + EVERY * number, die, after=number % 2 == 1)
    with fragile(wire):
        while (found := _receipt(begun, who))["state"] != "complete":
            assert time.monotonic() - began < CALL_SECONDS, found
            with suppress(Killed):
                _pump(stage)
    seconds = time.monotonic() - began
    assert wire.armed is None, "nothing was killed"
    assert {name: found["counts"].get(name) for name in there} == there, (found, there)
    return len(sightings(kept(stage))), seconds


def _receipt(begun: Reply, who: str) -> Row:
    found: Row = Client().send("GET", begun.headers["location"], query={"user_id": who}).body
    return found


def _counted(who: str) -> dict[str, int]:
    """How much there is of a user, as nobody counts it who forgets."""
    keys = [(row["pk"]["S"], row["sk"]["S"]) for row in trust_forget_kept.rows()]
    mine = f"T#acme#U#{who}"
    folder = scope_prefix(Scope(tenant="acme", user=who))
    return {
        "memories": sum(pk == mine and sk.startswith("M#") for pk, sk in keys),
        "versions": sum(pk == f"{mine}#H" for pk, _ in keys),
        "vectors": sum(pk.startswith(f"{mine}#V") for pk, _ in keys),
        "objects": sum(name.startswith(folder) for name, _ in trust_forget_kept.objects()),
    }


def _pump(stage: Real) -> None:
    """What stream, queues and the sweep would bring."""
    while (event := changes(stage.wired))["Records"]:
        index({"Records": event["Records"][:100]}, None)
    for name, handler in WORKERS.items():
        for record in _messages(stage.queues[name]):
            handler({"Records": [record]}, None)
    sweep({}, None)


def _messages(url: str) -> list[Row]:
    sqs = boto3.client("sqs")
    found = sqs.receive_message(QueueUrl=url, MaxNumberOfMessages=10).get("Messages", [])
    for one in found:
        sqs.delete_message(QueueUrl=url, ReceiptHandle=one["ReceiptHandle"])
    return [{"messageId": one["MessageId"], "body": one["Body"]} for one in found]


def kept(stage: Real) -> Iterator[tuple[str, bytes]]:
    """All that there is of anybody."""
    for item in trust_forget_kept.rows():
        yield f"row {item['pk']['S']} {item['sk']['S'][:2]}", laid_out(item)
    yield from trust_forget_kept.objects()
    yield "queues", "\n".join(stage.sent).encode()
    yield "log", "\n".join(stage.logged).encode()
    if stage.node:
        yield from trust_forget_kept.entries(stage.node)
