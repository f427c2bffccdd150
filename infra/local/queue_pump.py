"""Carries the messages of a queue to its function, as Lambda's poller would.

What is not acknowledged comes back when its visibility time is over, and goes to the dead letters
when it has come often enough: the queue sees to both.
"""

import logging
import threading
import time
from collections.abc import Mapping, Sequence
from typing import Any

import boto3
from botocore.exceptions import BotoCoreError, ClientError

from infra.local.functions import FunctionFailed, Functions
from infra.local.pumps import PAUSE, Pump, failures
from infra.local.template import QueueSource

RECEIVED = 10
"""Messages that one call receives at most: SQS's limit."""
AT_ONCE = 4
"""Calls of one function that a laptop has under way at most, however many Lambda would."""
log = logging.getLogger("hindwise.local")


class QueuePump(Pump):
    """Delivers the messages of one queue, `at_once` batches at a time.

    Messages are gathered for as long as the mapping's batching window says.
    """

    def __init__(
        self, source: QueueSource, outputs: Mapping[str, str], functions: Functions
    ) -> None:
        super().__init__(f"queue of {source.function}", functions)
        self._source = source
        self._arn = outputs[source.arn]
        self._client = boto3.client("sqs")
        name = self._arn.rsplit(":", 1)[-1]
        self._url = self._client.get_queue_url(QueueName=name)["QueueUrl"]
        self._gathered: list[Any] = []
        self._due = 0.0
        self._at_once = min(source.concurrency, AT_ONCE)
        self._under_way: list[threading.Thread] = []

    def step(self) -> bool:
        """Receive messages, and hand over what was gathered when it is enough or long enough.

        Told to stop, it receives nothing more: what waits is saved with its queue.
        """
        self._under_way = [each for each in self._under_way if each.is_alive()]
        free = self._at_once - len(self._under_way)
        if not free:
            self._under_way[0].join(PAUSE)
            return True
        messages = [] if self.stopping.is_set() else self._received(free)
        if messages and not self._gathered:
            self._due = time.monotonic() + self._source.window
        self._gathered += messages
        full = len(self._gathered) + RECEIVED > self._source.batch
        if self._gathered and (full or self.stopping.is_set() or time.monotonic() >= self._due):
            gathered, self._gathered = self._gathered, []
            for start in range(0, len(gathered), self._source.batch):
                self._start(gathered[start : start + self._source.batch])
        return bool(messages or self._under_way)

    def _start(self, messages: Sequence[Any]) -> None:
        """Deliver in a thread that a stop need not wait for: the messages come back."""
        thread = threading.Thread(target=self._deliver, args=(messages,), daemon=True)
        self._under_way.append(thread)
        thread.start()

    def _received(self, free: int) -> list[Any]:
        """Wait up to a second for no more messages than so many free calls can take."""
        answer = self._client.receive_message(
            QueueUrl=self._url,
            MaxNumberOfMessages=min(RECEIVED, free * self._source.batch),
            WaitTimeSeconds=1,
            MessageSystemAttributeNames=["All"],
            MessageAttributeNames=["All"],
        )
        return list(answer.get("Messages", []))

    def _deliver(self, messages: Sequence[Any]) -> None:
        event = {"Records": [self._record(message) for message in messages]}
        try:
            answer = self.functions.invoke(self._source.function, event)
        except FunctionFailed:
            return
        failed = failures(answer, [message["MessageId"] for message in messages])
        try:
            for message in messages:
                if message["MessageId"] not in failed:
                    receipt = message["ReceiptHandle"]
                    self._client.delete_message(QueueUrl=self._url, ReceiptHandle=receipt)
        except (BotoCoreError, ClientError) as error:
            log.warning("%s: %s; the messages come back", self.name, error)

    def _record(self, message: Any) -> dict[str, Any]:
        return {
            "messageId": message["MessageId"],
            "receiptHandle": message["ReceiptHandle"],
            "body": message["Body"],
            "attributes": message.get("Attributes", {}),
            "messageAttributes": {},
            "md5OfBody": message.get("MD5OfBody", ""),
            "eventSource": "aws:sqs",
            "eventSourceARN": self._arn,
            "awsRegion": "us-east-1",
        }
