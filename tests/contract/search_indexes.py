"""The search indexes that the contract is held against, all made alike.

To add one, write a function that returns an `Arranged`: the index, and a way to put documents and
tombstones into it that returns once they can be found. List it in INDEXES, and in GUARDED as well
where `put` itself compares versions.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

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


INDEXES = [embedded, table]
GUARDED = [embedded]
