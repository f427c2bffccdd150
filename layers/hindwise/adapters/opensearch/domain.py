"""The index of one stage and embedder on one node or domain, put together."""

from collections.abc import Callable
from datetime import datetime

from hindwise.adapters.breaker import Breaker
from hindwise.adapters.opensearch.alias import Alias
from hindwise.adapters.opensearch.client import (
    SEARCH_SECONDS,
    WRITE_SECONDS,
    Declined,
    NotThere,
    connect,
)
from hindwise.adapters.opensearch.index import OpenSearchIndex
from hindwise.adapters.opensearch.mapping import REFRESH
from hindwise.adapters.opensearch.upkeep import OpenSearchUpkeep
from hindwise.domain.ports import Embedder

ANSWERED = (NotThere, Declined)
"""Errors that are no reason to leave the node alone."""


class Domain:
    """The search index at an endpoint, and its upkeep; nothing is asked of it before it is used."""

    def __init__(
        self,
        endpoint: str,
        stage: str,
        embedder: Embedder,
        *,
        clock: Callable[[], datetime],
        monotonic: Callable[[], float],
        refresh: str = REFRESH,
    ) -> None:
        writing = connect(endpoint, seconds=WRITE_SECONDS)
        searching = connect(endpoint, seconds=SEARCH_SECONDS)
        self.alias = Alias(
            writing,
            stage,
            embedder.id,
            dimensions=embedder.dimensions,
            refresh=refresh,
        )
        self.index = OpenSearchIndex(
            self.alias,
            searching,
            clock=clock,
            breaker=Breaker("index", monotonic, harmless=ANSWERED),
            writes=Breaker("index", monotonic, harmless=ANSWERED),
        )
        self.upkeep = OpenSearchUpkeep(self.alias, clock=clock)
