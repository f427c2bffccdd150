"""An agent's calls of the API, as API Gateway hands them to the functions of a metered stack.

Each call has a text of its own, and the same one in every run. Calls take what was prepared for
them as their last argument, which most have no use for.
"""

import json
from itertools import count
from typing import Any

from bench.metered_stack import MeteredStack
from bench.product import PRINCIPAL
from bench.scenes import sentences
from tests.integration.http_client import Client, route_of

ANN = "ann"
EPISODE_BYTES = 1500
TURNS = 25
"""Memories of one call, and turns of one session."""
TALKED = 10
"""Turns of a conversation."""
TOP_K = 10
PAGE = 20


class Agent:
    """Writes for one user, Ann, and reads for any."""

    def __init__(self, stack: MeteredStack) -> None:
        self._stack = stack
        self._numbers = count()
        self._texts = sentences()
        self._client = Client(PRINCIPAL)

    def _send(
        self, method: str, path: str, body: Any = None, *, user: str = ANN, **more: str
    ) -> Any:
        """Call a route; `more` are headers, or the query of a call without a body."""
        query, headers = ({}, more) if body else ({"user_id": user, **more}, {})
        text = json.dumps(body, ensure_ascii=False) if body else None
        event = self._client.event(method, path, text, query)
        event["headers"] |= {name.replace("_", "-"): value for name, value in headers.items()}
        route = route_of(method, path)
        assert route is not None
        answer = self._stack.invoke(route.function, event)
        self._stack.used.requests += 1
        return json.loads(answer["body"])

    def _create(self, given: dict[str, Any], **headers: str) -> str:
        answer = self._send("POST", "/v1/memories", {"user_id": ANN, **given}, **headers)
        return str(answer["id"])

    def _said(self) -> str:
        number = next(self._numbers)
        return f"{self._texts[number * 7 % len(self._texts)]} ({number:05d})"

    def _long_text(self) -> str:
        text = self._said()
        while len(text.encode()) < EPISODE_BYTES:
            text = f"{text} {self._said()}"
        return text.encode()[:EPISODE_BYTES].decode(errors="ignore")

    def episode(self, _: object = None) -> str:
        """Create an episode of 1.5 KB; gives its id."""
        return self._create(self._episode())

    def _episode(self) -> dict[str, Any]:
        return {**_spoken(1), "content": self._long_text()}

    def keyed(self, _: object = None) -> str:
        """Create an episode of 1.5 KB under a key of its own."""
        return self._create(self._episode(), idempotency_key=f"import-{next(self._numbers):08d}")

    def fact(self, _: object = None) -> str:
        """Create a fact without a slot."""
        return self._create({"type": "fact", "content": self._said()})

    def turns(self, _: object = None) -> str:
        """Create 25 turns in one call; gives the id of the first."""
        same = _spoken(next(self._numbers))
        items = [{**same, "content": self._said()} for _ in range(TURNS)]
        answer = self._send("POST", "/v1/memories", {"user_id": ANN, "items": items})
        return str(answer["results"][0]["id"])

    def value(self) -> str:
        """Create the first value of a slot; gives its number."""
        number = f"{next(self._numbers):05d}"
        self._create(_slot(number, "Oslo"))
        return number

    def next_value(self, number: str) -> str:
        """Create the value that supersedes it."""
        return self._create(_slot(number, "Rome"))

    def edit(self, memory_id: str) -> None:
        """Give a memory another content of 1.5 KB."""
        body = {"user_id": ANN, "content": self._long_text(), "reason": "a correction"}
        self._send("PATCH", f"/v1/memories/{memory_id}", body)

    def forget(self, memory_id: str) -> None:
        """Forget a memory."""
        self._send("DELETE", f"/v1/memories/{memory_id}")

    def _question(self, user: str) -> dict[str, Any]:
        return {"user_id": user, "query": f"When did Maria move it? {next(self._numbers)}"}

    def search(self, user: str, _: object = None) -> None:
        """Find ten memories; raises RuntimeError where there are fewer, or a part is down."""
        found = self._send("POST", "/v1/search", {**self._question(user), "top_k": TOP_K})
        if len(found["results"]) != TOP_K or found["degraded"]:
            raise RuntimeError(f"a search found {len(found['results'])}: {found['degraded']}")

    def context(self, user: str, _: object = None) -> None:
        """Ask for a block; raises RuntimeError where it is empty."""
        if not self._send("POST", "/v1/context", self._question(user))["text"]:
            raise RuntimeError("a context block is empty")

    def read(self, memory_id: str) -> None:
        """Read a memory."""
        self._send("GET", f"/v1/memories/{memory_id}")

    def list_page(self, user: str, _: object = None) -> None:
        """Read a full page of a user's memories; raises RuntimeError where there are fewer."""
        page = self._send("GET", "/v1/memories", user=user, limit=str(PAGE))
        if len(page["results"]) != PAGE:
            raise RuntimeError(f"a page of {len(page['results'])}")

    def converse(self, _: object = None) -> None:
        """Take in a conversation of ten turns of about 100 bytes, user and assistant in turn."""
        roles = ("user", "assistant")
        said = [{"role": roles[n % 2], "content": self._said()} for n in range(TALKED)]
        body = {"user_id": ANN, "id": f"talk-{next(self._numbers):05d}", "messages": said}
        self._send("POST", "/v1/conversations", body)

    def domain(self, episodes: int) -> str:
        """Create episodes that matter in a domain of their own; gives its name."""
        name = f"domain-{next(self._numbers):05d}"
        told = {"kind": "episodic", "domain": name, "importance": 0.9}
        for number in range(episodes):
            self._create({**told, "content": self._said(), "session_id": f"{name}-{number}"})
        return name

    def consolidate(self, domain: str) -> None:
        """Find what recurs in a domain; raises RuntimeError where nothing does."""
        found = self._send("POST", "/v1/consolidations", {"user_id": ANN, "domain": domain})
        if found["status"] != "created":
            raise RuntimeError(f"nothing was consolidated: {found}")


def _spoken(session: int) -> dict[str, Any]:
    return {"kind": "episodic", "session_id": f"s-{session:06d}", "speaker": "Maria"}


def _slot(number: str, city: str) -> dict[str, Any]:
    slot = {"subject": f"ann-{number}", "attribute": "city", "value": city, "cardinality": "one"}
    return {"type": "fact", "content": f"Ann lives in {city} ({number})", **slot}
