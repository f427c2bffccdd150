"""The search indexes that the contract is held against, all made alike.

To add one, write a function that returns an `Arranged`: the index, and a way to put documents and
tombstones into it that returns once they can be found. List it in INDEXES, and in GUARDED as well
where `put` itself compares versions.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from uuid import uuid4

from hindwise.adapters.embedded.index import EmbeddedIndex
from hindwise.adapters.embedded.table import TableIndex
from hindwise.domain.document import Document
from hindwise.domain.ports import SearchIndex
from hindwise.domain.scope import Scope
from tests.contract.search_documents import DIMENSIONS, NOW, TableRows


@dataclass
class Arranged:
    index: SearchIndex
    put: Callable[[Scope, Sequence[Document], Mapping[str, int]], Mapping[str, str]]


def embedded():
    index = EmbeddedIndex(DIMENSIONS)
    return Arranged(index, index.put)


def table():
    rows = TableRows()
    index = TableIndex(rows, DIMENSIONS, clock=lambda: NOW)

    def put(scope, documents, gone):
        rows.put(scope, documents, gone, now=NOW)
        return index.put(scope, documents, gone)

    return Arranged(index, put)


def opensearch(endpoint):
    from hindwise.adapters.opensearch.domain import Domain

    domain = Domain(
        endpoint,
        f"contract-{uuid4().hex[:8]}",
        SmallVectors(),
        clock=lambda: NOW,
        monotonic=time.monotonic,
    )
    assert domain.upkeep.unfilled() == ""
    domain.upkeep.reached(None)

    def put(scope, documents, gone):
        refused = domain.index.put(scope, documents, gone)
        domain.index.settle()
        return refused

    return Arranged(domain.index, put)


class SmallVectors:
    """An embedder as far as an index asks for it."""

    id, dimensions = "small", DIMENSIONS


INDEXES = [embedded, table]
GUARDED = [embedded]
