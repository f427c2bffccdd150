"""Every cursor on every list, every word a filter can name, and lists of all users of a tenant."""

import json
from base64 import urlsafe_b64decode
from typing import Any

import pytest

from hindwise.domain.scope import Role
from hindwise.runtime.cursors import Cursors
from hindwise.runtime.filters import ALIASES, FIELDS, RANGES
from tests.builders import principal
from tests.integration.http_client import Client, World
from tests.integration.test_http_walls import INTRUDERS, intruder, shape
from tests.integration.walls import KNOCKS, MISSING, WORDS, knock, planted

ADA = {"user_id": "ada"}
OWNER = principal(role=Role.ADMIN)
TOLD: dict[str, Any] = {
    "agent_id": "agent-7", "attribute": "code", "domain": "vaults", "entities": ["Vault"],
    "scene": "night", "external_id": "ext-1", "session_id": "session-1", "subject": "vault",
    "tags": ["sealed"], "task_id": "t-1", "type": "fact", "value": "1234",
}  # fmt: skip
"""What ada says of a memory; a filter may name each."""
OTHERWISE = {"conversation_id": "talk-1", "speaker": "Ann", "event_type": "opening"}
OF_NUMBERS = {
    "confidence", "created_at", "event_time", "importance", "updated_at", "kind", "language",
    "origin", "status", "type",
}  # fmt: skip
"""Of these everybody has some: nobody's value can be told from another's."""
NAMES = sorted((FIELDS | ALIASES.keys() | {"tags_any", "tags_all"}) - OF_NUMBERS)
SEEKING: dict[str, dict[str, Any]] = {
    "search": {"query": WORDS},
    "context": {"query": WORDS},
    "diagnose": {"query": WORDS, "memory_id": MISSING},
    "listMemories": {},
    "forgetMany": {"dry_run": True},
}


def test_every_filter_is_looked_at() -> None:
    assert {*NAMES} - {"tags_any", "tags_all", "run_id"} <= {*TOLD, *OTHERWISE}
    assert {*RANGES} - {"tags_any", "tags_all"} <= {
        "event_from", "event_to", "created_from", "created_to", "min_importance"
    }  # fmt: skip


@pytest.fixture
def things(world: World) -> dict[str, str]:
    owner = Client(OWNER)
    told = {**ADA, **TOLD, "content": WORDS, "metadata": {"colour": "mauve"}}
    assert owner.send("POST", "/v1/memories", told).status == 201
    happened = {**ADA, "content": f"Then {WORDS}", "speaker": "Ann", "event_type": "opening"}
    assert owner.send("POST", "/v1/memories", happened).status == 201
    return planted(world, owner)


@pytest.mark.parametrize("who", INTRUDERS)
@pytest.mark.parametrize("operation", SEEKING)
def test_no_filter_tells_what_another_has(
    world: World, things: dict[str, str], operation: str, who: str
) -> None:
    fields, user = INTRUDERS[who]
    client = intruder(fields)
    for name in (*NAMES, "metadata"):
        field = ALIASES.get(name, name).removesuffix("_any").removesuffix("_all")
        if name == "metadata":
            theirs, nobodys = {"metadata": {"colour": "mauve"}}, {"metadata": {"colour": "puce"}}
        else:
            value = (TOLD | OTHERWISE)[field]
            strange = ["nothing"] if isinstance(value, list) else "nothing"
            theirs, nobodys = {name: value}, {name: strange}
        told = seek(client, operation, user, theirs)
        assert shape(told, "mauve") == shape(seek(client, operation, user, nobodys), "puce"), name
        assert told.status == 200 and WORDS not in json.dumps(told.body), (name, told.body)


def seek(client: Client, operation: str, user: str, filters: dict[str, Any]) -> Any:
    named = {"user_id": user}
    if operation == "listMemories":
        query = {**named, "filters": json.dumps(filters)}
        return client.send("GET", "/v1/memories", query=query)
    path = {"forgetMany": "/v1/forget"}.get(operation, f"/v1/{operation}")
    return client.send("POST", path, {**named, **SEEKING[operation], "filters": filters})


@pytest.fixture
def lists(monkeypatch: pytest.MonkeyPatch) -> list[Cursors]:
    """The lists that calls have looked into, whether they had a cursor or not."""
    seen: list[Cursors] = []
    real = Cursors.opened

    def opened(self: Cursors, cursor: str | None) -> str | None:
        seen.append(self)
        return real(self, cursor)

    monkeypatch.setattr(Cursors, "opened", opened)
    return seen


