"""How each call of the API is made with something that is somebody else's.

`KNOCKS` holds every operation; a new route without an entry fails `test_http_walls`.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from hindwise.domain.ids import ulid
from hindwise.runtime.routes import ROUTES, Route
from tests.integration.http_client import Client, Reply, World, segment

MISSING = ulid(1_700_000_000_000, b"nobody has")
"""A well-formed id that there is nowhere."""
WORDS = "the vault opens at nine"
ROUTE = {route.operation: route for route in ROUTES}


@dataclass(frozen=True)
class Knock:
    """A call: its body, query and headers from an id, and what the id is one of.

    `told` is what somebody who may not see it is answered, and as well who asks for what there is
    not. A call without `of` names nothing: it shows a user's own things, which the user of another
    tenant has none of. `cursors` says that it is a list.
    """

    told: int
    of: str = ""
    body: Callable[[str], dict[str, Any]] = field(default=lambda one: {})
    query: Callable[[str], dict[str, Any]] = field(default=lambda one: {})
    cursors: bool = False
    whose: bool = True


def _edit(one: str) -> dict[str, Any]:
    return {"reason": "r", "content": "mine now"}


def _said(one: str) -> dict[str, Any]:
    return {"messages": [{"role": "user", "content": "hello"}], "infer": False}


KNOCKS: dict[str, Knock] = {
    "writeMemories": Knock(
        400, "memory", lambda one: {"content": "x", "type": "fact", "evidence_ids": [one]}
    ),
    "editMemory": Knock(404, "memory", _edit),
    "closeTask": Knock(200, "task"),
    "appendMessages": Knock(202, "conversation", _said),
    "converse": Knock(202, "conversation", lambda one: {"id": one, **_said(one)}),
    "retryJob": Knock(404, "job"),
    "dismissJob": Knock(404, "job"),
    "redriveQueue": Knock(200, whose=False),
    "consolidate": Knock(200, "domain", lambda one: {"domain": one, "dry_run": True}),
    "importLines": Knock(200),
    "exportLines": Knock(200, cursors=True),
    "search": Knock(
        200, "conversation", lambda one: {"query": WORDS, "filters": {"conversation_id": one}}
    ),
    "context": Knock(200, "task", lambda one: {"query": WORDS, "filters": {"task_id": one}}),
    "diagnose": Knock(200, "memory", lambda one: {"query": WORDS, "memory_id": one}),
    "readEntity": Knock(200, "entity", cursors=True),
    "listMemories": Knock(200, "task", query=lambda one: {"task_id": one}, cursors=True),
    "readHistory": Knock(404, "memory"),
    "readMemory": Knock(404, "memory"),
    "forgetMemory": Knock(404, "memory"),
    "restoreMemory": Knock(404, "memory"),
    "forgetMany": Knock(404, "memory", lambda one: {"ids": [one], "dry_run": False}),
    "fade": Knock(200, body=lambda one: {"sweep": "purge"}),
    "readForget": Knock(404, "receipt"),
    "listForgets": Knock(200, cursors=True),
    "readConversation": Knock(404, "conversation"),
    "readJob": Knock(404, "job"),
    "listJobs": Knock(200, cursors=True),
    "queues": Knock(200, whose=False),
    "listReviews": Knock(200, cursors=True),
    "review": Knock(404, "memory", lambda one: {"action": "reject"}),
    "quarantineSource": Knock(202, "conversation", lambda one: {"kind": "conversation"}),
    "listUsers": Knock(200, cursors=True, whose=False),
    "verifyAudit": Knock(200),
    "readRecalls": Knock(200, cursors=True),
    "readAudit": Knock(404, "memory", query=lambda one: {"memory_id": one}),
    "timeline": Knock(200),
    "stats": Knock(200),
    "me": Knock(200, whose=False),
    "health": Knock(200, whose=False),
    "openapi": Knock(200, whose=False),
}


def knock(client: Client, operation: str, user: str, one: str = MISSING, **more: Any) -> Reply:
    """Make a call as somebody, for a user, about a thing."""
    route, how = ROUTE[operation], KNOCKS[operation]
    path = route.path
    for name in route.parameters:
        path = path.replace(f"{{{name}}}", segment(_named(operation, name, one)))
    headers = more.pop("headers", {})
    named = {"user_id": user} if how.whose else {}
    query = more.pop("query", {})
    if route.method in ("GET", "DELETE"):
        asked = {**named, **how.query(one), **query}
        return client.send(route.method, path, query=asked, **headers)
    if operation == "importLines":
        return client.send("POST", path, {**named, "lines": ["{}"], **more}, **headers)
    return client.send(route.method, path, {**named, **how.body(one), **more}, **headers)


def _named(operation: str, name: str, one: str) -> str:
    return "extract" if operation == "redriveQueue" else one


def takes_user(route: Route) -> bool:
    """Tell whether a route is about one user's things."""
    return KNOCKS[route.operation].whose


def planted(world: World, owner: Client) -> dict[str, str]:
    """One of everything that an id can name, of user ada of tenant acme."""
    ada = {"user_id": "ada"}
    memory = owner.send(
        "POST",
        "/v1/memories",
        {**ada, "content": WORDS, "task_id": "t-1", "domain": "vaults", "entities": ["Vault"]},
    ).body["id"]
    said = [{"role": "user", "content": f"I know that {WORDS}."}]
    talk = owner.send("POST", "/v1/conversations", {**ada, "id": "talk-1", "messages": said})
    other = owner.send("POST", "/v1/memories", {**ada, "content": "to be forgotten"}).body["id"]
    gone = owner.send("POST", "/v1/forget", {**ada, "ids": [other], "dry_run": False})
    world.project()
    return {
        "memory": str(memory),
        "conversation": "talk-1",
        "job": str(talk.body["job_id"]),
        "receipt": str(gone.body["id"]),
        "task": "t-1",
        "domain": "vaults",
        "entity": "Vault",
        "": "",
    }
