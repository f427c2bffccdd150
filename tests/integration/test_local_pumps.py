"""Pumps between the emulated AWS and handlers of the test's own."""

import json
import os
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import boto3
import pytest

from infra.local import functions, pumps, stack
from infra.local.functions import Functions
from infra.local.queue_pump import QueuePump
from infra.local.schedule_pump import Diary, SchedulePump
from tests import local_stack
from tests.local_stack import SYSTEM, Outputs

pytestmark = pytest.mark.ministack


@pytest.fixture(scope="module")
def outputs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Outputs]:
    with local_stack.running(tmp_path_factory.mktemp("data")) as found:
        yield found


def until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 10
    while not condition():
        assert time.monotonic() < deadline, "did not come about in 10 s"
        time.sleep(0.02)


def put(sk: str) -> None:
    item = {"pk": {"S": "T#t#U#u#D"}, "sk": {"S": sk}}
    boto3.client("dynamodb").put_item(TableName=os.environ["MEMORY_TABLE"], Item=item)


def depth(arn: str) -> int:
    sqs = boto3.client("sqs")
    url = sqs.get_queue_url(QueueName=arn.rsplit(":", 1)[-1])["QueueUrl"]
    names = ["ApproximateNumberOfMessages", "ApproximateNumberOfMessagesNotVisible"]
    found = sqs.get_queue_attributes(QueueUrl=url, AttributeNames=names)["Attributes"]
    return sum(int(found[name]) for name in names)


def keys(event: dict[str, Any]) -> list[str]:
    return [record["dynamodb"]["Keys"]["sk"]["S"] for record in event["Records"]]


@pytest.fixture
def running() -> Iterator[Callable[[pumps.Pump], None]]:
    started: list[pumps.Pump] = []

    def start(pump: pumps.Pump) -> None:
        started.append(pump)
        pump.start()

    yield start
    for pump in started:
        pump.stopping.set()
    for pump in started:
        pump.join(15)
        assert not pump.is_alive()


def stream(handler: functions.Handler, outputs: Outputs) -> pumps.StreamPump:
    made = Functions(SYSTEM, {"IndexFunction": handler})
    return pumps.StreamPump(SYSTEM.streams[0], outputs, made)


def test_only_inserted_change_rows_reach_index(
    outputs: Outputs, running: Callable[[pumps.Pump], None]
) -> None:
    events: list[dict[str, Any]] = []
    put("D#before")
    running(stream(lambda event, _: events.append(event), outputs))
    put("M#1")
    put("D#1")
    put("D#1")
    key = {"pk": {"S": "T#t#U#u#D"}, "sk": {"S": "D#1"}}
    boto3.client("dynamodb").delete_item(TableName=os.environ["MEMORY_TABLE"], Key=key)
    put("D#2")
    until(lambda: sum(len(event["Records"]) for event in events) == 2)
    assert [key for event in events for key in keys(event)] == ["D#1", "D#2"]
    record = events[0]["Records"][0]
    assert record["eventName"] == "INSERT" and record["eventSource"] == "aws:dynamodb"
    json.dumps(events)


def test_batch_is_retried_from_its_first_failure(
    outputs: Outputs, running: Callable[[pumps.Pump], None]
) -> None:
    calls: list[list[str]] = []

    def handler(event: dict[str, Any], _: functions.Context) -> Any:
        calls.append(keys(event))
        bad = [r["dynamodb"] for r in event["Records"] if r["dynamodb"]["Keys"]["sk"]["S"] == "D#b"]
        failed = [{"itemIdentifier": each["SequenceNumber"]} for each in bad]
        return {"batchItemFailures": failed if len(calls) < 3 else []}

    pump = stream(handler, outputs)
    for sk in ("D#a", "D#b", "D#c"):
        put(sk)
    running(pump)
    until(lambda: len(calls) == 3)
    assert calls == [["D#a", "D#b", "D#c"], ["D#b", "D#c"], ["D#b", "D#c"]]


