"""Acceptance cases of forgetting many: exactly what was named goes, and all of it."""

import json

import pytest

from hindwise.domain.ports import QueueName
from hindwise.usecases.project import project
from tests.builders import principal, scope
from tests.integration.http_client import Client
from tests.integration.learning_stage import as_json, assistant, fact, learning_stage, user


@pytest.fixture
def stage(monkeypatch):
    monkeypatch.setenv("POWERTOOLS_METRICS_DISABLED", "true")
    with learning_stage() as made:
        yield made


def write(stage, who, *contents, **more):
    for start in range(0, len(contents), 100):
        items = [{"content": one, **more} for one in contents[start : start + 100]]
        reply = stage.client.send("POST", "/v1/memories", {"user_id": who, "items": items})
        assert reply.status in (200, 201), reply.body
    stage.world.project()


def asked(stage, who, **body):
    return stage.client.send("POST", "/v1/forget", {"user_id": who, **body})


def begun(stage, who, **body):
    """Forget for real and see it through; the receipt."""
    reply = asked(stage, who, dry_run=False, **body)
    assert reply.status == 202, reply.body
    stage.world.clock.forward(seconds=1)
    stage.drain()
    return stage.get(reply.headers["location"], who)


def everything(stage, who):
    """All that is kept of one user, and what waits in the queues."""
    home = stage.world.store.world.home(scope(who))
    root = stage.world.blobs._key(scope(who), "x")[:-1]
    kept = [data for key, data in stage.world.blobs.held.items() if key.startswith(root)]
    return repr(home) + b"".join(kept).decode() + repr(stage.world.queues.waiting)


def listed(stage, who):
    return sorted(one["content"] for one in stage.get("/v1/memories", who, limit=100)["results"])


def test_for_1_forgetting_one_user_forgets_one_user(stage):
    write(stage, "u-a", *(f"a{number}" for number in range(130)))
    write(stage, "u-b", "b0", "b1", "b2")
    write(stage, "u-c", "c0")
    dry = asked(stage, "u-a", all=True).body
    assert (dry["dry_run"], dry["matched"], dry["by_kind"]) == (True, 130, {"episodic": 130})
    assert len(listed(stage, "u-a")) == 100
    done = begun(stage, "u-a", all=True)
    assert (done["state"], done["counts"]["memories"]) == ("complete", 130)
    assert (listed(stage, "u-a"), stage.search("u-a", "a1")) == ([], [])
    assert (listed(stage, "u-b"), listed(stage, "u-c")) == (["b0", "b1", "b2"], ["c0"])
    assert "b1" in stage.search("u-b", "b1")
    write(stage, "u-a", "a fresh start")
    assert stage.search("u-a", "fresh start") == ["a fresh start"]
    for none in ({"session_id": "none-such"}, {"metadata": {"session": "none-such"}}):
        again = begun(stage, "u-a", filters=none)
        assert (again["state"], again["counts"]) == ("complete", {})
    assert listed(stage, "u-a") == ["a fresh start"]


def test_all_of_a_user_is_hidden_before_anything_is_deleted(stage):
    stage.llm.always("extract", as_json(fact("A flat on Elm Street", turns=[1])))
    job = stage.ingest("u-mia", "s1", user("My flat is on Elm Street."))
    stage.drain()
    (known,) = stage.memories("u-mia")
    assert asked(stage, "u-mia", all=True, dry_run=False).status == 202
    assert (listed(stage, "u-mia"), stage.search("u-mia", "Elm Street")) == ([], [])
    for path in (f"/v1/memories/{known['id']}", "/v1/conversations/s1", f"/v1/jobs/{job}"):
        reply = stage.client.send("GET", path, query={"user_id": "u-mia"})
        assert reply.status == 404, path
    stage.world.clock.forward(seconds=1)
    stage.ingest("u-mia", "s1", user("We speak of boats."))
    stage.llm.always("extract", as_json(fact("They speak of boats", turns=[1])))
    stage.drain()
    assert stage.contents("u-mia") == ["They speak of boats"]
    (said,) = stage.get("/v1/conversations/s1", "u-mia")["messages"]
    assert said["content"] == "We speak of boats."
    assert "Elm" not in everything(stage, "u-mia")


