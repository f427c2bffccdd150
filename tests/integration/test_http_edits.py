"""What an edit may say over HTTP: nulls, limits that hold for the merged record, odd values."""

import pytest

from hindwise.domain.drafts import Edit
from hindwise.runtime.contracts.views import ALWAYS
from tests.integration.http_client import Client, World

PATH = "/v1/memories"
CLEARED = {
    "scene", "valid_from", "valid_until", "subject", "attribute", "value", "summary", "outcome",
    "review_at", "done_at",
}  # fmt: skip


def _stored(client: Client, **fields: object) -> str:
    reply = client.send("POST", PATH, {"user_id": "ada", "content": "Some words.", **fields})
    assert reply.status == 201
    return str(reply.body["id"])


@pytest.mark.parametrize("kind", ["episodic", "semantic", "working"])
@pytest.mark.parametrize("name", sorted(set(Edit.model_fields) - {"reason"}))
def test_a_null_clears_a_field_or_is_refused_by_name(
    client: Client, world: World, name: str, kind: str
) -> None:
    extra = {"task_id": "t", "key": "k"} if kind == "working" else {}
    memory_id = _stored(client, kind=kind, **extra)
    edit = {"user_id": "ada", "reason": "a test", name: None}
    reply = client.send("PATCH", f"{PATH}/{memory_id}", edit)
    assert reply.status in ((200, 400) if name in CLEARED else (400,))
    if reply.status == 400:
        assert reply.error["details"]["field"] == name
    read = client.send("GET", f"{PATH}/{memory_id}", query={"user_id": "ada"})
    assert read.status == 200
    assert name in ALWAYS or read.body.get(name, "left out") is not None


def test_null_takes_a_value_out_of_its_slot_and_ends_its_validity(
    client: Client, world: World
) -> None:
    slot = {"subject": "ada", "attribute": "city", "valid_until": "2026-03-14T00:00:00Z"}
    memory_id = _stored(client, **slot)
    edit = {"user_id": "ada", "reason": "a test", "attribute": None, "valid_until": None}
    assert client.send("PATCH", f"{PATH}/{memory_id}", edit).status == 200
    other = client.send("POST", PATH, {"user_id": "ada", "content": "Another city.", **slot})
    assert other.body["superseded"] == []
    world.clock.forward(days=5)
    assert client.send("GET", f"{PATH}/{memory_id}", query={"user_id": "ada"}).body["status"] == (
        "active"
    )


MARCH, APRIL = "2026-03-01T00:00:00Z", "2026-04-01T08:00:00+08:00"


@pytest.mark.parametrize("kind", ["episodic", "semantic", "working"])
def test_validity_ends_after_it_begins(client: Client, world: World, kind: str) -> None:
    extra = {"task_id": "t", "key": "k"} if kind == "working" else {}
    body = {"user_id": "ada", "content": "a", "kind": kind, **extra}
    path = f"{PATH}/{_stored(client, kind=kind, valid_from=APRIL, **extra)}"
    edit = {"user_id": "ada", "reason": "a test"}
    for begin, end in ((APRIL, MARCH), (APRIL, "2026-04-01T00:00:00Z")):
        both = {"valid_from": begin, "valid_until": end}
        for reply in (
            client.send("POST", PATH, {**body, **both}),
            client.send("PATCH", path, {**edit, **both}),
            client.send("PATCH", path, {**edit, "valid_until": end}),
        ):
            assert (reply.status, reply.error["details"]["field"]) == (400, "valid_until")
            assert reply.error["message"] == "valid_until: must be after valid_from"
    assert client.send("PATCH", path, {**edit, "valid_from": MARCH}).status == 200
    assert client.send("PATCH", path, {**edit, "valid_until": APRIL}).status == 200
    late = client.send("PATCH", path, {**edit, "valid_from": "2026-05-01T00:00:00Z"})
    assert (late.status, late.error["details"]["field"]) == (400, "valid_until")


def test_what_is_over_when_it_is_learnt_may_be_said(client: Client, world: World) -> None:
    slot = {"subject": "ada", "attribute": "city", "valid_until": MARCH}
    path = f"{PATH}/{_stored(client, **slot)}"
    edit = {"user_id": "ada", "reason": "a test", "valid_until": "2026-02-01T00:00:00Z"}
    assert client.send("PATCH", path, edit).status == 200
    assert _stored(client, event_time=APRIL, valid_until=MARCH)


