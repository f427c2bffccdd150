"""The API for whoever must not block: the same calls, answers, errors and retries as `api.Api`."""

import asyncio
from collections.abc import Awaitable, Callable
from types import TracebackType
from typing import Self

import httpx

from hindwise.client.answers import Answer
from hindwise.client.errors import Unreachable
from hindwise.client.wire import Call, Came, Sending, Steps, asked, checked_address, is_local


class AsyncApi:
    """The API at `url` with a key; `timeout` is in seconds for one try."""

    def __init__(
        self,
        url: str,
        key: str,
        *,
        timeout: float = 30.0,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self.url = url.rstrip("/")
        self._sleep = sleep
        headers = checked_address(url, key)
        try:
            self._http = httpx.AsyncClient(
                headers=headers,
                timeout=httpx.Timeout(timeout, connect=5.0),
                trust_env=not is_local(url),
            )
        except (httpx.InvalidURL, ValueError) as error:
            raise Unreachable(f"cannot use the proxy settings: {error}") from error

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self._http.aclose()

    async def ask[A: Answer](self, call: Call[A]) -> A:
        """The answer to a call of `hindwise.client.calls`."""
        return await self.run(asked(call, self.url))

    async def run[A](self, steps: Steps[A]) -> A:
        """What several calls come to, one after the other, e.g. `calls.finished`."""
        came: Came = None
        try:
            wanted = next(steps)
            while True:
                if isinstance(wanted, Sending):
                    came = await self._sent(wanted)
                else:
                    await self._sleep(wanted)
                    came = None
                wanted = steps.send(came)
        except StopIteration as done:
            answer: A = done.value
            return answer

    async def _sent(self, sending: Sending) -> Came:
        try:
            return await self._http.request(
                sending.method,
                self.url + sending.path,
                params=sending.params,
                content=sending.content,
                headers=sending.headers,
            )
        except (httpx.TransportError, httpx.InvalidURL) as error:
            return error
