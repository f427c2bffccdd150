"""The client: deadlines, signing, no retries, quiet logs, and errors that quote nothing."""

import json
import logging
import threading
from array import array
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import numpy as np
import pytest
from opensearchpy.exceptions import NotFoundError, SerializationError

from hindwise.adapters.opensearch.client import (
    CONNECT_SECONDS,
    SEARCH_SECONDS,
    FastSerializer,
    NotThere,
    asked,
    connect,
    lines,
)
from hindwise.errors import Misconfigured, Unavailable


@contextmanager
def server(
    status: int, body: str, kind: str = "application/json"
) -> Iterator[tuple[str, list[Any]]]:
    """Answers all with the same; keeps the headers of what it is asked."""
    seen: list[Any] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            seen.append(self.headers)
            self.send_response(status)
            self.send_header("content-type", kind)
            self.send_header("content-length", str(len(body.encode())))
            self.end_headers()
            self.wfile.write(body.encode())

        do_POST = do_GET

        def log_message(self, *args: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as http:
        thread = threading.Thread(target=http.serve_forever, args=(0.01,))
        thread.start()
        yield f"http://127.0.0.1:{http.server_port}", seen
        http.shutdown()
        thread.join()


@pytest.fixture
def credentials(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "test")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "test")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "eu-west-1")


def auth_of(endpoint: str) -> Any:
    [connection] = connect(endpoint, seconds=1).transport.connection_pool.connections
    return connection.http_auth


@pytest.mark.usefixtures("credentials")
@pytest.mark.parametrize(
    ("endpoint", "signed"),
    [
        ("https://search-x.eu-west-1.es.amazonaws.com", True),
        ("https://search-x.cn-north-1.es.amazonaws.com.cn", True),
        ("https://x.eu-west-1.on.aws", True),
        ("http://127.0.0.1:9200", False),
        ("https://amazonaws.com.example.org", False),
        ("https://myamazonaws.com", False),
    ],
)
def test_requests_to_aws_are_signed_and_no_others(endpoint: str, signed: bool) -> None:
    assert (auth_of(endpoint) is not None) is signed


def test_without_credentials_it_is_said_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    import boto3

    class Bare:
        region_name = "eu-west-1"

        def get_credentials(self) -> None:
            return None

    monkeypatch.setattr(boto3, "Session", Bare)
    with pytest.raises(Misconfigured, match="cannot be signed"):
        connect("https://search-x.eu-west-1.es.amazonaws.com", seconds=1)


def test_deadlines_and_retries() -> None:
    client = connect("http://127.0.0.1:9", seconds=0.8)
    assert client.transport.max_retries == 0
    [connection] = client.transport.connection_pool.connections
    timeout = connection.timeout
    assert (timeout.connect_timeout, timeout.read_timeout) == (CONNECT_SECONDS, 0.8)


@pytest.mark.parametrize("status", [429, 500, 502, 503, 504])
def test_one_call_is_one_request(status: int) -> None:
    with server(status, '{"error": {"reason": "my secret"}}') as (url, seen):
        client = connect(url, seconds=2)
        with pytest.raises(Unavailable, match=f"status {status}$") as failure:
            asked(client.info)
    assert len(seen) == 1
    assert failure.value.__cause__ is None and failure.value.__suppress_context__


def test_a_missing_index_is_told_from_a_node_that_fails() -> None:
    with server(404, '{"error": {"type": "index_not_found_exception"}}') as (url, _):
        client = connect(url, seconds=2)
        with pytest.raises(NotThere):
            asked(lambda: client.indices.get(index="x"))
    with pytest.raises(Unavailable) as failure:
        asked(connect("http://127.0.0.1:9", seconds=1).info)
    assert not isinstance(failure.value, NotThere)
    assert failure.value.details == {"dependency": "index"}


@pytest.mark.parametrize(
    ("body", "kind"), [("my secret", "application/json"), ("<p>my secret</p>", "text/html")]
)
def test_an_answer_that_is_no_json_is_a_node_that_fails(body: str, kind: str) -> None:
    with server(200, body, kind) as (url, _):
        client = connect(url, seconds=2)
        with pytest.raises(Unavailable) as failure:
            asked(client.info)
    assert "secret" not in str(failure.value)


def test_bodies_are_not_logged_whatever_the_level(caplog: pytest.LogCaptureFixture) -> None:
    with server(400, '{"error": {"reason": "my secret"}}') as (url, _):
        client = connect(url, seconds=2)
        with caplog.at_level(logging.DEBUG):
            for name in ("opensearch", "opensearchpy.trace", "urllib3"):
                caplog.set_level(logging.DEBUG, logger=name)
            with pytest.raises(Unavailable):
                asked(lambda: client.msearch(body=b'{}\n{"query": "my secret"}\n'))
    assert "secret" not in caplog.text


def test_the_serializer_takes_bytes_texts_and_objects() -> None:
    serializer = FastSerializer()
    assert serializer.dumps(b"{}\n") == b"{}\n" and serializer.dumps("{}") == "{}"
    assert serializer.loads(serializer.dumps({"两": [1, 2.5]})) == {"两": [1, 2.5]}
    with pytest.raises(SerializationError) as failure:
        serializer.loads("my secret")
    assert "secret" not in str(failure.value)


def test_lines_hold_vectors_as_numbers() -> None:
    vector = np.frombuffer(array("f", [0.5, 0.25]), np.float32)
    first, second = lines([{"a": 1}, {"v": vector}]).splitlines()
    assert json.loads(first) == {"a": 1} and json.loads(second) == {"v": [0.5, 0.25]}


def test_only_errors_of_the_library_are_taken_for_the_node() -> None:
    def wrong() -> None:
        raise KeyError("a mistake of ours")

    with pytest.raises(KeyError):
        asked(wrong)

    def missing() -> None:
        raise NotFoundError(404, "x", {})

    with pytest.raises(NotThere):
        asked(missing)


def test_a_search_waits_for_less_than_a_second() -> None:
    assert CONNECT_SECONDS + SEARCH_SECONDS < 1
