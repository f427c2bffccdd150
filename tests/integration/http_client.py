"""Drives the real handlers with API Gateway events over parts in memory."""

import base64
import importlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, urlencode

from hindwise.adapters import pointers, sqs
from hindwise.adapters.dynamodb import keys, rows
from hindwise.adapters.embedded.table import TableIndex
from hindwise.adapters.embedders.hashed import HashedEmbedder
from hindwise.domain.call import Tools
from hindwise.domain.changes import Change, Touch
from hindwise.domain.ids import NewId
from hindwise.domain.learning_rules import LearningRules
from hindwise.domain.limits import Limits
from hindwise.domain.ports import Embedder, IndexUpkeep, Reasoner
from hindwise.domain.rules import Rules
from hindwise.domain.scope import Principal, Scope
from hindwise.runtime import routes
from hindwise.runtime.principal import context_of
from hindwise.runtime.sweep import drain
from hindwise.runtime.tools import Ulids
from hindwise.usecases.audit import Auditing, Refusals
from hindwise.usecases.engine import Engine
from hindwise.usecases.fade import Fading
from hindwise.usecases.learning import Learning
from hindwise.usecases.limiting import Limiter
from hindwise.usecases.recalls import Watch
from hindwise.usecases.ripening import Ripener
from hindwise.usecases.trust import Trust
from tests.builders import Clock, principal
from tests.contract.blobs_fake import FakeBlobs
from tests.fakes import FixedSeal, InMemoryStore, InstantPatience, RecordingAccessQueue
from tests.memory_queues import InMemoryBudget, InMemoryQueues
from tests.memory_records import InMemoryRecords


class World:
    """A wiring of parts in memory; `project` does what the stream would.

    `learn_with` gives it a reasoner or other rules.
    """

    stage = "test"
    features = {"search_backend": "table", "embedder": "hashed"}  # noqa: RUF012
    upkeep: IndexUpkeep | None = None

    def __init__(self, embedder: Embedder | None = None, ids: NewId | None = None) -> None:
        self.clock = Clock()
        ids = ids or Ulids()
        self.store = InMemoryStore(self.clock, ids)
        self.requests, self.keys = self.store.requests, self.store.keys
        self.projections = self.store.projections
        self.access = RecordingAccessQueue()
        self.seal = FixedSeal()
        self.tools = Tools(new_id=ids, seal=self.seal, patience=InstantPatience)
        self.embedder = embedder or HashedEmbedder()
        index = TableIndex(self.projections, self.embedder.dimensions, clock=self.clock)
        self.engine = Engine(
            store=self.store,
            projections=self.projections,
            index=index,
            embedder=self.embedder,
            access=self.access,
            ripener=Ripener(self.store.ripening),
            users=self.store.users,
            audit=self.store.audit_log,
        )
        self.ripening = self.store.ripening
        self.queues, self.blobs = InMemoryQueues(self.clock), FakeBlobs()
        self.rules = Rules()
        self.records = InMemoryRecords()
        self.trust = Trust(
            records=self.records,
            reviews=self.store.reviews,
            users=self.store.users,
            lessons=self.store.lessons,
            audit=self.auditing(),
            limiter=self.limiter(),
            receipts=self.store.receipts,
            erasure=self.store.erasure,
        )
        self.fading = Fading(
            store=self.store,
            blobs=self.blobs,
            listed=self.store.fading,
            queues=self.queues,
            tools=self.tools,
            clock=self.clock,
            rules=self.rules.fading,
        )
        self.learn_with(None, LearningRules())

    def auditing(self, *, watch: float = 0.0) -> Auditing:
        """The audit, of which `watch` is the share of recalls that is written down."""
        log = self.store.audit_log
        recalls = Watch(self.store.recalls, lambda: self.seal, watch)
        return Auditing(log, self.records, Refusals(log, lambda: self.tools), recalls)

    def limiter(self, limits: Limits | None = None) -> Limiter:
        """A container's limiter, whose seconds are the clock's."""
        return Limiter(
            self.store.rates, limits or Limits(), seconds=lambda: self.clock().timestamp()
        )

    def learn_with(self, reasoner: Reasoner | None, rules: LearningRules | None = None) -> Learning:
        told = rules or LearningRules(llm_configured=reasoner is not None)
        self.learning = Learning(
            conversations=self.store.conversations,
            jobs=self.store.jobs,
            blobs=self.blobs,
            queues=self.queues,
            reasoner=reasoner,
            budget=InMemoryBudget(told.daily_calls, told.daily_tokens),
            rules=told,
        )
        return self.learning

    def pointer_in(self, body: str) -> tuple[Scope, str]:
        return pointers.read(body)

    def change_at(self, pk: str, sk: str) -> tuple[Scope, Change]:
        return keys.scope_of(pk), rows.change_of({"sk": {"S": sk}})

    def touches_in(self, body: str) -> tuple[Scope, Sequence[Touch]]:
        return sqs.parsed(body)

    def project(self) -> None:
        drain(engine=self.engine, queues=self.queues, clock=self.clock)


