"""Acceptance cases of extraction: what models say, what queues do, when things were said."""

import json

import pytest

from hindwise.domain.ports import QueueName
from hindwise.domain.scope import Role
from infra.local.fake_llm import Said
from tests.builders import principal, scope
from tests.integration.http_client import Client
from tests.integration.learning_stage import (
    as_json,
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


FORMS = [
    "```json\n@@JSON@@\n```",
    "```\n@@JSON@@\n```\nI extracted two facts.",
    "Here are the facts I found:\n@@JSON@@\nHope this helps!",
    "\ufeff  @@JSON@@  \n",
    "<think>[maybe {nothing}]</think>\n@@JSON@@",
]


@pytest.mark.parametrize("form", FORMS)
def test_llm_1_json_in_fences_or_prose(stage, form):
    said = as_json(
        fact("Team meets in Oslo"), {**fact("Prefers window seats"), "type": "preference"}
    )
    stage.llm.say("extract", form.replace("@@JSON@@", said))
    job = stage.ingest("u", "s1", user("We meet in Oslo; I like window seats."))
    stage.drain()
    assert stage.contents("u") == ["Prefers window seats", "Team meets in Oslo"]
    assert stage.job(job, "u")["state"] == "succeeded" and len(stage.asked()) == 1


def test_llm_3_a_reply_that_is_cut_gives_what_is_whole(stage):
    said = as_json(
        fact("Fact one: depot is in Lyon"), fact("Fact two: manager is Petra"),
        fact("Fact three: opening hours are nine to five"),
    )  # fmt: skip
    stage.llm.always("extract", Said(said[: said.index("opening")], finish="length"))
    job = stage.ingest("u", "s1", user("Depot in Lyon, manager Petra, open nine to five."))
    stage.drain(10)
    assert stage.contents("u") == ["Fact one: depot is in Lyon", "Fact two: manager is Petra"]
    ended = stage.job(job, "u")
    assert (ended["state"], ended["reason"]) == ("partial", "truncated")
    bodies = [json.dumps(one.body, sort_keys=True) for one in stage.asked()]
    assert len(bodies) == 2 and len(set(bodies)) == 2
    assert stage.get("/v1/conversations/s1", "u")["messages"][0]["content"].startswith("Depot")
    stage.llm.always("extract", json.loads(said))
    stage.retry(job, "u")
    stage.drain()
    assert len(stage.contents("u")) == 3
    assert stage.job(job, "u")["state"] == "succeeded"


NO_ANSWERS = [
    ({"choices": []}, "empty"),
    ({"choices": [{"message": {"role": "assistant", "content": None, "refusal": "I can't."},
                   "finish_reason": "stop"}]}, "refused"),
    ({"choices": [{"message": {"role": "assistant", "content": ""}, "finish_reason": "stop"}]},
     "empty"),
    ({"choices": [{"message": {"role": "assistant", "content": None},
                   "finish_reason": "content_filter"}]}, "filtered"),
    ({"error": {"message": "overloaded"}}, "unavailable"),
]  # fmt: skip


@pytest.mark.parametrize(("body", "reason"), NO_ANSWERS)
@pytest.mark.parametrize("again", ["retry", "redrive"])
def test_llm_5_no_answer_is_not_nothing_to_remember(stage, body, reason, again):
    stage.llm.always("extract", Said(body=body))
    job = stage.ingest("u", "s1", user("My badge number is 5512."))
    stage.drain(10)
    ended = stage.job(job, "u")
    assert (ended["state"], ended["reason"]) == ("failed", reason)
    assert stage.letters() == [job] and stage.memories("u") == []
    stage.llm.always("extract", facts(fact("Badge number is 5512")))
    if again == "retry":
        stage.retry(job, "u")
    else:
        admin_redrives(stage)
    stage.drain()
    assert stage.contents("u") == ["Badge number is 5512"]
    assert stage.job(job, "u")["state"] == "succeeded"


def admin_redrives(stage):
    reply = Client(principal(role=Role.ADMIN)).send("POST", "/v1/queues/extract/redrive", {})
    assert reply.status == 200, reply


def test_llm_7_rate_limits_and_brief_outages(stage):
    locker = facts(fact("Locker 14 is mine"))
    busy = Said(status=429, headers={"retry-after": "1"})
    stage.llm.say("extract", busy, Said(status=503), locker)
    job = stage.ingest("u", "s1", user("Locker 14 is mine."))
    assert stage.job(job, "u")["state"] == "accepted"
    stage.drain(10)
    assert stage.contents("u") == ["Locker 14 is mine"]
    assert stage.job(job, "u")["state"] == "succeeded" and len(stage.asked()) == 3
    stage.llm.always("extract", Said(status=429))
    other = stage.ingest("u", "s2", user("Locker 15 is hers."))
    assert stage.drain(10) < 10
    failed = stage.job(other, "u")
    assert (failed["state"], failed["reason"]) == ("failed", "rate_limited")
    assert stage.letters() == [other]
    stage.llm.always("extract", facts(fact("Locker 15 is hers")))
    admin_redrives(stage)
    stage.drain()
    assert stage.contents("u") == ["Locker 14 is mine", "Locker 15 is hers"]


@pytest.mark.parametrize("ending", ["", "."])
def test_ing_1_a_message_delivered_again(stage, ending):
    five = [f"Fact {number}" for number in range(1, 6)]
    stage.llm.say("extract", facts(*map(fact, five)))
    stage.llm.always("extract", facts(*(fact(one + ending) for one in five)))
    job = stage.ingest("u", "s1", user("five facts"))
    message = stage.world.queues.take(QueueName.EXTRACT)
    stage.world.store.faults.fail_next(on="claim", times=1)
    stage.hand_over(QueueName.EXTRACT, *message)
    assert stage.job(job, "u")["state"] == "accepted"
    stage.world.clock.forward(minutes=20)
    for _ in range(3):
        stage.hand_over(QueueName.EXTRACT, *message)
    stage.drain()
    assert stage.contents("u") == five and len(stage.asked()) == 1
    assert len(set(stage.search("u", "Fact", filters={"kind": "semantic"}, top_k=50))) == 5


def test_ing_3_a_conversation_that_grows(stage):
    dogs = fact("Ivo has two dogs")
    stage.llm.say("extract", facts(dogs), facts(dogs, fact("Ivo moved to Brno")))
    first = [user("I have two dogs.", "2026-04-01T09:00:00Z"),
             assistant("Lovely!", "2026-04-01T09:00:05Z")]  # fmt: skip
    jobs = [stage.ingest("u", "chat-1", *first)]
    stage.drain()
    stage.world.clock.forward(days=1)
    more = [user("And I moved to Brno.", "2026-04-02T09:00:00Z"),
            assistant("Noted.", "2026-04-02T09:00:04Z")]  # fmt: skip
    jobs.append(stage.ingest("u", "chat-1", *first, *more))
    stage.drain()
    assert [stage.job(one, "u")["state"] for one in jobs] == ["succeeded"] * 2
    assert stage.contents("u") == ["Ivo has two dogs", "Ivo moved to Brno"]
    told = stage.get("/v1/conversations/chat-1", "u")["messages"]
    assert [one["content"] for one in told] == [one["content"] for one in [*first, *more]]
    earlier, new = stage.asked()[1].user.split("<conversation>")
    assert "two dogs" in earlier and "two dogs" not in new and "Brno" in new
    assert [one["seq"] for one in stage.memories("u", kind="episodic")] == [1, 2, 3, 4]


def test_ing_7_what_was_recalled_is_not_learnt_again(stage):
    known = {"user_id": "u", "kind": "semantic", "content": "Lea's cat is called Miso"}
    reply = stage.client.send("POST", "/v1/memories", known)
    before = reply.body["memory"]
    stage.drain()
    context = stage.client.send(
        "POST", "/v1/context", {"user_id": "u", "query": "cat", "max_tokens": 200}
    ).body["text"]
    assert "Miso" in context
    again = facts(fact("Lea's cat is called Miso"), fact("Lea has a cat named Miso"))
    stage.llm.always("extract", again)
    stage.llm.always("judge", lambda asked: {"action": "merge", "target_id": before["id"]})
    job = stage.ingest(
        "u", "s1",
        {"role": "system", "content": f"You are helpful.\n{context}"},
        user(f"{context}\n\nWhat is my cat called?"), assistant("Miso!"),
    )  # fmt: skip
    stage.drain()
    assert "Lea" not in stage.asked()[0].user and "What is my cat called?" in stage.asked()[0].user
    assert stage.job(job, "u")["counts"]["duplicates"] >= 1
    [left] = stage.memories("u")
    for name in ("id", "created_at", "confidence", "importance"):
        assert left[name] == before[name]
    told = stage.memories("u", kind="episodic")
    assert [one["content"] for one in told] == ["What is my cat called?", "Miso!"]


def test_tim_1_relative_dates_are_read_from_when_it_was_said(stage):
    stage.world.clock.now = at("2026-09-01T08:00:00+00:00")
    stage.llm.say("extract", facts(fact("用户补了牙", event_time="2026-03-13")))
    said = user("上周五我去补了牙", "2026-03-16T09:30:00+08:00")
    stage.ingest("u", "s1", said)
    stage.drain()
    shown = stage.asked()[0].user
    assert "2026-03-16" in shown and "+08:00" in shown and "2026-09-01" not in shown
    day = {"event_from": "2026-03-13T00:00:00+08:00", "event_to": "2026-03-14T00:00:00+08:00"}
    late = {"event_from": "2026-08-25T00:00:00+08:00", "event_to": "2026-09-02T00:00:00+08:00"}
    assert stage.search("u", "补牙", filters={**day, "kind": "semantic"}) == ["用户补了牙"]
    assert stage.search("u", "补牙", filters=late) == []
    [before] = stage.memories("u")
    assert before["event_time"].startswith("2026-03-13") and "+08:00" in before["event_time"]
    assert before["created_at"].startswith("2026-09-01")
    stage.world.clock.forward(days=3)
    stage.ingest("u", "s1", said)
    stage.drain()
    assert stage.memories("u") == [before]


def test_messages_carry_pointers_and_no_words(stage):
    stage.llm.always("extract", Said(status=500))
    stage.ingest("u", "s1", user("My badge number is 5512."))
    stage.drain()
    sent = json.dumps([str(one) for one in stage.world.queues.sent]) + str(stage.letters())
    assert "5512" not in sent
    job = stage.world.learning.jobs.page(scope("u"), after=None, limit=1)[0]
    assert "5512" not in job.model_dump_json()