def test_poison_is_given_up_with_a_pointer_and_nothing_waits_behind_it(
    outputs: Outputs, running: Callable[[pumps.Pump], None]
) -> None:
    calls: list[list[str]] = []

    def handler(event: dict[str, Any], _: functions.Context) -> Any:
        calls.append(keys(event))
        if "D#poison" in keys(event):
            raise RuntimeError("cannot be projected")

    on_failure = SYSTEM.streams[0].on_failure
    assert on_failure is not None
    before = depth(outputs[on_failure])
    running(stream(handler, outputs))
    put("D#poison")
    until(lambda: depth(outputs[on_failure]) == before + 1)
    put("D#next")
    until(lambda: calls[-1] == ["D#next"])
    assert calls[:-1] == [["D#poison"]] * (1 + SYSTEM.streams[0].retries)


def test_messages_that_are_given_back_stay_and_the_others_go(
    outputs: Outputs, running: Callable[[pumps.Pump], None]
) -> None:
    seen: list[str] = []

    def handler(event: dict[str, Any], _: functions.Context) -> Any:
        seen.extend(record["body"] for record in event["Records"])
        failed = [record["messageId"] for record in event["Records"] if record["body"] == "bad"]
        return {"batchItemFailures": [{"itemIdentifier": each} for each in failed]}

    accesses = next(each for each in SYSTEM.queues if each.function == "ReinforceFunction")
    queue = replace(accesses, window=0)
    for body in ("good", "bad", "fine"):
        boto3.client("sqs").send_message(QueueUrl=os.environ["ACCESS_QUEUE_URL"], MessageBody=body)
    running(QueuePump(queue, outputs, Functions(SYSTEM, {queue.function: handler})))
    until(lambda: len(seen) == 3 and depth(outputs[queue.arn]) == 1)
    assert sorted(seen) == ["bad", "fine", "good"]


def test_schedule_runs_at_once(
    running: Callable[[pumps.Pump], None], outputs: Outputs, tmp_path: Path
) -> None:
    events: list[dict[str, Any]] = []
    made = Functions(SYSTEM, {"SweepFunction": lambda event, _: events.append(event)})
    every = next(each for each in SYSTEM.schedules if each.name == "sweep")
    running(SchedulePump(every, made, Diary(tmp_path / "schedules.json")))
    until(lambda: len(events) == 1)


def test_stack_is_made_once_and_kept(outputs: Outputs) -> None:
    put("M#kept")
    assert stack.settle(SYSTEM.stack, {"Stage": "local"}) == outputs
    key = {"pk": {"S": "T#t#U#u#D"}, "sk": {"S": "M#kept"}}
    found = boto3.client("dynamodb").get_item(TableName=os.environ["MEMORY_TABLE"], Key=key)
    assert "Item" in found


def test_table_of_the_stack_is_as_the_template_says(outputs: Outputs) -> None:
    client, name = boto3.client("dynamodb"), os.environ["MEMORY_TABLE"]
    table = client.describe_table(TableName=name)["Table"]
    assert name == "hindwise-local-memories-v1"
    assert {each["IndexName"] for each in table["GlobalSecondaryIndexes"]} == {"work", "list"}
    expiry = client.describe_time_to_live(TableName=name)["TimeToLiveDescription"]
    assert expiry == {"TimeToLiveStatus": "ENABLED", "AttributeName": "ttl"}


def test_filter_refuses_rules_that_it_does_not_know() -> None:
    pattern = {"a": [{"anything-but": "x"}]}
    with pytest.raises(ValueError, match="anything-but"):
        pumps.matches(pattern, {"a": "y"})


@pytest.mark.parametrize(
    ("answer", "given_back"),
    [
        (None, set()),
        ({}, set()),
        ({"batchItemFailures": []}, set()),
        ({"batchItemFailures": [{"itemIdentifier": "2"}]}, {"2"}),
        ({"batchItemFailures": [{"itemIdentifier": "9"}]}, {"1", "2"}),
        ({"batchItemFailures": [{"itemIdentifier": ""}]}, {"1", "2"}),
        ({"batchItemFailures": [{"itemidentifier": "1"}]}, {"1", "2"}),
    ],
)
def test_partial_answers_are_read_as_lambda_reads_them(answer: Any, given_back: set[str]) -> None:
    assert pumps.failures(answer, ["1", "2"]) == given_back
