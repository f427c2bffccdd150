"""What goes over the wire and when it is tried again, without a connection of its own.

An exchange with the API is a generator: it yields what is to be sent, or how long to wait, and is
given the response, or why there is none. Whoever has a connection, blocking or not, runs it; so
there is one rule of retries for both.
"""

import json
from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass, field
from urllib.parse import urlsplit

import httpx
from pydantic import JsonValue, ValidationError

from hindwise.client.answers import Answer, JsonObject
from hindwise.client.errors import Answered, NotHindwise, Unreachable, Unsendable

TRIES = 4
LONGEST_WAIT = 30.0
GATEWAY = {401: "unauthorized", 403: "forbidden", 404: "not_found", 413: "too_large"}
"""Our words for what the gateway says without any."""
BUSY = frozenset({429, 503})
LOOPBACK = frozenset({"127.0.0.1", "::1", "localhost"})


@dataclass(frozen=True)
class Call[A: Answer]:
    """One call of the API and the shape of its answer.

    `key` makes repeating it harmless; `version` is the one that a change is of, or it is refused.
    """

    shape: type[A]
    method: str
    path: str
    params: Mapping[str, str | list[str]] | None = None
    body: JsonObject | None = None
    key: str | None = None
    version: int | None = None


@dataclass(frozen=True)
class Sending:
    """What is to be sent, once."""

    method: str
    path: str
    params: Mapping[str, str | list[str]] | None = None
    content: bytes | None = None
    headers: Mapping[str, str] = field(default_factory=dict)


type Came = httpx.Response | httpx.TransportError | httpx.InvalidURL | None
"""The response, or why there is none; None after a wait."""
type Steps[A] = Generator[Sending | float, Came, A]
"""Yields what to send, or seconds to wait; returns the answer."""


def asked[A: Answer](call: Call[A], url: str) -> Steps[A]:
    """Ask until there is an answer or no use in asking on; `url` is where the API is.

    Raises Unreachable, NotHindwise, Unsendable and Answered.
    """
    response = yield from tried(call, url)
    refused = refusal(response)
    try:
        if refused is not None:
            raise refused
        return call.shape.model_validate_json(response.content)
    except ValidationError as error:
        raise NotHindwise(
            f"{url} answers, but not as Hindwise does; is the address right?"
        ) from error


def looked[A: Answer](
    call: Call[A],
    url: str,
    over: Callable[[A], bool],
    *,
    pauses: tuple[float, float],
    seconds: float,
) -> Steps[A]:
    """Ask again until it is `over`, or for so many seconds; the last answer is given as it is.

    `pauses` are the seconds before the second look, and the most before any.
    """
    (pause, longest), left = pauses, seconds
    while True:
        found = yield from asked(call, url)
        if over(found) or left <= 0:
            return found
        yield min(pause, left)
        left -= pause
        pause = min(pause * 1.5, longest)


def tried[A: Answer](call: Call[A], url: str) -> Steps[httpx.Response]:
    """The response of the last try. A refused connection is not tried again: whoever types wants
    to hear at once that no server runs.
    """
    sending = _sending(call)
    for left in reversed(range(TRIES)):
        came = yield sending
        if isinstance(came, httpx.ConnectError | httpx.InvalidURL):
            raise Unreachable(f"nothing answers at {url}") from came
        if not isinstance(came, httpx.Response):
            if not left:
                raise Unreachable(f"{url} does not answer: {came}") from came
            yield 0.5 * 2 ** (TRIES - 1 - left)
            continue
        if not left or (wait := _wait(came, TRIES - 1 - left)) is None:
            return came
        yield wait
    raise AssertionError("the last try returns")


def _sending[A: Answer](call: Call[A]) -> Sending:
    content = _encoded(call.body)
    headers = {"content-type": "application/json"} if content is not None else {}
    if call.key is not None:
        headers["idempotency-key"] = call.key
    if call.version is not None:
        headers["if-match"] = f'"{call.version}"'
    return Sending(call.method, call.path, call.params, content, headers)


def _encoded(body: JsonObject | None) -> bytes | None:
    if body is None:
        return None
    try:
        return json.dumps(body, ensure_ascii=False, allow_nan=False).encode()
    except UnicodeEncodeError as error:
        raise Unsendable("the text is not valid Unicode") from error
    except ValueError as error:
        raise Unsendable("NaN and infinite numbers are not JSON") from error


def _wait(response: httpx.Response, tries: int) -> float | None:
    """Seconds until another try makes sense; None where it never will."""
    given = response.headers.get("retry-after", "")
    if response.status_code not in BUSY and not (response.status_code == 409 and given):
        return None
    wait = float(given) if given.isdigit() else 0.0
    return min(LONGEST_WAIT, max(wait, 0.5 * 2.0**tries))


def refusal(response: httpx.Response) -> Answered | None:
    """The API's or the gateway's own words for a refusal; None for an answer.

    A batch of which nothing was stored is an answer: each memory has its own reason. Raises
    NotHindwise where the refusal is neither's.
    """
    status, said = response.status_code, _json(response)
    if status < 400 or "results" in said:
        return None
    problem = said.get("error")
    if isinstance(problem, dict):
        details = problem.get("details")
        return Answered(
            str(problem.get("message", "")),
            status=status,
            code=str(problem.get("code", "unknown")),
            details=details if isinstance(details, dict) else {},
        )
    if not isinstance(message := said.get("message"), str):
        raise NotHindwise(f"{response.url} answers with {status}, but not as Hindwise does")
    return Answered(message, status=status, code=GATEWAY.get(status, "unknown"), details={})


def _json(response: httpx.Response) -> dict[str, JsonValue]:
    try:
        said = response.json()
    except ValueError:
        return {}
    return said if isinstance(said, dict) else {}


def checked_address(url: str, key: str) -> dict[str, str]:
    """The headers that show the key; raises Unreachable and Unsendable for what cannot be asked."""
    if not is_address(url):
        raise Unreachable(f"{url!r} is no http or https address")
    if not key.isascii() or not key.isprintable():
        raise Unsendable("the key holds characters that no key has")
    return {"authorization": f"Bearer {key}"} if key else {}


def is_address(url: str) -> bool:
    """Tell whether a text is an http or https address."""
    try:
        parts = urlsplit(url)
        return parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False


def is_local(url: str) -> bool:
    """Tell whether an address is on this machine."""
    try:
        return (urlsplit(url).hostname or "") in LOOPBACK
    except ValueError:
        return False