def cursors_of_all(lists: list[Cursors], client: Client, things: dict[str, str]) -> dict[str, str]:
    """A cursor for every operation that takes one, as if its list went on."""
    found = {}
    for operation in sorted(KNOCKS):
        lists.clear()
        told = knock(client, operation, "ada", things[KNOCKS[operation].of] or MISSING)
        assert told.status < 500
        if lists:
            cursor = lists[-1].sealed(MISSING)
            assert cursor is not None and lists[-1].opened(cursor) == MISSING
            found[operation] = cursor
    return found


def test_a_cursor_opens_no_other_list_and_none_of_anybody_else(
    world: World, things: dict[str, str], lists: list[Cursors]
) -> None:
    owner = Client(OWNER)
    cursors = cursors_of_all(lists, owner, things)
    assert {*cursors} >= {one for one, how in KNOCKS.items() if how.cursors}
    assert {*cursors} >= {"readConversation", "verifyAudit", "fade", "quarantineSource"}
    others = [(intruder(fields), user) for fields, user in INTRUDERS.values()]
    for operation, cursor in cursors.items():
        one = things[KNOCKS[operation].of] or MISSING
        forged = cursor[:-4] + ("AAAA" if cursor[-4:] != "AAAA" else "BBBB")
        for client, user in others:
            theirs, fake = (
                knock(client, operation, user, one, **with_cursor(operation, each))
                for each in (cursor, forged)
            )
            assert shape(theirs, one) == shape(fake, one), operation
            assert theirs.status in (400, 404), operation
        for another in cursors.keys() - {operation}:
            borrowed = with_cursor(operation, cursors[another])
            assert refused(knock(owner, operation, "ada", one, **borrowed)), (operation, another)


def with_cursor(operation: str, cursor: str) -> dict[str, Any]:
    in_body = operation in ("fade", "quarantineSource")
    return {"cursor": cursor} if in_body else {"query": {"cursor": cursor}}


def refused(reply: Any) -> str | None:
    """The complaint about a cursor, if there is one."""
    if reply.status != 400:
        return None
    assert reply.error["details"]["field"] == "cursor", reply.body
    return str(reply.error["message"])


ALL = {
    "listReviews": ("GET", "/v1/reviews", {}),
    "listUsers": ("GET", "/v1/users", {}),
    "readAudit": ("GET", "/v1/audit", {"day": "{day}"}),
    "verifyAudit": ("GET", "/v1/audit/verify", {"day": "{day}"}),
    "readRecalls": ("GET", "/v1/audit/recalls", {}),
    "quarantineSource": ("POST", "/v1/sources/tester/quarantine", {"kind": "principal"}),
}


@pytest.mark.parametrize(
    "who", [{"tenant": "other"}, {"users": ("bob", "cem")}], ids=["other", "bob"]
)
@pytest.mark.parametrize("operation", ALL)
def test_a_list_of_all_users_shows_only_those_of_the_key(
    world: World, things: dict[str, str], operation: str, who: dict[str, Any]
) -> None:
    Client(OWNER).send("POST", f"/v1/reviews/{things['memory']}", {**ADA, "action": "reopen"})
    method, path, given = ALL[operation]
    day = world.clock().date().isoformat()
    given = {name: value.format(day=day) for name, value in given.items()}
    client = Client(principal(role=Role.ADMIN, **who))
    more = {"query": given} if method == "GET" else {}
    told = client.send(method, path, None if method == "GET" else given, **more)
    said = json.dumps(told.body)
    assert told.status in (200, 202, 404), said
    assert '"ada' not in said and not any(one in said for one in things.values() if len(one) > 8)


def test_a_cursor_of_a_limited_key_tells_nobody_that_it_may_not_see(
    world: World, things: dict[str, str]
) -> None:
    for user in ("bob", "zoe"):
        Client(OWNER).send("POST", "/v1/memories", {"user_id": user, "content": f"I am {user}"})
    world.project()
    client, seen, cursors = Client(principal(role=Role.ADMIN, users=("bob",))), [], []
    query: dict[str, Any] = {"limit": 1}
    while True:
        told = client.send("GET", "/v1/users", query=query).body
        seen += [one["user_id"] for one in told["results"]]
        if told["next"] is None:
            break
        query["cursor"] = told["next"]
        cursors.append(told["next"])
    assert seen == ["bob"] and len(cursors) >= 3
    for one in cursors:
        readable = urlsafe_b64decode(one.replace(".", "") + "==")
        plain = urlsafe_b64decode(one.partition(".")[2] + "==")
        assert not any(who in text for who in (b"ada", b"zoe") for text in (readable, plain)), one
