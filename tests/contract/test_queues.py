"""Pointers through queues, the fake's and SQS's: sent, held back, buried, taken, dropped."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import pytest
from moto import mock_aws

from hindwise.adapters import pointers
from hindwise.adapters.queues import SqsQueues
from hindwise.adapters.sqs import connect
from hindwise.domain.ports import Depth, QueueName, Queues
from hindwise.domain.scope import Scope
from hindwise.errors import Invalid, Unavailable
from tests import builders
from tests.builders import Clock
from tests.contract.conftest import fresh
from tests.contract.flaky import Flaky, lost, refusal
from tests.memory_queues import InMemoryQueues
from tests.ministack import MiniStack, account

SCOPE = builders.scope("张三 <&>\x00\ufffe")
NAME = QueueName.EXTRACT
MINISTACK = pytest.param("ministack", marks=pytest.mark.ministack)


@dataclass
class Post:
    """The queues, and what a worker would be handed."""

    queues: Queues
    client: Any = None
    prefix: str = ""

    def arrived(self, name: QueueName) -> list[tuple[Scope, str]]:
        if isinstance(self.queues, InMemoryQueues):
            return list(iter(lambda: self.queues.take(name), None))
        return [pointers.read(body) for body in taken(self.client, self.prefix + name)]


def taken(client: Any, url: str) -> list[str]:
    bodies = []
    while found := client.receive_message(QueueUrl=url, MaxNumberOfMessages=10).get("Messages"):
        bodies += [message["Body"] for message in found]
        for message in found:
            client.delete_message(QueueUrl=url, ReceiptHandle=message["ReceiptHandle"])
    return bodies


@contextmanager
def on(server: MiniStack) -> Iterator[Post]:
    """Queues of the test's own, made by a client with more patience than ours."""
    patient = server.session.client("sqs", endpoint_url=server.endpoint or None)
    run = fresh("work")
    made = [f"{run}-{name}{end}" for name in QueueName for end in ("", "-dlq")]
    urls = {name: patient.create_queue(QueueName=name)["QueueUrl"] for name in made}
    client = connect(server.endpoint, session=server.session)
    prefix = urls[f"{run}-{NAME}"].removesuffix(NAME)
    yield Post(SqsQueues(lambda: client, prefix), client, prefix)
    for url in urls.values():
        patient.delete_queue(QueueUrl=url)
    patient.close()
    client.close()


@pytest.fixture(params=["moto", MINISTACK])
def sqs(request: pytest.FixtureRequest) -> Iterator[Post]:
    """Each test runs on two emulators."""
    if request.param == "ministack":
        with on(request.getfixturevalue("ministack")) as post:
            yield post
    else:
        with mock_aws(), on(MiniStack("", account())) as post:
            yield post


@pytest.fixture(params=["fake", "moto", MINISTACK])
def post(request: pytest.FixtureRequest) -> Iterator[Post]:
    """Each test runs on the fake and on the adapter."""
    if request.param == "ministack":
        with on(request.getfixturevalue("ministack")) as post:
            yield post
    elif request.param == "moto":
        with mock_aws(), on(MiniStack("", account())) as post:
            yield post
    else:
        yield Post(InMemoryQueues(Clock()))


def depth(post: Post, name: QueueName = NAME) -> Depth:
    return next(one for one in post.queues.depths() if one.name == name)


@pytest.mark.parametrize("count", [0, 1, 10, 23])
def test_what_is_sent_arrives_at_its_own_queue(post: Post, count: int):
    ids = [builders.new_id() for _ in range(count)]
    post.queues.send(NAME, SCOPE, ids)
    assert depth(post) == Depth(name=NAME, waiting=count, delayed=0, in_flight=0, dead=0)
    assert sorted(post.arrived(NAME)) == sorted((SCOPE, one) for one in ids)
    for other in set(QueueName) - {NAME}:
        assert post.arrived(other) == []


@pytest.mark.parametrize("delay", [0.2, 30, 900, 5_000])
def test_what_is_held_back_does_not_arrive_yet(post: Post, delay: float):
    post.queues.send(NAME, SCOPE, ["later"], delay=delay)
    post.queues.send(NAME, SCOPE, ["now"], delay=-1)
    held = depth(post)
    assert (held.waiting, held.delayed) == (1, 1)
    assert post.arrived(NAME) == [(SCOPE, "now")]


