"""Acceptance cases of finding what was learnt: where one lived when, whole decisions, the words.

All of it through the API, with turns that were really taken in and learnt from.
"""

import json

import pytest

from hindwise.runtime.wiring import use_wiring
from infra.local.fake_llm import FakeLlm
from tests.integration.http_client import World
from tests.integration.learning_stage import (
    LearningStage,
    assistant,
    fact,
    facts,
    learning_stage,
    user,
)
from tests.integration.mapped_embedder import MappedEmbedder
from tests.lab import at
from tests.unit.usecases.test_expand import QUEUE

HOME = {"subject": "用户", "attribute": "居住地", "cardinality": "one"}
BEIJING = fact("用户住在北京", value="北京", entities=["北京"], turns=[1], **HOME)
SHANGHAI = fact("用户住在上海", value="上海", entities=["上海"], turns=[1], **HOME)
TOLD = {
    "first": ("我家在北京", "2026-01-10T09:00:00+08:00", BEIJING),
    "then": ("上周末搬完家了，现在住上海", "2026-04-15T09:00:00+08:00", SHANGHAI),
}
NOW = "2026-06-15T09:00:00+08:00"


@pytest.fixture
def stage(monkeypatch):
    monkeypatch.setenv("POWERTOOLS_METRICS_DISABLED", "true")
    with learning_stage() as made:
        yield made


def moved(stage, order=("first", "then")):
    stage.world.clock.now = at(NOW)
    for session in order:
        said, when, learnt = TOLD[session]
        stage.llm.always("extract", facts(learnt))
        stage.ingest("u", session, user(said, when), assistant("好的", when))
        stage.drain()


def homes(stage, query, **more):
    body = {"user_id": "u", "query": query, "now": NOW, "filters": {"type": "fact"}, **more}
    reply = stage.client.send("POST", "/v1/search", body)
    assert reply.status == 200, reply
    return [(one["content"], one["status"]) for one in reply.body["results"]]


@pytest.mark.parametrize("order", [("first", "then"), ("then", "first")], ids=["in order", "late"])
def test_where_one_lives_and_where_one_lived(stage, order):
    moved(stage, order)
    old, new = ("用户住在北京", "superseded"), ("用户住在上海", "active")
    for question in ("我住在哪里？", "where do I live?"):
        assert homes(stage, question) == [new]
        assert homes(stage, question, as_of="2026-03-10T00:00:00+08:00") == [old]
        assert homes(stage, question, as_of="2026-05-10T00:00:00+08:00") == [new]
        assert homes(stage, question, as_of="2026-01-01T00:00:00+08:00") == []
    for question in ("我三月住在哪里？", "where did I live in March?", "今年2月我住哪"):
        assert homes(stage, question) == [old, new]
    for question in ("我五月住在哪里？", "where did I live last month?"):
        assert homes(stage, question) == [new]
    body = {"user_id": "u", "query": "我三月住在哪里？", "now": NOW, "background": 0}
    block = stage.client.send("POST", "/v1/context", body).body["text"]
    lines = [line for line in block.splitlines() if "用户住在" in line]
    assert "fact(superseded)" in lines[0] and "北京" in lines[0]
    assert "fact " in lines[1] and "上海" in lines[1]


def test_a_memory_leads_to_its_words_and_its_words_to_it(stage):
    moved(stage)
    (home,) = stage.memories("u")
    history = stage.get(f"/v1/memories/{home['id']}/history", "u")
    (said,) = history["source_turns"]
    assert (said["conversation_id"], said["readable"]) == ("then", True)
    assert [(one["turn"], one["role"], one["text"]) for one in said["turns"]] == [
        (1, "user", TOLD["then"][0])
    ]
    (old,) = history["predecessors"]
    assert old["content"] == "用户住在北京" and old["verdicts"][0]["other"] == home["id"]
    assert [one["content"] for one in history["evidence"]] == [TOLD["then"][0]]
    turn = history["evidence"][0]["id"]
    of_turn = stage.get(f"/v1/memories/{turn}/history", "u")
    assert [one["id"] for one in of_turn["dependants"]] == [home["id"]]
    assert of_turn["source_turns"][0]["turns"][0]["text"] == TOLD["then"][0]
    query = {"user_id": "u"}
    assert stage.client.send("DELETE", f"/v1/memories/{turn}", query=query).status == 200
    later = stage.client.send("GET", f"/v1/memories/{home['id']}/history", query=query)
    if later.status == 200:
        for one in later.body["source_turns"]:
            assert [(turn["text"], turn["redacted"]) for turn in one["turns"]] == [("", True)]
        assert TOLD["then"][0] not in json.dumps(later.body, ensure_ascii=False)