@dataclass(frozen=True)
class Reply:
    status: int
    body: Any
    headers: dict[str, str]

    @property
    def error(self) -> dict[str, Any]:
        return self.body["error"]


class Client:
    """Calls the API as one principal; `form` is the shape of the events."""

    def __init__(self, who: Principal | None = None, *, form: str = "v2") -> None:
        self.who = principal() if who is None else who
        self.form = form

    def send(
        self,
        method: str,
        path: str,
        body: object = None,
        *,
        raw: str | bytes | None = None,
        query: dict[str, Any] | None = None,
        **headers: str,
    ) -> Reply:
        """Send JSON (or `raw` text); `path` is percent-encoded, `query` is not."""
        event = self.event(method, path, raw if raw is not None else _json(body), query or {})
        event["headers"] |= {name.replace("_", "-"): value for name, value in headers.items()}
        route = route_of(method, path)
        function = route.function if route else "inspect"
        return call(function, event)

    def event(
        self, method: str, path: str, body: str | bytes | None, query: dict[str, Any]
    ) -> dict[str, Any]:
        event = _FORMS[self.form](method, path, query)
        event["headers"] = {"content-type": "application/json"}
        if isinstance(body, bytes) or (self.form == "url" and body is not None):
            raw = body if isinstance(body, bytes) else body.encode()
            event |= {"body": base64.b64encode(raw).decode(), "isBase64Encoded": True}
        elif body is not None:
            event |= {"body": body, "isBase64Encoded": False}
        context = context_of(self.who)
        event["requestContext"]["authorizer"] = (
            context if self.form == "v1" else {"lambda": context}
        )
        return event


def _json(body: object) -> str | None:
    return None if body is None else json.dumps(body)


def route_of(method: str, path: str) -> routes.Route | None:
    found = routes.find(routes.ROUTES, {}, method, path, encoded=True)
    return found[0] if found else None


def call(function: str, event: dict[str, Any]) -> Reply:
    app = importlib.import_module(f"functions.{function}.app")
    answer = app.handler(event, None)
    return Reply(answer["statusCode"], json.loads(answer["body"]), answer["headers"])


def _context(method: str, path: str) -> dict[str, Any]:
    return {"http": {"method": method, "path": path}, "stage": "$default"}


def _gateway(method: str, path: str, query: dict[str, Any]) -> dict[str, Any]:
    """HTTP API: the route it matched, decoded parameters, and the path decoded too."""
    found = routes.find(routes.ROUTES, {}, method, path, encoded=True)
    event = _function_url(method, path, query)
    if found is not None:
        route, params = found
        event |= {"routeKey": route.key, "pathParameters": params}
    return event


def _function_url(method: str, path: str, query: dict[str, Any]) -> dict[str, Any]:
    """Payload 2.0 without a route: all there is, is the encoded path."""
    return {
        "version": "2.0",
        "routeKey": "$default",
        "rawPath": path,
        "rawQueryString": urlencode(query, doseq=True),
        "requestContext": _context(method, path),
    }


def _rest(method: str, path: str, query: dict[str, Any]) -> dict[str, Any]:
    """REST API, payload 1.0: everything decoded."""
    found = routes.find(routes.ROUTES, {}, method, path, encoded=True)
    route, params = found if found else (None, {})
    listed = {k: [str(x) for x in (v if isinstance(v, list) else [v])] for k, v in query.items()}
    return {
        "httpMethod": method,
        "resource": route.path if route else "/{proxy+}",
        "path": route.path.format(**params) if route else path,
        "pathParameters": params or None,
        "queryStringParameters": {name: values[-1] for name, values in listed.items()} or None,
        "multiValueQueryStringParameters": listed or None,
        "requestContext": {"httpMethod": method, "resourcePath": path},
    }


_FORMS = {"v2": _gateway, "url": _function_url, "v1": _rest}


def segment(text: str) -> str:
    """A text as one segment of a path."""
    return quote(text, safe="")
