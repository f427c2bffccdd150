"""Speed rows of the handlers in this process, over the store in memory; loading is not timed."""

import random
import time
from collections.abc import Callable, Iterator
from functools import partial
from itertools import islice
from typing import Any

from bench.naive import NaiveSearch
from bench.product import TENANT, Product, Reply
from bench.scenes import Scene, bodies, questions
from bench.timing import Sample, resident_mb, timed
from hindwise.adapters.embedders.cached import CachedEmbedder
from hindwise.domain.ports import Embedder
from tests.memory_store import Home, enlist, insert

TOP_K = 10
NAIVE_RUNS = 10
Row = dict[str, Any]


def load(product: Product, scene: Scene, memories: int, scopes: int) -> list[tuple[str, str, Any]]:
    """Put memories and their documents into the store; returns the first scope's for the naive."""
    world = product.memory.world
    first = []
    for made in scene.made(memories, scopes, tenant=TENANT):
        home: Home = world.home(made.scope)
        home.memories[made.memory.id] = made.memory
        insert(home.ids, made.memory.id)
        enlist(home, made.memory)
        home.documents[made.memory.id] = made.document
        insert(home.document_ids, made.memory.id)
        if made.scope.user == "u0":
            first.append((made.memory.id, made.memory.content, made.document.vector))
    return first


class Bench:
    """One size of the store, measured operation by operation."""

    def __init__(self, embedder: Embedder, scene: Scene, memories: int, scopes: int) -> None:
        self._product = Product(CachedEmbedder(embedder))
        embedder.query("the weights are loaded before anything is timed")
        self._embedder = embedder
        self._scopes = scopes
        self._users = random.Random(7)
        self._questions = questions()
        self._same = {"path": "in_process", "backend": "embedded"}
        self._size = {"memories": memories, "scopes": scopes}
        self._records = load(self._product, scene, memories, scopes)

    def rows(self, n: int) -> Iterator[Row]:
        """All rows; those of one scope begin with the first search, which fills the copy."""
        if self._scopes == 1:
            yield self._row("search", self._sample("/v1/search", 1), state="first")
        else:
            yield self._row("search", self._sample("/v1/search", n), state="first")
            self._fill()
        self._sample("/v1/search", 10)
        searched = self._sample("/v1/search", n)
        yield self._row("search", searched, state="held", **self._against_naive(searched))
        yield self._row("context", self._sample("/v1/context", n), state="held")
        yield self._row("write", self._measured(self._writes(n)))
        if self._scopes == 1:
            yield self._row("search", self._sample("/v1/search", n // 2), state="unprojected")
            self._product.drain()
            yield self._row("search", self._sample("/v1/search", n // 2), state="just projected")

    def _row(self, what: str, sample: Sample, **more: Any) -> Row:
        row = {"what": what, **self._same, "embedder": self._embedder.id, **self._size}
        return {**row, **sample.figures(), "rss_mb": resident_mb(), **more}

    def _fill(self) -> None:
        for user in range(self._scopes):
            self._asked("/v1/search", "warm", f"u{user}")

    def _sample(self, path: str, n: int) -> Sample:
        return self._measured(
            [
                partial(self._asked, path, text, f"u{self._users.randrange(self._scopes)}")
                for text in islice(self._questions, n)
            ]
        )

    def _writes(self, n: int) -> list[Callable[[], Reply]]:
        def write(body: dict[str, object]) -> Reply:
            return _good(self._product.post("/v1/memories", body), 201)

        return [partial(write, body) for body in bodies(n, self._scopes)]

    def _asked(self, path: str, text: str, user: str) -> Reply:
        body: dict[str, object] = {"user_id": user, "query": text}
        if path == "/v1/search":
            body["top_k"] = TOP_K
        return _good(self._product.post(path, body), 200)

    def _measured(self, calls: list[Callable[[], Reply]]) -> Sample:
        """Time calls and count what each asks of the table."""
        counts, noted = self._product.counts, Sample()

        def noting(call: Callable[[], Reply]) -> Callable[[], None]:
            def act() -> None:
                counts.clear()
                call()
                noted.calls.append(counts.total)
                noted.keys.append(counts.keys)
                noted.batches.append(counts.calls["batch_get"])

            return act

        sample = timed(map(noting, calls))
        noted.wall, noted.cpu = sample.wall, sample.cpu
        return noted

    def _against_naive(self, own: Sample) -> Row:
        """CPU against the naive search over the same scope with the same embedder, p50 by p50."""
        naive = NaiveSearch(self._embedder, self._records)
        began = time.perf_counter()
        naive.search("warm", TOP_K)
        runs = NAIVE_RUNS if time.perf_counter() - began < 1 else 3
        asked = self._questions
        texts = list(islice(asked, runs))
        sample = timed([partial(naive.search, text, TOP_K) for text in texts])
        ours, theirs = own.figures(), sample.figures()
        embedding = timed([partial(self._embedder.query, text) for text in islice(asked, 50)])
        return {
            "embedding_cpu_p50_ms": embedding.figures()["cpu_p50_ms"],
            "naive_cpu_p50_ms": theirs["cpu_p50_ms"],
            "ratio_to_naive": round(ours["cpu_p50_ms"] / theirs["cpu_p50_ms"], 4),
        }


def _good(reply: Reply, status: int) -> Reply:
    if reply.status != status or reply.body.get("degraded"):
        raise RuntimeError(f"{reply.status}: {str(reply.body)[:500]}")
    return reply


def rows(embedder: Embedder, scene: Scene, sizes: list[tuple[int, int]], n: int) -> Iterator[Row]:
    """Rows of each (memories, scopes)."""
    for memories, scopes in sizes:
        yield from Bench(embedder, scene, memories, scopes).rows(n)