def test_what_was_learnt_is_known_by_name(stage):
    moved(stage)
    found = stage.get("/v1/entities/上海", "u")
    assert {one["content"] for one in found["results"]} == {"用户住在上海", TOLD["then"][0]}
    (beside,) = found["neighbours"]
    assert (beside["name"], beside["relations"][0]["attribute"]) == ("用户", "居住地")
    assert stage.get("/v1/entities/北京", "u")["results"][0]["content"] == TOLD["first"][0]
    old = stage.get("/v1/entities/北京", "u", include="superseded")["results"]
    assert {one["status"] for one in old} == {"active", "superseded"}


@pytest.mark.parametrize("expand", [2, {"chain": True}, {"turns": 4, "chain": True}])
def test_des_05_a_decision_comes_with_its_whole_conversation(stage, expand):
    for number in range(10):
        noise = [user(f"别的事情 {number} {n}，排了很久的队") for n in range(20)]
        stage.ingest("u", f"other-{number}", *noise, infer=False)
    stage.ingest("u", "s-9", *map(user, QUEUE), infer=False)
    stage.drain()
    said = stage.get("/v1/memories", "u", session_id="s-9")["results"][::-1]
    assert [one["content"] for one in said] == list(QUEUE)
    decision = {
        "user_id": "u", "type": "decision", "content": "排队系统买现成的",
        "evidence_ids": [one["id"] for one in said],
    }  # fmt: skip
    assert stage.client.send("POST", "/v1/memories", decision).status == 201
    stage.drain()
    body = {"user_id": "u", "query": "为什么不自己写排队系统", "top_k": 3, "expand": expand}
    found = stage.client.send("POST", "/v1/search", body).body
    wanted = {*QUEUE, "排队系统买现成的"}
    assert any(one["content"] in wanted for one in found["results"])
    shown = json.dumps(found, ensure_ascii=False)
    ranked = {one["content"] for one in found["results"]}
    if expand != 2 or "排队系统买现成的" in ranked:
        assert all(shown.count(f'"content": "{text}"') == 1 for text in wanted)
    if expand != 2:
        (links,) = [links for one in found["results"] if (links := one["expanded"]["chain"])]
        ids = [link["id"] for link in links if link["part"] == "evidence"]
        assert ids == [one["id"] for one in said]
    turns = [one["seq"] for one in found["turns"] if one["session_id"] == "s-9"]
    assert turns == sorted(turns)


def test_fil_7_importance_and_confidence_count_and_survive(monkeypatch):
    monkeypatch.setenv("POWERTOOLS_METRICS_DISABLED", "true")
    embedder = MappedEmbedder()
    embedder.neutral = True
    with FakeLlm() as llm, use_wiring(World(embedder)) as world:
        counted(LearningStage(world, llm))


def counted(stage):
    stage.world.clock.now = at("2026-06-01T00:00:00Z")
    ids = {}
    for name, importance, confidence in (
        ("alpha", 0.9, 0.9), ("beta", 0.1, 0.9), ("gamma", 0.5, 0.0), ("delta", 0.5, 0.5),
    ):  # fmt: skip
        body = {"user_id": "u", "content": f"note {name} about food", "type": "fact",
                "importance": importance, "confidence": confidence}  # fmt: skip
        ids[name] = stage.client.send("POST", "/v1/memories", body).body["id"]
    stage.drain()
    order = [text.split()[1] for text in stage.search("u", "food")]
    assert order.index("alpha") < order.index("beta")
    assert order.index("delta") < order.index("gamma")
    assert stage.get(f"/v1/memories/{ids['gamma']}", "u")["confidence"] == 0.0
    for importance in (1.7, "high"):
        body = {"user_id": "u", "content": "x", "importance": importance}
        reply = stage.client.send("POST", "/v1/memories", body)
        assert (reply.status, reply.error["details"]["field"]) == (400, "importance")


@pytest.mark.parametrize("mode", ["context", "weighted", "rrf", "score"])
def test_tim_6_a_date_to_come_is_no_negative_age(stage, mode):
    stage.world.clock.now = at("2026-09-01T00:00:00Z")
    body = {"user_id": "u", "importance": 0.5}
    coming = {"content": "护照要续签", "type": "todo", "event_time": "2026-12-20T00:00:00+08:00"}
    here = {"content": "护照在抽屉", "type": "fact", "event_time": "2026-09-01T00:00:00Z"}
    for one in (coming, here):
        assert stage.client.send("POST", "/v1/memories", {**body, **one}).status == 201
    stage.drain()
    asked = {"user_id": "u", "query": "护照", "mode": mode, "explain": True}
    found = stage.client.send("POST", "/v1/search", asked).body["results"]
    assert {one["content"] for one in found} == {coming["content"], here["content"]}
    ages = {one["content"]: one["why"]["age_days"] for one in found}
    assert ages[coming["content"]] == 0
    todo = next(one for one in found if one["content"] == coming["content"])
    assert at(todo["event_time"]) == at("2026-12-19T16:00:00Z")
    fading = [part for one in found for part in one["why"]["parts"] if part["name"] == "decay"]
    assert all(part["value"] <= 1 for part in fading)
    stage.world.clock.now = at("2027-03-01T00:00:00Z")
    assert coming["content"] in stage.search("u", "护照")
