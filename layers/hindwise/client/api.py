"""One call of the API after the other: address, credential, retries, typed answers.

What may be repeated is repeated: reads, and writes that carry an idempotency key. A refused
connection is not: whoever types wants to hear at once that no server runs.
"""

import json
import time
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from email.utils import parsedate_to_datetime
from types import TracebackType
from typing import Self
from urllib.parse import quote, urlsplit

import httpx
from pydantic import JsonValue, ValidationError

from hindwise.client.answers import (
    Answer,
    Batch,
    Context,
    Forgotten,
    Found,
    Health,
    History,
    JsonObject,
    Me,
    Memory,
    Page,
    Stats,
    Written,
)
from hindwise.client.errors import Answered, NotHindwise, Unreachable, Unsendable

TRIES = 4
LONGEST_WAIT = 30.0
GATEWAY = {401: "unauthorized", 403: "forbidden", 404: "not_found", 413: "too_large"}
"""Our words for what the gateway says without any."""
BUSY = frozenset({429, 503})
LOOPBACK = frozenset({"127.0.0.1", "::1", "localhost"})


class Api:
    """The API at `url` with a key; `timeout` is in seconds for one try."""

    def __init__(
        self,
        url: str,
        key: str,
        *,
        timeout: float = 30.0,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self.url = url.rstrip("/")
        self._sleep = sleep
        if not is_address(url):
            raise Unreachable(f"{url!r} is no http or https address")
        if not key.isascii() or not key.isprintable():
            raise Unsendable("the key holds characters that no key has")
        headers = {"authorization": f"Bearer {key}"} if key else {}
        try:
            # A proxy of the environment must not come between us and this machine.
            self._http = httpx.Client(
                headers=headers,
                timeout=httpx.Timeout(timeout, connect=5.0),
                trust_env=not is_local(url),
            )
        except (httpx.InvalidURL, ValueError) as error:
            raise Unreachable(f"cannot use the proxy settings: {error}") from error

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._http.close()

    def write(self, user: str, memory: JsonObject, *, key: str) -> Written:
        """Remember one memory; `key` makes repeating it harmless."""
        return self._call(Written, "POST", "/v1/memories", body=_of(user, memory), key=key)

    def write_batch(self, user: str, memories: Sequence[JsonObject], *, key: str) -> Batch:
        """Remember up to 100 memories, each with a result of its own."""
        body = _of(user, {"items": [*memories]})
        return self._call(Batch, "POST", "/v1/memories", body=body, key=key)

    def search(self, user: str, asked: JsonObject) -> Found:
        """Find memories; `asked` is the body of POST /v1/search."""
        return self._call(Found, "POST", "/v1/search", body=_of(user, asked))

    def context(self, user: str, asked: JsonObject) -> Context:
        """Build a block for a prompt; `asked` is the body of POST /v1/context."""
        return self._call(Context, "POST", "/v1/context", body=_of(user, asked))

    def read(self, user: str, memory_id: str) -> Memory:
        """Read one memory."""
        return self._call(Memory, "GET", _path(memory_id), params={"user_id": user})

    def history(self, user: str, memory_id: str) -> History:
        """Read what became of one memory; scratch values have no history (404)."""
        return self._call(History, "GET", _path(memory_id, "history"), params={"user_id": user})

    def forget(self, user: str, memory_id: str) -> Forgotten:
        """Forget one memory for good."""
        return self._call(Forgotten, "DELETE", _path(memory_id), params={"user_id": user})

    def newest(self, user: str, limit: int) -> Page:
        """List the newest memories, at most 100."""
        params = {"user_id": user, "limit": str(limit)}
        return self._call(Page, "GET", "/v1/memories", params=params)

    def stats(self, user: str) -> Stats:
        """Count a user's memories."""
        return self._call(Stats, "GET", "/v1/stats", params={"user_id": user})

    def me(self) -> Me:
        """Ask who the key belongs to."""
        return self._call(Me, "GET", "/v1/me")

    def health(self) -> Health:
        """Ask whether the service and what it depends on answer; needs no key."""
        return self._call(Health, "GET", "/v1/health")

    def server_time(self) -> datetime | None:
        """The server's clock, to the second; None where it does not say."""
        given = self._tried("GET", "/v1/health").headers.get("date")
        try:
            return parsedate_to_datetime(given) if given else None
        except ValueError:
            return None

    def _call[A: Answer](
        self,
        shape: type[A],
        method: str,
        path: str,
        *,
        params: Mapping[str, str] | None = None,
        body: JsonObject | None = None,
        key: str | None = None,
    ) -> A:
        response = self._tried(method, path, params=params, content=_encoded(body), key=key)
        refusal = _refusal(response)
        try:
            if refusal is not None:
                raise refusal
            return shape.model_validate_json(response.content)
        except ValidationError as error:
            raise NotHindwise(
                f"{self.url} answers, but not as Hindwise does; is the address right?"
            ) from error

    def _tried(
        self,
        method: str,
        path: str,
        *,
        params: Mapping[str, str] | None = None,
        content: bytes | None = None,
        key: str | None = None,
    ) -> httpx.Response:
        """The answer of the last try."""
        headers = {"content-type": "application/json"} if content is not None else {}
        if key is not None:
            headers["idempotency-key"] = key
        for left in reversed(range(TRIES)):
            try:
                response = self._http.request(
                    method, self.url + path, params=params, content=content, headers=headers
                )
            except (httpx.ConnectError, httpx.InvalidURL) as error:
                raise Unreachable(f"nothing answers at {self.url}") from error
            except httpx.TransportError as error:
                if not left:
                    raise Unreachable(f"{self.url} does not answer: {error}") from error
                self._sleep(0.5 * 2 ** (TRIES - 1 - left))
                continue
            if not left or (wait := _wait(response, TRIES - 1 - left)) is None:
                break
            self._sleep(wait)
        return response


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


def _path(memory_id: str, *more: str) -> str:
    return "/".join(("/v1/memories", quote(memory_id, safe=""), *more))


def _of(user: str, fields: JsonObject) -> JsonObject:
    return {"user_id": user, **fields}


def _encoded(body: JsonObject | None) -> bytes | None:
    if body is None:
        return None
    try:
        return json.dumps(body, ensure_ascii=False, allow_nan=False).encode()
    except UnicodeEncodeError as error:
        raise Unsendable("the text is not valid Unicode") from error
    except ValueError as error:
        raise Unsendable("NaN and infinite numbers are not JSON") from error


def _wait(response: httpx.Response, tried: int) -> float | None:
    """Seconds until another try makes sense; None where it never will."""
    given = response.headers.get("retry-after", "")
    if response.status_code not in BUSY and not (response.status_code == 409 and given):
        return None
    wait = float(given) if given.isdigit() else 0.0
    return min(LONGEST_WAIT, max(wait, 0.5 * 2.0**tried))


def _refusal(response: httpx.Response) -> Answered | None:
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
