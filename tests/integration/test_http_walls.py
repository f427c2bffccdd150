"""Every id, filter, cursor, key and header of one user in the hands of another, on every route."""

import copy
import json
import re
from typing import Any

import pytest

from hindwise.domain.scope import Role
from hindwise.runtime.routes import ROUTES
from tests.builders import principal, scope
from tests.integration.http_client import Client, Reply, World
from tests.integration.walls import KNOCKS, MISSING, WORDS, knock, planted, takes_user

OPERATIONS = sorted(KNOCKS)
NAMING = [one for one in OPERATIONS if KNOCKS[one].of]
LISTS = [one for one in OPERATIONS if KNOCKS[one].cursors]
USERS = sorted(route.operation for route in ROUTES if takes_user(route))
INTRUDERS = {
    "the same user of another tenant": ({"tenant": "other"}, "ada"),
    "another tenant, the same name": ({"tenant": "other", "name": "tester"}, "ada"),
    "another user": ({"name": "someone"}, "bob"),
    "a user whose name differs in case": ({"name": "someone"}, "Ada"),
}
ULID = re.compile(r"[0-9A-HJKMNP-TV-Z]{26}")
UNLIKE = re.compile(r'"(?:recall_id|next)": "[^"]*"')


@pytest.fixture
def things(world: World) -> dict[str, str]:
    return planted(world, Client(principal(role=Role.ADMIN)))


def intruder(who: dict[str, Any]) -> Client:
    return Client(principal(role=Role.ADMIN, **who))


def shape(reply: Reply, *named: str) -> tuple[int, str]:
    """An answer without what names a thing: two that are alike give nothing away."""
    text = json.dumps(reply.body, sort_keys=True, ensure_ascii=False)
    for one in filter(None, named):
        text = text.replace(one, "THING")
    return reply.status, ULID.sub("ID", UNLIKE.sub("", text))


def kept(world: World) -> Any:
    """All that is stored of ada of acme."""
    return copy.deepcopy(world.store.world.homes[scope("ada")])


def test_every_route_is_knocked_at() -> None:
    assert {*KNOCKS} == {route.operation for route in ROUTES}


@pytest.mark.parametrize("who", INTRUDERS)
@pytest.mark.parametrize("operation", NAMING)
def test_what_is_anothers_looks_like_what_is_not_there(
    world: World, things: dict[str, str], operation: str, who: str
) -> None:
    fields, user = INTRUDERS[who]
    client, one, before = intruder(fields), things[KNOCKS[operation].of], kept(world)
    missing = MISSING if KNOCKS[operation].of in ("memory", "job", "receipt") else "no-such"
    told = knock(client, operation, user, one)
    assert shape(told, one) == shape(knock(client, operation, user, missing), missing)
    assert told.status == KNOCKS[operation].told, told.body
    assert WORDS not in json.dumps(told.body)
    assert kept(world) == before


@pytest.mark.parametrize("operation", USERS)
def test_nothing_is_shown_to_the_same_name_of_another_tenant(
    world: World, things: dict[str, str], operation: str
) -> None:
    """What it shows of ada of another tenant is what it shows of somebody nobody knows."""
    client, before = intruder({"tenant": "other"}), kept(world)
    mine = knock(client, operation, "ada")
    nobody = knock(intruder({"tenant": "empty"}), operation, "ada")
    assert shape(mine) == shape(nobody)
    said = json.dumps(mine.body)
    assert WORDS not in said and not any(one in said for one in things.values() if len(one) > 8)
    assert kept(world) == before


@pytest.mark.parametrize("operation", USERS)
def test_a_key_of_other_users_is_refused_whatever_there_is(
    world: World, things: dict[str, str], operation: str
) -> None:
    client, before = intruder({"users": ("bob", "cem")}), kept(world)
    one = things[KNOCKS[operation].of]
    told, nobody = (knock(client, operation, user, one) for user in ("ada", "nobody"))
    assert told.status == 403
    assert shape(told, "ada", one) == shape(nobody, "nobody", one)
    assert kept(world) == before


