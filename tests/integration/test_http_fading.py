"""Sweeps, the archive and bringing back, over HTTP and by the schedule's own event."""

import importlib
from dataclasses import replace
from datetime import timedelta

import pytest

from hindwise.adapters import pointers
from hindwise.domain.changes import Create
from hindwise.domain.ports import QueueName
from hindwise.domain.scope import Role
from hindwise.runtime.fading import EVERYBODY
from tests.builders import NOW, episode, principal, scope
from tests.integration.http_client import Client, World

ADA = {"user_id": "ada"}
ADMIN = Client(principal(name="admin", role=Role.ADMIN))
WRITER = Client()


def old(world: World, days: float, importance: float = 0.5, content: str = "a cold day") -> str:
    """Write a memory over HTTP, so many days ago."""
    now = world.clock.now
    world.clock.now = NOW - timedelta(days=days)
    body = ADA | {"content": content, "importance": importance, "kind": "episodic"}
    written = WRITER.send("POST", "/v1/memories", body)
    world.clock.now = now
    world.project()
    return written.body["id"]


def read(memory_id: str) -> dict:
    return WRITER.send("GET", f"/v1/memories/{memory_id}", query=ADA).body


def schedule(sweep: str) -> dict:
    return importlib.import_module("functions.fade.app").handler({"sweep": sweep}, None)


def fade(sweep: str, **more):
    return ADMIN.send("POST", "/v1/fading", ADA | {"sweep": sweep} | more)


def found(text: str) -> list[str]:
    reply = WRITER.send("POST", "/v1/search", ADA | {"query": text})
    return [one["id"] for one in reply.body["results"]]


def test_a_cold_memory_leaves_search_and_comes_back_as_it_was(world):
    cold = old(world, 400)
    before = read(cold)
    told = fade("tiers")
    assert told.status == 200
    assert (told.body["counts"]["archived_cold"], told.body["ids"]["archived_cold"]) == (1, [cold])
    assert read(cold) == before
    assert schedule("tiers")["done"]
    world.project()
    stub = read(cold)
    assert (stub["status"], stub["content"]) == ("archived", "")
    assert stub["restore"] == f"/v1/memories/{cold}/restore"
    assert cold not in found("a cold day")
    listed = WRITER.send("GET", "/v1/memories", query=ADA | {"include": "archived"})
    assert [one["id"] for one in listed.body["results"]] == [cold]
    assert WRITER.send("GET", "/v1/memories", query=ADA).body["results"] == []
    back = WRITER.send("POST", f"/v1/memories/{cold}/restore", ADA)
    assert (back.status, back.body["status"]) == (200, "active")
    world.project()
    assert cold in found("a cold day")
    new = {"version", "updated_at", "restored_at", "embedding"}
    after = read(cold)
    assert {k: v for k, v in after.items() if k not in new} == {
        k: v for k, v in before.items() if k not in new
    }
    assert WRITER.send("POST", f"/v1/memories/{cold}/restore", ADA).status == 200
    assert fade("tiers").body["counts"]["archived_cold"] == 0


def test_what_fading_does_leaves_chains_that_are_whole(world):
    old(world, 10, 0.1, content="nobody ever saw this")
    assert schedule("purge")["counts"] == {"purge": 1}
    back, gone = old(world, 400, content="one"), old(world, 400, content="another")
    assert schedule("tiers")["counts"] == {"cold": 2}
    assert WRITER.send("POST", f"/v1/memories/{back}/restore", ADA).status == 200
    assert WRITER.send("DELETE", f"/v1/memories/{gone}", query=ADA).status == 200
    page = ADMIN.send("GET", "/v1/audit/verify", query=ADA).body
    assert (page["checked"], page["faults"]) == (8, [])


def test_an_archived_memory_is_not_edited_and_says_why(world):
    cold = old(world, 400)
    schedule("tiers")
    reply = WRITER.send("PATCH", f"/v1/memories/{cold}", ADA | {"reason": "x", "content": "y"})
    assert (reply.status, reply.error["code"]) == (409, "conflict")
    assert "restore" in reply.error["message"]
    history = WRITER.send("GET", f"/v1/memories/{cold}/history", query=ADA)
    assert history.status == 200


def test_a_lost_object_is_409_and_an_unreachable_one_503(world):
    cold = old(world, 400)
    schedule("tiers")
    for name in list(world.blobs.names(scope(), "archive/")):
        world.blobs.delete(scope(), name)
    reply = WRITER.send("POST", f"/v1/memories/{cold}/restore", ADA)
    assert (reply.status, reply.error["details"]["reason"]) == (409, "archive_missing_or_damaged")
    assert read(cold)["status"] == "archived"


def test_forgetting_an_archived_memory_removes_its_object(world):
    cold = old(world, 400, content="CANARY in the cold")
    schedule("tiers")
    assert list(world.blobs.names(scope(), "archive/"))
    assert WRITER.send("DELETE", f"/v1/memories/{cold}", query=ADA).status == 200
    assert list(world.blobs.names(scope(), "archive/")) == []
    reply = WRITER.send("POST", f"/v1/memories/{cold}/restore", ADA)
    assert reply.status == 404


