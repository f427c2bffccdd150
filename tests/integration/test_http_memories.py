"""Writing, editing, reading and forgetting over HTTP."""

import json

import pytest

from hindwise.domain.scope import Role
from tests.builders import principal
from tests.integration.http_client import Client, World

ADA = {"user_id": "ada"}


def write(client, **fields):
    reply = client.send("POST", "/v1/memories", {**ADA, **fields})
    assert reply.status in (200, 201), reply.body
    return reply.body


def read(client, memory_id, user="ada"):
    return client.send("GET", f"/v1/memories/{memory_id}", query={"user_id": user})


@pytest.mark.parametrize(
    ("fields", "kind"),
    [
        ({"content": "Deployed 2.4.1"}, "episodic"),
        ({"text": "Deployed 2.4.1"}, "episodic"),
        ({"content": "x", "run_id": "s1"}, "episodic"),
        ({"content": "Lives in Oslo", "type": "fact"}, "semantic"),
        ({"content": "Lives in Oslo", "subject": "ada", "attribute": "city"}, "semantic"),
        ({"content": "step 3", "task_id": "t1", "key": "step"}, "working"),
        ({"content": "x", "kind": "semantic"}, "semantic"),
    ],
)
def test_the_kind_follows_from_the_fields(client, fields, kind):
    written = write(client, **fields)
    assert written["kind"] == kind
    assert written["created"] and not written["duplicate"]
    assert written["settled"] is (kind != "semantic")
    assert written["memory"]["content"] == fields.get("content", fields.get("text"))


def test_what_is_written_is_read_as_it_was(client):
    metadata = {
        "price": 12.65, "tiny": 1e-07, "big": 12345678901234567890, "int": 7, "flag": True,
        "nothing": None, "nested": {"list": [1, 2.5, "3"]}, "coord": [31.2304, 121.4737],
    }  # fmt: skip
    written = write(
        client, content="numbers 🦔 数字", importance=0.1, metadata=metadata, tags=["a", "b"],
        event_time="2026-01-15T18:30:00+08:00", tool_results=[{"exit": 0}], run_id="s1",
    )  # fmt: skip
    memory = read(client, written["id"]).body
    assert memory.pop("embedding") == "pending"
    assert memory == written["memory"]
    assert memory["metadata"] == metadata
    assert memory["event_time"] == "2026-01-15T18:30:00+08:00"
    assert memory["session_id"] == "s1"
    assert isinstance(memory["metadata"]["int"], int)
    assert memory["metadata"]["flag"] is True


def test_a_repeat_is_answered_with_the_first(client):
    first = client.send("POST", "/v1/memories", {**ADA, "content": "Likes tea", "type": "fact"})
    again = client.send("POST", "/v1/memories", {**ADA, "content": "likes  TEA", "type": "fact"})
    assert (first.status, again.status) == (201, 200)
    assert again.body["duplicate"] and not again.body["created"]
    assert again.body["id"] == first.body["id"]


def test_a_newer_value_supersedes(client):
    slot = {"subject": "ada", "attribute": "city", "cardinality": "one"}
    old = write(client, content="Lives in Oslo", value="Oslo", **slot)
    new = write(client, content="Lives in Rome", value="Rome", **slot)
    assert new["superseded"] == [old["id"]]
    assert read(client, old["id"]).body["status"] == "superseded"


@pytest.mark.parametrize("form", ["v2", "url", "v1"])
def test_a_batch_ties_results_to_indexes(world, form):
    client = Client(form=form)
    items = [f"item {number:02d}" for number in range(60)]
    items[37] = ""
    reply = client.send("POST", "/v1/memories", {**ADA, "items": items})
    assert reply.status == 207
    assert (reply.body["stored"], reply.body["failed"]) == (59, 1)
    assert [result["index"] for result in reply.body["results"]] == list(range(60))
    bad = reply.body["results"][37]
    assert bad["status"] == "failed"
    assert bad["error"]["details"]["field"] == "items.37.content"
    listed = client.send("GET", "/v1/memories", query={**ADA, "limit": 100})
    contents = [memory["content"] for memory in listed.body["results"]]
    assert contents == [item for item in reversed(items) if item]


def test_a_batch_of_repeats_is_one_memory(client):
    reply = client.send("POST", "/v1/memories", {**ADA, "items": ["dup", "dup", "dup"]})
    assert reply.status == 201
    assert len({result["id"] for result in reply.body["results"]}) == 1


def test_a_half_character_spoils_its_item_only(client):
    body = '{"user_id":"ada","items":["fine one","bad \\ud83d end","pair \\ud83e\\udd94"]}'
    reply = client.send("POST", "/v1/memories", raw=body)
    assert reply.status == 207
    assert [result["status"] for result in reply.body["results"]] == ["active", "failed", "active"]
    assert reply.body["results"][2]["memory"]["content"] == "pair 🦔"


