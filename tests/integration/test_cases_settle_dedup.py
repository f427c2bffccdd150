"""Acceptance cases of repeats: what is one memory, what only looks like one."""

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from tests.integration.http_client import World
from tests.integration.learning_stage import LearningStage, facts, learning_stage, user
from tests.integration.mapped_embedder import MappedEmbedder
from tests.integration.test_cases_settle import get, judging, write
from tests.lab import at

KITCHEN = "The user wants to repaint the kitchen in spring, walls and ceiling"
FULLER = f"{KITCHEN}; it is done every five years"


@pytest.fixture
def embedder() -> MappedEmbedder:
    return MappedEmbedder()


@pytest.fixture(params=["a judge", "no judge"])
def stage(
    request: pytest.FixtureRequest, embedder: MappedEmbedder, monkeypatch: pytest.MonkeyPatch
) -> Iterator[LearningStage]:
    monkeypatch.setenv("POWERTOOLS_METRICS_DISABLED", "true")
    with learning_stage(World(embedder), asking=request.param == "a judge") as made:
        yield made


def test_ded_2_tea_is_not_coffee(stage: LearningStage, embedder: MappedEmbedder) -> None:
    embedder.known = {
        "用户喜欢喝咖啡": [1, 0],
        "用户喜欢喝茶": [0.93, 0.3676],
        "Tomas Vega is head chef at Lantern": [0, 1, 0],
        "Ines Roca is sous-chef at Lantern": [0.3, 0.954, 0],
    }
    stage.llm.always("judge", '{"action": "add", "target_id": null}')
    texts = list(embedder.known)
    ids = [
        write(stage, "u-t", text, type="fact" if "chef" in text else "preference") for text in texts
    ]
    stage.drain()
    assert stage.contents("u-t") == sorted(texts)
    records = [get(stage, "u-t", one) for one in ids]
    assert all((one["version"], one["settled"]) == (1, True) for one in records)


@pytest.mark.parametrize("stage", ["a judge"], indirect=True)
def test_ded_4_the_same_fact_arriving_twice_at_once(stage: LearningStage) -> None:
    stage.llm.always("extract", facts({"type": "fact", "content": "Jo moved to Porto"}))
    stage.llm.always("judge", judging("merge", "Porto"))
    for session, second in (("s-a", 0), ("s-b", 5)):
        stage.ingest("u-jo", session, user("I moved to Porto.", f"2026-03-01T09:00:0{second}Z"))
    with ThreadPoolExecutor(2) as pool:
        list(pool.map(lambda _: stage.deliver(), range(2)))
    stage.drain()
    current = [one for one in stage.search("u-jo", "Porto") if one.startswith("Jo")]
    assert current == ["Jo moved to Porto"]

    def tell(_: int) -> tuple[int, str]:
        body = {"user_id": "u-jo", "type": "fact", "content": "Jo's locker hint is 'lighthouse'"}
        reply = stage.client.send("POST", "/v1/memories", body)
        return reply.status, reply.body["id"]

    with ThreadPoolExecutor(5) as pool:
        told = list(pool.map(tell, range(5)))
    assert {status for status, _ in told} <= {200, 201} and len({one for _, one in told}) == 1


def test_ded_8_what_was_merged_away_is_retired(
    stage: LearningStage, embedder: MappedEmbedder
) -> None:
    embedder.known = {
        KITCHEN: [1, 0],
        FULLER: [0.975, 0.2222],
        "repaint kitchen": [0.9, 0.4359],
    }
    merge = {"action": "merge", "target_id": "", "content": FULLER}
    old = write(stage, "u-f", KITCHEN)
    stage.llm.say("judge", json.dumps(merge | {"target_id": old}))
    write(stage, "u-f", FULLER)
    stage.drain()
    if stage.world.learning.reasoner is None:
        assert set(stage.search("u-f", "repaint kitchen", top_k=5)) == {KITCHEN, FULLER}
        return
    assert stage.search("u-f", "repaint kitchen", top_k=5) == [FULLER]
    body = {"user_id": "u-f", "query": "repaint kitchen", "max_tokens": 400}
    reply = stage.client.send("POST", "/v1/context", body)
    assert reply.body["text"].count("kitchen") == 1
    gone = get(stage, "u-f", old)
    assert gone["status"] == "superseded" and gone["content"] == KITCHEN
    assert get(stage, "u-f", gone["superseded_by"])["content"] == FULLER


