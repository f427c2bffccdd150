"""A server on loopback that speaks OpenAI's API, as well behaved or as broken as a test wants it.

Real HTTP, so that the real client is under test: its timeouts, retries and parsing. Vectors come,
in this order, from `vectors` (by the exact text), from the first of `rules` that knows the text,
and from `otherwise`. Faults are taken from `faults`, one a request, then from `fault`.

    with OpenAIServer(dimensions=8) as server:
        server.faults += [Fault(status=429, retry_after="3")]
        OpenAIEmbedder("any-model", 8, key="k", base_url=server.url)

`python -m tests.openai_server --port 8401` runs it beside the dev server. Another route is one
more entry of ROUTES and one more method.
"""

import argparse
import base64
import json
import socket
import struct
import threading
import time
from array import array
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

from hindwise.adapters.embedders.hashed import features

Numbers = Sequence[float]
Rule = Callable[[str], Numbers | None]


@dataclass(frozen=True)
class Fault:
    """What goes wrong with one answer.

    `delay` is in seconds and comes before anything else. `spoil` changes the vectors (`zeros`,
    `nan`, `infinite`, `wrong_size`, `words`), the list (`missing`, `reversed`), or the body
    (`truncated`, `cut_json`, `not_json`, `empty`, `dropped`).
    """

    status: int = 200
    retry_after: str | None = None
    delay: float = 0.0
    spoil: str | None = None


@dataclass(frozen=True)
class Recorded:
    """One request that arrived."""

    method: str
    path: str
    body: dict[str, Any]
    key: str


def hashed(text: str, dimensions: int) -> list[float]:
    """A vector by shared words and word parts: similar texts are near each other."""
    row = [0.0] * dimensions
    for name, weight in features(text).items():
        number = int.from_bytes(blake2b(name.encode(), digest_size=8).digest())
        row[number % dimensions] += weight if number >> 63 else -weight
    return row if any(row) else neutral(text, dimensions)


def neutral(_text: str, dimensions: int) -> list[float]:
    """The same vector for every text."""
    return [1.0] + [0.0] * (dimensions - 1)


@dataclass
class OpenAIServer:
    """Serves on a free port of 127.0.0.1 (or `port`) while it is entered as a context."""

    dimensions: int = 512
    port: int = 0
    key: str | None = None
    models: tuple[str, ...] = ("scripted-embedding",)
    vectors: dict[str, Numbers] = field(default_factory=dict)
    rules: list[Rule] = field(default_factory=list)
    otherwise: Callable[[str, int], Numbers] = hashed
    faults: list[Fault] = field(default_factory=list)
    fault: Fault = field(default_factory=Fault)
    requests: list[Recorded] = field(default_factory=list)

    def __enter__(self) -> Self:
        self._http = _Http(("127.0.0.1", self.port), _Handler)
        self._http.script = self
        self.port = self._http.server_address[1]
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.02,), daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._http.shutdown()
        self._http.hang_up()
        self._http.server_close()
        self._thread.join()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    def texts(self) -> list[list[str]]:
        """The texts of each request for embeddings, in order of arrival."""
        return [one.body["input"] for one in self.requests if one.path == "/v1/embeddings"]

    def next_fault(self) -> Fault:
        return self.faults.pop(0) if self.faults else self.fault

    def vector(self, text: str, dimensions: int) -> Numbers:
        if text in self.vectors:
            return self.vectors[text]
        for rule in self.rules:
            if (found := rule(text)) is not None:
                return found
        return self.otherwise(text, dimensions)

    def list_models(self, _body: dict[str, Any], _spoil: str | None) -> dict[str, Any]:
        data = [
            {"id": name, "object": "model", "created": 0, "owned_by": "tests"}
            for name in self.models
        ]
        return {"object": "list", "data": data}

    def embed(self, body: dict[str, Any], spoil: str | None) -> dict[str, Any]:
        texts = [body["input"]] if isinstance(body["input"], str) else body["input"]
        size = body.get("dimensions", self.dimensions)
        rows = [spoilt(self.vector(text, size), spoil) for text in texts]
        as_text = body.get("encoding_format") == "base64" and spoil != "words"
        data = [
            {"object": "embedding", "index": index, "embedding": packed(row) if as_text else row}
            for index, row in enumerate(rows)
        ]
        if spoil == "missing":
            data.pop()
        if spoil == "reversed":
            data.reverse()
        count = sum(len(text) for text in texts)
        usage = {"prompt_tokens": count, "total_tokens": count}
        return {"object": "list", "data": data, "model": body.get("model"), "usage": usage}


