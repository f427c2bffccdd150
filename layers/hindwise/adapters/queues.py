"""`ports.Queues` on SQS: one message a pointer, and the dead letters of each queue.

Dead letters are in the queue of the same name with `-dlq` after it. Sending is one try: the row of
the work is the truth, and the sweep sends what was lost.
"""

import logging
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from math import ceil
from typing import TYPE_CHECKING

from botocore.exceptions import BotoCoreError, ClientError

from hindwise.adapters import pointers
from hindwise.domain.ports import Depth, Letter, QueueName
from hindwise.domain.scope import Scope
from hindwise.errors import Invalid, Unavailable

if TYPE_CHECKING:
    from mypy_boto3_sqs import SQSClient
    from mypy_boto3_sqs.type_defs import SendMessageBatchRequestEntryTypeDef

ENTRIES = 10
"""Messages that one call takes: SQS's limit."""
LONGEST_DELAY = 900
"""Seconds that SQS holds a message back at most."""
HIDDEN = 30
"""Seconds for which a dead letter that was taken is hidden."""
TRIES = 3
"""How often dead letters are asked for: an answer may be short of some that are there."""
LOGGER = logging.getLogger(__name__)
_SDK_ERRORS = (BotoCoreError, ClientError)


class SqsQueues:
    """Carries pointers; a queue's address is `prefix` and its name.

    `opened` gives a client when one is needed; without a prefix no queue is there.
    """

    def __init__(self, opened: "Callable[[], SQSClient]", prefix: str) -> None:
        self._opened = cache(opened)
        self._prefix = prefix

    def send(self, name: QueueName, scope: Scope, ids: Sequence[str], *, delay: float = 0) -> None:
        """Send pointers, to arrive in `delay` (0..900) seconds; never raises, a loss is logged."""
        if ids and not self._prefix:
            LOGGER.error("pointers lost: no queue is set for %s", name.value)
            return
        seconds = min(max(ceil(delay), 0), LONGEST_DELAY)
        for at in range(0, len(ids), ENTRIES):
            entries: list[SendMessageBatchRequestEntryTypeDef] = [
                {
                    "Id": str(number),
                    "MessageBody": pointers.written(scope, one),
                    "DelaySeconds": seconds,
                }
                for number, one in enumerate(ids[at : at + ENTRIES])
            ]
            try:
                answer = self._opened().send_message_batch(
                    QueueUrl=self._prefix + name, Entries=entries
                )
            except _SDK_ERRORS as error:
                LOGGER.warning("pointers lost: %s", type(error).__name__)
                return
            if answer.get("Failed"):
                LOGGER.warning("pointers lost: %d messages", len(answer["Failed"]))

    def bury(self, name: QueueName, scope: Scope, pointed: str) -> None:
        """Put a pointer among the dead letters; never raises, a loss is logged."""
        if not self._prefix:
            LOGGER.error("a dead letter lost: no queue is set for %s", name.value)
            return
        try:
            self._opened().send_message(
                QueueUrl=self._dead(name), MessageBody=pointers.written(scope, pointed)
            )
        except _SDK_ERRORS as error:
            LOGGER.warning("a dead letter lost: %s", type(error).__name__)

    def depths(self) -> list[Depth]:
        """Tell how much is in each queue; raises `errors.Unavailable`."""
        return [self._depth(name) for name in QueueName]

    def _depth(self, name: QueueName) -> Depth:
        if not self._prefix:
            return Depth(name=name)
        try:
            held = self._attributes(self._prefix + name)
            dead = self._attributes(self._dead(name))
        except _SDK_ERRORS as error:
            raise _translated(error) from error
        return Depth(
            name=name,
            waiting=int(held["ApproximateNumberOfMessages"]),
            delayed=int(held["ApproximateNumberOfMessagesDelayed"]),
            in_flight=int(held["ApproximateNumberOfMessagesNotVisible"]),
            dead=sum(
                int(dead[f"ApproximateNumberOfMessages{kind}"])
                for kind in ("", "Delayed", "NotVisible")
            ),
        )

    def letters(self, name: QueueName, limit: int) -> list[Letter]:
        """Take up to `limit` (1..10) dead letters; undropped they come back in half a minute.

        Those that are none of ours stay where they are. Raises `errors.Unavailable`.
        """
        found: dict[str, Letter] = {}
        for _ in range(TRIES if self._prefix else 0):
            if len(found) < limit:
                found |= {letter.receipt: letter for letter in self._some(name, limit - len(found))}
        return list(found.values())

    def _some(self, name: QueueName, limit: int) -> list[Letter]:
        try:
            answer = self._opened().receive_message(
                QueueUrl=self._dead(name), MaxNumberOfMessages=limit, VisibilityTimeout=HIDDEN
            )
        except _SDK_ERRORS as error:
            raise _translated(error) from error
        found = []
        for message in answer.get("Messages", []):
            try:
                scope, pointed = pointers.read(message["Body"])
            except Invalid:
                LOGGER.warning("a dead letter of %s is no pointer", name.value)
            else:
                receipt = message["ReceiptHandle"]
                found.append(Letter(scope=scope, id=pointed, receipt=receipt))
        return found

    def drop(self, name: QueueName, letters: Sequence[Letter]) -> None:
        """Let go of dead letters; raises `errors.Unavailable` where some may still be there."""
        for at in range(0, len(letters), ENTRIES):
            some = letters[at : at + ENTRIES]
            try:
                answer = self._opened().delete_message_batch(
                    QueueUrl=self._dead(name),
                    Entries=[
                        {"Id": str(number), "ReceiptHandle": letter.receipt}
                        for number, letter in enumerate(some)
                    ],
                )
            except _SDK_ERRORS as error:
                raise _translated(error) from error
            if answer.get("Failed"):
                raise Unavailable(f"{len(answer['Failed'])} dead letters were not dropped")

    def _attributes(self, url: str) -> Mapping[str, str]:
        answer = self._opened().get_queue_attributes(QueueUrl=url, AttributeNames=["All"])
        return {str(name): value for name, value in answer["Attributes"].items()}

    def _dead(self, name: QueueName) -> str:
        return f"{self._prefix}{name}-dlq"


def _translated(error: ClientError | BotoCoreError) -> Unavailable:
    code = error.response.get("Error", {}).get("Code", "") if isinstance(error, ClientError) else ""
    return Unavailable(f"SQS refused: {code}" if code else "SQS does not answer")