def test_nothing_that_comes_late_brings_a_user_back(stage):
    stage.llm.always("extract", as_json(fact("A flat on Elm Street", turns=[1])))
    body = {"user_id": "u-mia", "content": "Elm Street 7", "type": "fact"}
    stage.client.send("POST", "/v1/memories", body, Idempotency_Key="k1")
    job = stage.ingest("u-mia", "s1", user("My flat is on Elm Street."))
    (message,) = stage.world.queues.waiting[QueueName.EXTRACT]
    changes = [one for b in range(16) for one in stage.world.projections.dirty(b, 9)]
    done = begun(stage, "u-mia", all=True)
    assert done["state"] == "complete" and done["counts"]["jobs"] == 1
    again = stage.client.send("POST", "/v1/memories", body, Idempotency_Key="k1")
    assert again.status in (200, 201)
    stage.hand_over(QueueName.EXTRACT, *message[1:])
    assert stage.client.send("POST", f"/v1/jobs/{job}/retry", {"user_id": "u-mia"}).status == 404
    project(changes, engine=stage.world.engine, now=stage.world.clock())
    stage.sweep(hours=1)
    stage.drain()
    assert (listed(stage, "u-mia"), stage.search("u-mia", "Elm")) == ([], [])
    assert "Elm" not in everything(stage, "u-mia")


def test_a_batch_that_is_retried_after_its_user_was_forgotten_writes_nothing(stage):
    body = {"user_id": "u", "items": [{"content": "Elm one"}, {"content": "Elm two"}]}
    store = stage.world.store
    store.faults.fail_next(on="commit")
    first = stage.client.send("POST", "/v1/memories", body, Idempotency_Key="k")
    assert first.body["failed"] == 1
    assert begun(stage, "u", all=True)["state"] == "complete"
    again = stage.client.send("POST", "/v1/memories", body, Idempotency_Key="k")
    assert again.status == 409
    assert listed(stage, "u") == [] and "Elm" not in everything(stage, "u")


def test_for_3_a_forgotten_memory_is_gone_while_the_index_is_behind(stage):
    write(stage, "u-p", "sensitive phrase MAGNOLIA-7", type="fact")
    write(stage, "u-p", "something else", type="fact")
    (known,) = [one for one in stage.memories("u-p") if "MAGNOLIA" in one["content"]]
    reply = asked(stage, "u-p", ids=[known["id"]], dry_run=False)
    stage.deliver(QueueName.FORGET)
    receipt = stage.get(reply.headers["location"], "u-p")
    assert (receipt["state"], receipt["left"]) == ("running", {"changes": 1})
    assert "sensitive phrase MAGNOLIA-7" not in stage.search("u-p", "MAGNOLIA-7")
    one = stage.client.send("GET", f"/v1/memories/{known['id']}", query={"user_id": "u-p"})
    assert one.status == 404
    stage.drain()
    assert stage.get(reply.headers["location"], "u-p")["state"] == "complete"
    assert "MAGNOLIA" not in everything(stage, "u-p")
    again = stage.client.send("DELETE", f"/v1/memories/{known['id']}", query={"user_id": "u-p"})
    assert again.status == 404


def test_for_7_exactly_what_was_named_is_forgotten(stage):
    write(stage, "u-x", "Olga keeps bees in Graz", "Olga's brother keeps geese in Graz")
    both = listed(stage, "u-x")
    misspelt = asked(stage, "u-x", query="Olga keeps beas in Graz").body
    assert (misspelt["matched"], misspelt["ids"]) == (0, [])
    refused = asked(stage, "u-x", query="Olga keeps bees in Graz", dry_run=False)
    assert (refused.status, refused.error["details"]["field"]) == (400, "query")
    job = stage.ingest("u-x", "s1", user("hi"))
    for wrong, status in ((job, 404), ("not-an-id", 404)):
        query = {"user_id": "u-x"}
        assert stage.client.send("DELETE", f"/v1/memories/{wrong}", query=query).status == status
        assert asked(stage, "u-x", ids=[wrong], dry_run=False).status in (400, 404)
    assert set(both) <= set(listed(stage, "u-x"))
    write(stage, "u-y", "奥尔加养蜂")
    assert asked(stage, "u-y", query="蜂").body["matched"] == 1
    named = asked(stage, "u-x", query="bees Graz").body
    assert named["matched"] == 1
    done = begun(stage, "u-x", ids=named["ids"])
    assert (done["state"], done["counts"]) == ("complete", {"memories": 1})
    assert both[0] not in listed(stage, "u-x") and both[1] in listed(stage, "u-x")


