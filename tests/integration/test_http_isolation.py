"""Knowing an id, a cursor or a name is not owning it: every endpoint, two tenants, odd users."""

import json

import pytest

from tests.builders import principal
from tests.integration.http_client import Client

ID = "01ARZ3NDEKTSV4RRFFQ69G5FAV"
ODD = ["a", "a#b", "a:b", "a/b", "a|b", "a b", "a%2Fb", "A", "张三", "a.b", "aé"]
SECRET = "the vault opens at nine"


def written(client, user, **fields):
    reply = client.send("POST", "/v1/memories", {"user_id": user, "content": SECRET, **fields})
    assert reply.status == 201, reply.body
    return reply.body["id"]


def attempts(client, user, memory_id):
    """Every call that takes an id, with the status and the shape of its answer."""
    path, query = f"/v1/memories/{memory_id}", {"user_id": user}
    edit = {"user_id": user, "reason": "r", "content": "mine now"}
    replies = {
        "read": client.send("GET", path, query=query),
        "history": client.send("GET", f"{path}/history", query=query),
        "edit": client.send("PATCH", path, edit),
        "forget": client.send("DELETE", path, query=query),
        "diagnose": client.send(
            "POST", "/v1/diagnose", {"user_id": user, "query": "vault", "memory_id": memory_id}
        ),
        "evidence": client.send(
            "POST",
            "/v1/memories",
            {"user_id": user, "content": "x", "type": "fact", "evidence_ids": [memory_id]},
        ),
    }
    return {
        name: (reply.status, json.dumps(reply.body).replace(memory_id, "ID"))
        for name, reply in replies.items()
    }


@pytest.mark.parametrize(
    ("intruder", "user"),
    [
        ({"tenant": "other"}, "ada"),
        ({"tenant": "other", "name": "tester"}, "ada"),
        ({}, "bob"),
        ({}, "Ada"),
    ],
)
def test_a_foreign_id_looks_like_a_missing_one(world, client, intruder, user):
    mine = written(client, "ada", task_id="t1")
    world.project()
    before = client.send("GET", f"/v1/memories/{mine}", query={"user_id": "ada"}).body
    other = Client(principal(**intruder))
    tried = attempts(other, user, mine)
    assert tried == attempts(other, user, ID)
    assert {name: status for name, (status, _) in tried.items()} == {
        "read": 404, "history": 404, "edit": 404, "forget": 404, "diagnose": 200, "evidence": 400,
    }  # fmt: skip
    assert SECRET not in json.dumps(tried)
    assert client.send("GET", f"/v1/memories/{mine}", query={"user_id": "ada"}).body == before


def test_nothing_of_another_tenant_shows_anywhere(world, client):
    mine = written(client, "ada", task_id="t1", session_id="s1", external_id="e1")
    client.send(
        "POST", "/v1/memories",
        {"user_id": "ada", "content": SECRET, "task_id": "t1", "key": "k"},
    )  # fmt: skip
    world.project()
    other = Client(principal(tenant="other"))
    query = {"user_id": "ada"}
    replies = [
        other.send("GET", "/v1/memories", query=query),
        other.send("GET", "/v1/memories", query={**query, "task_id": "t1"}),
        other.send("GET", "/v1/memories", query={**query, "kind": "working", "task_id": "t1"}),
        other.send("GET", "/v1/stats", query=query),
        other.send("GET", "/v1/entities/vault", query=query),
        other.send("GET", "/v1/timeline", query=query),
        other.send("POST", "/v1/search", {**query, "query": "vault opens"}),
        other.send("POST", "/v1/search", {**query, "filters": {"session_id": "s1"}}),
        other.send("POST", "/v1/context", {**query, "query": "vault opens"}),
        other.send("POST", "/v1/tasks/t1/close", query),
    ]
    said = json.dumps([reply.body for reply in replies])
    assert {reply.status for reply in replies} == {200}
    assert SECRET not in said and mine not in said
    assert replies[3].body["examined"] == 0 and replies[4].body["mentions"] == 0
    assert replies[-1].body["dropped"] == 0
    kept = client.send(
        "GET", "/v1/memories", query={**query, "kind": "working", "task_id": "t1", "key": "k"}
    )
    assert [value["content"] for value in kept.body["results"]] == [SECRET]
    own = other.send("POST", "/v1/memories", {**query, "content": SECRET, "external_id": "e1"})
    assert own.status == 201 and own.body["id"] != mine


