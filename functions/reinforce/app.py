"""Counts accesses, as the queue brings them."""

from collections.abc import Mapping

from aws_lambda_powertools.utilities.batch import BatchProcessor, EventType
from aws_lambda_powertools.utilities.data_classes.sqs_event import SQSRecord

from hindwise.runtime.telemetry import count, worker
from hindwise.runtime.wiring import wiring


def touch(record: SQSRecord) -> None:
    """Count one message's accesses; raises Invalid for what is none of ours."""
    scope, touches = wiring().touches_in(record.body)
    wiring().store.touch(scope, touches)
    count("Touched", len(touches))


def reinforce(event: Mapping[str, object]) -> dict[str, object]:
    """Each message succeeds or comes back on its own."""
    processor = BatchProcessor(EventType.SQS, raise_on_entire_batch_failure=False)
    with processor(event["Records"], touch):  # type: ignore[arg-type]
        processor.process()
    return dict(processor.response())


handler = worker("reinforce", reinforce, warm=("store",))
