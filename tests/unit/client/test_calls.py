"""Conversations, jobs and queues through the client, blocking and not, on the real handlers."""

import asyncio
import json
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from hindwise.client import calls, reviews
from hindwise.client.api import Api
from hindwise.client.asynchronous import AsyncApi
from hindwise.client.errors import Answered, NotHindwise, Unreachable, Unsendable
from hindwise.client.learning import Conversation, Job, Taken
from tests.unit.cli.stub import AT, Stub, serving

BUSY = {"error": {"code": "unavailable", "message": "later", "details": {}}}
TAKEN = {"conversation_id": "c/1", "job_id": "J", "state": "accepted", "added": 1, "messages": 1,
         "turns": 1, "waiting": 0, "verbatim": None}  # fmt: skip


def job(state: str, **fields: Any) -> dict[str, Any]:
    times = {"created_at": AT, "updated_at": AT}
    return {"id": "J", "kind": "extract", "state": state, **times, **fields}


@pytest.fixture
def stub() -> Iterator[Stub]:
    with serving() as server:
        yield server


def blocking(stub: Stub, waited: list[float], use: Callable[[Any], Any]) -> Any:
    with Api(stub.url, "key", sleep=waited.append) as api:
        return use(api)


def not_blocking(stub: Stub, waited: list[float], use: Callable[[Any], Any]) -> Any:
    async def sleep(seconds: float) -> None:
        waited.append(seconds)

    async def main() -> Any:
        async with AsyncApi(stub.url, "key", sleep=sleep) as api:
            return await use(api)

    return asyncio.run(main())


both = pytest.mark.parametrize("how", [blocking, not_blocking])
Run = Callable[[Stub, list[float], Callable[[Any], Any]], Any]


@both
def test_a_conversation_is_sent_again_under_its_key_where_the_server_is_busy(
    stub: Stub, how: Run
) -> None:
    waited: list[float] = []
    stub.says("POST /v1/conversations", BUSY, status=503, headers={"retry-after": "7"})
    stub.says("POST /v1/conversations", TAKEN, status=202)
    call = calls.converse("ann", {"messages": "hi"}, key="k")
    taken = how(stub, waited, lambda api: api.ask(call))
    assert isinstance(taken, Taken) and taken.job_id == "J" and taken.raw() == TAKEN
    assert waited == [7.0]
    assert [one.headers["idempotency-key"] for one in stub.asked] == ["k", "k"]
    assert stub.asked[0].headers["authorization"] == "Bearer key"
    assert stub.asked[0].body == {"user_id": "ann", "messages": "hi"}


@both
def test_a_job_is_looked_at_until_it_ends(stub: Stub, how: Run) -> None:
    for state in ("accepted", "running", "succeeded"):
        stub.says("GET /v1/jobs/J", job(state))
    waited: list[float] = []
    seen: list[str] = []
    steps = calls.finished(stub.url, "ann", "J", watch=lambda one: seen.append(one.state))
    found = how(stub, waited, lambda api: api.run(steps))
    assert isinstance(found, Job) and found.ended
    assert seen == ["accepted", "running", "succeeded"]
    assert waited == pytest.approx([0.2, 0.3])


def test_patience_with_a_job_ends(stub: Stub) -> None:
    stub.says("GET /v1/jobs/J", job("running"))
    waited: list[float] = []
    steps = calls.finished(stub.url, "ann", "J", seconds=5)
    found = blocking(stub, waited, lambda api: api.run(steps))
    assert not found.ended and sum(waited) == pytest.approx(5)


@both
def test_a_refusal_is_an_error_and_not_repeated(stub: Stub, how: Run) -> None:
    problem = {"code": "conflict", "message": "job is succeeded", "details": {}}
    stub.says("POST /v1/jobs/J/retry", {"error": problem}, status=409)
    with pytest.raises(Answered, match="succeeded"):
        how(stub, [], lambda api: api.ask(calls.retry("ann", "J")))
    assert len(stub.asked) == 1 and stub.asked[0].body == {"user_id": "ann"}


