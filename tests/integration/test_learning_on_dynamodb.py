"""Learning over the real wiring: table, bucket and queues of an emulated AWS, a model over HTTP."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import count
from typing import Any

import boto3
import pytest
from moto import mock_aws

from functions.extract.app import handler as extract
from functions.index.app import handler as index
from functions.settle.app import handler as settle
from functions.sweep.app import handler as sweep
from hindwise.domain.ports import QueueName
from hindwise.domain.scope import Role
from hindwise.runtime.wiring import Wiring, use_wiring
from infra.local.fake_llm import FakeLlm, Said
from tests.builders import principal
from tests.integration.http_client import Client
from tests.integration.talks import Reader, item
from tests.integration.test_http_on_dynamodb import changes, make_table, without_account

ADA = {"user_id": "ada/张三"}
CODE = "The door code is 4711."
HANDLERS = {"extract": extract, "settle": settle}
NAMES = tuple(QueueName)


class Later(Wiring):
    """The real wiring, whose clock may be put forward."""

    ahead = timedelta()

    def clock(self) -> datetime:
        return super().clock() + self.ahead


@dataclass
class Stage:
    """A running stage, its queues pumped by hand."""

    wired: Later
    llm: FakeLlm
    urls: dict[str, str]
    bodies: list[str] = field(default_factory=list)
    numbers: Iterator[int] = field(default_factory=count)

    def post(self, path: str, body: dict[str, Any]) -> Any:
        reply = Client().send("POST", path, {**ADA, **body})
        assert reply.status < 300, reply.body
        return reply.body

    def get(self, path: str) -> Any:
        return Client().send("GET", path, query=ADA)

    def messages(self, name: str) -> list[dict[str, Any]]:
        """Take what a queue has for a worker."""
        client = boto3.client("sqs")
        url = self.urls[name]
        found = client.receive_message(QueueUrl=url, MaxNumberOfMessages=10).get("Messages", [])
        for message in found:
            client.delete_message(QueueUrl=url, ReceiptHandle=message["ReceiptHandle"])
        self.bodies += [message["Body"] for message in found]
        return [{"messageId": str(next(self.numbers)), "body": m["Body"]} for m in found]

    def work(self, name: str) -> int:
        """Let a worker do all that its queue has; tells how many messages that were."""
        done = 0
        while records := self.messages(name):
            for record in records:
                assert HANDLERS[name]({"Records": [record]}, None) == {"batchItemFailures": []}
            done += len(records)
        return done

    def rows(self) -> list[dict[str, Any]]:
        return boto3.client("dynamodb").scan(TableName="memories")["Items"]

    def holding(self, text: str) -> set[str]:
        """The partitions and the first letters of the sort keys of rows that hold a text."""
        found = [row for row in self.rows() if text in repr(row)]
        return {row["pk"]["S"].split("#")[-1] + " " + row["sk"]["S"][:2] for row in found}

    def blobs(self) -> str:
        """All that the bucket holds."""
        client = boto3.client("s3")
        found = client.list_objects_v2(Bucket="blobs").get("Contents", [])
        objects = [client.get_object(Bucket="blobs", Key=one["Key"]) for one in found]
        return "".join(one["Body"].read().decode() for one in objects)


@pytest.fixture
def stage(monkeypatch, tmp_path) -> Iterator[Stage]:
    without_account(monkeypatch)
    with mock_aws(), FakeLlm() as llm:
        make_table("memories")
        where: Any = {"LocationConstraint": "eu-west-1"}
        for bucket in ("blobs", "blobs-receipts"):
            boto3.client("s3").create_bucket(Bucket=bucket, CreateBucketConfiguration=where)
        made = [f"{name}{end}" for name in NAMES for end in ("", "-dlq")] + ["access"]
        urls = {name: boto3.client("sqs").create_queue(QueueName=name)["QueueUrl"] for name in made}
        env = {"STAGE": "test", "MEMORY_TABLE": "memories", "EMBEDDER": "hashed",
               "SECRET_FILE": str(tmp_path / "secret"), "ACCESS_QUEUE_URL": urls["access"],
               "MEMORY_BUCKET": "blobs", "LLM_MODEL": "m", "LLM_BASE_URL": llm.url,
               "LLM_API_KEY": "k"}  # fmt: skip
        env["WORK_QUEUES"] = urls["extract"].removesuffix("extract")
        with use_wiring(Later(env)) as wired:
            yield Stage(wired, llm, urls)


def test_what_is_said_is_learnt_compared_found_and_forgotten(stage: Stage):
    stage.llm.always("extract", Reader(code=[item(CODE)]))
    stage.llm.always("judge", {"decisions": []})
    said = stage.post("/v1/conversations", {"messages": [
        {"role": "user", "content": "The door code is 4711, keep it."},
        {"role": "assistant", "content": "Noted."},
    ]})  # fmt: skip
    assert "4711" in stage.blobs()
    assert stage.work("extract") == 1
    job = stage.get(f"/v1/jobs/{said['job_id']}").body
    assert (job["state"], job["counts"]["created"]) == ("succeeded", 1)
    index(changes(stage.wired), None)
    [learnt] = [
        one for one in stage.get("/v1/memories").body["results"] if one["kind"] == "semantic"
    ]
    assert learnt["content"] == CODE
    stage.work("settle")
    memory = stage.get(f"/v1/memories/{learnt['id']}").body
    assert memory["settled"] is True
    found = stage.post("/v1/search", {"query": "door code"})["results"]
    assert learnt["id"] in {one["id"] for one in found}
    assert "4711" not in json.dumps(stage.bodies)
    assert {place[-2:] for place in stage.holding("4711")} & {"J#", "Q#"} == set()
    assert "J A#" in stage.holding(CODE)
    gone = Client().send("DELETE", f"/v1/memories/{learnt['id']}", query=ADA)
    assert gone.status == 200, gone.body
    assert stage.holding("4711") == set()
    assert "4711" not in stage.blobs()


def test_a_message_that_was_lost_is_sent_again(stage: Stage):
    stage.llm.always("extract", Reader(code=[item(CODE)]))
    said = stage.post("/v1/conversations", {"messages": [{"role": "user", "content": "code"}]})
    assert len(stage.messages("extract")) == 1
    sweep({}, None)
    assert stage.work("extract") == 0
    stage.wired.ahead = timedelta(hours=1)
    sweep({}, None)
    assert stage.work("extract") == 1
    assert stage.get(f"/v1/jobs/{said['job_id']}").body["state"] == "succeeded"
    assert not [row for row in stage.rows() if row.get("w_pk", {}).get("S", "").startswith("JOB")]


def test_a_conversation_that_goes_idle_is_learnt_from(stage: Stage):
    stage.llm.always("extract", Reader(code=[item(CODE)]))
    said = {"messages": [{"role": "user", "content": "code"}]}
    stage.post("/v1/conversations/chat%201/messages", said)
    sweep({}, None)
    assert stage.work("extract") == 0
    stage.wired.ahead = timedelta(minutes=11)
    sweep({}, None)
    assert stage.work("extract") == 1
    stage.wired.ahead = timedelta(minutes=30)
    sweep({}, None)
    assert stage.work("extract") == 0
    assert len(stage.llm.asked("extract")) == 1


def test_what_cannot_be_read_is_buried_and_comes_back_when_it_is_redriven(stage: Stage):
    stage.llm.always("extract", Said(text="I would rather not say."))
    said = stage.post("/v1/conversations", {"messages": [{"role": "user", "content": "code"}]})
    path = f"/v1/jobs/{said['job_id']}"
    for hours in range(1, 8):
        stage.work("extract")
        if stage.get(path).body["state"] == "failed":
            break
        stage.wired.ahead = timedelta(hours=hours)
        sweep({}, None)
    assert stage.get(path).body["state"] == "failed"
    stage.llm.always("extract", Reader(code=[item(CODE)]))
    sent = Client(principal(role=Role.ADMIN)).send("POST", "/v1/queues/extract/redrive", {})
    assert sent.status == 200, sent.body
    assert stage.work("extract") == 1
    assert stage.get(path).body["state"] == "succeeded"
    assert "4711" not in json.dumps(stage.bodies)