def test_a_month_of_cold_episodes_becomes_one_trend_that_goes_with_what_it_quotes(world):
    ids = [old(world, 400 + n / 10, content=f"The release {n} failed.") for n in range(4)]
    assert schedule("tiers")["counts"] == {"cold": 4, "trend": 1}
    query = ADA | {"type": "pattern"}
    (trend,) = WRITER.send("GET", "/v1/memories", query=query).body["results"]
    assert set(trend["evidence_ids"]) == {*ids}
    assert trend["metadata"]["method"] == "trend"
    assert "4 episodes" in trend["content"]
    assert "The release 2 failed." in trend["content"]
    assert schedule("tiers")["counts"] == {}
    gone = WRITER.send("DELETE", f"/v1/memories/{ids[2]}", query=ADA)
    assert gone.body["along"] == [trend["id"]]
    assert list(world.blobs.names(scope(), f"archive/{ids[2]}")) == []
    assert WRITER.send("GET", "/v1/memories", query=query).body["results"] == []


def test_only_an_admin_sweeps_and_nobody_another_user(world):
    old(world, 8, 0.2)
    body = ADA | {"sweep": "purge"}
    assert WRITER.send("POST", "/v1/fading", body).status == 403
    bob = Client(principal(name="bob", role=Role.ADMIN, users=("bob",)))
    assert bob.send("POST", "/v1/fading", body).status == 403
    other = Client(principal(tenant="globex", name="admin", role=Role.ADMIN))
    assert other.send("POST", "/v1/fading", body).body["looked"] == 0


def test_another_tenants_archived_memory_is_as_missing(world):
    cold = old(world, 400)
    schedule("tiers")
    other = Client(principal(tenant="globex", name="w"))
    missing = other.send("POST", "/v1/memories/01ARZ3NDEKTSV4RRFFQ69G5FAV/restore", ADA)
    foreign = other.send("POST", f"/v1/memories/{cold}/restore", ADA)
    assert (missing.status, foreign.status) == (404, 404)
    more = WRITER.send("POST", f"/v1/memories/{cold}/restore", {**ADA, "dry_run": True})
    assert (more.status, more.error["details"]["field"]) == (400, "dry_run")
    assert read(cold)["status"] == "archived"


@pytest.mark.parametrize(
    ("more", "field"),
    [({"sweep": "all"}, "sweep"), ({"sweep": "purge", "dry_run": "x"}, "dry_run"),
     ({}, "sweep"), ({"sweep": "purge", "cursor": "x"}, "cursor"),
     ({"sweep": "purge", "days": 3}, "days")],
)  # fmt: skip
def test_what_cannot_be_meant_is_refused_by_name(world, more, field):
    reply = ADMIN.send("POST", "/v1/fading", ADA | more)
    assert (reply.status, reply.error["code"]) == (400, "invalid")
    assert reply.error["details"]["field"] == field


def test_a_run_for_which_there_was_no_time_goes_on_by_the_queue(world):
    for _ in range(5):
        old(world, 8, 0.2)
    ticks = iter(range(100_000))
    real = world.clock
    slow = lambda: real.now + timedelta(seconds=next(ticks) / 4)  # noqa: E731
    world.fading = replace(world.fading, clock=slow)
    runs = 0
    result = schedule("purge")
    while not result["done"]:
        real.forward(seconds=61)
        message = world.queues.take(QueueName.FADE)
        assert message is not None
        assert message[0] == EVERYBODY
        result = {"done": True}
        body = pointers.written(*message)
        event = {"Records": [{"messageId": "1", "body": body}]}
        app = importlib.import_module("functions.fade.app")
        assert app.handler(event, None) == {"batchItemFailures": []}
        result["done"] = not world.queues.waiting[QueueName.FADE]
        runs += 1
        assert runs < 30
    assert WRITER.send("GET", "/v1/memories", query=ADA).body["results"] == []


def test_a_message_that_is_none_of_ours_comes_back(world):
    app = importlib.import_module("functions.fade.app")
    body = pointers.written(EVERYBODY, "nonsense")
    event = {"Records": [{"messageId": "1", "body": body}]}
    assert app.handler(event, None)["batchItemFailures"] == [{"itemIdentifier": "1"}]


def test_answers_go_by_the_numbers_of_the_stage(world):
    one = old(world, 60, content="the ferry leaves at noon")
    world.clock.forward(days=1)
    ask = ADA | {"query": "ferry", "min_confidence": 0.5}
    sure = read(one)["effective_confidence"]
    assert len(WRITER.send("POST", "/v1/search", ask).body["results"]) == 1
    fast = world.rules.fading.model_copy(update={"fade_factor": 0.5})
    world.rules = world.rules.model_copy(update={"fading": fast})
    assert read(one)["effective_confidence"] < 0.5 < sure
    assert WRITER.send("POST", "/v1/search", ask).body["results"] == []
    found = WRITER.send("POST", "/v1/search", ADA | {"query": "ferry"}).body["results"]
    assert (found[0]["why"]["tier"], found[0]["effective_confidence"]) == ("warm", 0.2)


def test_what_archiving_would_take_of_3_000_old_episodes_is_counted(world):
    home, at = scope("ada"), NOW - timedelta(days=60)
    for _ in range(3_000):
        memory = episode(at=at, importance=0.1, last_access_at=at, access_count=1)
        world.store.commit(home, [Create(memory=memory)])
    counted, cursor = 0, None
    while True:
        told = fade("archive", **({} if cursor is None else {"cursor": cursor})).body
        counted += told["counts"]["archived_unimportant"]
        cursor = told["next"]
        if cursor is None:
            break
    assert counted == 3_000
    assert not [*world.blobs.names(home, "archive/")]
