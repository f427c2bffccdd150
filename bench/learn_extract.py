"""What is learnt from conversations whose facts are known, and what it costs in calls and tokens.

The product's handlers take the conversations in, extract, project and settle, on stores in memory;
the model answers over HTTP and knows the facts (`oracle.py`). mem0 gets the same conversations, the
same model and the same embedder (`learn_mem0.py`).
"""

from collections.abc import Iterator
from importlib import import_module
from types import SimpleNamespace
from typing import Any

from bench import learn_mem0
from bench.learn_scenes import Said, contents, contradictions, people
from bench.oracle import Oracle
from hindwise.adapters import pointers
from hindwise.adapters.dynamodb import keys
from hindwise.adapters.dynamodb.keys import DIRTY_BUCKETS
from hindwise.adapters.reasoners.openai import OpenAIReasoner
from hindwise.domain.memory import SemanticMemory, Status
from hindwise.domain.ports import Embedder, QueueName
from hindwise.domain.scope import Scope
from hindwise.runtime.wiring import use_wiring
from tests.builders import principal
from tests.integration.http_client import Client, World

BREAKING = 5
"""Of so many replies one cannot be used, in the rows that say so."""
PATIENCE = 200
"""Minutes that may pass until everything is settled."""
CONTEXT = SimpleNamespace(aws_request_id="bench", function_name="bench")


class Mind:
    """The handlers of those who learn, on stores in memory, with a clock that is set."""

    def __init__(self, oracle: Oracle, embedder: Embedder) -> None:
        self.world = World(embedder)
        self.reasoner = OpenAIReasoner(oracle.models[0], key="none", base_url=oracle.url)
        self.world.learn_with(self.reasoner)
        self._client = Client()

    def hear(self, said: Said) -> None:
        """Take in a conversation, at its time, and see everything through that follows from it."""
        clock = self.world.clock
        clock.now = max(clock.now, said.at)
        body = {"user_id": said.user, "id": said.id, "messages": said.messages()}
        with use_wiring(self.world):
            answer = self._client.send("POST", "/v1/conversations", body)
            if answer.status != 202:
                raise RuntimeError(f"a conversation was not taken in: {answer.body}")
            self._see_through()

    def _see_through(self) -> None:
        for _ in range(PATIENCE):
            done = self._deliver(QueueName.EXTRACT) + self._project()
            done += self._deliver(QueueName.SETTLE)
            self._call("sweep", {})
            if not done and not any(self.world.queues.waiting.values()):
                return
            self.world.clock.forward(minutes=1)
        raise RuntimeError("something still waits")

    def _deliver(self, name: QueueName) -> int:
        done = 0
        while message := self.world.queues.take(name):
            body = pointers.written(*message)
            answer = self._call(name.value, {"Records": [{"messageId": "1", "body": body}]})
            if answer["batchItemFailures"]:
                raise RuntimeError(f"{name}: a message came back")
            done += 1
        return done

    def _project(self) -> int:
        """Hand over the changes that wait, as the stream would."""
        dirty = [self.world.projections.dirty(bucket, 100) for bucket in range(DIRTY_BUCKETS)]
        rows = [(keys.part(scope, "D"), one.key) for each in dirty for scope, one in each]
        records = [
            {"eventName": "INSERT", "dynamodb": {"Keys": {"pk": {"S": pk}, "sk": {"S": sk}}}}
            for pk, sk in rows
        ]
        if records:
            self._call("index", {"Records": records})
        return len(records)

    def _call(self, function: str, event: dict[str, Any]) -> Any:
        return import_module(f"functions.{function}.app").handler(event, CONTEXT)

    def known(self, user: str) -> dict[str, Status]:
        """What was ever learnt of a user, and what state it is in."""
        page = self.world.store.page(
            Scope(tenant=principal().tenant, user=user), after=None, examine=1_000
        )
        learnt = [one for one in page.memories if isinstance(one, SemanticMemory)]
        return {one.content: one.status for one in learnt}


def rows(number: int, embedder: Embedder) -> Iterator[dict[str, Any]]:
    """A row a system, for replies that can all be used and for some that cannot."""
    scenes = [one for pair in people(number) for one in pair]
    scenes.sort(key=lambda one: one.at)
    for breaking in (0, BREAKING):
        yield _row(scenes, embedder, breaking)
        try:
            yield learn_mem0.row(scenes, embedder, breaking)
        except learn_mem0.NotInstalled as missing:
            print(missing, flush=True)


def _row(scenes: list[Said], embedder: Embedder, breaking: int) -> dict[str, Any]:
    with Oracle(scenes=scenes, breaking=breaking) as oracle:
        mind = Mind(oracle, embedder)
        try:
            for said in scenes:
                mind.hear(said)
        finally:
            mind.reasoner.close()
        calls, tokens = oracle.calls, oracle.tokens["all"]
    known = {one.user: mind.known(one.user) for one in scenes}
    pairs = [(known[one.user], pair) for one in scenes for pair in contradictions([one])]
    return {
        "what": "extract",
        "system": "hindwise",
        "embedder": embedder.id,
        "windows": len(scenes),
        "broken_replies": calls["extract"] // breaking if breaking else 0,
        "llm_calls_per_window": round(calls.total() / len(scenes), 3),
        "extract_calls_per_window": round(calls["extract"] / len(scenes), 3),
        "judge_calls_per_window": round(calls["judge"] / len(scenes), 3),
        "tokens_per_window": round(tokens / len(scenes)),
        "facts_expected": sum(len(one.facts) for one in scenes),
        "facts_lost": sum(len(contents([one]) - set(known[one.user])) for one in scenes),
        "contradictions": len(pairs),
        "contradictions_left": sum(
            held.get(old) is Status.ACTIVE and held.get(new) is Status.ACTIVE
            for held, (old, new) in pairs
        ),
    }