@pytest.mark.parametrize("operation", LISTS)
def test_a_cursor_of_another_is_as_good_as_a_forged_one(world: World, operation: str) -> None:
    owner = Client(principal(role=Role.ADMIN))
    things: dict[str, str] = {}
    for user in ("ada", "bob"):
        for number in range(3):
            body = {"user_id": user, "task_id": "t", "entities": ["Vault"]}
            opens = {**body, "content": f"The vault {number} opens."}
            one = owner.send("POST", "/v1/memories", opens).body["id"]
            things[user] = one
            said = {"messages": [{"role": "user", "content": f"note {number}"}]}
            owner.send("POST", "/v1/conversations", {"user_id": user, "id": f"c{number}", **said})
            owner.send("POST", f"/v1/reviews/{one}", {"user_id": user, "action": "reopen"})
            gone = owner.send("POST", "/v1/memories", {**body, "content": f"gone {number}"})
            ids = [gone.body["id"]]
            again = {"user_id": user, "ids": ids, "dry_run": False}
            assert owner.send("POST", "/v1/forget", again).status == 202
            owner.send("POST", "/v1/memories", {**body, "content": f"kept {number}"})
    world.project()
    limit = {} if operation == "exportLines" else {"limit": 1}
    one = {"listMemories": "t", "readEntity": "Vault"}.get(operation, MISSING)
    first = knock(owner, operation, "ada", one, query=limit)
    assert first.status == 200, first.body
    if (cursor := first.body.get("next")) is None:
        assert operation in ("readRecalls", "exportLines"), first.body
        return
    assert knock(owner, operation, "ada", one, query={**limit, "cursor": cursor}).status == 200
    forged = cursor[:-4] + ("AAAA" if cursor[-4:] != "AAAA" else "BBBB")
    others = [(principal(tenant="other", role=Role.ADMIN), "ada")]
    others += [(principal(name="someone", role=Role.ADMIN), "ada")]
    if KNOCKS[operation].whose:
        others.append((principal(role=Role.ADMIN), "bob"))
    for who, user in others:
        theirs, fake = (
            knock(Client(who), operation, user, one, query={**limit, "cursor": each})
            for each in (cursor, forged)
        )
        assert theirs.status == 400 and shape(theirs) == shape(fake)


@pytest.mark.parametrize("name", ["x-tenant-id", "x-user-id", "x-forwarded-user", "user-id"])
def test_no_header_says_who_somebody_is(world: World, things: dict[str, str], name: str) -> None:
    client, before = intruder({"tenant": "other"}), kept(world)
    for operation in OPERATIONS:
        one = things[KNOCKS[operation].of]
        plain = knock(client, operation, "ada", one).status
        for value in ("acme", "ada"):
            told = knock(client, operation, "ada", one, headers={name: value})
            assert told.status == plain, operation
            assert WORDS not in json.dumps(told.body)
    assert kept(world) == before


def test_no_field_says_whose_tenant_somebody_is_of(world: World, things: dict[str, str]) -> None:
    client = intruder({"tenant": "other"})
    for route in ROUTES:
        if route.method in ("POST", "PATCH") and takes_user(route):
            told = knock(client, route.operation, "ada", MISSING, tenant="acme")
            assert told.status == 400, route.operation
            assert told.error["details"]["field"] == "tenant"


def test_a_version_of_another_opens_nothing(world: World, things: dict[str, str]) -> None:
    client, one = intruder({"tenant": "other"}), things["memory"]
    for operation in ("editMemory", "review", "forgetMemory"):
        answers = {
            shape(knock(client, operation, "ada", each, headers={"if-match": version}), each)
            for each in (one, MISSING)
            for version in ('"1"', '"7"')
        }
        assert {status for status, _ in answers} == {404} and len(answers) == 1


def test_an_idempotency_key_of_another_says_nothing(world: World, things: dict[str, str]) -> None:
    owner, body = Client(principal()), {"user_id": "ada", "content": "It rained"}
    first = owner.send("POST", "/v1/memories", body, idempotency_key="k")
    for who in ({"tenant": "other"}, {"name": "someone"}):
        told = Client(principal(**who)).send("POST", "/v1/memories", body, idempotency_key="k")
        fresh = Client(principal(**who, users=("*",)))
        assert told.status in (200, 201) and told.headers == first.headers
        again = fresh.send("POST", "/v1/memories", body, idempotency_key="k")
        assert again.body["id"] == told.body["id"]
        if who.get("tenant"):
            assert told.body["id"] != first.body["id"]
