"""The client: what it repeats, what it does not, and what it takes for an answer."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime

import pytest

from hindwise.client.api import Api, is_local
from hindwise.client.errors import Answered, NotHindwise, Unreachable, Unsendable
from tests.unit.cli.stub import Stub, found, hit, memory, serving

BUSY = {"error": {"code": "unavailable", "message": "later", "details": {}}}


@pytest.fixture
def stub() -> Iterator[Stub]:
    with serving() as server:
        yield server


@contextmanager
def api_of(stub: Stub, waited: list[float]) -> Iterator[Api]:
    with Api(stub.url, "key", sleep=waited.append) as api:
        yield api


def test_a_busy_server_is_asked_again_after_the_time_it_names(stub: Stub) -> None:
    waited: list[float] = []
    stub.says("POST /v1/search", BUSY, status=503, headers={"retry-after": "7"})
    stub.says("POST /v1/search", {"message": "Too Many Requests"}, status=429)
    stub.says("POST /v1/search", found(hit()))
    with api_of(stub, waited) as api:
        assert len(api.search("ann", {"query": "x"}).results) == 1
    assert waited == [7.0, 1.0]


def test_patience_ends(stub: Stub) -> None:
    waited: list[float] = []
    stub.says("GET /v1/me", BUSY, status=503, headers={"retry-after": "3600"})
    with api_of(stub, waited) as api, pytest.raises(Answered, match="later") as error:
        api.me()
    assert (error.value.status, error.value.code) == (503, "unavailable")
    assert waited == [30.0, 30.0, 30.0]


def test_a_refusal_is_not_repeated(stub: Stub) -> None:
    waited: list[float] = []
    refusal = {"error": {"code": "conflict", "message": "no", "details": {"field": "x"}}}
    stub.says("POST /v1/memories", refusal, status=409)
    with api_of(stub, waited) as api, pytest.raises(Answered) as error:
        api.write("ann", {"content": "x"}, key="k")
    assert (error.value.field, len(stub.asked), waited) == ("x", 1, [])


def test_a_batch_that_is_being_written_is_waited_for(stub: Stub) -> None:
    waited: list[float] = []
    stub.says("POST /v1/memories", BUSY, status=409, headers={"retry-after": "10"})
    stub.says("POST /v1/memories", {"results": [], "stored": 0, "failed": 0})
    with api_of(stub, waited) as api:
        api.write_batch("ann", [], key="k")
    assert waited == [10.0]
    assert [one.headers["idempotency-key"] for one in stub.asked] == ["k", "k"]


def test_a_connection_that_breaks_is_tried_again_and_then_given_up() -> None:
    waited: list[float] = []
    with socket.create_server(("127.0.0.1", 0)) as server:

        def hang_up() -> None:
            for _ in range(4):
                server.accept()[0].close()

        thread = threading.Thread(target=hang_up)
        thread.start()
        url = f"http://127.0.0.1:{server.getsockname()[1]}"
        with Api(url, "key", sleep=waited.append) as api, pytest.raises(Unreachable):
            api.me()
        thread.join()
    assert waited == [0.5, 1.0, 2.0]


@pytest.mark.parametrize("url", ["", "foo", "ftp://example.com", "http://", "http://x:port"])
def test_what_is_no_address_is_said_to_be_none(url: str) -> None:
    with pytest.raises(Unreachable, match="no http or https address"):
        Api(url, "key")


@pytest.mark.parametrize("body", [b"<html>502</html>", [], {"detail": "x"}])
def test_a_refusal_of_something_else_is_told_apart(stub: Stub, body: object) -> None:
    stub.says("GET /v1/me", body, status=502)
    with api_of(stub, []) as api, pytest.raises(NotHindwise, match="502"):
        api.me()


def test_what_json_cannot_say_is_not_sent(stub: Stub) -> None:
    with api_of(stub, []) as api:
        for wrong in ("\ud800", float("nan")):
            with pytest.raises(Unsendable):
                api.search("ann", {"query": wrong})
    assert stub.asked == []


def test_an_answer_keeps_what_this_client_does_not_know(stub: Stub) -> None:
    said = memory(later={"a": [1]}, event_time="2023-05-02T20:01:00+08:00")
    stub.says("GET /v1/memories/X", said)
    with api_of(stub, []) as api:
        assert api.read("ann", "X").raw() == said


def test_the_servers_clock(stub: Stub) -> None:
    stub.says("GET /v1/health", {}, headers={"x": "y"})
    with api_of(stub, []) as api:
        moment = api.server_time()
    assert moment is not None
    assert abs((datetime.now(UTC) - moment).total_seconds()) < 60


@pytest.mark.parametrize(
    ("url", "local"),
    [
        ("http://127.0.0.1:8787", True),
        ("http://localhost", True),
        ("http://[::1]:1", True),
        ("http://127.0.0.1.example.com", False),
        ("http://example.com/127.0.0.1", False),
        ("http://127.0.0.1@example.com", False),
    ],
)
def test_what_is_on_this_machine(url: str, local: bool) -> None:
    assert is_local(url) is local
