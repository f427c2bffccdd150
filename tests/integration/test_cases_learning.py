"""Acceptance cases of learning as a whole: triggers, roles, gates, slots, and no model at all."""

import json
from concurrent.futures import ThreadPoolExecutor

import pytest

from hindwise.domain.learning_rules import LearningRules
from hindwise.domain.ports import QueueName
from infra.local.fake_llm import Said
from tests.builders import scope
from tests.integration.learning_stage import (
    assistant,
    fact,
    facts,
    learning_stage,
    user,
)
from tests.lab import at


@pytest.fixture
def stage(monkeypatch):
    monkeypatch.setenv("POWERTOOLS_METRICS_DISABLED", "true")
    with learning_stage() as made:
        yield made


def append(stage, session, *messages, **more):
    body = {"user_id": "u", "messages": list(messages), **more}
    reply = stage.client.send("POST", f"/v1/conversations/{session}/messages", body)
    assert reply.status == 202, reply
    return reply.body


def jobs(stage):
    found = stage.get("/v1/jobs", "u", limit=100)["results"]
    return sorted((one["first_turn"], one["last_turn"]) for one in found)


TICKET = [
    user("帮我看看，前天抢到的那张去西安的高铁票是几点开？", "2026-04-14T09:05:00+08:00"),
    assistant("查到了：G57 次，周五 16:05 从北京西站发车，12 车 3F。", "2026-04-14T09:05:06+08:00"),
]
LEARNT = fact("用户去西安的 G57 次高铁周五 16:05 从北京西站发车", turns=[2])


@pytest.mark.parametrize("infer", [True, False])
def test_des_01_what_the_agent_found_is_learnt(stage, infer):
    stage.world.clock.now = at("2026-04-14T15:00:00+08:00")
    stage.llm.always("extract", facts(LEARNT))
    for text in ("同事下周坐飞机去西安", "西安这几天在下雨", "上个月坐高铁去了济南"):
        stage.client.send("POST", "/v1/memories", {"user_id": "u", "content": text})
    stage.ingest("u", "s", *TICKET, infer=infer)
    stage.drain()
    query = {"query": "我去西安那趟火车啥时候发车", "now": "2026-04-14T15:30:00+08:00"}
    assert any("16:05" in one for one in stage.search("u", **query)[:3])
    reply = stage.client.send("POST", "/v1/context", {"user_id": "u", **query})
    assert "16:05" in reply.body["text"]
    if infer:
        [learnt] = stage.memories("u")
        assert learnt["origin"] == "agent"
        assert (learnt["source"]["first_turn"], learnt["source"]["last_turn"]) == (2, 2)
    else:
        assert stage.memories("u") == [] and len(stage.asked()) == 0


@pytest.mark.parametrize("order", [(0, 1), (1, 0)], ids=["in order", "late"])
def test_des_04_a_move_is_a_move_in_whichever_order_it_is_told(stage, order):
    home = {"subject": "用户", "attribute": "住址", "cardinality": "one"}
    talks = [
        ("2026-01-10T10:00:00+08:00", "我家在广州天河",
         fact("用户家在广州天河", value="广州", **home)),
        ("2026-02-20T10:00:00+08:00", "上周末搬完家了，现在住成都",
         fact("用户住在成都", value="成都", valid_from="2026-02-14", **home)),
    ]  # fmt: skip
    for number in order:
        when, said, learnt = talks[number]
        stage.world.clock.now = max(stage.world.clock(), at(when))
        stage.llm.say("extract", facts(learnt))
        stage.ingest("u", f"s{number}", user(said, when))
        stage.drain()
    stage.world.clock.now = at("2026-02-21T10:00:00+08:00")
    homes = {"filters": {"kind": "semantic"}}
    assert stage.search("u", "我住哪儿", **homes) == ["用户住在成都"]
    then = stage.search("u", "我住哪儿", as_of="2026-01-31T00:00:00+08:00", **homes)
    assert then == ["用户家在广州天河"]
    [now] = stage.memories("u")
    before = stage.memories("u", include="superseded")
    [old] = [one for one in before if "广州" in one["content"]]
    assert (old["status"], old["superseded_by"]) == ("superseded", now["id"])
    assert at(old["valid_until"]) <= at("2026-02-20T10:00:00+08:00")


