"""Who talks HTTP to the deployed stack, with a key or without one."""

import time
from collections.abc import Callable
from typing import Any

import httpx

from infra.local.deployment.deployed import Deployed

PATIENCE = 90.0
"""Seconds until what happens behind the API must have happened; a schedule fires once a minute."""


class Person:
    """Holds a key, or none."""

    def __init__(self, stack: Deployed, key: str | None) -> None:
        headers = {"host": stack.host}
        if key is not None:
            headers["authorization"] = f"Bearer {key}"
        self._http = httpx.Client(
            base_url=stack.account.endpoint, headers=headers, timeout=60, trust_env=False
        )

    def leaves(self) -> None:
        """Close the connections."""
        self._http.close()

    def ask(self, method: str, path: str, **given: Any) -> httpx.Response:
        """Send a request: `json`, `params` and `headers` as httpx has them."""
        return self._http.request(method, path, **given)

    def told(self, method: str, path: str, **given: Any) -> Any:
        """The body of an answer that must be a success."""
        answer = self.ask(method, path, **given)
        assert answer.is_success, (method, path, answer.status_code, answer.text)
        return answer.json()

    def writes(self, user: str, content: str, **more: Any) -> str:
        """Write an episode and give its id."""
        body = {"user_id": user, "content": content, **more}
        return str(self.told("POST", "/v1/memories", json=body)["id"])

    def reads(self, user: str, memory_id: str) -> Any:
        """One memory."""
        return self.told("GET", f"/v1/memories/{memory_id}", params={"user_id": user})

    def finds(self, user: str, query: str) -> list[str]:
        """What a search answers, best first, once the index does: a cold node is slow."""
        asked = {"user_id": user, "query": query}
        found = eventually(
            lambda: self.told("POST", "/v1/search", json=asked), lambda one: not one["degraded"]
        )
        return [hit["content"] for hit in found["results"]]

    def is_told(self, user: str, query: str) -> str:
        """The context block for a prompt."""
        block = self.told("POST", "/v1/context", json={"user_id": user, "query": query})
        return str(block["text"])


def eventually[A](look: Callable[[], A], wanted: Callable[[A], bool]) -> A:
    """Look until it is as wanted, and give what was seen last."""
    deadline = time.monotonic() + PATIENCE
    while not wanted(seen := look()) and time.monotonic() < deadline:
        time.sleep(0.25)
    assert wanted(seen), seen
    return seen
