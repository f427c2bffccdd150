"""Carries stream records to the functions, as Lambda's poller would; what every pump does.

Each pump is a thread. A stream starts at its newest record: what came before is still in the
backlog of change rows, which the first tick of the sweep drains.
"""

import json
import logging
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import boto3
from botocore.exceptions import BotoCoreError, ClientError

from infra.local.functions import FunctionFailed, Functions
from infra.local.template import StreamSource

PAUSE = 0.2
DRAIN_SECONDS = 10
log = logging.getLogger("hindwise.local")


def matches(pattern: Any, value: Any) -> bool:
    """Evaluate an event filter: exact values and `prefix`; raises ValueError for other rules."""
    if isinstance(pattern, Mapping):
        return isinstance(value, Mapping) and all(
            matches(rule, value.get(name)) for name, rule in pattern.items()
        )
    return any(_allows(rule, value) for rule in pattern)


def _allows(rule: Any, value: Any) -> bool:
    if not isinstance(rule, Mapping):
        return bool(rule == value)
    if set(rule) != {"prefix"}:
        raise ValueError(f"the laptop's event filter does not know {sorted(rule)}")
    return isinstance(value, str) and value.startswith(rule["prefix"])


def failures(answer: Any, ids: Sequence[str]) -> set[str]:
    """The ids that a partial batch answer gives back; one it does not know gives back all."""
    named = (answer or {}).get("batchItemFailures") or []
    given = {each.get("itemIdentifier") for each in named}
    return {str(each) for each in given} if given <= set(ids) else set(ids)


class Pump(threading.Thread):
    """A thread that works until it is told to stop, and outlives a moment without the emulator."""

    def __init__(self, name: str, functions: Functions) -> None:
        super().__init__(name=name, daemon=True)
        self.functions = functions
        self.stopping = threading.Event()

    def step(self) -> bool:
        """Do one round; tells whether there was anything to do."""
        raise NotImplementedError

    def run(self) -> None:
        """Work until told to stop and, for at most ten seconds more, until nothing is left."""
        deadline = None
        while True:
            try:
                busy = self.step()
            except (BotoCoreError, ClientError) as error:
                log.warning("%s: %s", self.name, error)
                self.stopping.wait(1)
                busy = False
            if self.stopping.is_set():
                deadline = deadline or time.monotonic() + DRAIN_SECONDS
                if not busy or time.monotonic() > deadline:
                    return
            elif not busy:
                self.stopping.wait(PAUSE)


class StreamPump(Pump):
    """Delivers the records of one stream in order, retrying a batch from its first failure."""

    def __init__(
        self, source: StreamSource, outputs: Mapping[str, str], functions: Functions
    ) -> None:
        super().__init__(f"stream of {source.function}", functions)
        self._source = source
        self._arn = outputs[source.arn]
        self._on_failure = outputs[source.on_failure] if source.on_failure else None
        self._client = boto3.client("dynamodbstreams")
        self._iterators: dict[str, str | None] = {}
        self._open("LATEST")

    def _open(self, start: str) -> None:
        stream = self._client.describe_stream(StreamArn=self._arn)["StreamDescription"]
        for shard in stream["Shards"]:
            if shard["ShardId"] not in self._iterators:
                answer = self._client.get_shard_iterator(
                    StreamArn=self._arn,
                    ShardId=shard["ShardId"],
                    ShardIteratorType="LATEST" if start == "LATEST" else "TRIM_HORIZON",
                )
                self._iterators[shard["ShardId"]] = answer["ShardIterator"]

    def step(self) -> bool:
        """Read each shard once and deliver what passes the filter."""
        busy = False
        for shard, iterator in list(self._iterators.items()):
            if iterator is not None:
                try:
                    answer = self._client.get_records(ShardIterator=iterator, Limit=1000)
                except ClientError as error:
                    self._reopen(error)
                    return False
                self._iterators[shard] = answer.get("NextShardIterator")
                busy = busy or bool(answer["Records"])
                for batch in self._batches(answer["Records"]):
                    self._deliver(batch)
        if not any(self._iterators.values()):
            self._open("TRIM_HORIZON")
        return busy

    def _reopen(self, error: ClientError) -> None:
        """Go on at the newest record after a pause that outlived the iterators (a sleeping laptop).

        What came in between is in the backlog that the sweep drains.
        """
        if error.response["Error"]["Code"] not in ("ExpiredIteratorException", "TrimmedDataAccess"):
            raise error
        self._iterators.clear()
        self._open("LATEST")

    def _batches(self, records: Sequence[Any]) -> Iterator[list[Any]]:
        patterns = self._source.patterns
        wanted = [
            record
            for record in records
            if not patterns or any(matches(pattern, record) for pattern in patterns)
        ]
        for start in range(0, len(wanted), self._source.batch):
            yield [self._plain(record) for record in wanted[start : start + self._source.batch]]

    def _plain(self, record: Any) -> dict[str, Any]:
        body = {**record["dynamodb"]}
        created = body.get("ApproximateCreationDateTime")
        if created is not None:
            body["ApproximateCreationDateTime"] = created.timestamp()
        return {**record, "dynamodb": body, "eventSourceARN": self._arn}

    def _deliver(self, records: list[Any]) -> None:
        for _ in range(1 + self._source.retries):
            ids = [record["dynamodb"]["SequenceNumber"] for record in records]
            try:
                failed = failures(
                    self.functions.invoke(self._source.function, {"Records": records}), ids
                )
            except FunctionFailed:
                failed = {ids[0]}
            if not failed:
                return
            records = records[min(ids.index(each) for each in failed) :]
            self.stopping.wait(PAUSE)
        self._give_up(records)

    def _give_up(self, records: list[Any]) -> None:
        log.warning("%s: gave up %d records; the sweep will have them", self.name, len(records))
        if self._on_failure:
            sqs = boto3.client("sqs")
            url = sqs.get_queue_url(QueueName=self._on_failure.rsplit(":", 1)[-1])["QueueUrl"]
            keys = [record["dynamodb"]["Keys"] for record in records]
            sqs.send_message(
                QueueUrl=url, MessageBody=json.dumps({"function": self.name, "keys": keys})
            )
