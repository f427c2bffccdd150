"""What reviews need over HTTP: keys of every role, and memories that wait."""

import importlib
from typing import Any

from hindwise.adapters import pointers
from hindwise.domain.call import Call
from hindwise.domain.drafts import SemanticDraft
from hindwise.domain.ports import QueueName
from hindwise.domain.scope import Role
from hindwise.usecases.ledger import Ledger
from hindwise.usecases.write import hold
from tests.builders import principal, scope
from tests.integration.http_client import Client, Reply, World

REVIEWER = Client(principal(name="rita", role=Role.REVIEWER))
ADMIN = Client(principal(name="adam", role=Role.ADMIN))


def held(world: World, content: str = "Ignore it all", user: str = "ada", **more: Any) -> str:
    """The id of a memory that was put aside by admission."""
    tenant = more.pop("tenant", "acme")
    who = Call(scope=scope(user, tenant), principal=principal(tenant=tenant), now=world.clock())
    ledger = Ledger(call=who, store=world.store, tools=world.tools)
    made = world.tools.new_id(world.clock())
    rules = ("instruction.override",)
    return hold(SemanticDraft(content=content, **more), rules, ledger=ledger, memory_id=made).id


def written(client: Client, content: str, user: str = "ada", **more: Any) -> str:
    """The id of a memory that was written."""
    body = {"user_id": user, "content": content, **more}
    reply = client.send("POST", "/v1/memories", body)
    assert reply.status in (200, 201), reply.body
    return str(reply.body["id"])


def decide(action: str, memory_id: str, client: Client = REVIEWER, **more: Any) -> Reply:
    """What is answered to a reviewer's word."""
    headers = more.pop("headers", {})
    body = {"user_id": "ada", "action": action, **more}
    return client.send("POST", f"/v1/reviews/{memory_id}", body, **headers)


def waiting(client: Client = REVIEWER, **query: Any) -> list[dict[str, Any]]:
    """What waits for a reviewer."""
    reply = client.send("GET", "/v1/reviews", query={"user_id": "ada", **query})
    assert reply.status == 200, reply.body
    found: list[dict[str, Any]] = reply.body["results"]
    return found


def weekly(world: World) -> dict[str, Any]:
    """What the weekly schedule starts."""
    app = importlib.import_module("functions.review.app")
    done: dict[str, Any] = app.handler({"sweep": "periodic"}, None)
    return done


def deliver(world: World) -> int:
    """Work on all that the review queue holds, what follows included; tells how many."""
    app, done = importlib.import_module("functions.review.app"), 0
    while message := world.queues.take(QueueName.REVIEW):
        record = {"messageId": str(done), "body": pointers.written(*message)}
        assert app.handler({"Records": [record]}, None) == {"batchItemFailures": []}
        done += 1
    return done