@pytest.mark.parametrize(
    ("items", "status", "says"),
    [
        ([], 400, "1 to 100"),
        ("x", 400, "list"),
        ({"0": "x"}, 400, "list"),
        ([f"over {number}" for number in range(101)], 413, "100"),
        ([5], 400, "items.0"),
        (["", ""], 400, None),
    ],
)
def test_batches_that_store_nothing(client, items, status, says):
    reply = client.send("POST", "/v1/memories", {**ADA, "items": items})
    assert reply.status == status
    if says:
        assert says in json.dumps(reply.body)
    assert client.send("GET", "/v1/memories", query=ADA).body["results"] == []


def test_a_batch_has_nothing_beside_its_items(client):
    reply = client.send("POST", "/v1/memories", {**ADA, "items": ["a"], "session_id": "s"})
    assert (reply.status, reply.error["details"]["field"]) == (400, "session_id")


def test_an_idempotency_key_answers_once(client):
    body = {**ADA, "content": "It rained"}
    first = client.send("POST", "/v1/memories", body, idempotency_key="k 1")
    again = client.send("POST", "/v1/memories", body, idempotency_key="k 1")
    other = client.send("POST", "/v1/memories", {**ADA, "content": "x"}, idempotency_key="k 1")
    assert again.body == first.body
    assert (first.status, again.status, other.status) == (201, 201, 409)
    assert len(client.send("GET", "/v1/memories", query=ADA).body["results"]) == 1


def test_a_batch_with_a_key_converges(client):
    body = {**ADA, "items": ["a", "", "b"]}
    first = client.send("POST", "/v1/memories", body, idempotency_key="batch")
    again = client.send("POST", "/v1/memories", body, idempotency_key="batch")
    ids = [[result.get("id") for result in reply.body["results"]] for reply in (first, again)]
    assert ids[0] == ids[1]
    assert len(client.send("GET", "/v1/memories", query=ADA).body["results"]) == 2


def test_an_interrupted_batch_is_finished_by_its_retry(world, client):
    body = {**ADA, "items": ["a", "b", "c"]}
    world.store.faults.fail_next(on="commit")
    first = client.send("POST", "/v1/memories", body, idempotency_key="batch")
    assert (first.status, first.body["failed"]) == (207, 1)
    busy = client.send("POST", "/v1/memories", body, idempotency_key="batch")
    assert (busy.status, busy.headers["retry-after"]) == (409, "10")
    world.clock.forward(seconds=11)
    done = client.send("POST", "/v1/memories", body, idempotency_key="batch")
    assert done.status == 201
    assert [one["id"] for one in done.body["results"]][1:] == [
        one["id"] for one in first.body["results"][1:]
    ]
    assert len(client.send("GET", "/v1/memories", query=ADA).body["results"]) == 3


@pytest.mark.parametrize("key", ["", "x" * 256, "é", "a\tb"])
def test_odd_idempotency_keys_are_refused(client, key):
    reply = client.send("POST", "/v1/memories", {**ADA, "content": "a"}, idempotency_key=key)
    assert (reply.status, reply.error["details"]["field"]) == (400, "Idempotency-Key")


def test_editing_changes_what_it_should_and_nothing_else(world, client):
    before = write(
        client, content="Sings in the choir", tags=["hobby"], importance=0.6,
        metadata={"category": "music", "shelf": "s7"}, event_time="2026-01-01T00:00:00Z",
    )  # fmt: skip
    world.clock.forward(days=120)
    path = f"/v1/memories/{before['id']}"
    edit = {**ADA, "reason": "moved on", "content": "Plays the drums"}
    assert client.send("PATCH", path, edit).status == 200
    merge = {**ADA, "reason": "r", "metadata": {"category": "rhythm"}}
    after = client.send("PATCH", path, merge).body["memory"]
    assert after["content"] == "Plays the drums"
    assert after["metadata"] == {"category": "rhythm", "shelf": "s7"}
    assert (after["tags"], after["importance"], after["version"]) == (["hobby"], 0.6, 3)
    assert after["event_time"] == "2026-01-01T00:00:00Z"
    assert after["created_at"] < after["updated_at"]
    history = client.send("GET", f"{path}/history", query=ADA).body
    assert history["versions"][0]["content"] == "Sings in the choir"
    assert [one["decision"] for one in history["audit"]] == ["created", "edited", "edited"]


