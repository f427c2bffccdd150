"""The real wiring on an emulated AWS in this process, with everything that AWS bills counted.

moto keeps whole items, so that their sizes are those of the real table; its time is not DynamoDB's.
The clock stands but for a step a call and ids are counted, so that every run has the same rows.
"""

import io
import json
import os
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, redirect_stdout
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from importlib import import_module
from itertools import count
from types import SimpleNamespace
from typing import Any

import boto3
from moto import mock_aws
from moto.core.botocore_stubber import BotocoreStubber
from samtranslator.yaml_helper import yaml_parse

from bench.cost_reasoner import CostReasoner
from bench.metered import MeteredClient, Units
from bench.product import METRICS
from bench.rows import ROOT
from hindwise.domain.ids import ulid
from hindwise.domain.memory import millis
from hindwise.domain.ports import Embedder, QueueName
from hindwise.runtime.wiring import Wiring, use_wiring
from hindwise.usecases.limiting import Limiter

TABLE, SECRET, STAGE = "hindwise-dev-memories-v1", "seal", "dev"
BUCKET, QUEUES = "conversations", ("access", *QueueName)
PUTS = frozenset({"PutObject", "CopyObject", "ListObjectsV2"})
"""Requests to S3 that cost as much as a put; deletes are free and counted as gets."""
REGION = "us-east-1"
BEGAN = datetime(2026, 1, 16, 9, 30, 0, 123456, tzinfo=UTC)
STEP = timedelta(milliseconds=1234, microseconds=567)
ACCOUNT = {"AWS_ACCESS_KEY_ID": "none", "AWS_SECRET_ACCESS_KEY": "none"}
CONTEXT = SimpleNamespace(aws_request_id="bench", function_name="bench")


class SteppingClock:
    """A clock that goes on a little each time it is asked."""

    def __init__(self) -> None:
        self.now = BEGAN

    def __call__(self) -> datetime:
        self.now += STEP
        return self.now


@dataclass
class Used:
    """What was used since counting began."""

    units: Units = field(default_factory=Units)
    sqs: int = 0
    puts: int = 0
    gets: int = 0
    llm_calls: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    awaited: int = 0
    secrets: int = 0
    requests: int = 0
    invocations: Counter[str] = field(default_factory=Counter)
    cpu_ms: float = 0
    logged: int = 0
    metrics: set[tuple[str, ...]] = field(default_factory=set)


class MeteredWiring(Wiring):
    """The real wiring with its clients metered; embedders outlive it, as weights are INIT's.

    Counts of a tenant's requests stay in the container: they would be added to the table every few
    seconds of the machine, by whichever operation comes then.
    """

    def __init__(self, stack: "MeteredStack") -> None:
        super().__init__(stack.environment)
        self._stack = stack
        self._ulids = stack.new_id  # type: ignore[assignment]
        still = Limiter(self._rates, self.rules.limits, seconds=lambda: 0.0)
        self.__dict__["trust"] = replace(self.trust, limiter=still)
        self.__dict__["_embedder"] = stack.embedder
        self.client = self.table.client = MeteredClient(self.table.client)  # type: ignore[assignment]
        self.__dict__["_reasoner"] = CostReasoner(stack.asked_model)
        self.learning.queues._opened().meta.events.register(  # type: ignore[attr-defined]
            "before-call.sqs", stack.asked_sqs
        )
        self.learning.blobs._opened()[0].meta.events.register(  # type: ignore[attr-defined]
            "before-call.s3", stack.asked_s3
        )
        self.access._client.meta.events.register("before-call.sqs", stack.asked_sqs)  # type: ignore[attr-defined]
        secret = self.seal._secret._client  # type: ignore[attr-defined]
        secret.meta.events.register("before-call.secrets-manager", stack.asked_secrets)

    def clock(self) -> datetime:
        """The stack's time."""
        return self._stack.clock()


