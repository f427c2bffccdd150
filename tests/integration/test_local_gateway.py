"""The dev server over real HTTP, with handlers of the test's own behind it."""

import http.client
import json
import socket
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from infra.local import template
from infra.local.functions import Context, Functions
from infra.local.gateway import BODY_LIMIT, Gateway, Server, Throttle

ROOT = Path(__file__).parents[2]
SYSTEM = template.read(ROOT / "template.yaml")
Answer = tuple[int, Any]
Ask = Callable[..., Answer]


class Stubs:
    """Handlers that remember what they were asked."""

    def __init__(self) -> None:
        self.authorized: list[dict[str, Any]] = []
        self.served: list[dict[str, Any]] = []
        self.both = threading.Barrier(2)

    def authorize(self, event: dict[str, Any], context: Context) -> Any:
        self.authorized.append(event)
        if event["identitySource"] == ["Bearer broken"]:
            raise RuntimeError("the store is down")
        known = event["identitySource"] == ["Bearer good"]
        return {"isAuthorized": known, "context": {"tenant": "t"} if known else {}}

    def serve(self, event: dict[str, Any], context: Context) -> Any:
        self.served.append(event)
        if event["rawPath"].endswith("/broken"):
            raise RuntimeError("secret detail")
        if event["rawPath"].endswith("/odd"):
            return {"statusCode": "odd"}
        if event["rawPath"].endswith("/together"):
            self.both.wait(5)
        left = context.get_remaining_time_in_millis()
        return {"statusCode": 200, "body": json.dumps({"left": left, "you": event["headers"]})}


@pytest.fixture
def stubs() -> Stubs:
    return Stubs()


@pytest.fixture
def ask(stubs: Stubs) -> Iterator[Ask]:
    names = dict.fromkeys(SYSTEM.functions, stubs.serve)
    functions = Functions(SYSTEM, {**names, "AuthorizeFunction": stubs.authorize})
    server = Server(0, Gateway(SYSTEM, functions))
    threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()

    def request(method: str, path: str, body: bytes = b"", **headers: str) -> Answer:
        connection = http.client.HTTPConnection("127.0.0.1", server.server_port, timeout=10)
        names = {name.replace("_", "-"): value for name, value in headers.items()}
        connection.request(method, path, body or None, names)
        answer = connection.getresponse()
        content = answer.read()
        connection.close()
        return answer.status, json.loads(content) if content else None

    yield request
    server.shutdown()
    server.server_close()


def test_request_reaches_its_function_with_its_principal(ask: Ask, stubs: Stubs) -> None:
    body = '{"user_id": "我"}'.encode()
    status, answer = ask("POST", "/v1/search", body, authorization="Bearer good",
                         content_type="application/json")  # fmt: skip
    assert status == 200 and 0 < answer["left"] <= 10_000
    (event,) = stubs.served
    assert event["body"] == '{"user_id": "我"}'
    assert event["requestContext"]["authorizer"] == {"lambda": {"tenant": "t"}}


@pytest.mark.parametrize(
    ("method", "path", "headers", "status", "message"),
    [
        ("GET", "/v1/me", {}, 401, "Unauthorized"),
        ("GET", "/v1/me", {"authorization": ""}, 401, "Unauthorized"),
        ("GET", "/v1/me", {"authorization": "Bearer bad"}, 403, "Forbidden"),
        ("GET", "/v1/me", {"authorization": "Bearer broken"}, 500, "Internal Server Error"),
        ("GET", "/v1/nothing", {"authorization": "Bearer good"}, 404, "Not Found"),
        ("PUT", "/v1/memories", {"authorization": "Bearer good"}, 404, "Not Found"),
        (
            "GET",
            "/v1/memories/broken",
            {"authorization": "Bearer good"},
            500,
            "Internal Server Error",
        ),
        ("GET", "/v1/memories/odd", {"authorization": "Bearer good"}, 500, "Internal Server Error"),
        ("POST", "/v1/search", {"transfer_encoding": "chunked"}, 411, "Length Required"),
        (
            "POST",
            "/v1/search",
            {"content_length": str(BODY_LIMIT + 1)},
            413,
            "Request Entity Too Large",
        ),
    ],
)
def test_gateway_answers_in_its_own_words(
    ask: Ask, method: str, path: str, headers: dict[str, str], status: int, message: str
) -> None:
    assert ask(method, path, **headers) == (status, {"message": message})


