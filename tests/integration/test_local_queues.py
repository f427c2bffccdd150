"""What feeds the workers of a laptop: several calls at once, messages that come back or wait."""

import json
import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import boto3
import pytest

from infra.local import functions
from infra.local.emulator import Emulator
from infra.local.functions import Functions
from infra.local.queue_pump import AT_ONCE, QueuePump
from tests import local_stack
from tests.local_stack import SYSTEM, Outputs

pytestmark = pytest.mark.ministack
EXTRACT = next(each for each in SYSTEM.queues if each.function == "ExtractFunction")


@pytest.fixture(scope="module")
def outputs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Outputs]:
    with local_stack.running(tmp_path_factory.mktemp("data")) as found:
        yield found


@pytest.fixture
def start(outputs: Outputs) -> Iterator[Callable[[functions.Handler], QueuePump]]:
    """Starts a pump of the extract queue, which is empty before and after."""
    url = os.environ["WORK_QUEUES"] + "extract"
    boto3.client("sqs").purge_queue(QueueUrl=url)
    started: list[QueuePump] = []

    def start(handler: functions.Handler) -> QueuePump:
        pump = QueuePump(EXTRACT, outputs, Functions(SYSTEM, {EXTRACT.function: handler}))
        started.append(pump)
        pump.start()
        return pump

    yield start
    for pump in started:
        pump.stopping.set()
    for pump in started:
        pump.join(15)
        assert not pump.is_alive()
    boto3.client("sqs").purge_queue(QueueUrl=url)


def send(*bodies: str, delay: int = 0) -> None:
    for body in bodies:
        boto3.client("sqs").send_message(
            QueueUrl=os.environ["WORK_QUEUES"] + "extract", MessageBody=body, DelaySeconds=delay
        )


def until(condition: Callable[[], bool], seconds: float = 15) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, f"did not come about in {seconds} s"
        time.sleep(0.02)


def bodies(event: dict[str, Any]) -> list[str]:
    return [record["body"] for record in event["Records"]]


def test_one_message_a_call_and_no_more_calls_at_once_than_a_laptop_bears(
    start: Callable[[functions.Handler], QueuePump],
) -> None:
    lock, now, most, seen = threading.Lock(), [0], [0], list[str]()

    def handler(event: dict[str, Any], _: functions.Context) -> None:
        with lock:
            now[0] += 1
            most[0] = max(most[0], now[0])
        time.sleep(0.2)
        with lock:
            now[0] -= 1
            seen.extend(bodies(event))
            assert len(bodies(event)) == 1

    wanted = [str(number) for number in range(3 * AT_ONCE)]
    send(*wanted)
    start(handler)
    until(lambda: len(seen) == len(wanted))
    assert sorted(seen) == sorted(wanted)
    assert 1 < most[0] <= AT_ONCE


def test_a_message_that_waits_comes_when_it_is_time(
    start: Callable[[functions.Handler], QueuePump],
) -> None:
    seen: dict[str, float] = {}

    def handler(event: dict[str, Any], _: functions.Context) -> None:
        seen.update(dict.fromkeys(bodies(event), time.monotonic()))

    began = time.monotonic()
    send("later", delay=3)
    send("now")
    start(handler)
    until(lambda: len(seen) == 2)
    assert seen["now"] - began < 2.5 <= seen["later"] - began + 0.5


def test_what_fails_too_often_is_a_dead_letter_and_holds_nobody_up(
    start: Callable[[functions.Handler], QueuePump],
) -> None:
    sqs, url = boto3.client("sqs"), os.environ["WORK_QUEUES"] + "extract"
    attributes = sqs.get_queue_attributes(QueueUrl=url, AttributeNames=["All"])["Attributes"]
    assert attributes["VisibilityTimeout"] == "1080"
    tries = json.loads(attributes["RedrivePolicy"])["maxReceiveCount"]
    seen: list[str] = []

    def handler(event: dict[str, Any], _: functions.Context) -> None:
        seen.extend(bodies(event))
        if "poison" in bodies(event):
            raise RuntimeError("no message is like this one")

    sqs.set_queue_attributes(QueueUrl=url, Attributes={"VisibilityTimeout": "1"})
    try:
        send("poison", "good")
        start(handler)
        dead: list[str] = []

        def buried() -> bool:
            found = sqs.receive_message(QueueUrl=f"{url}-dlq").get("Messages", [])
            dead.extend(message["Body"] for message in found)
            return bool(dead)

        until(buried, 30)
    finally:
        sqs.set_queue_attributes(QueueUrl=url, Attributes={"VisibilityTimeout": "1080"})
    assert dead == ["poison"]
    assert seen.count("good") == 1 and seen.count("poison") == int(tries)


def test_a_stop_takes_no_new_messages_and_loses_none(
    start: Callable[[functions.Handler], QueuePump], outputs: Outputs
) -> None:
    begun, let_go = threading.Event(), threading.Event()

    def handler(event: dict[str, Any], _: functions.Context) -> None:
        begun.set()
        let_go.wait(10)

    pump = start(handler)
    send(*(str(number) for number in range(AT_ONCE + 3)))
    assert begun.wait(10)
    pump.stopping.set()
    let_go.set()
    pump.join(10)
    names = ["ApproximateNumberOfMessages", "ApproximateNumberOfMessagesNotVisible"]
    url = os.environ["WORK_QUEUES"] + "extract"
    found = boto3.client("sqs").get_queue_attributes(QueueUrl=url, AttributeNames=names)
    left = sum(int(found["Attributes"][name]) for name in names)
    assert 3 <= left < AT_ONCE + 3


def test_messages_outlive_a_restart_of_the_emulated_aws(tmp_path: Path) -> None:
    """Also those that still wait for their time, and that somebody was working on."""
    with emulated(tmp_path) as sqs:
        url = sqs.create_queue(QueueName="work")["QueueUrl"]
        sqs.send_message(QueueUrl=url, MessageBody="worked on")
        assert sqs.receive_message(QueueUrl=url, VisibilityTimeout=5)["Messages"]
        sqs.send_message(QueueUrl=url, MessageBody="later", DelaySeconds=5)
        sqs.send_message(QueueUrl=url, MessageBody="now")
    seen: list[str] = []
    with emulated(tmp_path) as sqs:
        again = sqs.get_queue_url(QueueName="work")["QueueUrl"]

        def received() -> bool:
            found = sqs.receive_message(QueueUrl=again, MaxNumberOfMessages=10)
            seen.extend(message["Body"] for message in found.get("Messages", []))
            return len(seen) == 3

        until(received)
    assert sorted(seen) == ["later", "now", "worked on"]


@contextmanager
def emulated(data: Path) -> Iterator[Any]:
    """A client of an emulator that saves when the block is done."""
    emulator = Emulator(data)
    emulator.start()
    try:
        yield boto3.Session("local", "local", region_name="us-east-1").client(
            "sqs", endpoint_url=emulator.endpoint
        )
    finally:
        assert emulator.stop()
