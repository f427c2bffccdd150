"""A whole product in memory.

Store, projection, embedded index and hashed embedder, driven through the use cases.
"""

from datetime import datetime
from typing import Any

from hindwise.adapters.embedded.index import EmbeddedIndex
from hindwise.adapters.embedders.hashed import HashedEmbedder
from hindwise.domain.call import Call, Tools
from hindwise.domain.drafts import AnyDraft, Edit, EpisodeDraft, SemanticDraft
from hindwise.domain.memory import Status
from hindwise.domain.ports import Embedder
from hindwise.domain.query import Condition, Filter, Operator, Query
from hindwise.domain.scope import Scope
from hindwise.usecases.edit import edit
from hindwise.usecases.engine import Engine
from hindwise.usecases.forget import forget
from hindwise.usecases.ledger import Ledger
from hindwise.usecases.project import Projected, project
from hindwise.usecases.search import Found, search
from hindwise.usecases.write import write
from hindwise.usecases.written import Written
from tests.builders import Clock, new_id, principal, scope
from tests.fakes import FixedSeal, InMemoryStore, InstantPatience, RecordingAccessQueue


class Desk:
    """What an agent could do, for one user after another."""

    def __init__(self, embedder: Embedder | None = None) -> None:
        self.clock = Clock()
        self.store = InMemoryStore(self.clock, lambda moment: new_id(self.clock()))
        self.access = RecordingAccessQueue()
        self.index = EmbeddedIndex((embedder or HashedEmbedder()).dimensions)
        self.engine = Engine(
            store=self.store,
            projections=self.store.projections,
            index=self.index,
            embedder=embedder or HashedEmbedder(),
            access=self.access,
        )
        self.tools = Tools(new_id=new_id, seal=FixedSeal(), patience=InstantPatience)

    def call(self, user: str = "ada", **who: Any) -> Call:
        return Call(scope=scope(user), principal=principal(**who), now=self.clock())

    def ledger(self, user: str = "ada", **who: Any) -> Ledger:
        return Ledger(call=self.call(user, **who), store=self.store, tools=self.tools)

    def write(self, draft: AnyDraft, user: str = "ada", **who: Any) -> Written:
        return write(draft, ledger=self.ledger(user, **who))

    def said(self, content: str, user: str = "ada", **fields: Any) -> Written:
        return self.write(EpisodeDraft(content=content, **fields), user)

    def known(self, content: str, user: str = "ada", **fields: Any) -> Written:
        return self.write(SemanticDraft(content=content, **fields), user)

    def edit(
        self, memory_id: str, user: str = "ada", *, if_match: int | None = None, **fields: Any
    ) -> Any:
        change = Edit(reason="a test says so", **fields)
        return edit(memory_id, change, ledger=self.ledger(user), if_match=if_match).memory

    def forget(self, memory_id: str, user: str = "ada") -> None:
        forget(memory_id, ledger=self.ledger(user))

    def project(self) -> Projected:
        """Drain the backlog once."""
        rows = [row for bucket in range(16) for row in self.store.projections.dirty(bucket, 1_000)]
        return project(rows, engine=self.engine, now=self.clock())

    def ask(self, text: str = "", user: str = "ada", **fields: Any) -> Found:
        query = Query(text=text, **{"now": self.clock(), **fields})
        return search(query, call=self.call(user), engine=self.engine)

    def contents(self, text: str = "", user: str = "ada", **fields: Any) -> list[str]:
        return [hit.memory.content for hit in self.ask(text, user, **fields).hits]

    def read(self, memory_id: str, user: str = "ada") -> Any:
        return self.store.get(scope(user), [memory_id]).get(memory_id)


def at(text: str) -> datetime:
    """An aware datetime from RFC 3339."""
    return datetime.fromisoformat(text)


def home(user: str = "ada") -> Scope:
    return scope(user)


def residence(content: str, when: str, **more: object) -> SemanticDraft:
    """Where the user lives, from `when` on."""
    return SemanticDraft.model_validate(
        {
            "content": content,
            "subject": "用户",
            "attribute": "居住地",
            "event_time": at(when),
            **more,
        }
    )


def current(desk: Desk) -> list[str]:
    """What is active, newest first."""
    page = desk.store.page(desk.call().scope, after=None, examine=100)
    return [one.content for one in page.memories if one.status is Status.ACTIVE]


def only(field: str, value: object, op: Operator = Operator.EQ) -> Filter:
    """A filter of one condition."""
    return Filter(all_of=(Condition.model_validate({"field": field, "op": op, "value": value}),))