@pytest.mark.parametrize("path", ["/v1/health", "/v1/openapi.json"])
def test_open_routes_need_no_credential(ask: Ask, stubs: Stubs, path: str) -> None:
    assert ask("GET", path)[0] == 200
    assert stubs.authorized == []


def test_authorizer_is_asked_once_a_minute_per_credential(ask: Ask, stubs: Stubs) -> None:
    for _ in range(3):
        assert ask("GET", "/v1/me", authorization="Bearer good")[0] == 200
        assert ask("GET", "/v1/me", authorization="Bearer bad")[0] == 403
    assert len(stubs.authorized) == 2


def test_failed_authorizer_is_asked_again(ask: Ask, stubs: Stubs) -> None:
    for _ in range(2):
        assert ask("GET", "/v1/me", authorization="Bearer broken")[0] == 500
    assert len(stubs.authorized) == 2


def test_requests_are_served_side_by_side(ask: Ask) -> None:
    answers: list[Answer] = []

    def one() -> None:
        answers.append(ask("GET", "/v1/memories/together", authorization="Bearer good"))

    threads = [threading.Thread(target=one) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [status for status, _ in answers] == [200, 200]


def test_burst_is_cut(stubs: Stubs) -> None:
    system = replace(SYSTEM, rate=0.001, burst=2.0)
    gateway = Gateway(system, Functions(system, dict.fromkeys(SYSTEM.functions, stubs.serve)))
    server = Server(0, gateway)
    threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
    statuses = []
    for _ in range(3):
        connection = http.client.HTTPConnection("127.0.0.1", server.server_port, timeout=10)
        connection.request("GET", "/v1/health")
        answer = connection.getresponse()
        statuses.append((answer.status, answer.read()[:20]))
        connection.close()
    server.shutdown()
    server.server_close()
    assert [status for status, _ in statuses] == [200, 200, 429]
    assert statuses[2][1].startswith(b'{"message": "Too')


@pytest.mark.parametrize(
    ("sent", "status", "message"),
    [
        (
            b"GET /v1/me HTTP/1.1\r\n" + b"a: b\r\n" * 200 + b"\r\n",
            431,
            "Request Header Fields Too Large",
        ),
        (b"BREW /v1/me HTTP/1.1\r\n\r\n", 404, "Not Found"),
        (b"POST /v1/me HTTP/1.1\r\nContent-Length: \xb2\r\n\r\n", 411, "Length Required"),
        (
            b"POST /v1/me HTTP/1.1\r\nContent-Length: " + b"9" * 5_000 + b"\r\n\r\n",
            411,
            "Length Required",
        ),
    ],
)
def test_what_is_no_http_is_refused_in_the_same_words(
    stubs: Stubs, sent: bytes, status: int, message: str
) -> None:
    gateway = Gateway(SYSTEM, Functions(SYSTEM, dict.fromkeys(SYSTEM.functions, stubs.serve)))
    server = Server(0, gateway)
    threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
    with socket.create_connection(("127.0.0.1", server.server_port), timeout=10) as connection:
        connection.sendall(sent)
        answer = b"".join(iter(lambda: connection.recv(4096), b""))
    server.shutdown()
    server.server_close()
    assert answer.startswith(b"HTTP/1.1 %d " % status)
    assert answer.endswith(json.dumps({"message": message}).encode())


def test_throttle_refills() -> None:
    throttle = Throttle(rate=1e9, burst=1)
    assert throttle.admits() and throttle.admits()
