"""A client of a running Hindwise with the calls that the benchmarks make of the product in process.

One connection, kept open; the server's measures come back in headers where it gives them.
"""

import http.client
import json
import time
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from bench.product import Reply

READY_SECONDS = 600


class Remote:
    """The HTTP API at `url`, called with `key`; `headers` are those of the last answer."""

    def __init__(self, url: str, key: str) -> None:
        parts = urlsplit(url)
        kind = (
            http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
        )
        self._connection = kind(parts.hostname or "127.0.0.1", parts.port, timeout=60)
        self._base = parts.path.rstrip("/")
        self._given = {"authorization": f"Bearer {key}", "content-type": "application/json"}
        self.headers: Mapping[str, str] = {}

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()

    def post(self, path: str, body: Mapping[str, object]) -> Reply:
        """Send a POST and read its answer, again after a 429."""
        return self.sent(path, json.dumps(body, ensure_ascii=False))

    def sent(self, path: str, text: str) -> Reply:
        """The same with the body as text."""
        while True:
            answer, data = self._exchanged(self._base + path, text.encode())
            if answer.status != 429:
                break
            time.sleep(0.2)
        self.headers = {name.lower(): value for name, value in answer.getheaders()}
        return Reply(answer.status, json.loads(data))

    def _exchanged(self, path: str, body: bytes) -> tuple[http.client.HTTPResponse, bytes]:
        """One request and its answer, on a new connection where the server has closed this one."""
        try:
            self._connection.request("POST", path, body, self._given)
            answer = self._connection.getresponse()
        except ConnectionError:
            self._connection.close()
            self._connection.request("POST", path, body, self._given)
            answer = self._connection.getresponse()
        return answer, answer.read()

    def projected(self, user: str, memory_id: str, query: str) -> bool:
        """Tell whether a memory's newest version is in the index."""
        body = {"user_id": user, "memory_id": memory_id, "query": query}
        return _step(self.post("/v1/diagnose", body).body, "projected")

    def wait(self, user: str, memory_ids: list[str]) -> None:
        """Wait until memories are projected; raises TimeoutError after ten minutes."""
        deadline = time.monotonic() + READY_SECONDS
        for memory_id in memory_ids:
            while not self.projected(user, memory_id, "ready"):
                if time.monotonic() > deadline:
                    raise TimeoutError(f"{memory_id} is not projected after {READY_SECONDS} s")
                time.sleep(0.5)


def _step(diagnosis: Mapping[str, Any], name: str) -> bool:
    return any(step["step"] == name and step["ok"] for step in diagnosis.get("steps", ()))
