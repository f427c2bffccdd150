"""The product as one object: its own handlers on stores in memory, called as API Gateway calls.

Nothing is replaced but what lies outside the process: the table, the queue and the secret. The
index is the one that the template sets, over the projected rows of the table, where it may hold as
much of a scope as on a laptop, so that a large scope is searched as a whole; or one on OpenSearch,
without the table behind it: what the node does not answer fails.
"""

import io
import json
import os
import time
from collections.abc import Mapping, Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from importlib import import_module
from types import SimpleNamespace
from typing import Any

from bench.counted import Counted, Counts
from bench.on_opensearch import NodeIndex
from hindwise.adapters.embedded.table import TableIndex
from hindwise.domain.call import Tools
from hindwise.domain.changes import Change, Touch
from hindwise.domain.learning_rules import LearningRules
from hindwise.domain.ports import Embedder, IndexUpkeep, KeyRing, Projections, RequestLog
from hindwise.domain.rules import Rules
from hindwise.domain.scope import Origin, Principal, Role, Scope
from hindwise.errors import Invalid
from hindwise.runtime.principal import context_of
from hindwise.runtime.routes import ROUTES
from hindwise.runtime.tools import Backoff, Ulids, utc_now
from hindwise.runtime.wiring import use_wiring
from hindwise.settings import EmbedderSettings
from hindwise.usecases.engine import Engine
from hindwise.usecases.learning import Learning
from hindwise.usecases.trust import Trust
from tests.contract.blobs_fake import FakeBlobs
from tests.fakes import FixedSeal, InMemoryStore
from tests.memory_queues import InMemoryBudget, InMemoryQueues

TENANT = "bench"
HELD = 200_000
"""Documents that the index may hold, as `make dev` sets it."""
METRICS = {"POWERTOOLS_METRICS_NAMESPACE": "hindwise", "POWERTOOLS_SERVICE_NAME": "hindwise"}
"""As the template sets them: the line of metrics is written for each call, as on AWS."""
PRINCIPAL = Principal(
    tenant=TENANT, name="bench", role=Role.WRITER, users=("*",), ceiling=Origin.OWNER
)
CONTEXT = SimpleNamespace(aws_request_id="bench", function_name="bench")


def embedder(name: str) -> Embedder:
    """The product's embedder of this name, as the wiring makes it, without its cache of texts."""
    from hindwise.adapters.embedders.guarded import GuardedEmbedder
    from hindwise.runtime.wiring import _embedder

    settings = EmbedderSettings.from_env({**os.environ, "EMBEDDER": name})
    return GuardedEmbedder(_embedder(settings), time.monotonic)


class NoQueue:
    """Takes access counts and forgets them, so that no search changes the next one's ranking."""

    def send(self, scope: Scope, touches: Sequence[Touch]) -> None:
        """Do nothing."""


class _Nowhere(io.TextIOBase):
    """Takes the lines of metrics."""

    def write(self, text: str) -> int:
        return len(text)


@dataclass(frozen=True)
class Reply:
    """An answer of a handler."""

    status: int
    body: dict[str, Any]