def spoilt(row: Numbers, spoil: str | None) -> list[Any]:
    """The row as a broken model would give it."""
    changes: dict[str, Callable[[], list[Any]]] = {
        "zeros": lambda: [0.0] * len(row),
        "nan": lambda: [float("nan"), *row[1:]],
        "infinite": lambda: [float("inf"), *row[1:]],
        "wrong_size": lambda: list(row[:-1]),
        "words": lambda: ["one"] * len(row),
    }
    return changes[spoil]() if spoil in changes else list(row)


def packed(row: Numbers) -> str:
    """Little-endian float32 in base64: what the openai package asks for by default."""
    return base64.b64encode(array("f", row).tobytes()).decode()


ROUTES = {
    ("GET", "/v1/models"): OpenAIServer.list_models,
    ("POST", "/v1/embeddings"): OpenAIServer.embed,
}


class _Http(ThreadingHTTPServer):
    daemon_threads = True
    script: OpenAIServer

    def __init__(self, *args: Any) -> None:
        self._open: set[socket.socket] = set()
        super().__init__(*args)

    def process_request(self, request: Any, client_address: Any) -> None:
        self._open.add(request)
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        self._open.discard(request)
        super().shutdown_request(request)

    def hang_up(self) -> None:
        """End the connections that clients keep alive, so that no thread waits on them."""
        for request in list(self._open):
            try:
                request.shutdown(socket.SHUT_RDWR)
            except OSError:
                self._open.discard(request)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that gave up is what the tests are about: say nothing."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = 65_536
    disable_nagle_algorithm = True
    server: _Http

    def do_GET(self) -> None:
        self._serve({})

    def do_POST(self) -> None:
        self._serve(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))

    def log_message(self, *_: object) -> None:
        """Requests are recorded, not printed."""

    def _serve(self, body: dict[str, Any]) -> None:
        script = self.server.script
        key = (self.headers["Authorization"] or "").removeprefix("Bearer ")
        script.requests.append(Recorded(self.command, self.path, body, key))
        fault = script.next_fault()
        time.sleep(fault.delay)
        route = ROUTES.get((self.command, self.path))
        if fault.spoil == "dropped":
            self._drop()
        elif fault.status != 200:
            self._refuse(fault.status, fault.retry_after)
        elif script.key is not None and key != script.key:
            self._refuse(401)
        elif route is None:
            self._refuse(404)
        else:
            self._answer(json.dumps(route(script, body, fault.spoil)).encode(), fault.spoil)

    def _refuse(self, status: int, retry_after: str | None = None) -> None:
        error = {"message": f"scripted {status}", "type": "scripted", "param": None, "code": None}
        self._send(status, json.dumps({"error": error}).encode(), retry_after=retry_after)

    def _answer(self, data: bytes, spoil: str | None) -> None:
        if spoil == "truncated":
            self._send(200, data[: len(data) // 2], announced=len(data))
            self._drop()
        elif spoil == "not_json":
            self._send(200, b"<html>busy</html>", content_type="text/html")
        elif spoil == "cut_json":
            self._send(200, data[: len(data) // 2])
        elif spoil == "empty":
            self._send(200, b"{}")
        else:
            self._send(200, data)

    def _send(
        self,
        status: int,
        data: bytes,
        *,
        announced: int | None = None,
        retry_after: str | None = None,
        content_type: str = "application/json",
    ) -> None:
        self.send_response(status)
        self.send_header("Content-Type", content_type)
        self.send_header("Content-Length", str(len(data) if announced is None else announced))
        if retry_after is not None:
            self.send_header("Retry-After", retry_after)
        self.end_headers()
        self.wfile.write(data)

    def _drop(self) -> None:
        """Reset the connection instead of closing it."""
        self.close_connection = True
        linger = struct.pack("ii", 1, 0)
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)


def main() -> None:
    """Serve until interrupted."""
    parser = argparse.ArgumentParser(description="A fake OpenAI server on 127.0.0.1")
    parser.add_argument("--port", type=int, default=8401)
    parser.add_argument("--dimensions", type=int, default=512)
    given = parser.parse_args()
    with OpenAIServer(port=given.port, dimensions=given.dimensions) as server:
        print(f"serving {server.url}", flush=True)
        try:
            threading.Event().wait()
        except KeyboardInterrupt:
            print("stopped")


if __name__ == "__main__":
    main()
