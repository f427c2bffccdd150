"""`rewrite` and `rerank` over HTTP: shown, skipped by name, and no dependency of the answer."""

import json

import pytest

from hindwise.adapters.reasoners.openai import OpenAIReasoner
from hindwise.domain.learning_rules import LearningRules
from infra.local.fake_llm import FakeLlm, Said

ADA = {"user_id": "ada"}
TRAIN, QUESTION = "去西安的火车下午三点半发车", "那个几点"


@pytest.fixture
def llm():
    with FakeLlm() as served:
        yield served


def learns(world, llm, **rules):
    reasoner = OpenAIReasoner("any-model", key="k", base_url=llm.url)
    reasoner.warm()
    world.learn_with(reasoner, LearningRules(llm_configured=True, **rules))


def told(world, client):
    made = client.send("POST", "/v1/memories", {**ADA, "content": TRAIN})
    items = [{"content": f"那个 {n}，几点都行"} for n in range(30)]
    client.send("POST", "/v1/memories", {**ADA, "items": items})
    world.project()
    return made.body["id"]


def search(client, path="search", **body):
    return client.send("POST", f"/v1/{path}", {**ADA, "query": QUESTION, **body})


def test_the_answer_shows_the_other_words(world, client, llm):
    told(world, client)
    learns(world, llm)
    llm.always("rewrite", {"query": "去西安的火车几点发车"})
    plain = search(client, top_k=3).body
    assert "rewrite" not in plain and plain["skipped"] == []
    found = search(client, top_k=3, rewrite=True, explain=True).body
    assert found["results"][0]["content"] == TRAIN
    assert found["rewrite"] == {"query": "去西安的火车几点发车"}
    for one in found["results"]:
        parts = sum(part["contribution"] for part in one["why"]["parts"])
        assert parts == pytest.approx(one["score"])
    block = search(client, "context", rewrite=True).body
    assert TRAIN in block["text"] and block["rewrite"] == found["rewrite"]


def test_what_was_skipped_is_named(world, client, llm):
    told(world, client)
    answer = search(client, rewrite=True, rerank=True)
    assert answer.status == 200
    assert answer.body["skipped"] == ["rewrite", "rerank"]
    assert answer.body["rewrite"] == {"reason": "no_model"}
    learns(world, llm, daily_calls=0)
    used_up = search(client, rewrite=True).body
    assert (used_up["skipped"], used_up["rewrite"]) == (["rewrite"], {"reason": "budget"})
    assert len(used_up["results"]) == 10
    learns(world, llm)
    llm.always("rewrite", Said(status=500))
    down = search(client, rewrite=True)
    assert (down.status, down.body["rewrite"]) == (200, {"reason": "unavailable"})
    assert "the model" not in json.dumps(down.body)


def test_a_diagnosis_shows_the_rank_by_the_other_words(world, client, llm):
    train = told(world, client)
    learns(world, llm)
    llm.always("rewrite", {"query": "去西安的火车几点发车"})
    found = search(client, "diagnose", id=train).body
    assert (found["rewritten"], found["rewritten_rank"]) == ("去西安的火车几点发车", 1)
    assert found["failed"] == "query"
    assert search(client, "diagnose", id=train, rewrite=True).body["failed"] is None


def test_nothing_of_it_reaches_another_tenant(world, client, llm):
    told(world, client)
    learns(world, llm)
    llm.always("rewrite", {"query": "x"})
    search(client, rewrite=True)
    (asked,) = llm.asked("rewrite")
    assert TRAIN not in asked.user + asked.system
    assert world.learning.budget.spent("acme", now=world.clock()).calls == 1
    assert world.learning.budget.spent("other", now=world.clock()).calls == 0


@pytest.mark.parametrize("field", ["rewrite", "rerank"])
@pytest.mark.parametrize("path", ["search", "context"])
def test_only_truth_values_are_taken(client, field, path):
    reply = search(client, path, **{field: "yes"})
    assert (reply.status, reply.error["details"]["field"]) == (400, field)
