"""Acceptance cases of learning by what is sent: kinds, chains, tastes, odd and long."""

import json

import pytest

from infra.local.fake_llm import Said
from tests.integration.learning_stage import assistant, fact, facts, learning_stage, user
from tests.integration.test_http_openapi import conforms
from tests.lab import at


@pytest.fixture
def stage(monkeypatch):
    monkeypatch.setenv("POWERTOOLS_METRICS_DISABLED", "true")
    with learning_stage() as made:
        yield made


def write(stage, who, **fields):
    reply = stage.client.send("POST", "/v1/memories", {"user_id": who, **fields})
    assert reply.status in (200, 201), reply.body
    return reply.body["id"]


def test_des_02_each_kind_has_its_place(stage):
    stage.world.clock.now = at("2026-04-10T09:00:00+08:00")
    write(stage, "u-yang", task_id="t1", key="草稿", content="第二段还没改完")
    fair = fact("小杨 4 月 2 日问过宁波的展会", event_time="2026-04-02")
    name = {"type": "preference", "content": "小杨不想被叫老板，要叫小杨"}
    stage.llm.say("extract", facts({**fair, "turns": [1]}, {**name, "turns": [2]}))
    stage.ingest("u-yang", "s", user("4月2日我问过你宁波的展会"),
                 user("别再叫我老板了，叫小杨就行"))  # fmt: skip
    write(stage, "u-yang", type="preference", content="小杨长期跑华东，喜欢早出发，不太在乎票价")
    stage.drain()
    stage.world.clock.forward(hours=2)
    assert not any("第二段" in text for text in stage.search("u-yang", "小杨 第二段"))
    assert stage.get("/v1/memories", "u-yang", kind="working")["results"] == []
    found = stage.search("u-yang", "4月2日问过什么？", now="2026-04-10T12:00:00+08:00")
    assert any("宁波的展会" in text for text in found[:2])
    known = stage.memories("u-yang")
    [asked] = [one for one in known if "宁波" in one["content"]]
    assert asked["event_time"].startswith("2026-04-02")
    [called] = [one for one in known if "老板" in one["content"]]
    assert (called["type"], called["status"]) == ("preference", "active")
    turns = stage.memories("u-yang", kind="episodic")
    assert {one["kind"] for one in turns} == {"episodic"} and len(turns) == 2
    assert {one["kind"] for one in known} == {"semantic"} and len(known) == 3


QUEUE = ["要不要自己写排队系统？", "自己写要两个人做一个月", "买现成的一年八千块", "预算批了一万",
         "那就买现成的，不自己写了"]  # fmt: skip


def test_des_05_a_decision_leads_back_to_what_was_weighed(stage):
    for number in range(20):
        noise = [user(f"第{number}场第{turn}句：今天天气不错，午饭吃了面") for turn in range(10)]
        stage.ingest("u", f"n-{number}", *noise, infer=False)
    stage.ingest("u", "s-9", *map(user, QUEUE), infer=False)
    stage.drain()
    turns = [one["id"] for one in stage.memories("u", kind="episodic", session_id="s-9")]
    assert len(turns) == 5
    decision = write(stage, "u", type="decision", content="排队系统买现成的", evidence_ids=turns)
    stage.drain()
    why = {"user_id": "u", "query": "为什么不自己写排队系统", "top_k": 3}
    found = stage.client.send("POST", "/v1/search", why).body["results"]
    assert any(one["id"] == decision or one.get("session_id") == "s-9" for one in found)
    wider = stage.client.send(
        "POST", "/v1/search", {**why, "expand": {"turns": 4, "chain": True}}
    ).body
    near = [one for one in wider["results"] + wider["turns"] if one.get("session_id") == "s-9"]
    assert sorted(one["seq"] for one in near) == [1, 2, 3, 4, 5]
    read = stage.get(f"/v1/memories/{decision}/history", "u")
    assert [one["seq"] for one in read["evidence"]] == [1, 2, 3, 4, 5]
    block = stage.client.send(
        "POST", "/v1/context", {"user_id": "u", "query": why["query"], "max_tokens": 1_000}
    ).body
    shown = all(word in block["text"] for word in ("八千块", "一个月", "买现成的"))
    assert shown or block["left_out"]


def test_des_11_a_changed_taste_leaves_one(stage):
    slot = {"type": "preference", "subject": "用户", "attribute": "回答长短", "cardinality": "one"}
    told = [
        ("2026-03-01T10:00:00+08:00", "回答我越短越好", "短"),
        ("2026-03-20T10:00:00+08:00", "以后请讲细一点，把步骤都写出来", "细"),
    ]
    stage.llm.always("judge", {"decisions": []})
    for number, (when, text, value) in enumerate(told):
        stage.world.clock.now = at(when)
        offer = {**slot, "content": f"用户要求回答讲得{value}", "value": value, "turns": [1]}
        stage.llm.say("extract", facts(offer))
        stage.ingest("u", f"s{number}", user(text, when))
        stage.drain()
    current = stage.memories("u", type="preference")
    assert [one["value"] for one in current] == ["细"]
    body = {"user_id": "u", "query": "怎么配置代理", "background": 3}
    block = stage.client.send("POST", "/v1/context", body).body["text"]
    assert "讲得短" not in block
    history = stage.get(f"/v1/memories/{current[0]['id']}/history", "u")
    [older] = history["predecessors"]
    assert (older["value"], older["status"]) == ("短", "superseded")
    assert older["superseded_by"] == current[0]["id"]
    assert older["verdicts"][0]["other"] == current[0]["id"]
    assert history["memory"]["verdicts"][0]["other"] == older["id"]