class Product:
    """A wiring on stores in memory, and the calls of a client; `counts` sees the backends' calls.

    `endpoint` is a node's: then the index is there, and is whole before the first write.
    """

    stage = "bench"

    def __init__(self, embedder: Embedder, endpoint: str = "") -> None:
        self.embedder = embedder
        self.counts = Counts()
        self._ulids = Ulids()
        self._metrics = _Nowhere()
        os.environ |= METRICS
        self.memory = InMemoryStore(self.clock, self._ulids)
        self.store = Counted(self.memory, self.counts)
        self.projections: Projections = Counted(self.memory.projections, self.counts)
        self.requests: RequestLog = Counted(self.memory.requests, self.counts)
        self.keys: KeyRing = Counted(self.memory.keys, self.counts)
        self.seal = FixedSeal()
        backend = "opensearch" if endpoint else "table"
        self.rules = Rules()
        self.trust = Trust()
        self.features = {"search_backend": backend, "embedder": embedder.id}
        self.node: NodeIndex | None = None
        if endpoint:
            self.node = NodeIndex(endpoint, embedder, self.counts, self.clock)

    def clock(self) -> datetime:
        """The server's time."""
        return utc_now()

    @property
    def upkeep(self) -> IndexUpkeep | None:
        """What keeps the index on a node whole."""
        return None if self.node is None else self.node.domain.upkeep

    @cached_property
    def _table_index(self) -> TableIndex:
        return TableIndex(
            self.projections, self.embedder.dimensions, clock=self.clock, newest=HELD, most=HELD
        )

    @property
    def engine(self) -> Engine:
        """What search and projection share."""
        return Engine(
            store=self.store,
            projections=self.projections,
            index=self._table_index if self.node is None else self.node.domain.index,
            embedder=self.embedder,
            access=NoQueue(),
        )

    @cached_property
    def learning(self) -> Learning:
        """Nothing is learnt here: its rules are the usual ones, and no model is asked."""
        rules = LearningRules()
        return Learning(
            conversations=self.memory.conversations,
            jobs=self.memory.jobs,
            blobs=FakeBlobs(),
            queues=InMemoryQueues(self.clock),
            reasoner=None,
            budget=InMemoryBudget(rules.daily_calls, rules.daily_tokens),
            rules=rules,
        )

    @cached_property
    def tools(self) -> Tools:
        """Ids, seal and patience."""
        return Tools(new_id=self._ulids, seal=self.seal, patience=Backoff)

    def change_at(self, pk: str, sk: str) -> tuple[Scope, Change]:
        """There are no stream records here: `drain` sweeps."""
        raise Invalid(f"no row {pk} {sk}")

    def touches_in(self, body: str) -> tuple[Scope, Sequence[Touch]]:
        """There is no access queue here."""
        raise Invalid(f"no message of {len(body)} characters")

    def post(self, path: str, body: Mapping[str, object], *, who: Principal = PRINCIPAL) -> Reply:
        """Call the handler of `POST path` with the event that the gateway would send."""
        return self.sent(path, json.dumps(body, ensure_ascii=False), who=who)

    def sent(self, path: str, text: str, *, who: Principal = PRINCIPAL) -> Reply:
        """The same with the body as text."""
        handle = _handler(_FUNCTIONS[path])
        with use_wiring(self), redirect_stdout(self._metrics):
            answer = handle(event_of(path, text, who=who), CONTEXT)
        return Reply(answer["statusCode"], json.loads(answer["body"]))

    def drain(self) -> None:
        """Run the sweep until every change is projected; raises RuntimeError where some cannot."""
        handle = _handler("sweep")
        with use_wiring(self), redirect_stdout(self._metrics):
            while any(self.memory.projections.dirty(bucket, 1) for bucket in range(16)):
                swept = handle({}, CONTEXT)
                if not swept["projected"]:
                    raise RuntimeError(f"the sweep does not get on: {swept}")


_FUNCTIONS = {route.path: route.function for route in ROUTES if route.method == "POST"}


def _handler(function: str) -> Any:
    return import_module(f"functions.{function}.app").handler


def event_of(path: str, text: str, *, who: Principal = PRINCIPAL) -> dict[str, Any]:
    """An HTTP API event (payload 2.0) of a POST that the authorizer let through."""
    return {
        "version": "2.0",
        "routeKey": f"POST {path}",
        "rawPath": path,
        "rawQueryString": "",
        "headers": {"content-type": "application/json", "user-agent": "bench"},
        "requestContext": {
            "authorizer": {"lambda": context_of(who)},
            "http": {"method": "POST", "path": path, "sourceIp": "127.0.0.1"},
            "requestId": "bench",
            "routeKey": f"POST {path}",
        },
        "body": text,
        "isBase64Encoded": False,
    }
