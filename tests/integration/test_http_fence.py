"""What is accepted after all of a user was forgotten stays, whatever a container's clock says."""

from datetime import timedelta

import pytest

from tests.integration.http_client import Client, World

ADA = {"user_id": "ada"}
CLIENT = Client()


@pytest.fixture
def behind(world: World) -> World:
    """All of the user was just forgotten, by a container whose clock is two seconds ahead."""
    CLIENT.send("POST", "/v1/memories", ADA | {"content": "an old flat"})
    world.clock.forward(seconds=2)
    reply = CLIENT.send("POST", "/v1/forget", ADA | {"all": True, "dry_run": False})
    assert reply.status == 202
    world.clock.now = world.clock.now.replace(second=world.clock.now.second - 2)
    return world


def listed() -> list[str]:
    reply = CLIENT.send("GET", "/v1/memories", query=ADA)
    return [one["content"] for one in reply.body["results"]]


def test_a_memory_of_a_clock_that_is_behind_stays(behind):
    written = CLIENT.send("POST", "/v1/memories", ADA | {"content": "a new flat"})
    assert written.status == 201
    assert listed() == ["a new flat"]
    again = CLIENT.send("POST", "/v1/memories", ADA | {"content": "an old flat"})
    assert (again.status, again.body["duplicate"]) == (201, False)
    assert sorted(listed()) == ["a new flat", "an old flat"]


@pytest.mark.parametrize("key", [{}, {"Idempotency_Key": "k"}])
def test_so_do_those_of_a_batch(behind, key):
    body = ADA | {"items": [{"content": "one"}, {"content": "two"}]}
    for _ in range(2):
        assert CLIENT.send("POST", "/v1/memories", body, **key).body["failed"] == 0
        assert sorted({*listed()}) == ["one", "two"]


def test_so_does_a_scratch_value(behind):
    value = {"kind": "working", "task_id": "t", "key": "k", "content": "half done"}
    assert CLIENT.send("POST", "/v1/memories", ADA | value).status == 201
    query = ADA | {"kind": "working", "task_id": "t", "key": "k"}
    reply = CLIENT.send("GET", "/v1/memories", query=query)
    assert [one["content"] for one in reply.body["results"]] == ["half done"]


def test_so_does_a_conversation(behind):
    said = {"id": "c", "messages": [{"role": "user", "content": "I moved."}]}
    taken = CLIENT.send("POST", "/v1/conversations", ADA | said)
    assert taken.status == 202
    read = CLIENT.send("GET", "/v1/conversations/c", query=ADA)
    assert (read.status, [one["content"] for one in read.body["messages"]]) == (200, ["I moved."])
    job = CLIENT.send("GET", f"/v1/jobs/{taken.body['job_id']}", query=ADA)
    assert job.status == 200


def test_so_does_a_change_of_a_scratch_value(behind):
    value = {"kind": "working", "task_id": "t", "key": "k", "content": "half done"}
    kept = CLIENT.send("POST", "/v1/memories", ADA | value)
    path = f"/v1/memories/{kept.body['memory']['id']}"
    changed = CLIENT.send("PATCH", path, ADA | {"content": "done", "reason": "it is"})
    assert changed.status == 200
    assert CLIENT.send("GET", path, query=ADA).body["content"] == "done"


def test_so_does_the_end_of_a_task(behind):
    told = {"content": "done it", "task_id": "t", "kind": "episodic"}
    assert CLIENT.send("POST", "/v1/memories", ADA | told).status == 201
    assert CLIENT.send("POST", "/v1/tasks/t/close", ADA).status == 200
    query = ADA | {"kind": "working", "task_id": "t", "key": "latest"}
    assert CLIENT.send("GET", "/v1/memories", query=query).body["results"] == []


def test_no_write_waits_for_a_read_of_the_fence(world: World):
    fact, value = {"content": "a flat"}, {"kind": "working", "task_id": "t", "key": "k"}
    world.store.faults.fail_next(on="fence")
    written = CLIENT.send("POST", "/v1/memories", ADA | fact)
    path = f"/v1/memories/{written.body['memory']['id']}"
    said = {"id": "c", "messages": [{"role": "user", "content": "I moved."}]}
    answers = [
        written,
        CLIENT.send("PATCH", path, ADA | {"content": "two flats", "reason": "two"}),
        CLIENT.send("POST", "/v1/memories", ADA | {"items": [{"content": "one"}]}),
        CLIENT.send("POST", "/v1/memories", ADA | value | {"content": "half done"}),
        CLIENT.send("POST", "/v1/conversations", ADA | said, Idempotency_Key="k"),
        CLIENT.send("POST", "/v1/tasks/t/close", ADA),
    ]
    assert [one.status for one in answers] == [201, 200, 201, 201, 202, 200]


@pytest.mark.parametrize(
    "path, body",
    [
        ("/v1/conversations", {"id": "c", "messages": [{"role": "user", "content": "mauve"}]}),
        (
            "/v1/memories",
            {"kind": "working", "task_id": "t", "key": "k", "content": "mauve"},
        ),
    ],
)
def test_what_a_clock_that_was_ahead_wrote_is_forgotten_with_the_rest(world, path, body):
    assert CLIENT.send("POST", path, ADA | body).status in (201, 202)
    world.clock.now -= timedelta(minutes=1)
    if path == "/v1/conversations":
        more = ADA | {"messages": [{"role": "user", "content": "and pink"}]}
        assert CLIENT.send("POST", "/v1/conversations/c/messages", more).status == 202
    for _ in range(2):
        reply = CLIENT.send("POST", "/v1/forget", ADA | {"all": True, "dry_run": False})
        assert reply.status == 202
    assert CLIENT.send("GET", "/v1/conversations/c", query=ADA).status == 404
    query = ADA | {"kind": "working", "task_id": "t", "key": "k"}
    assert CLIENT.send("GET", "/v1/memories", query=query).body["results"] == []