def test_des_10_turns_are_learnt_from_by_number_by_idleness_and_at_the_end(stage):
    stage.llm.always("extract", [])
    for number in range(9):
        append(stage, "s-1", user(f"turn {number}"))
    assert jobs(stage) == []
    append(stage, "s-1", user("turn 9"))
    assert jobs(stage) == [(1, 10)]
    append(stage, "s-1", user("turn 10"), user("turn 11"))
    stage.sweep(minutes=9)
    assert jobs(stage) == [(1, 10)]
    stage.sweep(minutes=2)
    assert jobs(stage) == [(1, 10), (11, 12)]
    assert len(stage.asked()) == 0
    append(stage, "s-1", user("turn 12"), end=True)
    stage.drain()
    assert jobs(stage) == [(1, 10), (11, 12), (13, 13)]
    told = stage.memories("u", kind="episodic")
    assert sorted(one["seq"] for one in told) == list(range(1, 14))
    read = [one.user.split("<conversation>")[1].count("\n[") for one in stage.asked()]
    assert sorted(read) == [1, 2, 10]


SMALL_TALK = [user("早上好"), assistant("早，有什么可以帮您？"), user("没事，随便聊聊"),
              assistant("好的，祝您愉快")]  # fmt: skip


def test_des_13_small_talk_teaches_nothing_and_prose_is_no_answer(stage):
    stage.llm.say("extract", [])
    quiet = stage.ingest("u", "s1", *SMALL_TALK)
    stage.drain()
    assert stage.job(quiet, "u")["state"] == "succeeded_empty" and len(stage.asked()) == 1
    stage.llm.always("extract", "双方愉快地聊了聊天")
    prose = stage.ingest("u", "s2", *SMALL_TALK)
    stage.drain()
    failed = stage.job(prose, "u")
    assert (failed["state"], failed["reason"]) == ("failed", "not_json")
    assert stage.memories("u") == [] and len(stage.asked()) == 1 + 3 * 2


def test_des_14_offers_stand_or_fall_one_by_one(stage):
    long = (
        "用户的车停在B2层东侧第十七号车位，靠近电梯口，旁边是一辆白色面包车，"
        "每个月的五号需要去前台续费并换一次停车卡"
    )
    stage.llm.say("extract", [
        {"type": "preference", "content": "用户可能比较喜欢安静的座位", "confidence": 0.9},
        {"type": "fact", "content": long, "confidence": 0.9},
        fact("用户的车停在B2层17号", confidence=0.95, valid_until=None),
        {"type": "mood", "content": "用户心情不错", "confidence": 0.9},
        {"type": "fact", "content": "用户属龙", "confidence": "高"},
        {"type": "fact", "content": "用户喜欢车", "confidence": 0.2},
    ])  # fmt: skip
    job = stage.ingest("u", "s", user("我车停B2十七号。"))
    stage.drain()
    assert stage.contents("u") == ["用户的车停在B2层17号"]
    counts = stage.job(job, "u")["counts"]
    assert counts["refused"] == {"guess": 1, "type": 1, "confidence": 1, "low_confidence": 1}
    assert (counts["created"], counts["held"]) == (1, 1)
    page = stage.world.store.page(scope("u"), after=None, examine=100)
    held = [one for one in page.memories if one.status == "quarantined"]
    assert [(one.content, one.flags) for one in held] == [(long, ("too_long",))]
    shown = stage.asked()[0]
    assert "JSON" in shown.system and "40" in shown.system and "[]" in shown.system


