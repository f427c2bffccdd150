"""Each kind of operation once, on the real handlers and the real table adapter.

An operation is prepared (nothing counted), then done. Where a scope must be large, its rows are
copies of one memory's, written as they are; what is searched are dialogue turns of about 100 bytes
and episodes of 1.5 KB.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from datetime import timedelta
from functools import partial
from itertools import batched
from typing import Any

from bench.agent import ANN, TURNS, Agent
from bench.learning_operations import LearningOperations
from bench.metered_stack import STAGE, TABLE, MeteredStack
from bench.operation import POLLED, Operation
from bench.product import PRINCIPAL, TENANT
from hindwise.adapters.dynamodb import keys
from hindwise.adapters.dynamodb.expressions import key_of
from hindwise.domain.ids import ID_LENGTH, ulid
from hindwise.domain.memory import millis
from hindwise.domain.ports import ApiKey
from hindwise.domain.scope import Scope
from hindwise.runtime.credentials import digest

SIZES = (100, 1000, 2000)
SESSION = re.compile(r"s-\d{6}")
COUNTED_AGAIN = timedelta(minutes=2)
SECRET = f"hw_{STAGE}_" + "a" * 43


class Operations:
    """All operations of a stack, done by one agent."""

    def __init__(self, stack: MeteredStack, sizes: Sequence[int] = SIZES) -> None:
        self._stack = stack
        self._sizes = sizes
        self.agent = Agent(stack)
        self._learning = LearningOperations(
            stack, self.agent, settle=self.settle, waiting=self._waiting
        )

    def all(self) -> Iterator[Operation]:
        """In the order of the page, in a container that has started."""
        self.agent.fact()
        self.settle()
        yield from self._writes()
        yield from self._changes()
        yield from self._learning.all()
        yield from self._reads()
        yield from self._searches()

    def _writes(self) -> Iterator[Operation]:
        yield from self._written("create an episode of 1.5 KB", self.agent.episode)
        yield Operation("the same with an Idempotency-Key", self.settle, self.agent.keyed)
        yield from self._written("create a fact", self.agent.fact)
        yield from self._written("create a dialogue turn, one of 25", self.agent.turns, share=TURNS)

    def _changes(self) -> Iterator[Operation]:
        agent = self.agent
        yield from self._written("supersede a slot value", agent.next_value, first=agent.value)
        yield from self._written("edit an episode of 1.5 KB", agent.edit, first=agent.episode)
        yield from self._written("forget an episode of 1.5 KB", agent.forget, first=agent.episode)

    def _written(
        self,
        name: str,
        act: Callable[..., Any],
        *,
        first: Callable[[], Any] | None = None,
        share: int = 1,
    ) -> Iterator[Operation]:
        """The operation, and the projection of what it changed."""

        def prepare() -> Any:
            given = first() if first else None
            self.settle()
            return given

        def changed() -> Any:
            given = prepare()
            act(given)
            return {"Records": self._waiting()}

        yield Operation(name, prepare, act, share)
        index = partial(self._stack.invoke, "index")
        yield Operation(f"project: {name}", changed, index, share)

    def _searches(self) -> Iterator[Operation]:
        """Last, because moto copies the whole table for each transaction."""
        agent = self.agent
        turn, episode = agent.turns(), agent.episode()
        self.settle()
        for size in self._sizes:
            user = self._copies(f"turns{size}", turn, size)
            yield self._first(f"{size:,} turns", user)
        yield Operation("search, copy held", self._nothing, partial(agent.search, user))
        yield Operation("context, copy held", self._nothing, partial(agent.context, user))
        yield self._counting("count the accesses of a search: 10 turns", user)
        listed = partial(agent.list_page, user)
        yield Operation("list a page of 20 turns", listed, partial(agent.list_page, user))
        user = self._copies("episodes", episode, size)
        yield self._first(f"{size:,} episodes of 1.5 KB", user)
        yield self._counting("count the accesses of a search: 10 episodes of 1.5 KB", user)

    def _first(self, what: str, user: str) -> Operation:
        name = f"first search in a container, {what}"
        return Operation(name, self._stack.fresh_container, partial(self.agent.search, user))

    def _counting(self, name: str, user: str) -> Operation:
        def searched() -> Any:
            sqs = self._stack.wired.access._client  # type: ignore[attr-defined]
            url = self._stack.queue_url
            while sqs.receive_message(QueueUrl=url, MaxNumberOfMessages=10).get("Messages"):
                pass
            self._stack.clock.now += COUNTED_AGAIN
            self.agent.search(user)
            [message] = sqs.receive_message(QueueUrl=url)["Messages"]
            return {"Records": [{"messageId": message["MessageId"], "body": message["Body"]}]}

        def counted(event: Any) -> None:
            self._stack.used.sqs += POLLED
            self._stack.invoke("reinforce", event)

        return Operation(name, searched, counted)

    def _reads(self) -> Iterator[Operation]:
        yield Operation("read one memory", self.agent.episode, self.agent.read)
        yield Operation("authorize (once a minute and key)", self._key, self._authorized)
        sweep = partial(self._stack.invoke, "sweep")
        yield Operation("idle sweep", self._drained, sweep)
        yield Operation("idle night: four sweeps of fading", self._drained, self._night)
        digest = partial(self._stack.invoke, "review", {"sweep": "digest"})
        yield Operation("idle digest of the audit", self._drained, lambda _: digest())

    def _night(self, _: object) -> None:
        for sweep in ("purge", "archive", "decay", "tiers"):
            self._stack.invoke("fade", {"sweep": sweep})

    def _key(self) -> dict[str, Any]:
        hashed = digest(SECRET)
        if self._stack.wired.keys.find(hashed) is None:
            at = self._stack.clock()
            made = {"id": ulid(millis(at), bytes(10)), "digest": hashed, "created_at": at}
            self._stack.wired.keys.add(ApiKey(principal=PRINCIPAL, label="an agent", **made))
        return {"identitySource": [f"Bearer {SECRET}"]}

    def _authorized(self, event: Any) -> None:
        assert self._stack.invoke("authorize", event)["isAuthorized"]

    def settle(self) -> None:
        """Project everything that waits."""
        while waiting := self._waiting():
            self._stack.invoke("index", {"Records": waiting})

    def _drained(self) -> dict[str, Any]:
        self._learning.quiet()
        return {}

    def _waiting(self) -> list[dict[str, Any]]:
        """The change rows that wait, as the stream tells `index` of them."""
        home = keys.part(Scope(tenant=TENANT, user=ANN), "D")
        return [
            {"eventName": "INSERT", "dynamodb": {"Keys": {"pk": row["pk"], "sk": row["sk"]}}}
            for row in self._stack.rows(home)
        ]

    def _nothing(self) -> None:
        """Prepare nothing."""

    def _copies(self, user: str, memory_id: str, size: int) -> str:
        """Give a user `size` copies of a memory of Ann's and its projection, 25 to a session."""
        source, scope = Scope(tenant=TENANT, user=ANN), Scope(tenant=TENANT, user=user)
        embedder = self._stack.wired.embedder.id
        own = keys.memory(source, memory_id), keys.document(source, memory_id, embedder)
        read = self._stack.plain.get_item
        rows = [read(TableName=TABLE, Key=key_of(key))["Item"] for key in own]
        made = (_copy(row, scope, number, embedder) for number in range(size) for row in rows)
        for batch in batched(made, TURNS):
            puts = [{"PutRequest": {"Item": row}} for row in batch]
            self._stack.plain.batch_write_item(RequestItems={TABLE: puts})
        return user


def _copy(row: Any, scope: Scope, number: int, embedder: str) -> dict[str, Any]:
    """A memory's row or its document's under another id, user and session."""
    own = row["sk"]["S"].removeprefix("M#")[:ID_LENGTH]
    new = own[:10] + f"{number:016d}"
    key = keys.document(scope, new, embedder) if "facets" in row else keys.memory(scope, new)
    session = f"s-{number // TURNS:06d}"
    kept = {name: value for name, value in row.items() if "S" not in value}
    texts = {name: value["S"].replace(own, new) for name, value in row.items() if "S" in value}
    changed = {name: {"S": SESSION.sub(session, text)} for name, text in texts.items()}
    return {**kept, **changed, **key_of(key)}