@pytest.mark.parametrize("kind", ["episodic", "semantic", "working"])
def test_metadata_stays_within_its_limit_however_it_is_put_together(
    client: Client, world: World, kind: str
) -> None:
    extra = {"task_id": "t", "key": "k"} if kind == "working" else {}
    memory_id = _stored(client, kind=kind, metadata={"a": "x" * 8_000}, **extra)
    edit = {"user_id": "ada", "reason": "a test", "metadata": {"b": "y" * 1_000}}
    reply = client.send("PATCH", f"{PATH}/{memory_id}", edit)
    assert (reply.status, reply.error["details"]["field"]) == (400, "metadata")
    assert "8192" in reply.error["message"]
    read = client.send("GET", f"{PATH}/{memory_id}", query={"user_id": "ada"})
    assert (list(read.body["metadata"]), read.body["version"]) == (["a"], 1)


@pytest.mark.parametrize("kind", ["episodic", "semantic", "working"])
def test_metadata_that_an_edit_does_not_name_stays_also_where_it_is_null(
    client: Client, world: World, kind: str
) -> None:
    extra = {"task_id": "t", "key": "k"} if kind == "working" else {}
    memory_id = _stored(client, kind=kind, metadata={"a": None, "b": 1, "c": 2}, **extra)
    edit = {"user_id": "ada", "reason": "a test", "metadata": {"c": None, "d": 3}}
    reply = client.send("PATCH", f"{PATH}/{memory_id}", edit)
    assert reply.body["memory"]["metadata"] == {"a": None, "b": 1, "d": 3}


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("source.conversation_id", "c" * 257),
        ("source.document", "d" * 2_049),
        ("source.author", "a" * 257),
        ("source.first_turn", 10**12),
        ("source.last_turn", -1),
        ("outcome.note", "n" * 2_001),
        ("alternatives.0.option", "o" * 2_001),
        ("alternatives.0.reason_rejected", "r" * 2_001),
    ],
)
def test_what_hangs_on_a_memory_is_limited_by_name(
    client: Client, world: World, name: str, value: object
) -> None:
    outer, *_, inner = name.split(".")
    given: dict[str, object] = {"option": "o"} if outer == "alternatives" else {}
    given |= {"result": "success"} if outer == "outcome" else {}
    given[inner] = value
    fields = {outer: [given] if outer == "alternatives" else given}
    reply = client.send("POST", PATH, {"user_id": "ada", "content": "Some words.", **fields})
    assert (reply.status, reply.error["details"]["field"]) == (400, name)
    assert client.send("GET", PATH, query={"user_id": "ada"}).body["results"] == []


def test_an_external_id_that_says_the_same_changes_nothing(world, client):
    def send(content):
        body = {"user_id": "ada", "content": content, "external_id": "x1"}
        reply = client.send("POST", "/v1/memories", {**body})
        world.clock.forward(seconds=1)
        return reply.body["created"], reply.body["changed"], reply.body["version"]

    assert [send("a"), send("a"), send("b"), send("b")] == [
        (True, True, 1), (False, False, 1), (False, True, 2), (False, False, 2)
    ]  # fmt: skip


def test_a_todo_is_done_by_a_word(client: Client, world: World) -> None:
    path = f"{PATH}/{_stored(client, kind='semantic', type='todo')}"

    def edited(**fields: object):
        return client.send("PATCH", path, {"user_id": "ada", "reason": "a test", **fields})

    def done_at(*, done: bool):
        assert edited(done=done).status == 200
        return client.send("GET", path, query={"user_id": "ada"}).body.get("done_at")

    first = done_at(done=True)
    assert first is not None
    world.clock.forward(days=1)
    assert done_at(done=True) == first
    assert done_at(done=False) is None
    assert done_at(done=True) > first
    both = edited(done=False, done_at=first)
    assert (both.status, both.error["details"]["field"]) == (400, "done")
    assert edited(done="yes").error["details"]["field"] == "done"