def test_des_19_one_call_however_often_and_from_however_many_sides_it_comes(stage):
    two = facts(fact("Ivo has two dogs"), fact("Ivo lives in Brno"))
    stage.llm.always("extract", lambda asked: Said(json.dumps(two), delay=0.3))
    stage.ingest("u", "s", user("I have two dogs and live in Brno."))
    message = stage.world.queues.take(QueueName.EXTRACT)
    with ThreadPoolExecutor(2) as pool:
        list(pool.map(lambda _: stage.hand_over(QueueName.EXTRACT, *message), range(2)))
    stage.hand_over(QueueName.EXTRACT, *message)
    stage.ingest("u", "s", user("I have two dogs and live in Brno."))
    stage.drain()
    assert stage.contents("u") == ["Ivo has two dogs", "Ivo lives in Brno"]
    assert len(stage.asked()) == 1


def test_des_20_a_bad_spell_passes_and_a_lasting_one_leaves_a_letter(stage):
    good = facts(fact("Ivo has two dogs"))
    stage.llm.say("extract", Said(ends="dropped"), '{"memories": [', '{"memories": [', good)
    job = stage.ingest("u", "s1", user("I have two dogs."))
    stage.drain()
    assert stage.job(job, "u")["state"] == "succeeded" and len(stage.asked()) == 4
    assert stage.contents("u") == ["Ivo has two dogs"]
    stage.llm.always("extract", '{"memories": [')
    bad = stage.ingest("u", "s2", user("I moved to Brno."))
    stage.drain()
    failed = stage.job(bad, "u")
    assert (failed["state"], failed["reason"]) == ("failed", "truncated")
    assert stage.letters() == [bad]
    told = stage.get("/v1/conversations/s2", "u")["messages"]
    assert [one["content"] for one in told] == ["I moved to Brno."]


def test_ing_5_shapes_that_agents_really_send(stage):
    stage.llm.always("extract", facts({"type": "preference", "content": "Collects old maps"}))
    picture = {"type": "image_url", "image_url": {"url": "https://example.com/p.png"}}
    parts = [{"type": "text", "text": "I collect"}, {"type": "text", "text": "old maps"}, picture]
    called = {"id": "c1", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    job = stage.ingest(
        "u", "s1",
        {"role": "system", "content": "You are helpful."},
        {"role": "developer", "content": "Be brief."},
        user(parts), {"role": "assistant", "tool_calls": [called]},
        {"role": "tool", "tool_call_id": "c1", "content": None},
        assistant(None), user("ok", name="Kim"),
    )  # fmt: skip
    blank = stage.ingest("u", "s3", user("   "), assistant(""))
    stage.drain()
    assert stage.job(job, "u")["state"] == "succeeded"
    assert stage.contents("u") == ["Collects old maps"]
    [one] = stage.asked()
    shown = one.user.split("<conversation>")[1]
    assert "I collect" in shown and "old maps" in shown and "Kim" in shown
    assert "None" not in shown and "image_url" not in shown and "helpful" not in shown
    assert stage.job(blank, "u")["state"] == "succeeded_empty"


def test_without_a_model_turns_are_kept_as_they_are_and_the_job_says_so(stage):
    stage.world.learn_with(None, LearningRules())
    job = stage.ingest("u", "s", *TICKET, user("记住我不吃香菜"), assistant("好的"))
    stage.drain()
    done = stage.job(job, "u")
    assert (done["state"], done["reason"], done["result"]) == (
        "succeeded", "no_llm", {"mode": "verbatim"},
    )  # fmt: skip
    told = stage.memories("u", kind="episodic")
    assert [(one["importance"], one["origin"]) for one in told] == [
        (0.5, "owner"), (0.5, "agent"), (0.7, "owner"), (0.2, "agent"),
    ]  # fmt: skip
    assert [one["event_time"] for one in told[:2]] == [one["at"] for one in TICKET]