class MeteredStack:
    """Table, bucket, queues and secret of the template, and its functions: each call is counted."""

    def __init__(
        self,
        embedder: Embedder,
        urls: Mapping[str, str],
        secret: str,
        emulated: Callable[[], float],
    ) -> None:
        self.embedder = embedder
        self._emulated = emulated
        self.clock = SteppingClock()
        self.used = Used()
        self._ids = count(1)
        self.urls, self.queue_url = urls, urls["access"]
        self.environment = {
            "STAGE": STAGE,
            "MEMORY_TABLE": TABLE,
            "MEMORY_BUCKET": BUCKET,
            "ACCESS_QUEUE_URL": self.queue_url,
            "WORK_QUEUES": urls["extract"].removesuffix("extract"),
            "SECRET_ARN": secret,
            "LLM_MODEL": CostReasoner.id,
            "LLM_BASE_URL": "http://127.0.0.1:9",
        }
        self.plain = boto3.client("dynamodb", REGION)
        self.plain_sqs = boto3.client("sqs", REGION)
        self.wired = MeteredWiring(self)

    def new_id(self, moment: datetime) -> str:
        """An id that is the same in every run, so that buckets and shards are, too."""
        return ulid(millis(moment), next(self._ids).to_bytes(10))

    def asked_sqs(self, **_: Any) -> None:
        """Count a request to SQS, which the handler waits for."""
        self.used.sqs += 1
        self.used.awaited += 1

    def asked_s3(self, model: Any, **_: Any) -> None:
        """Count a request to S3, which the handler waits for."""
        self.used.awaited += 1
        self.used.puts += model.name in PUTS
        self.used.gets += model.name not in PUTS

    def asked_model(self, put: int, got: int) -> None:
        """Count a question to a language model."""
        self.used.llm_calls += 1
        self.used.tokens_in += put
        self.used.tokens_out += got

    def received(self, queue: str) -> list[str]:
        """Take what a work queue holds, ten messages at most, for good: their bodies."""
        url = self.urls[queue]
        found = self.plain_sqs.receive_message(QueueUrl=url, MaxNumberOfMessages=10)
        found = found.get("Messages", [])
        for message in found:
            self.plain_sqs.delete_message(QueueUrl=url, ReceiptHandle=message["ReceiptHandle"])
        return [message["Body"] for message in found]

    def asked_secrets(self, **_: Any) -> None:
        """Count a request to Secrets Manager."""
        self.used.secrets += 1

    def fresh_container(self) -> None:
        """Forget what a container keeps: copies of scopes, cached questions, the secret."""
        self.wired = MeteredWiring(self)

    def invoke(self, function: str, event: Any) -> Any:
        """Call a function's handler as Lambda does; what it takes goes into `used`."""
        handle = import_module(f"functions.{function}.app").handler
        said = io.StringIO()
        began, emulated = time.process_time(), self._emulated()
        with use_wiring(self.wired), redirect_stdout(said):
            answer = handle(event, CONTEXT)
        taken = time.process_time() - began - (self._emulated() - emulated)
        self.used.cpu_ms += 1000 * taken
        self.used.invocations[function] += 1
        self.used.logged += len(said.getvalue().encode())
        self.used.metrics |= set(_metrics(said.getvalue()))
        if isinstance(answer, dict) and answer.get("statusCode", 200) >= 300:
            raise RuntimeError(f"{function}: {answer}")
        return answer

    def counting(self, act: Callable[[], object]) -> Used:
        """Do something and tell what it used."""
        self.used = Used()
        self.wired.client.units = self.used.units
        try:
            act()
        finally:
            self.wired.client.units = None
        return self.used

    def timing(self, act: Callable[[], object]) -> float:
        """Do something, nothing metered, and tell the handlers' CPU in ms, without moto's."""
        self.used = Used()
        act()
        return self.used.cpu_ms

    def rows(self, partition: str) -> list[dict[str, Any]]:
        """All rows of a partition."""
        asked = {"KeyConditionExpression": "pk = :pk", "ConsistentRead": True}
        values = {":pk": {"S": partition}}
        pages = self.plain.get_paginator("query").paginate(
            TableName=TABLE, ExpressionAttributeValues=values, **asked
        )
        return [item for page in pages for item in page["Items"]]


def _metrics(said: str) -> Iterator[tuple[str, ...]]:
    """Each metric that lines in CloudWatch's embedded format make: name and dimensions."""
    for line in said.splitlines():
        logged = json.loads(line)
        for group in logged.get("_aws", {}).get("CloudWatchMetrics", ()):
            for names in group["Dimensions"]:
                for metric in group["Metrics"]:
                    yield (metric["Name"], *(f"{name}={logged[name]}" for name in sorted(names)))


@contextmanager
def _emulation_timed() -> Iterator[Callable[[], float]]:
    """Give the CPU seconds that moto took so far, in all threads."""
    seconds = Counter[str]()
    answer = BotocoreStubber.__call__

    def timed(self: Any, *args: Any, **named: Any) -> Any:
        began = time.thread_time()
        try:
            return answer(self, *args, **named)
        finally:
            seconds["moto"] += time.thread_time() - began  # type: ignore[assignment]

    BotocoreStubber.__call__ = timed  # type: ignore[method-assign]
    try:
        yield lambda: seconds["moto"]
    finally:
        BotocoreStubber.__call__ = answer  # type: ignore[method-assign]


@contextmanager
def metered_stack(embedder: Embedder) -> Iterator[MeteredStack]:
    """The template's table, a bucket, queues and a secret in an AWS of moto's, gone afterwards."""
    before = dict(os.environ)
    os.environ |= ACCOUNT | METRICS | {"AWS_DEFAULT_REGION": REGION}
    for name in ("AWS_ENDPOINT_URL", "POWERTOOLS_METRICS_DISABLED"):
        os.environ.pop(name, None)
    try:
        with mock_aws(), _emulation_timed() as emulated:
            resources = yaml_parse((ROOT / "template.yaml").read_text())["Resources"]
            declared = resources["MemoryTable"]["Properties"]
            wanted = ("AttributeDefinitions", "KeySchema", "GlobalSecondaryIndexes", "BillingMode")
            made = {name: declared[name] for name in wanted}
            boto3.client("dynamodb").create_table(TableName=TABLE, **made)
            for bucket in (BUCKET, f"{BUCKET}-receipts"):
                boto3.client("s3").create_bucket(Bucket=bucket)
            make = boto3.client("sqs").create_queue
            urls = {name: make(QueueName=name)["QueueUrl"] for name in QUEUES}
            secret = boto3.client("secretsmanager").create_secret(
                Name=SECRET, SecretString="0123456789abcdef" * 4
            )
            yield MeteredStack(embedder, urls, secret["ARN"], emulated)
    finally:
        os.environ.clear()
        os.environ |= before
