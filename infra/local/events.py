"""Builds the events that API Gateway (HTTP API, payload 2.0) would send, and reads the answers.

Written from the developer guide and from how the real gateway was seen to behave: the path is
decoded before it is matched and cut at a decoded `?`, `rawQueryString` stays encoded, repeated
headers and parameters are joined with commas, and a body that is not of a textual type arrives as
base64.
"""

import base64
import json
import time
import uuid
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl, unquote

from infra.local.template import Route

Event = dict[str, Any]
TEXTUAL = ("text/", "application/json", "application/xml", "application/javascript")


@dataclass(frozen=True)
class Call:
    """One HTTP request as it came in; `target` is path and query, still encoded."""

    method: str
    target: str
    headers: Sequence[tuple[str, str]]
    body: bytes
    peer: str

    @property
    def path(self) -> str:
        """The decoded path."""
        return unquote(self.target.partition("?")[0], errors="replace").partition("?")[0]

    def header(self, name: str) -> str | None:
        """The first value of a header, whatever its case."""
        return next((value for key, value in self.headers if key.lower() == name), None)


@dataclass(frozen=True)
class Reply:
    """What goes back."""

    status: int
    headers: Sequence[tuple[str, str]]
    body: bytes


def refusal(status: int, message: str) -> Reply:
    """The gateway's own answer: its envelope is not the API's."""
    body = json.dumps({"message": message}).encode()
    return Reply(status, [("content-type", "application/json")], body)


def match(routes: Iterable[Route], method: str, path: str) -> tuple[Route, dict[str, str]] | None:
    """Find the route of a request, fixed segments before parameters, and its parameters."""
    best: tuple[int, Route, dict[str, str]] | None = None
    parts = path.split("/")
    for route in routes:
        wanted = route.path.split("/")
        if route.method != method or len(wanted) != len(parts):
            continue
        found = {
            want[1:-1]: part
            for want, part in zip(wanted, parts, strict=True)
            if want.startswith("{")
        }
        fixed = all(
            want.startswith("{") or want == part for want, part in zip(wanted, parts, strict=True)
        )
        if fixed and all(found.values()) and (best is None or len(found) < best[0]):
            best = (len(found), route, found)
    return best and (best[1], best[2])


def request_event(call: Call, route: Route, parameters: Mapping[str, str]) -> Event:
    """The event of a request, not yet with what the authorizer said."""
    headers: dict[str, str] = {}
    for name, value in call.headers:
        lower = name.lower()
        headers[lower] = f"{headers[lower]},{value}" if lower in headers else value
    cookies = headers.pop("cookie", "")
    query = call.target.partition("?")[2]
    event: Event = {
        "version": "2.0",
        "routeKey": f"{route.method} {route.path}",
        "rawPath": call.path,
        "rawQueryString": query,
        "headers": headers,
        "requestContext": _context(call, route, headers),
        "isBase64Encoded": False,
    }
    if cookies:
        event["cookies"] = [cookie.strip() for cookie in cookies.split(";")]
    if query:
        event["queryStringParameters"] = _joined(query)
    if parameters:
        event["pathParameters"] = dict(parameters)
    if call.body:
        event["body"], event["isBase64Encoded"] = _body(call.body, headers.get("content-type", ""))
    return event


def authorizer_event(event: Event, identity: str) -> Event:
    """The event that asks the authorizer about a request (payload 2.0: no body)."""
    asked = {
        name: value for name, value in event.items() if name not in ("body", "isBase64Encoded")
    }
    context = event["requestContext"]
    arn = f"arn:aws:execute-api:us-east-1:000000000000:local/$default/{context['http']['method']}"
    return {
        **asked,
        "type": "REQUEST",
        "routeArn": arn + event["rawPath"],
        "identitySource": [identity],
    }


def reply(answer: Any) -> Reply:
    """Read a handler's answer; raises ValueError for what the gateway would refuse."""
    if not isinstance(answer, dict) or "statusCode" not in answer:
        return Reply(200, [("content-type", "application/json")], json.dumps(answer).encode())
    body = answer.get("body") or ""
    content = base64.b64decode(body) if answer.get("isBase64Encoded") else body.encode()
    headers = [(name.lower(), str(value)) for name, value in (answer.get("headers") or {}).items()]
    for name, values in (answer.get("multiValueHeaders") or {}).items():
        headers.append((name.lower(), ",".join(map(str, values))))
    headers += [("set-cookie", cookie) for cookie in answer.get("cookies") or []]
    if content and not any(name == "content-type" for name, _ in headers):
        headers.append(("content-type", "text/plain;charset=UTF-8"))
    headers = [each for each in headers if each[0] != "content-length"]
    return Reply(int(answer["statusCode"]), headers, content)


def _context(call: Call, route: Route, headers: Mapping[str, str]) -> Event:
    now = time.time()
    return {
        "accountId": "000000000000",
        "apiId": "local",
        "domainName": headers.get("host", "localhost"),
        "domainPrefix": "local",
        "http": {
            "method": call.method,
            "path": call.path,
            "protocol": "HTTP/1.1",
            "sourceIp": call.peer,
            "userAgent": headers.get("user-agent", ""),
        },
        "requestId": str(uuid.uuid4()),
        "routeKey": f"{route.method} {route.path}",
        "stage": "$default",
        "time": time.strftime("%d/%b/%Y:%H:%M:%S +0000", time.gmtime(now)),
        "timeEpoch": int(now * 1000),
    }


def _joined(query: str) -> dict[str, str]:
    joined: dict[str, str] = {}
    for name, value in parse_qsl(query, keep_blank_values=True):
        joined[name] = f"{joined[name]},{value}" if name in joined else value
    return joined


def _body(body: bytes, content_type: str) -> tuple[str, bool]:
    if content_type.lower().startswith(TEXTUAL):
        try:
            return body.decode(), False
        except UnicodeDecodeError:
            pass
    return base64.b64encode(body).decode(), True
