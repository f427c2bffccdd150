"""Speed rows of the handlers in this process, over the store in memory; loading is not timed.

The index is the embedded one, or stands on an OpenSearch node, where to fill it is timed. Wall of
an OpenSearch row holds the node's work, `cpu_p50_ms` does not: that is in `node_cpu_ms`, a mean.
"""

import random
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import islice
from typing import Any

from bench.naive import NaiveSearch
from bench.on_opensearch import EMBEDDED, OPENSEARCH, NodeIndex, node_cpu_ms
from bench.product import TENANT, Product, Reply
from bench.scenes import Scene, bodies, questions
from bench.timing import Sample, resident_mb, timed
from hindwise.adapters.embedders.cached import CachedEmbedder
from hindwise.domain.ports import Embedder
from hindwise.domain.scope import Scope
from tests.memory_store import Home, enlist, insert

TOP_K = 10
NAIVE_RUNS = 10
WARMING = 3
"""So many times more searches are made than timed before a node's are: it compiles for long."""
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

    def __init__(
        self, embedder: Embedder, scene: Scene, memories: int, scopes: int, *, endpoint: str = ""
    ) -> None:
        self._product = Product(CachedEmbedder(embedder), endpoint)
        self._endpoint = endpoint
        embedder.query("the weights are loaded before anything is timed")
        self._embedder = embedder
        self._scopes = scopes
        self._users = random.Random(7)
        self._questions = questions()
        backend = OPENSEARCH if endpoint else EMBEDDED
        self._same = {"path": "in_process", "backend": backend}
        self._size = {"memories": memories, "scopes": scopes}
        self._records = load(self._product, scene, memories, scopes)

    def rows(self, n: int) -> Iterator[Row]:
        """All rows; those of one scope begin with the first search, which fills the copy."""
        if self._product.node is not None:
            yield self._filled(self._product.node, n)
        if self._scopes == 1 or self._product.node is not None:
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
            yield self._projected(n)
            yield self._row("search", self._sample("/v1/search", n // 2), state="just projected")

    def _filled(self, node: NodeIndex, n: int) -> Row:
        """Fill the index, warm the node by more than is timed, and begin as a container does."""
        world, counts = self._product.memory.world, self._product.counts
        documents = [
            (scope, one) for scope, home in world.homes.items() for one in home.documents.values()
        ]
        counts.clear()
        row = self._rate("fill", lambda: node.fill(documents), len(documents))
        row |= {"index_calls": counts.calls["index"], **node.figures()}
        node.warm(Scope(tenant=TENANT, user="u0"), self._embedder)
        self._sample("/v1/search", WARMING * n)
        node.open()
        return row

    def _projected(self, n: int) -> Row:
        """Bring `n` writes into the index by the sweep, embedding included."""
        self._product.counts.clear()
        row = self._rate("project", self._product.drain, n)
        return row | {"index_calls": self._product.counts.calls["index"]}

    def _rate(self, what: str, act: Callable[[], object], n: int) -> Row:
        row: Row = {"what": what, **self._same, "embedder": self._embedder.id, **self._size, "n": n}
        began, used, node = time.perf_counter(), time.process_time(), node_cpu_ms(self._endpoint)
        act()
        seconds = time.perf_counter() - began
        row |= {"seconds": round(seconds, 2), "per_s": round(n / seconds)}
        row["cpu_s"] = round(time.process_time() - used, 2)
        if node is not None:
            row["node_cpu_s"] = round(((node_cpu_ms(self._endpoint) or node) - node) / 1000, 2)
        return row

    def close(self) -> None:
        """Remove the index from its node."""
        if self._product.node is not None:
            self._product.node.remove()

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
                noted.index.append(counts.calls["index"])

            return act

        node = node_cpu_ms(self._endpoint)
        sample = timed(map(noting, calls))
        noted.wall, noted.cpu = sample.wall, sample.cpu
        if node is not None:
            used = (node_cpu_ms(self._endpoint) or node) - node
            noted.node_cpu = used / len(calls)
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
            "naive_p50_ms": theirs["p50_ms"],
            "naive_cpu_p50_ms": theirs["cpu_p50_ms"],
            "ratio_to_naive": round(ours["cpu_p50_ms"] / theirs["cpu_p50_ms"], 4),
            "wall_ratio_to_naive": round(ours["p50_ms"] / theirs["p50_ms"], 4),
        }


def _good(reply: Reply, status: int) -> Reply:
    if reply.status != status or reply.body.get("degraded"):
        raise RuntimeError(f"{reply.status}: {str(reply.body)[:500]}")
    return reply


def rows(
    embedder: Embedder, scene: Scene, sizes: list[tuple[int, int]], n: int, endpoints: Sequence[str]
) -> Iterator[Row]:
    """Rows of each (memories, scopes) on each index; an empty endpoint is the embedded one."""
    for memories, scopes in sizes:
        embedded: dict[tuple[str, str], Row] = {}
        for endpoint in endpoints:
            bench = Bench(embedder, scene, memories, scopes, endpoint=endpoint)
            try:
                for row in bench.rows(n):
                    key = row["what"], row.get("state", "")
                    yield row | (against(embedded[key], row) if key in embedded else {})
                    if row["backend"] == EMBEDDED:
                        embedded[key] = row
            finally:
                bench.close()


def against(embedded: Row, row: Row) -> Row:
    """How the figures of a row stand to those of the embedded index in the same run."""
    names = {"ratio_to_embedded": "p50_ms", "cpu_ratio_to_embedded": "cpu_p50_ms"}
    return {
        ratio: round(row[name] / embedded[name], 3) for ratio, name in names.items() if name in row
    }
