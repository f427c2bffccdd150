"""The search indexes that the contract is held against, all made alike.

To add one, write a function that returns an `Arranged`: the index, and a way to put documents and
tombstones into it that returns once they can be found. List it in INDEXES, and in GUARDED as well
where `put` itself compares versions. The fixtures `at` and `guarded` run a test on each.
"""

from collections.abc import Callable, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import count
from uuid import uuid4

import pytest

from hindwise.adapters.embedded.index import EmbeddedIndex
from hindwise.adapters.embedded.table import TableIndex
from hindwise.adapters.opensearch.domain import Domain
from hindwise.domain.document import Document
from hindwise.domain.ports import SearchIndex
from hindwise.domain.scope import Scope
from hindwise.errors import Unavailable
from tests.contract.search_documents import DIMENSIONS, NOW, TableRows


@dataclass
class Arranged:
    index: SearchIndex
    put: Callable[[Scope, Sequence[Document], Mapping[str, int]], Mapping[str, str]]


@contextmanager
def embedded(request):
    index = EmbeddedIndex(DIMENSIONS)
    yield Arranged(index, index.put)


@contextmanager
def table(request):
    rows = TableRows()
    index = TableIndex(rows, DIMENSIONS, clock=lambda: NOW)

    def put(scope, documents, gone):
        rows.put(scope, documents, gone, now=NOW)
        return index.put(scope, documents, gone)

    yield Arranged(index, put)


@contextmanager
def opensearch(request):
    domain = domain_at(request.getfixturevalue("opensearch"))
    assert domain.upkeep.unfilled() == ""
    domain.upkeep.reached(None)

    def put(scope, documents, gone):
        refused = domain.index.put(scope, documents, gone)
        domain.index.settle()
        return refused

    yield Arranged(Patient(domain.index), put)
    for index in domain.alias.indexes():
        domain.alias.remove(index)


def domain_at(endpoint, *, clock=lambda: NOW):
    """An index of its own on a node; nothing is there yet."""
    seconds = count(step=60.0)  # no failure is old enough to be a reason not to ask again
    stage = f"t-{uuid4().hex[:8]}"
    return Domain(endpoint, stage, SmallVectors(), clock=clock, monotonic=lambda: next(seconds))


class Patient:
    """Asks again where a cold node on a busy machine does not answer in time."""

    def __init__(self, index):
        self._index = index

    def __getattr__(self, name):
        def call(*given, **more):
            for _ in range(20):
                with suppress(Unavailable):
                    return getattr(self._index, name)(*given, **more)
            return getattr(self._index, name)(*given, **more)

        return call


class SmallVectors:
    """An embedder as far as an index asks for it."""

    id, dimensions = "small", DIMENSIONS


_NODE = pytest.param(opensearch, marks=pytest.mark.opensearch)
INDEXES = [embedded, table, _NODE]
GUARDED = [embedded, _NODE]
