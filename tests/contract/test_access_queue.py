"""Access counts through SQS: pointers only, within its limits, and never an error to the caller."""

import logging
from collections.abc import Iterator
from datetime import timedelta

import pytest
from moto import mock_aws

from hindwise.adapters.sqs import BATCH_BYTES, SqsAccessQueue, batches, connect, parsed, written
from hindwise.domain.changes import Touch
from hindwise.errors import Invalid
from tests import builders
from tests.builders import NOW
from tests.contract.conftest import fresh
from tests.contract.flaky import Flaky, lost
from tests.fakes import RecordingAccessQueue
from tests.ministack import MiniStack, account

SCOPE = builders.scope("张三 <&>\x00\ufffe")


@pytest.fixture(params=["moto", pytest.param("ministack", marks=pytest.mark.ministack)])
def server(request: pytest.FixtureRequest) -> Iterator[MiniStack]:
    if request.param == "ministack":
        yield request.getfixturevalue("ministack")
        return
    with mock_aws():
        yield MiniStack("", account())


@pytest.fixture
def sqs(server: MiniStack):
    client = connect(server.endpoint, session=server.session)
    yield client
    client.close()


@pytest.fixture
def url(server: MiniStack) -> Iterator[str]:
    """A queue, made by a client with more patience than ours: a first call may take its time."""
    patient = server.session.client("sqs", endpoint_url=server.endpoint or None)
    made = patient.create_queue(QueueName=fresh("access"))["QueueUrl"]
    yield made
    patient.delete_queue(QueueUrl=made)
    patient.close()


def touches(count: int) -> list[Touch]:
    return [
        Touch(
            memory_id=builders.new_id(), times=number + 1, at=NOW + timedelta(milliseconds=number)
        )
        for number in range(count)
    ]


def received(sqs, url: str) -> list[str]:
    bodies = []
    while found := sqs.receive_message(QueueUrl=url, MaxNumberOfMessages=10).get("Messages"):
        bodies += [message["Body"] for message in found]
        for message in found:
            sqs.delete_message(QueueUrl=url, ReceiptHandle=message["ReceiptHandle"])
    return bodies


@pytest.mark.parametrize("count", [0, 1, 301, 4_000])
def test_what_was_sent_is_read_on_the_other_side(sqs, url: str, count: int):
    sent = touches(count)
    SqsAccessQueue(sqs, url).send(SCOPE, sent)
    read = [parsed(body) for body in received(sqs, url)]
    assert all(scope == SCOPE for scope, _ in read)
    assert sorted((t.memory_id, t.times, t.at) for _, part in read for t in part) == sorted(
        (t.memory_id, t.times, t.at) for t in sent
    )
    recorded = RecordingAccessQueue()
    recorded.send(SCOPE, sent)
    assert recorded.sent == [(SCOPE, tuple(sent))]


def test_a_message_is_ascii_that_xml_knows():
    body = written(SCOPE, touches(1))
    assert body.isascii()
    assert body.isprintable()
    assert parsed(body)[0] == SCOPE


@pytest.mark.parametrize("sizes", [[1] * 25, [BATCH_BYTES - 1, 2], [BATCH_BYTES // 3] * 7, []])
def test_batches_keep_both_limits(sizes: list[int]):
    bodies = ["x" * size for size in sizes]
    groups = list(batches(bodies))
    assert [body for group in groups for body in group] == bodies
    assert all(1 <= len(group) <= 10 for group in groups)
    assert all(sum(map(len, group)) <= BATCH_BYTES for group in groups)


def test_a_queue_that_is_down_costs_a_log_line(sqs, url: str, caplog):
    flaky = Flaky(sqs)
    flaky.refuse("send_message_batch", lost())
    with caplog.at_level(logging.WARNING):
        SqsAccessQueue(flaky, url).send(SCOPE, touches(1))
    assert [record.message for record in caplog.records] == ["access counts lost: ReadTimeoutError"]
    flaky.plan("send_message_batch", lambda real, request: {"Failed": [{"Id": "0"}]})
    caplog.clear()
    with caplog.at_level(logging.WARNING):
        SqsAccessQueue(flaky, url).send(SCOPE, touches(1))
    assert [record.message for record in caplog.records] == ["access counts lost: 1 messages"]
    missing = SqsAccessQueue(sqs, url + "-missing")
    missing.send(SCOPE, touches(1))
    assert received(sqs, url) == []


@pytest.mark.parametrize(
    "body",
    [
        "",
        "[]",
        "{}",
        '{"tenant":"a","user":"u","touches":[["id",0,1]]}',
        '{"tenant":"a","user":"u","touches":[["id",1]]}',
        '{"tenant":"a","user":"u","touches":[["id",1,1e300]]}',
        '{"tenant":"a","user":"u","touches":[["id",1,999999999999999999]]}',
        '{"tenant":"a","user":"u","touches":[],"more":1}',
    ],
)
def test_what_is_none_of_ours_is_refused(body: str):
    with pytest.raises(Invalid):
        parsed(body)