def test_des_16_one_token_or_a_negation_is_no_repeat(
    stage: LearningStage, embedder: MappedEmbedder
) -> None:
    embedder.known = {
        "用户爱吃面": [1, 0],
        "用户爱吃米饭": [0.88, 0.475],
        "用户不爱吃面": [0.97, 0.2431],
    }
    stage.llm.always("judge", lambda asked: judging("merge", "用户爱吃面")(asked))
    told = ["用户爱吃面", "用户不爱吃面"]
    if stage.world.learning.reasoner is None:
        told.insert(1, "用户爱吃米饭")
    for text in told:
        write(stage, "u", text, type="preference")
        stage.world.clock.forward(days=30)
        stage.drain()
    assert stage.contents("u") == sorted(told)


@pytest.mark.parametrize("again", ["2026-07-01T00:00:00Z"])
def test_tim_8_the_same_thing_true_twice(stage: LearningStage, again: str) -> None:
    said = "Nadia is on call for billing"
    stage.llm.always("judge", judging("merge", "Nadia"))
    stage.world.clock.now = at("2026-01-01T00:00:00Z")
    over = {"event_time": "2026-01-01T00:00:00Z", "valid_until": "2026-03-01T00:00:00Z"}
    first = write(stage, "u-a", said, **over)
    stage.drain()
    stage.world.clock.now = at(again)
    second = write(stage, "u-a", said, event_time=again)
    stage.drain()
    assert first != second
    stage.world.clock.now = at("2026-08-01T00:00:00Z")

    def found(**view: Any) -> list[str]:
        body = {"user_id": "u-a", "query": "Nadia on call billing", **view}
        reply = stage.client.send("POST", "/v1/search", body)
        return [one["id"] for one in reply.body["results"]]

    assert found() == [second]
    assert found(as_of="2026-02-01T00:00:00Z") == [first]
    assert found(as_of="2026-05-01T00:00:00Z") == []


@pytest.mark.parametrize(
    ("policy", "left"), [("supersede", 1), ("weaken", 2), ("coexist", 2), (None, 1)]
)
def test_the_policy_of_a_call_is_kept_on_both(
    stage: LearningStage, policy: str | None, left: int
) -> None:
    phone = {"subject": "用户", "attribute": "手机", "policy": policy}
    given = {name: value for name, value in phone.items() if value is not None}
    old = write(stage, "u", "用户用安卓手机", event_time="2026-01-05T00:00:00Z", **given)
    new = write(stage, "u", "用户换成了苹果手机", event_time="2026-03-01T00:00:00Z", **given)
    stage.drain()
    found = stage.search("u", "用户用什么手机")
    assert len(found) == left
    for one in (old, new):
        [verdict] = get(stage, "u", one)["verdicts"]
        assert (verdict["verdict"], verdict["policy"]) == ("update", policy or "supersede")
    if policy == "weaken":
        assert found[0] == "用户换成了苹果手机"
        assert get(stage, "u", old)["confidence"] == 0.56


def test_a_policy_that_is_none_is_refused_by_name(stage: LearningStage) -> None:
    body = {"user_id": "u", "type": "fact", "content": "tea", "policy": "merge"}
    reply = stage.client.send("POST", "/v1/memories", body)
    assert reply.status == 400 and "policy" in json.dumps(reply.body)
    assert stage.contents("u") == []