def test_dead_letters_are_taken_until_they_are_dropped(post: Post):
    ids = [f"job-{number}" for number in range(5)]
    for one in ids:
        post.queues.bury(NAME, SCOPE, one)
    assert depth(post).dead == 5
    assert post.queues.letters(QueueName.SETTLE, 10) == []
    some = post.queues.letters(NAME, 2)
    assert len(some) == 2
    rest = post.queues.letters(NAME, 10)
    assert sorted(letter.id for letter in (*some, *rest)) == ids
    assert {letter.scope for letter in (*some, *rest)} == {SCOPE}
    assert post.queues.letters(NAME, 10) == []
    assert depth(post).dead == 5
    post.queues.drop(NAME, some)
    assert depth(post).dead == 3
    post.queues.drop(NAME, [])
    post.queues.drop(NAME, rest)
    assert depth(post).dead == 0
    assert post.arrived(NAME) == []


def test_queues_that_are_down_cost_a_log_line(sqs: Post, caplog):
    flaky = Flaky(sqs.client)
    queues = SqsQueues(lambda: flaky, sqs.prefix)
    flaky.refuse("send_message_batch", lost(), refusal("ServiceUnavailable"))
    flaky.refuse("send_message", lost())
    with caplog.at_level(logging.WARNING):
        queues.send(NAME, SCOPE, ["secret"] * 11)
        queues.send(NAME, SCOPE, ["secret"])
        queues.bury(NAME, SCOPE, "secret")
        flaky.plan("send_message_batch", lambda real, request: {"Failed": [{"Id": "0"}]})
        queues.send(NAME, SCOPE, ["secret"])
    assert [record.message for record in caplog.records] == [
        "pointers lost: ReadTimeoutError",
        "pointers lost: ClientError",
        "a dead letter lost: ReadTimeoutError",
        "pointers lost: 1 messages",
    ]


def test_a_queue_that_is_not_set_costs_a_log_line_and_opens_nothing(caplog):
    def opened() -> Any:
        raise AssertionError("no client is needed")

    queues = SqsQueues(opened, "")
    with caplog.at_level(logging.WARNING):
        queues.send(NAME, SCOPE, ["one"])
        queues.send(NAME, SCOPE, [])
        queues.bury(NAME, SCOPE, "one")
    assert [record.message for record in caplog.records] == [
        "pointers lost: no queue is set for extract",
        "a dead letter lost: no queue is set for extract",
    ]
    assert queues.depths() == [Depth(name=name) for name in QueueName]
    assert queues.letters(NAME, 10) == []


def test_looking_into_queues_that_are_down_is_our_error(sqs: Post):
    flaky = Flaky(sqs.client)
    queues = SqsQueues(lambda: flaky, sqs.prefix)
    queues.bury(NAME, SCOPE, "one")
    letters = queues.letters(NAME, 1)
    for method, call in (
        ("get_queue_attributes", queues.depths),
        ("receive_message", lambda: queues.letters(NAME, 1)),
        ("delete_message_batch", lambda: queues.drop(NAME, letters)),
    ):
        flaky.refuse(method, lost())
        with pytest.raises(Unavailable):
            call()
        flaky.refuse(method, refusal("RequestThrottled"))
        with pytest.raises(Unavailable):
            call()
    flaky.plan("delete_message_batch", lambda real, request: {"Failed": [{"Id": "0"}]})
    with pytest.raises(Unavailable):
        queues.drop(NAME, letters)
    missing = SqsQueues(lambda: sqs.client, sqs.prefix + "missing-")
    with pytest.raises(Unavailable):
        missing.depths()


def test_a_dead_letter_that_is_none_of_ours_stays_and_is_not_taken(sqs: Post, caplog):
    url = sqs.prefix + NAME + "-dlq"
    sqs.client.send_message(QueueUrl=url, MessageBody='{"tenant": "a", "text": "secret"}')
    sqs.queues.bury(NAME, SCOPE, "ours")
    with caplog.at_level(logging.WARNING):
        assert [letter.id for letter in sqs.queues.letters(NAME, 10)] == ["ours"]
    assert "secret" not in caplog.text
    assert depth(sqs).dead == 2


def test_a_message_is_ascii_that_xml_knows():
    body = pointers.written(SCOPE, "id")
    assert body.isascii()
    assert body.isprintable()
    assert pointers.read(body) == (SCOPE, "id")


@pytest.mark.parametrize(
    "body",
    [
        "",
        "[]",
        "{}",
        '{"tenant":"a","user":"u","id":""}',
        '{"tenant":"a","user":"u","id":3}',
        '{"tenant":"a","id":"x"}',
        '{"tenant":"a","user":"u","id":"x","more":1}',
    ],
)
def test_what_is_none_of_ours_is_refused(body: str):
    with pytest.raises(Invalid):
        pointers.read(body)
