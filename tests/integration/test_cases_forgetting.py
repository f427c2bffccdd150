"""Acceptance cases of forgetting what was learnt: it is gone everywhere, and does not come back."""

import json

import pytest

from hindwise.domain.ports import QueueName
from tests.builders import scope
from tests.integration.learning_stage import as_json, assistant, fact, learning_stage, user


@pytest.fixture
def stage(monkeypatch):
    monkeypatch.setenv("POWERTOOLS_METRICS_DISABLED", "true")
    with learning_stage() as made:
        yield made


def forget(stage, who, memory_id):
    return stage.client.send("DELETE", f"/v1/memories/{memory_id}", query={"user_id": who})


def everything(stage):
    """All that is kept: the table, the bucket, and what waits in the queues."""
    home = stage.world.store.world.homes
    blobs = b"".join(stage.world.blobs.held.values()).decode()
    return repr(home) + blobs + repr(stage.world.queues.waiting)


def test_for_5_what_is_forgotten_stays_so_and_may_be_said_again(stage):
    old = fact("Mia's old flat is on Elm Street", turns=[1])
    stage.llm.always("extract", as_json(old))
    job = stage.ingest("u-mia", "s1", user("My old flat is on Elm Street.", "2026-02-01T09:00:00Z"))
    stage.drain()
    assert len(stage.search("u-mia", "Elm Street")) == 2
    (known,) = stage.memories("u-mia")
    reply = forget(stage, "u-mia", known["id"])
    assert reply.status == 200 and len(reply.body["along"]) == 1
    stage.hand_over(QueueName.EXTRACT, scope("u-mia"), job)
    stage.client.send("POST", f"/v1/jobs/{job}/retry", {"user_id": "u-mia"})
    stage.sweep(hours=1)
    stage.drain()
    assert stage.search("u-mia", "Elm Street") == []
    assert "Elm Street" not in everything(stage)
    (said,) = stage.get("/v1/conversations/s1", "u-mia")["messages"]
    assert (said["content"], said["redacted"]) == ("", True)
    stage.llm.always("extract", as_json(fact("Mia bought a flat on Elm Street", turns=[1])))
    again = "By the way, I bought a flat on Elm Street again."
    stage.ingest("u-mia", "s2", user(again, "2026-06-01T09:00:00Z"))
    stage.drain()
    assert stage.contents("u-mia") == ["Mia bought a flat on Elm Street"]
    assert "Mia bought a flat on Elm Street" in stage.search("u-mia", "Elm Street")


def test_des_28_exactly_what_was_meant_goes(stage):
    told = ["用户住在三楼", "用户的门禁码提示是“蓝鲸”", "用户养了两只鹦鹉"]
    found = [fact(content, turns=[2 * at + 1]) for at, content in enumerate(told)]
    stage.llm.always("extract", as_json(*found))
    said = [text.replace("用户", "我") for text in told]
    talk = [one for text in said for one in (user(text), assistant("好的"))]
    job = stage.ingest("u-5", "s-5", *talk)
    stage.drain()
    code = next(one for one in stage.memories("u-5") if "门禁" in one["content"])
    assert forget(stage, "u-5", code["id"]).status == 200
    assert stage.contents("u-5") == sorted([told[0], told[2]])
    for read in (
        stage.search("u-5", "门禁"),
        stage.get("/v1/memories", "u-5"),
        stage.get("/v1/conversations/s-5", "u-5"),
    ):
        assert "蓝鲸" not in json.dumps(read, ensure_ascii=False)
    stage.hand_over(QueueName.EXTRACT, scope("u-5"), job)
    stage.ingest("u-5", "s-5", *talk)
    stage.drain()
    assert "蓝鲸" not in everything(stage)
    left = [one["content"] for one in stage.memories("u-5", kind="episodic")]
    assert said[0] in left and said[2] in left and said[1] not in left


def test_a_user_of_another_name_forgets_nothing_of_it(stage):
    stage.llm.always("extract", as_json(fact("A flat on Elm Street", turns=[1])))
    stage.ingest("u-mia", "s1", user("My flat is on Elm Street."))
    stage.drain()
    (known,) = stage.memories("u-mia")
    assert forget(stage, "u-bob", known["id"]).status == 404
    assert len(stage.search("u-mia", "Elm Street")) == 2