@pytest.mark.parametrize("confidence", ["high", 1.7, -0.1, None, [0.9], True])
def test_fil_7_a_confidence_that_is_none_costs_its_own_item_alone(stage, confidence):
    bad = {"type": "fact", "content": "bad importance one", "confidence": confidence,
           "valid_until": None}  # fmt: skip
    good = {**bad, "content": "good one", "confidence": 0.8}
    stage.llm.say("extract", Said(json.dumps([bad, good])))
    job = stage.ingest("u-w", "s1", user("several things"))
    stage.drain()
    seen = stage.job(job, "u-w")
    assert seen["state"] in ("succeeded", "partial")
    kept = {one["content"]: one for one in stage.memories("u-w")}
    assert kept["good one"]["confidence"] == 0.8
    if "bad importance one" in kept:
        assert 0 <= kept["bad importance one"]["confidence"] <= 1
    else:
        assert sum(seen["counts"]["refused"].values()) == 1
    assert "good one" in stage.search("u-w", "good one")


def test_txt_7_what_a_model_escapes_is_read_as_it_was_meant(stage):
    reply = json.dumps([{"type": "preference", "content": "likes 🦔", "confidence": 0.9}])
    assert "\\ud83e" in reply
    stage.llm.say("extract", Said(reply))
    stage.ingest("u-e", "s1", user("I like 🦔"))
    stage.drain()
    assert "likes 🦔" in stage.search("u-e", "🦔")


def test_sto_5_a_very_long_conversation_is_refused_whole_or_read_to_its_end(stage):
    stage.llm.always("extract", facts(fact("Marker OMEGA-END was seen")))
    messages = [user(f"{number} " + "x" * 1_990) for number in range(599)]
    messages.append(user("the end of it OMEGA-END"))
    body = {"user_id": "u-lg", "session_id": "s-big", "messages": messages}
    refused = stage.client.send("POST", "/v1/conversations", body)
    assert refused.status == 413 and "262144" in refused.error["message"]
    for start in range(0, 600, 100):
        more = {"user_id": "u-lg", "messages": messages[start : start + 100], "end": start == 500}
        assert stage.client.send("POST", "/v1/conversations/s-big/messages", more).status == 202
    stage.drain()
    assert any("OMEGA-END" in asked.user for asked in stage.asked())
    jobs = stage.get("/v1/jobs", "u-lg", limit=100)["results"]
    assert {job["state"] for job in jobs} == {"succeeded"}
    covered = [turn for job in jobs for turn in range(job["first_turn"], job["last_turn"] + 1)]
    assert sorted(covered) == [*range(1, 601)]


def test_each_turn_tells_what_was_learnt_from_it(stage):
    offers = facts(fact("Ivo has two dogs", turns=[1]), fact("Ivo moved to Brno", turns=[3]))
    stage.llm.say("extract", offers)
    job = stage.ingest("u", "s", user("I have two dogs."), assistant("Lovely!"),
                       user("And I moved to Brno."))  # fmt: skip
    before = stage.get("/v1/conversations/s", "u")["messages"]
    assert [(one["episode_id"], one["learnt"]) for one in before] == [(None, [])] * 3
    stage.drain()
    reply = stage.client.send("GET", "/v1/conversations/s", query={"user_id": "u"})
    told = conforms(reply, "readConversation").body["messages"]
    learnt = [[memory["content"] for memory in one["learnt"]] for one in told]
    assert learnt == [["Ivo has two dogs"], [], ["Ivo moved to Brno"]]
    episodes = stage.memories("u", kind="episodic", session_id="s")
    assert sorted(one["episode_id"] for one in told) == sorted(one["id"] for one in episodes)
    path = f"/v1/jobs/{job}"
    counts = conforms(stage.client.send("GET", path, query={"user_id": "u"}), "readJob").body
    assert counts["counts"]["turns"] == 3 and counts["counts"]["created"] == 2
    stage.client.send("DELETE", f"/v1/memories/{told[0]['episode_id']}", query={"user_id": "u"})
    after = conforms(
        stage.client.send("GET", "/v1/conversations/s", query={"user_id": "u"}), "readConversation"
    ).body["messages"]
    assert after[0]["redacted"] and (after[0]["content"], after[0]["episode_id"]) == ("", None)
    assert after[0]["learnt"] == []  # it rested on that turn alone
    assert after[2]["content"] == "And I moved to Brno."
    again = [user("I have two dogs."), assistant("Lovely!"), user("And I moved to Brno.")]
    assert stage.ingest("u", "s", *again) == job
    stage.drain()
    assert stage.contents("u") == ["Ivo moved to Brno"]
    assert len(stage.asked()) == 1
