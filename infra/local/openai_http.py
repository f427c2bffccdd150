"""The HTTP of a pretended OpenAI server on loopback; what it says is up to who extends it.

Real HTTP, so that the real client is under test: its timeouts, retries and parsing. Whatever is
sent is recorded first.
"""

import json
import socket
import struct
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Literal, Self

BEAT = 0.02
"""Seconds between the blanks of an answer that trickles."""


@dataclass(frozen=True)
class Recorded:
    """One request that arrived; `headers` by lower-case name, `key` the bearer's."""

    method: str
    path: str
    body: dict[str, Any]
    key: str
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Answer:
    """What goes back, after `delay` seconds, with blanks before it for `trickle` seconds more.

    It `ends` whole, `short` (half of the body, then the connection is reset) or `dropped` (reset
    before anything is said).
    """

    data: bytes = b""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    delay: float = 0.0
    trickle: float = 0.0
    ends: Literal["whole", "short", "dropped"] = "whole"


def refusal(
    status: int,
    *,
    headers: Mapping[str, str] | None = None,
    delay: float = 0.0,
    said: str | None = None,
) -> Answer:
    """An error in OpenAI's form."""
    error = {
        "message": said or f"scripted {status}",
        "type": "scripted",
        "param": None,
        "code": None,
    }
    data = json.dumps({"error": error}).encode()
    return Answer(data, status, headers or {}, delay)


@dataclass
class OpenAIHttp:
    """Serves on a free port of 127.0.0.1 (or `port`) while it is entered as a context.

    With a `key` set, requests that bear another one are refused.
    """

    port: int = 0
    key: str | None = None
    requests: list[Recorded] = field(default_factory=list)

    def __enter__(self) -> Self:
        """Start serving."""
        self._http = _Http(("127.0.0.1", self.port), _Handler)
        self._http.script = self
        self.port = self._http.server_address[1]
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.02,), daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        """Stop serving and end the connections that clients keep alive."""
        self._http.shutdown()
        self._http.hang_up()
        self._http.server_close()
        self._thread.join()

    @property
    def url(self) -> str:
        """The base URL to give to a client."""
        return f"http://127.0.0.1:{self.port}/v1"

    def answer(self, asked: Recorded) -> Answer:
        """What to say to a request."""
        raise NotImplementedError

    def admitted(self, asked: Recorded) -> Answer:
        """The answer, to one who has the key."""
        if self.key is not None and asked.key != self.key:
            return refusal(401)
        return self.answer(asked)


class _Http(ThreadingHTTPServer):
    daemon_threads = True
    script: OpenAIHttp

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
        headers = {name.lower(): value for name, value in self.headers.items()}
        key = headers.get("authorization", "").removeprefix("Bearer ")
        asked = Recorded(self.command, self.path, body, key, headers)
        self.server.script.requests.append(asked)
        answer = self.server.script.admitted(asked)
        time.sleep(answer.delay)
        if answer.ends != "dropped":
            self._send(answer)
        if answer.ends != "whole":
            self._drop()

    def _send(self, answer: Answer) -> None:
        self.send_response(answer.status)
        blanks = round(answer.trickle / BEAT)
        sent = {"Content-Type": "application/json", **answer.headers}
        for name, value in {**sent, "Content-Length": str(len(answer.data) + blanks)}.items():
            self.send_header(name, value)
        self.end_headers()
        for _ in range(blanks):
            self.wfile.write(b" ")
            self.wfile.flush()
            time.sleep(BEAT)
        short = answer.ends == "short"
        self.wfile.write(answer.data[: len(answer.data) // 2] if short else answer.data)

    def _drop(self) -> None:
        """Reset the connection instead of closing it."""
        self.close_connection = True
        linger = struct.pack("ii", 1, 0)
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
