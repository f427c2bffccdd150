"""One call of the API after the other, blocking: address, credential, retries, typed answers.

What may be repeated is repeated: reads, and writes that carry an idempotency key.
"""

import time
from collections.abc import Callable, Sequence
from datetime import datetime
from email.utils import parsedate_to_datetime
from types import TracebackType
from typing import Self
from urllib.parse import quote

import httpx

from hindwise.client.answers import (
    Answer,
    Batch,
    Forgotten,
    Health,
    History,
    JsonObject,
    Me,
    Memory,
    Page,
    Stats,
    Written,
)
from hindwise.client.errors import Unreachable
from hindwise.client.finding import Context, Found
from hindwise.client.wire import (
    Call,
    Came,
    Sending,
    Steps,
    asked,
    checked_address,
    is_address,
    is_local,
    tried,
)

__all__ = ["Api", "is_address", "is_local"]


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
        headers = checked_address(url, key)
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
        return self._ask(Written, "POST", "/v1/memories", body=_of(user, memory), key=key)

    def write_batch(self, user: str, memories: Sequence[JsonObject], *, key: str) -> Batch:
        """Remember up to 100 memories, each with a result of its own."""
        body = _of(user, {"items": [*memories]})
        return self._ask(Batch, "POST", "/v1/memories", body=body, key=key)

    def search(self, user: str, asked: JsonObject) -> Found:
        """Find memories; `asked` is the body of POST /v1/search."""
        return self._ask(Found, "POST", "/v1/search", body=_of(user, asked))

    def context(self, user: str, asked: JsonObject) -> Context:
        """Build a block for a prompt; `asked` is the body of POST /v1/context."""
        return self._ask(Context, "POST", "/v1/context", body=_of(user, asked))

    def read(self, user: str, memory_id: str) -> Memory:
        """Read one memory."""
        return self._ask(Memory, "GET", _path(memory_id), params={"user_id": user})

    def history(self, user: str, memory_id: str) -> History:
        """Read what became of one memory; scratch values have no history (404)."""
        return self._ask(History, "GET", _path(memory_id, "history"), params={"user_id": user})

    def forget(self, user: str, memory_id: str) -> Forgotten:
        """Forget one memory for good."""
        return self._ask(Forgotten, "DELETE", _path(memory_id), params={"user_id": user})

    def newest(self, user: str, limit: int) -> Page:
        """List the newest memories, at most 100."""
        params = {"user_id": user, "limit": str(limit)}
        return self._ask(Page, "GET", "/v1/memories", params=params)

    def stats(self, user: str) -> Stats:
        """Count a user's memories."""
        return self._ask(Stats, "GET", "/v1/stats", params={"user_id": user})

    def me(self) -> Me:
        """Ask who the key belongs to."""
        return self._ask(Me, "GET", "/v1/me")

    def health(self) -> Health:
        """Ask whether the service and what it depends on answer; needs no key."""
        return self._ask(Health, "GET", "/v1/health")

    def server_time(self) -> datetime | None:
        """The server's clock, to the second; None where it does not say."""
        response = self.run(tried(Call(Health, "GET", "/v1/health"), self.url))
        given = response.headers.get("date")
        try:
            return parsedate_to_datetime(given) if given else None
        except ValueError:
            return None

    def ask[A: Answer](self, call: Call[A]) -> A:
        """The answer to a call of `hindwise.client.calls`."""
        return self.run(asked(call, self.url))

    def run[A](self, steps: Steps[A]) -> A:
        """What several calls come to, one after the other, e.g. `calls.finished`."""
        came: Came = None
        try:
            wanted = next(steps)
            while True:
                came = self._sent(wanted) if isinstance(wanted, Sending) else self._sleep(wanted)
                wanted = steps.send(came)
        except StopIteration as done:
            answer: A = done.value
            return answer

    def _sent(self, sending: Sending) -> Came:
        try:
            return self._http.request(
                sending.method,
                self.url + sending.path,
                params=sending.params,
                content=sending.content,
                headers=sending.headers,
            )
        except (httpx.TransportError, httpx.InvalidURL) as error:
            return error

    def _ask[A: Answer](
        self,
        shape: type[A],
        method: str,
        path: str,
        *,
        params: dict[str, str] | None = None,
        body: JsonObject | None = None,
        key: str | None = None,
    ) -> A:
        return self.ask(Call(shape, method, path, params=params, body=body, key=key))


def _path(memory_id: str, *more: str) -> str:
    return "/".join(("/v1/memories", quote(memory_id, safe=""), *more))


def _of(user: str, fields: JsonObject) -> JsonObject:
    return {"user_id": user, **fields}
