"""`ports.AccessQueue` on SQS, and how its messages are read on the other side.

Pointers only: scope, ids and counts. Counting must never break the answer it counts, so sending is
one try with short time-outs and a log line where it fails. JSON with ASCII escapes: SQS takes only
characters that XML knows.
"""

import json
import logging
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated

import boto3
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError
from pydantic import Field, ValidationError

from hindwise.domain.base import Model
from hindwise.domain.changes import Touch
from hindwise.domain.memory import millis
from hindwise.domain.ports import AccessQueue
from hindwise.domain.scope import Scope
from hindwise.errors import Invalid

if TYPE_CHECKING:
    from mypy_boto3_sqs import SQSClient
    from mypy_boto3_sqs.type_defs import SendMessageBatchRequestEntryTypeDef

ENTRIES = 10
"""Messages that one batch takes: SQS's limit."""
BATCH_BYTES = 256 * 1024
"""Bytes that one batch takes."""
PER_MESSAGE = 300
"""Touches in a message: about 20 KB."""
LOGGER = logging.getLogger(__name__)


class Access(Model):
    """The message: who was asked for, and (id, times, milliseconds since 1970) of each memory."""

    tenant: str
    user: str
    touches: tuple[tuple[str, Annotated[int, Field(ge=1)], int], ...]


def connect(endpoint: str = "", *, session: boto3.Session | None = None) -> "SQSClient":
    """Open a client that tries once, 1 s to connect and 1 s to read.

    `endpoint` empty means AWS; without a `session` credentials and region are the environment's.
    """
    config = Config(connect_timeout=1, read_timeout=1, retries={"total_max_attempts": 1})
    return (session or boto3.Session()).client("sqs", endpoint_url=endpoint or None, config=config)


def written(scope: Scope, touches: Sequence[Touch]) -> str:
    """The body of a message, in ASCII."""
    counts = [(touch.memory_id, touch.times, millis(touch.at)) for touch in touches]
    body = {"tenant": scope.tenant, "user": scope.user, "touches": counts}
    return json.dumps(body, separators=(",", ":"))


def parsed(body: str) -> tuple[Scope, tuple[Touch, ...]]:
    """Read a message's body; raises `errors.Invalid` for what is none of ours."""
    try:
        access = Access.model_validate_json(body)
        touches = tuple(
            Touch(memory_id=memory_id, times=times, at=datetime.fromtimestamp(at / 1000, UTC))
            for memory_id, times, at in access.touches
        )
    except (ValidationError, ValueError, OverflowError, OSError) as error:
        raise Invalid("not an access message", field="body") from error
    return Scope(tenant=access.tenant, user=access.user), touches


def batches(bodies: Sequence[str]) -> Iterator[list[str]]:
    """Bodies in groups that SQS takes in one call."""
    group: list[str] = []
    size = 0
    for body in bodies:
        if group and (len(group) == ENTRIES or size + len(body) > BATCH_BYTES):
            yield group
            group, size = [], 0
        group.append(body)
        size += len(body)
    if group:
        yield group


class SqsAccessQueue:
    """Carries access counts to the function that settles them."""

    def __init__(self, client: "SQSClient", url: str) -> None:
        self._client = client
        self._url = url

    def send(self, scope: Scope, touches: Sequence[Touch]) -> None:
        """Queue access counts; never raises, a loss is logged."""
        groups = [touches[i : i + PER_MESSAGE] for i in range(0, len(touches), PER_MESSAGE)]
        for bodies in batches([written(scope, group) for group in groups]):
            entries: list[SendMessageBatchRequestEntryTypeDef] = [
                {"Id": str(number), "MessageBody": body} for number, body in enumerate(bodies)
            ]
            try:
                answer = self._client.send_message_batch(QueueUrl=self._url, Entries=entries)
            except (BotoCoreError, ClientError) as error:
                LOGGER.warning("access counts lost: %s", type(error).__name__)
                return
            if answer.get("Failed"):
                LOGGER.warning("access counts lost: %d messages", len(answer["Failed"]))


class DeferredAccessQueue:
    """A queue that is opened at the first count: what only projects has none, and needs none."""

    def __init__(self, opened: Callable[[], AccessQueue]) -> None:
        self._opened = opened

    def send(self, scope: Scope, touches: Sequence[Touch]) -> None:
        """Queue access counts; raises Misconfigured where no queue is set."""
        self._opened().send(scope, touches)
