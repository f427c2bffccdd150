"""Answers HTTP on the loopback interface as the HTTP API of the template would.

Routes, authorizer, its cache and the rate limit are the template's. The answers that the gateway
gives itself (401, 403, 404, 411, 413, 429, 500) carry `{"message"}`, like the real one's.
"""

import logging
import socket
import sys
import threading
import time
from collections import OrderedDict
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, ClassVar

from infra.local.events import (
    Call,
    Reply,
    authorizer_event,
    match,
    refusal,
    reply,
    request_event,
)
from infra.local.functions import FunctionFailed, Functions
from infra.local.template import System

BODY_LIMIT = 10 * 1024 * 1024
REMEMBERED = 1_000
log = logging.getLogger("hindwise.local")


class Throttle:
    """A token bucket: `rate` requests a second, `burst` at once."""

    def __init__(self, rate: float, burst: float) -> None:
        self._rate, self._burst = rate, burst
        self._tokens, self._at = burst, time.monotonic()
        self._lock = threading.Lock()

    def admits(self) -> bool:
        """Take a token if there is one."""
        with self._lock:
            now = time.monotonic()
            self._tokens = min(self._burst, self._tokens + (now - self._at) * self._rate)
            self._at = now
            if self._tokens < 1:
                return False
            self._tokens -= 1
            return True


class Authorizer:
    """Asks the authorizer function who a credential is, and remembers the answer for a while."""

    def __init__(self, system: System, functions: Functions) -> None:
        self._function, self._ttl = system.authorizer, system.authorizer_ttl
        self._functions = functions
        self._known: OrderedDict[str, tuple[float, dict[str, Any]]] = OrderedDict()

    def answer(self, event: dict[str, Any], credential: str) -> dict[str, Any]:
        """The function's answer, at most `authorizer_ttl` seconds old; raises FunctionFailed."""
        known = self._known.get(credential)
        if known is None or known[0] < time.monotonic():
            answer = self._functions.invoke(self._function, authorizer_event(event, credential))
            known = (time.monotonic() + self._ttl, answer)
            self._known[credential] = known
            while len(self._known) > REMEMBERED:
                self._known.popitem(last=False)
        return known[1]


class Gateway:
    """Turns a call into a reply."""

    def __init__(self, system: System, functions: Functions) -> None:
        self._system, self._functions = system, functions
        self._authorizer = Authorizer(system, functions)
        self._throttle = Throttle(system.rate, system.burst)

    def answer(self, call: Call) -> Reply:
        """Match, authorize, call the function; any failure of it is a 500 without detail."""
        if not self._throttle.admits():
            return refusal(429, "Too Many Requests")
        found = match(self._system.routes, call.method, call.path)
        if found is None:
            return refusal(404, "Not Found")
        route, parameters = found
        event = request_event(call, route, parameters)
        try:
            if route.guarded:
                credential = call.header("authorization")
                if not credential:
                    return refusal(401, "Unauthorized")
                verdict = self._authorizer.answer(event, credential)
                if not verdict.get("isAuthorized"):
                    return refusal(403, "Forbidden")
                context = verdict.get("context") or {}
                event["requestContext"]["authorizer"] = {"lambda": context}
            return reply(self._functions.invoke(route.function, event))
        except FunctionFailed:
            return refusal(500, "Internal Server Error")
        except (ValueError, TypeError):
            log.exception("%s gave an answer that is none", route.function)
            return refusal(500, "Internal Server Error")


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = -1
    timeout = 75
    gateway: ClassVar[Gateway]

    def _serve(self) -> None:
        length = self.headers.get("content-length", "0")
        if "transfer-encoding" in self.headers or not _counts(length):
            self._send(refusal(411, "Length Required"), close=True)
        elif int(length) > BODY_LIMIT:
            self._send(refusal(413, "Request Entity Too Large"), close=True)
        else:
            body = self.rfile.read(int(length))
            call = Call(self.command, self.path, self.headers.items(), body, self.client_address[0])
            self._send(self.gateway.answer(call), close=False)

    def _send(self, answer: Reply, *, close: bool) -> None:
        self.send_response(answer.status)
        for name, value in answer.headers:
            self.send_header(name, value)
        self.send_header("content-length", str(len(answer.body)))
        if close:
            self.send_header("connection", "close")
            self.close_connection = True
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(answer.body)
        self.wfile.flush()

    do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = do_HEAD = do_OPTIONS = _serve

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """Refuse what is no HTTP in the gateway's own words, not in HTML.

        An unknown verb is no route, as for the real gateway.
        """
        self.command = self.command or ""
        code = 404 if code == 501 else code
        self._send(refusal(code, HTTPStatus(code).phrase), close=True)

    def version_string(self) -> str:
        return "hindwise-local"

    def log_message(self, format: str, *args: object) -> None:
        log.debug(format, *args)


def _counts(length: str) -> bool:
    """Tell whether a header is a plain number: more is a digit than `int` reads."""
    return length.isascii() and length.isdigit() and len(length) <= 12


class Server(ThreadingHTTPServer):
    """The listening socket; raises OSError where the port is taken."""

    daemon_threads = True
    request_queue_size = 256

    def __init__(self, port: int, gateway: Gateway) -> None:
        handler = type("Handler", (_Handler,), {"gateway": gateway})
        super().__init__(("127.0.0.1", port), handler)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing of a caller who has hung up."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)

    def get_request(self) -> tuple[socket.socket, Any]:
        """Accept a connection that sends small answers at once."""
        connection, address = super().get_request()
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return connection, address
