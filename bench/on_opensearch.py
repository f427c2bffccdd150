"""The index on a real OpenSearch node: starts the node, opens the index, counts what it is asked.

The node is a process of this machine with heap and compiler as a server has them; it is stopped and
its files are dropped afterwards. OPENSEARCH_ENDPOINT names one that runs already instead. What only
a node needs is imported where it is used, so that the memory of the embedded index is its own.
"""

import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from datetime import datetime, timedelta
from itertools import batched
from pathlib import Path
from typing import Any
from uuid import uuid4

from bench.counted import Counts
from hindwise.domain.document import Document
from hindwise.domain.ports import Ask, Embedder
from hindwise.domain.query import Filter, View
from hindwise.domain.scope import Scope
from hindwise.errors import HindwiseError, Unavailable
from hindwise.usecases.refill import BATCH, fill
from infra.local.search_node import NodeFailed, process_at
from tests.fakes import InMemoryStore

EMBEDDED, OPENSEARCH = BACKENDS = ("embedded", "opensearch")
ENDPOINT = "OPENSEARCH_ENDPOINT"
SERVERS_COMPILER = ""
"""OPENSEARCH_JIT: the node of the tests stops at the first of Java's compilers, to start fast."""
WARMING = 50
"""Searches that a node answers in time before it is used: Java compiles what it runs often."""
WARM_SECONDS = 120


@contextmanager
def offered(asked: Sequence[str] | None, *, heap: str) -> Iterator[tuple[str, ...]]:
    """The backends to be measured, with OPENSEARCH_ENDPOINT set where a node is one of them.

    Where none is asked for, OpenSearch is left out, and it is said why, if no node can run here.
    """
    backends = tuple(asked or BACKENDS)
    with ExitStack() as cleanup:
        if OPENSEARCH in backends and not os.environ.get(ENDPOINT):
            from tests.opensearch_node import started

            os.environ.setdefault("OPENSEARCH_JIT", SERVERS_COMPILER)
            try:
                node = cleanup.enter_context(started("bench", heap=heap))
            except NodeFailed as error:
                if asked:
                    sys.exit(str(error))
                print(f"without OpenSearch: {error}", file=sys.stderr)
                backends = (EMBEDDED,)
            else:
                os.environ[ENDPOINT] = node.endpoint
                cleanup.callback(os.environ.pop, ENDPOINT)
        yield backends


def endpoint_of(backend: str) -> str:
    """Where the index of a backend is: empty for the embedded one."""
    if backend == EMBEDDED:
        return ""
    if not os.environ.get(ENDPOINT):
        raise SystemExit(f"{ENDPOINT} is not set: it says where OpenSearch answers")
    return os.environ[ENDPOINT]


class NodeIndex:
    """An index of its own behind the product's adapter; each request to the node is counted."""

    def __init__(
        self, endpoint: str, embedder: Embedder, counts: Counts, clock: Callable[[], datetime]
    ) -> None:
        self._opening = (endpoint, f"bench-{uuid4().hex[:8]}", embedder)
        self._counts = counts
        self._clock = clock
        self.open()

    def open(self) -> None:
        """Begin as a new container does, without connections and without knowing anything."""
        from hindwise.adapters.opensearch.domain import Domain

        self.domain = Domain(*self._opening, clock=self._clock, monotonic=time.monotonic)
        for client in (self.domain.alias.client, self.domain.index._searching):
            _count(client, self._counts)

    def fill(self, documents: Iterable[tuple[Scope, Document]]) -> int:
        """Fill it as the sweep does, a page of documents at a time; gives how many it took."""
        filled = fill(
            self.domain.upkeep,
            _Pages(documents),
            store=InMemoryStore(),
            clock=self._clock,
            longest=timedelta(days=1),
        )
        if filled.refused:
            raise RuntimeError(f"the index refused {filled.refused} documents")
        return filled.written

    def warm(self, scope: Scope, embedder: Embedder) -> None:
        """Search until the node has compiled some of it: the first answers may come too late."""
        ask = Ask(terms=("warm",), exact=(), filter=Filter(), view=View(), now=self._clock())
        deadline, done = time.monotonic() + WARM_SECONDS, 0
        while done < WARMING:
            try:
                self.domain.index.nominate(scope, ask, embedder.query(f"warm {done}"))
                done += 1
            except Unavailable:
                if time.monotonic() > deadline:
                    raise
                self.open()

    def figures(self) -> dict[str, Any]:
        """How large it is on disk, and of how many segments."""
        client, name = self.domain.alias.client, self.domain.alias.name
        whole = client.indices.stats(index=name)["_all"]["primaries"]
        size = round(whole["store"]["size_in_bytes"] / 2**20, 1)
        return {"index_mb": size, "segments": whole["segments"]["count"]}

    def remove(self) -> None:
        """Remove it, where the node still answers."""
        with suppress(HindwiseError):
            for name in self.domain.alias.indexes():
                self.domain.alias.remove(name)


class _Pages:
    """Documents as the table gives them to whoever fills an index."""

    def __init__(self, documents: Iterable[tuple[Scope, Document]]) -> None:
        self._pages = batched(documents, BATCH)

    def walk(self, cursor: str) -> tuple[list[tuple[Scope, Document]], str | None]:
        """The next page."""
        page = next(self._pages, None)
        return ([], None) if page is None else (list(page), "on")


def _count(client: Any, counts: Counts) -> None:
    send = client.transport.perform_request

    def counted(*args: Any, **named: Any) -> Any:
        counts.note("index", 1, 0)
        return send(*args, **named)

    client.transport.perform_request = counted


def node_cpu_ms(endpoint: str) -> float | None:
    """CPU that the node of this machine has used, in milliseconds, where the system tells."""
    port = int(endpoint.rpartition(":")[2].rstrip("/") or 0) if endpoint else 0
    pid = process_at(port) if "127.0.0.1" in endpoint else None
    status = Path(f"/proc/{pid}/stat")
    if pid is None or not status.exists():
        return None
    fields = status.read_text().rpartition(")")[2].split()
    return 1000 * (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