def test_des_28_the_dry_run_names_what_goes_and_nothing_else_goes(stage):
    told = ["用户住在三楼", "用户的门禁码提示是“蓝鲸”", "用户养了两只鹦鹉"]
    found = [fact(content, turns=[2 * at + 1]) for at, content in enumerate(told)]
    stage.llm.always("extract", as_json(*found))
    said = [text.replace("用户", "我") for text in told]
    stage.ingest("u-5", "s-5", *[m for text in said for m in (user(text), assistant("好的"))])
    stage.drain()
    named = asked(stage, "u-5", query="门禁").body
    known = next(one for one in stage.memories("u-5") if "门禁" in one["content"])
    turn = next(o for o in stage.memories("u-5", kind="episodic") if "门禁" in o["content"])
    assert {*named["ids"]} == {known["id"], turn["id"]}
    dry = asked(stage, "u-5", ids=[known["id"]]).body
    assert (dry["ids"], dry["along"]) == (
        [known["id"]],
        [{"id": turn["id"], "of": known["id"], "why": "turn"}],
    )
    assert stage.contents("u-5") == sorted(told)
    assert begun(stage, "u-5", ids=[known["id"]])["state"] == "complete"
    assert stage.contents("u-5") == sorted([told[0], told[2]])
    assert "蓝鲸" not in json.dumps(stage.get("/v1/conversations/s-5", "u-5"), ensure_ascii=False)
    assert "蓝鲸" not in everything(stage, "u-5")


def test_three_facts_of_one_message_are_forgotten_one_by_one(stage):
    told = ["用户住在三楼", "用户的门禁码提示是“蓝鲸”", "用户养了两只鹦鹉"]
    stage.llm.always("extract", as_json(*(fact(one, turns=[1]) for one in told)))
    stage.ingest("u-5", "s", user("我住在三楼，门禁码提示是“蓝鲸”，养了两只鹦鹉"))
    stage.drain()
    known = next(one for one in stage.memories("u-5") if "门禁" in one["content"])
    assert begun(stage, "u-5", ids=[known["id"]])["state"] == "complete"
    assert stage.contents("u-5") == sorted([told[0], told[2]])
    assert "蓝鲸" not in everything(stage, "u-5")


def test_a_filter_forgets_what_it_lets_through(stage):
    write(stage, "u", "one", "two", "three", task_id="trip-7")
    write(stage, "u", "four", task_id="trip-8")
    dry = asked(stage, "u", filters={"task_id": "trip-7"}).body
    assert (dry["matched"], dry["complete"], len(dry["ids"])) == (3, True, 3)
    done = begun(stage, "u", filters={"task_id": "trip-7"}, reason="trip-over")
    assert (done["kind"], done["counts"], done["reason"]) == (
        "filter",
        {"memories": 3},
        "trip-over",
    )
    assert "trip-7" not in json.dumps(done)
    assert listed(stage, "u") == ["four"]
    parts = [one for one in stage.get("/v1/forgets", "u")["results"] if one["of"] == done["id"]]
    assert len(parts) == 3 and stage.world.store.world.home(scope("u")).errands == {}


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "all"),
        ({"all": True, "ids": ["x"]}, "ids"),
        ({"all": False}, "all"),
        ({"filters": {}}, "filters"),
        ({"filters": {"not": {}}}, "filters"),
        ({"filters": {"must": 1}}, "filters.must"),
        ({"filters": {"min_confidence": 0.5}}, "filters.min_confidence"),
        ({"filters": {"run_id": None}}, "filters.session_id"),
        ({"filters": {"kind": "episodic", "metadata": {"x": None}}}, "filters.metadata.x"),
        ({"filters": {"task_id": ["t", None]}}, "filters.task_id"),
        ({"filters": {"not": {"scene": {"eq": None}}}}, "filters.scene"),
        ({"ids": []}, "ids"),
        ({"all": True, "reason": "Because she said so"}, "reason"),
        ({"all": True, "everything": 1}, "everything"),
    ],
)
def test_what_is_not_clear_is_refused(stage, body, field):
    reply = asked(stage, "u", **body)
    assert (reply.status, reply.error["details"]["field"]) == (400, field)


def test_a_receipt_is_its_users_and_a_repeated_request_has_one(stage):
    write(stage, "u", "one")
    body = {"user_id": "u", "all": True, "dry_run": False}
    one, two = (
        stage.client.send("POST", "/v1/forget", body, Idempotency_Key="k") for _ in range(2)
    )
    assert one.headers["location"] == two.headers["location"]
    for query in ({"user_id": "v"}, {"user_id": "u"}):
        other = Client(principal(tenant="other") if query["user_id"] == "u" else None)
        assert other.send("GET", one.headers["location"], query=query).status == 404
    page = stage.get("/v1/forgets", "u", limit=1)
    assert [each["id"] for each in page["results"]] == [one.body["id"]]
    assert stage.get("/v1/forgets", "u", cursor=page["next"])["results"] == []