@both
def test_nobody_there_is_said_at_once(how: Run) -> None:
    gone = Stub(url="http://127.0.0.1:1")
    with pytest.raises(Unreachable):
        how(gone, [], lambda api: api.ask(calls.queues()))


@both
def test_what_is_not_hindwise_is_said(stub: Stub, how: Run) -> None:
    stub.says("GET /v1/queues", {"hello": "world"})
    with pytest.raises(NotHindwise):
        how(stub, [], lambda api: api.ask(calls.queues()))


def test_what_cannot_be_asked_is_said_before_anything_is_sent() -> None:
    with pytest.raises(Unreachable):
        AsyncApi("ftp://x", "key")
    with pytest.raises(Unsendable):
        AsyncApi("http://x", "kéy")


@both
def test_a_connection_that_breaks_is_tried_again(how: Run) -> None:
    hung_up: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            hung_up.append(self.path)
            if len(hung_up) < 3:
                self.close_connection = True
                return
            body = json.dumps({"queues": []}).encode()
            self.send_response(200)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.02,))
    thread.start()
    waited: list[float] = []
    stub = Stub(url=f"http://127.0.0.1:{server.server_address[1]}")
    try:
        found = how(stub, waited, lambda api: api.ask(calls.queues()))
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
    assert found.queues == () and waited == [0.5, 1.0]


def test_every_call_names_its_path_user_and_page(stub: Stub) -> None:
    said = {"id": "c/1", "message_count": 0, "turn_count": 0, "messages": [], "next": None}
    stub.says("GET /v1/conversations/c%2F1", said)
    stub.says("GET /v1/jobs", {"results": [job("failed")], "next": "n"})
    stub.says("POST /v1/conversations/c%2F1/messages", TAKEN, status=202)
    stub.says("POST /v1/jobs/J/dismiss", job("dismissed"))
    stub.says("POST /v1/queues/extract/redrive", {"name": "extract", "sent": 2})
    stub.says("GET /v1/jobs/J", job("running"))
    with Api(stub.url, "key") as api:
        found = api.ask(calls.conversation("ann", "c/1", limit=5, cursor="x"))
        assert isinstance(found, Conversation)
        assert api.ask(calls.append("ann", "c/1", {"end": True}, key="k")).turns == 1
        page = api.ask(
            calls.jobs("ann", states=("failed", "partial"), conversation_id="c/1", cursor="y")
        )
        assert page.results[0].ended and page.next == "n"
        assert api.ask(calls.dismiss("ann", "J")).state == "dismissed"
        assert api.ask(calls.redrive("extract")).sent == 2
        assert not api.ask(calls.job("ann", "J")).ended
    assert stub.asked[0].query == {"user_id": ["ann"], "limit": ["5"], "cursor": ["x"]}
    assert stub.asked[2].query == {
        "user_id": ["ann"], "limit": ["50"], "state": ["failed", "partial"],
        "conversation_id": ["c/1"], "cursor": ["y"],
    }  # fmt: skip


def test_a_name_is_a_name_and_not_a_path() -> None:
    call = calls.entity("ann", "a/b?上海", limit=5, cursor="next")
    assert call.path == "/v1/entities/a%2Fb%3F%E4%B8%8A%E6%B5%B7"
    assert call.params == {"user_id": "ann", "limit": "5", "cursor": "next"}
    assert "cursor" not in (calls.entity("ann", "x").params or {})


@pytest.mark.parametrize("source", ["https://a.example/p?a=1", "-", ".."])
def test_a_source_that_stands_in_no_path_is_said_in_the_body(source: str) -> None:
    call = reviews.quarantine(source, {"kind": "document"}, user="ann")
    assert call.path == "/v1/sources/-/quarantine"
    assert call.body == {"user_id": "ann", "kind": "document", "source": source}
    assert (
        reviews.quarantine("chat 7", {"kind": "document"}).path == "/v1/sources/chat%207/quarantine"
    )