@pytest.mark.parametrize(
    ("edit", "field"),
    [
        ({"content": "x"}, "reason"),
        ({"reason": "r"}, "body"),
        ({"reason": "r", "content": ""}, "content"),
        ({"reason": "r", "nonsense": 1}, "nonsense"),
        ({"reason": "r", "importance": 2}, "importance"),
        ({"reason": "r", "origin": "owner"}, "origin"),
        ({"reason": "r", "id": "01ARZ3NDEKTSV4RRFFQ69G5FAV"}, "id"),
        ({"reason": "r", "value": "x"}, "value"),
    ],
)
def test_edits_that_change_nothing(client, edit, field):
    before = write(client, content="as it was")
    reply = client.send("PATCH", f"/v1/memories/{before['id']}", {**ADA, **edit})
    assert (reply.status, reply.error["details"]["field"]) == (400, field)
    assert read(client, before["id"]).body == {**before["memory"], "embedding": "pending"}


@pytest.mark.parametrize("given", ["1", '"1"', 'W/"1"', "*"])
def test_if_match_lets_the_right_version_through(client, given):
    path = f"/v1/memories/{write(client, content='a')['id']}"
    edit = {**ADA, "reason": "r", "importance": 0.9}
    assert client.send("PATCH", path, edit, if_match=given).status == 200


def test_if_match_stops_a_lost_update(client):
    path = f"/v1/memories/{write(client, content='a')['id']}"
    edit = {**ADA, "reason": "r", "importance": 0.9}
    assert client.send("PATCH", path, edit, if_match='"2"').status == 409
    odd = client.send("PATCH", path, edit, if_match="abc")
    assert (odd.status, odd.error["details"]["field"]) == (400, "If-Match")


def test_forgetting_is_for_good(client):
    path = f"/v1/memories/{write(client, content='a secret')['id']}"
    gone = client.send("DELETE", path, query=ADA)
    assert (gone.status, gone.body["status"]) == (200, "forgotten")
    assert "secret" not in json.dumps(gone.body)
    for reply in (
        client.send("GET", path, query=ADA),
        client.send("DELETE", path, query=ADA),
        client.send("PATCH", path, {**ADA, "reason": "r", "content": "back"}),
        client.send("GET", f"{path}/history", query=ADA),
    ):
        assert reply.status == 404


def test_scratch_values_live_with_their_task(client):
    write(client, content="Booted", task_id="t1")
    write(client, content="step 3", task_id="t1", key="step")
    query = {**ADA, "kind": "working", "task_id": "t1"}
    values = client.send("GET", "/v1/memories", query=query).body["results"]
    assert {value["key"]: value["content"] for value in values} == {
        "latest": "Booted",
        "step": "step 3",
    }
    one = client.send("GET", "/v1/memories", query={**query, "key": "step"}).body["results"]
    assert [value["content"] for value in one] == ["step 3"]
    write(client, content="elsewhere", task_id="t2", key="step")
    anywhere = {**ADA, "kind": "working", "key": "step"}
    both = client.send("GET", "/v1/memories", query=anywhere).body["results"]
    assert [value["task_id"] for value in both] == ["t1", "t2"]
    eve = client.send("GET", "/v1/memories", query={"user_id": "eve", "kind": "working"})
    assert (eve.status, eve.body["results"]) == (200, [])
    closed = client.send("POST", "/v1/tasks/t1/close", ADA)
    assert (closed.status, closed.body["dropped"]) == (200, 2)
    assert client.send("GET", "/v1/memories", query=query).body["results"] == []


def test_a_reader_reads_and_does_not_write(world, client):
    memory_id = write(client, content="a")["id"]
    reader = Client(principal(role=Role.READER))
    assert read(reader, memory_id).status == 200
    for method, path, body in (
        ("POST", "/v1/memories", {**ADA, "content": "b"}),
        ("PATCH", f"/v1/memories/{memory_id}", {**ADA, "reason": "r", "content": "b"}),
        ("DELETE", f"/v1/memories/{memory_id}", None),
        ("POST", "/v1/tasks/t/close", ADA),
    ):
        reply = reader.send(method, path, body, query=ADA)
        assert (reply.status, reply.error["code"]) == (403, "forbidden")


def test_a_key_of_one_user_need_not_name_it(world):
    single = Client(principal(users=("ada",)))
    written = single.send("POST", "/v1/memories", {"content": "mine"})
    assert written.status == 201
    assert len(single.send("GET", "/v1/memories").body["results"]) == 1
    assert single.send("POST", "/v1/memories", {"user_id": "bob", "content": "x"}).status == 403
    assert single.send("GET", "/v1/memories", query={"user_id": "bob"}).status == 403


def test_a_batch_that_met_a_dead_table_asks_to_be_sent_again(client: Client, world: World) -> None:
    items = [{"content": "fine"}, {"content": "odd", "importance": 2}]
    world.store.faults.fail_next(20)
    reply = client.send("POST", "/v1/memories", {"user_id": "ada", "items": items})
    assert (reply.status, reply.headers["retry-after"]) == (503, "1")
    assert [one["error"]["code"] for one in reply.body["results"]] == ["unavailable", "invalid"]