def test_a_cursor_is_good_for_its_list_only(world, client):
    for number in range(5):
        written(client, "ada", content=f"note {number}")
        written(client, "bob", content=f"note {number}")
    query = {"user_id": "ada", "limit": 2}
    first = client.send("GET", "/v1/memories", query=query).body
    cursor = {"cursor": first["next"]}
    assert client.send("GET", "/v1/memories", query={**query, **cursor}).status == 200
    assert client.send("GET", "/v1/memories", query={**query, "limit": 1, **cursor}).status == 200
    for who, changed in (
        (principal(), {"user_id": "bob"}),
        (principal(), {"kind": "episodic"}),
        (principal(), {"filters": '{"a":1}'}),
        (principal(), {"include": "superseded"}),
        (principal(tenant="other"), {}),
        (principal(name="someone"), {}),
    ):
        reply = Client(who).send("GET", "/v1/memories", query={**query, **cursor, **changed})
        assert (reply.status, reply.error["details"]["field"]) == (400, "cursor")
    world.clock.forward(minutes=16)
    late = client.send("GET", "/v1/memories", query={**query, **cursor})
    assert (late.status, late.error["details"]["field"]) == (400, "cursor")


def test_a_list_ends_with_null_only(client):
    ids = [written(client, "ada", content=f"note {number}") for number in range(5)]
    seen, cursor = [], {}
    for _ in range(10):
        query = {"user_id": "ada", "limit": 2, **cursor}
        page = client.send("GET", "/v1/memories", query=query).body
        seen += [memory["id"] for memory in page["results"]]
        if page["next"] is None:
            break
        cursor = {"cursor": page["next"]}
    assert seen == list(reversed(ids))


def test_an_idempotency_key_is_its_principals_own(client):
    body = {"user_id": "ada", "content": "It rained"}
    first = client.send("POST", "/v1/memories", body, idempotency_key="k")
    for who in (principal(tenant="other"), principal(name="someone")):
        other = Client(who).send(
            "POST", "/v1/memories", {**body, "content": "It snowed"}, idempotency_key="k"
        )
        assert other.status == 201
        assert other.body["id"] != first.body["id"]


def test_one_key_for_two_users_is_two_requests(client):
    for user, status in (("ada", 201), ("bob", 409)):
        body = {"user_id": user, "content": "It rained"}
        assert client.send("POST", "/v1/memories", body, idempotency_key="k").status == status


@pytest.mark.parametrize("form", ["v2", "url", "v1"])
def test_odd_users_stay_apart(world, form):
    client = Client(form=form)
    for number, user in enumerate(ODD):
        written(client, user, content=f"secret of user number {number}")
    world.project()
    for number, user in enumerate(ODD):
        listed = client.send("GET", "/v1/memories", query={"user_id": user})
        found = client.send("POST", "/v1/search", {"user_id": user, "query": "secret"})
        for reply in (listed, found):
            contents = [memory["content"] for memory in reply.body["results"]]
            assert contents == [f"secret of user number {number}"]
    mine = client.send("GET", "/v1/memories", query={"user_id": "a"}).body["results"][0]["id"]
    client.send("DELETE", f"/v1/memories/{mine}", query={"user_id": "a"})
    for user in ODD[1:]:
        listed = client.send("GET", "/v1/memories", query={"user_id": user})
        assert len(listed.body["results"]) == 1


def test_agents_of_one_user_share(client):
    written(client, "ada", agent_id="planner")
    listed = client.send("GET", "/v1/memories", query={"user_id": "ada"})
    assert listed.body["results"][0]["agent_id"] == "planner"
    own = client.send("GET", "/v1/memories", query={"user_id": "ada", "agent_id": "coder"})
    assert own.body["results"] == []


def test_a_conversation_of_the_same_name_gives_its_words_to_its_own_user_alone(world, client):
    body = {"id": "trip", "messages": [{"role": "user", "content": SECRET}], "infer": False}
    assert client.send("POST", "/v1/conversations", {"user_id": "ada", **body}).status == 202
    turn = {"content": "mine", "session_id": "trip", "seq": 1}
    source = {"conversation_id": "trip", "first_turn": 1, "last_turn": 1}
    for who, user in (("tester", "bob"), ("other", "ada")):
        other = Client(principal(tenant="other")) if who == "other" else client
        for fields in (turn, {"content": "learnt", "type": "fact", "source": source}):
            mine = written(other, user, **fields)
            path = f"/v1/memories/{mine}/history"
            history = other.send("GET", path, query={"user_id": user})
            assert history.status == 200 and history.body["source_turns"] == []
            assert SECRET not in json.dumps(history.body)
    own = written(client, "ada", content="learnt", type="fact", source=source)
    history = client.send("GET", f"/v1/memories/{own}/history", query={"user_id": "ada"}).body
    assert history["source_turns"][0]["turns"][0]["text"] == SECRET
