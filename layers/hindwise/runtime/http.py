"""The HTTP side of a function: find the route, check the credential, call, map answer and error.

Routing is our own table and not a framework's resolver: the resolver keeps the current event in a
class attribute, which two requests at a time (the dev server has threads) would mix up, and its
import costs as much as all of ours.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import TypedDict

from pydantic_core import from_json, to_json

from hindwise.errors import HindwiseError, NotFound, TooLarge
from hindwise.runtime import routes
from hindwise.runtime.principal import require_role
from hindwise.runtime.request import Event, Request
from hindwise.runtime.routes import Route
from hindwise.runtime.strict_json import JsonObject

MAX_ANSWER = 5_000_000
"""Lambda carries 6 MB, in which our JSON is a string and grows by its escapes."""


class HttpResponse(TypedDict):
    """What the gateway expects (payload 2.0)."""

    statusCode: int
    headers: dict[str, str]
    body: str
    isBase64Encoded: bool


@dataclass(frozen=True)
class Answer:
    """What a handler returns: a status, a JSON body (models welcome) and extra headers."""

    body: object
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)


def rendered(answer: Answer) -> HttpResponse:
    """The gateway's form of an answer; one that Lambda could not carry becomes a 413."""
    body = to_json(answer.body)
    if len(body) > MAX_ANSWER:
        message = f"the answer is over {MAX_ANSWER} bytes; ask for less (limit, top_k)"
        return rendered(failure(TooLarge(message, details={"limit": MAX_ANSWER})))
    fixed = {"content-type": "application/json", "cache-control": "no-store"}
    return {
        "statusCode": answer.status,
        "headers": {**fixed, **answer.headers},
        "body": body.decode(),
        "isBase64Encoded": False,
    }


def failure(error: HindwiseError) -> Answer:
    """The error table: status, code and envelope of an error, and when to come back."""
    wait = error.details.get("retry_after", getattr(error, "retry_after", None))
    headers = {} if wait is None else {"retry-after": str(wait)}
    return Answer({"error": envelope(error)}, error.status, headers)


def envelope(error: HindwiseError) -> JsonObject:
    """The inside of the one error envelope; details are plain JSON."""
    details: JsonObject = from_json(to_json(error.details, fallback=str))
    return {"code": error.code, "message": str(error), "details": details}


FAULT = Answer({"error": {"code": "internal", "message": "internal error", "details": {}}}, 500)
Handler = Callable[[Request], Answer]


class Api:
    """The routes of one function."""

    def __init__(self, function: str) -> None:
        self._routes = routes.of_function(function)
        self._handlers: dict[str, Handler] = {}

    @property
    def operations(self) -> frozenset[str]:
        """The operations that have a handler."""
        return frozenset(self._handlers)

    def operation(self, name: str) -> Callable[[Handler], Handler]:
        """Register the handler of an operation of the routes table."""
        if name not in {route.operation for route in self._routes}:
            raise KeyError(name)

        def register(handler: Handler) -> Handler:
            self._handlers[name] = handler
            return handler

        return register

    def matched(self, event: Event, now: datetime) -> tuple[Route | None, Request]:
        """The route that an event asks for, and the request with the names in its path."""
        request = Request(event, now)
        path, encoded = _path(event)
        found = routes.find(self._routes, event, request.method, path, encoded=encoded)
        if found is None:
            return None, request
        route, params = found
        return route, Request(event, now, params, route.body_bytes)

    def answer(self, route: Route | None, request: Request) -> Answer:
        """The answer to a request; our own errors are answers too."""
        try:
            if route is None:
                raise NotFound("there is no such route")
            if route.role is not None:
                require_role(request.principal, route.role)
            if route.plain:
                request.only()
            return self._handlers[route.operation](request)
        except HindwiseError as error:
            return failure(error)


def _path(event: Event) -> tuple[str, bool]:
    """The path, and whether it is still percent-encoded (payload 2.0 is, REST API's is not)."""
    if "rawPath" in event:
        return str(event["rawPath"]), True
    return str(event.get("path") or ""), False
