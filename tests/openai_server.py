"""A server on loopback that speaks OpenAI's API, as well behaved or as broken as a test wants it.

Real HTTP, so that the real client is under test: its timeouts, retries and parsing. Vectors come,
in this order, from `vectors` (by the exact text), from the first of `rules` that knows the text,
and from `otherwise`. Faults are taken from `faults`, one a request, then from `fault`.

    with OpenAIServer(dimensions=8) as server:
        server.faults += [Fault(status=429, retry_after="3")]
        OpenAIEmbedder("any-model", 8, key="k", base_url=server.url)

`python -m tests.openai_server --port 8401` runs it beside the dev server. Another route is one
more entry of ROUTES and one more method.
"""

import argparse
import base64
import json
import threading
from array import array
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from typing import Any

from hindwise.adapters.embedders.hashed import features
from infra.local.openai_http import Answer, OpenAIHttp, Recorded, refusal

Numbers = Sequence[float]
Rule = Callable[[str], Numbers | None]


@dataclass(frozen=True)
class Fault:
    """What goes wrong with one answer.

    `delay` is in seconds and comes before anything else. `spoil` changes the vectors (`zeros`,
    `nan`, `infinite`, `wrong_size`, `words`), the list (`missing`, `reversed`), or the body
    (`truncated`, `cut_json`, `not_json`, `empty`, `dropped`).
    """

    status: int = 200
    retry_after: str | None = None
    delay: float = 0.0
    spoil: str | None = None


def hashed(text: str, dimensions: int) -> list[float]:
    """A vector by shared words and word parts: similar texts are near each other."""
    row = [0.0] * dimensions
    for name, weight in features(text).items():
        number = int.from_bytes(blake2b(name.encode(), digest_size=8).digest())
        row[number % dimensions] += weight if number >> 63 else -weight
    return row if any(row) else neutral(text, dimensions)


def neutral(_text: str, dimensions: int) -> list[float]:
    """The same vector for every text."""
    return [1.0] + [0.0] * (dimensions - 1)


@dataclass
class OpenAIServer(OpenAIHttp):
    """Serves embeddings while it is entered as a context."""

    dimensions: int = 512
    models: tuple[str, ...] = ("scripted-embedding",)
    vectors: dict[str, Numbers] = field(default_factory=dict)
    rules: list[Rule] = field(default_factory=list)
    otherwise: Callable[[str, int], Numbers] = hashed
    faults: list[Fault] = field(default_factory=list)
    fault: Fault = field(default_factory=Fault)

    def admitted(self, asked: Recorded) -> Answer:
        """Faults come before the key is looked at, as they do where a proxy makes them."""
        fault = self.next_fault()
        if fault.spoil == "dropped":
            return Answer(delay=fault.delay, ends="dropped")
        if fault.status != 200:
            headers = {} if fault.retry_after is None else {"Retry-After": fault.retry_after}
            return refusal(fault.status, headers=headers, delay=fault.delay)
        if self.key is not None and asked.key != self.key:
            return refusal(401, delay=fault.delay)
        return replace(self._routed(asked, fault.spoil), delay=fault.delay)

    def answer(self, asked: Recorded) -> Answer:
        return self._routed(asked, None)

    def _routed(self, asked: Recorded, spoil: str | None) -> Answer:
        route = ROUTES.get((asked.method, asked.path))
        if route is None:
            return refusal(404)
        return spoilt_answer(json.dumps(route(self, asked.body, spoil)).encode(), spoil)

    def texts(self) -> list[list[str]]:
        """The texts of each request for embeddings, in order of arrival."""
        return [one.body["input"] for one in self.requests if one.path == "/v1/embeddings"]

    def next_fault(self) -> Fault:
        return self.faults.pop(0) if self.faults else self.fault

    def vector(self, text: str, dimensions: int) -> Numbers:
        if text in self.vectors:
            return self.vectors[text]
        for rule in self.rules:
            if (found := rule(text)) is not None:
                return found
        return self.otherwise(text, dimensions)

    def list_models(self, _body: dict[str, Any], _spoil: str | None) -> dict[str, Any]:
        data = [
            {"id": name, "object": "model", "created": 0, "owned_by": "tests"}
            for name in self.models
        ]
        return {"object": "list", "data": data}

    def embed(self, body: dict[str, Any], spoil: str | None) -> dict[str, Any]:
        texts = [body["input"]] if isinstance(body["input"], str) else body["input"]
        size = body.get("dimensions", self.dimensions)
        rows = [spoilt(self.vector(text, size), spoil) for text in texts]
        as_text = body.get("encoding_format") == "base64" and spoil != "words"
        data = [
            {"object": "embedding", "index": index, "embedding": packed(row) if as_text else row}
            for index, row in enumerate(rows)
        ]
        if spoil == "missing":
            data.pop()
        if spoil == "reversed":
            data.reverse()
        count = sum(len(text) for text in texts)
        usage = {"prompt_tokens": count, "total_tokens": count}
        return {"object": "list", "data": data, "model": body.get("model"), "usage": usage}


def spoilt(row: Numbers, spoil: str | None) -> list[Any]:
    """The row as a broken model would give it."""
    changes: dict[str, Callable[[], list[Any]]] = {
        "zeros": lambda: [0.0] * len(row),
        "nan": lambda: [float("nan"), *row[1:]],
        "infinite": lambda: [float("inf"), *row[1:]],
        "wrong_size": lambda: list(row[:-1]),
        "words": lambda: ["one"] * len(row),
    }
    return changes[spoil]() if spoil in changes else list(row)


def spoilt_answer(data: bytes, spoil: str | None) -> Answer:
    """The body as a broken server would send it."""
    if spoil == "truncated":
        return Answer(data, ends="short")
    if spoil == "not_json":
        return Answer(b"<html>busy</html>", headers={"Content-Type": "text/html"})
    if spoil == "cut_json":
        return Answer(data[: len(data) // 2])
    return Answer(b"{}" if spoil == "empty" else data)


def packed(row: Numbers) -> str:
    """Little-endian float32 in base64: what the openai package asks for by default."""
    return base64.b64encode(array("f", row).tobytes()).decode()


ROUTES = {
    ("GET", "/v1/models"): OpenAIServer.list_models,
    ("POST", "/v1/embeddings"): OpenAIServer.embed,
}


def main() -> None:
    """Serve until interrupted."""
    parser = argparse.ArgumentParser(description="A fake OpenAI server on 127.0.0.1")
    parser.add_argument("--port", type=int, default=8401)
    parser.add_argument("--dimensions", type=int, default=512)
    given = parser.parse_args()
    with OpenAIServer(port=given.port, dimensions=given.dimensions) as server:
        print(f"serving {server.url}", flush=True)
        try:
            threading.Event().wait()
        except KeyboardInterrupt:
            print("stopped")


if __name__ == "__main__":
    main()
