"""Acceptance cases of conflict: who is current, who is history, whatever comes first."""

import json
from typing import Any

import pytest

from infra.local.fake_llm import Asked
from tests.integration.learning_stage import LearningStage, facts, learning_stage, user
from tests.lab import at
from tests.unit.usecases.settling import SHOWN


@pytest.fixture
def stage(monkeypatch):
    monkeypatch.setenv("POWERTOOLS_METRICS_DISABLED", "true")
    with learning_stage() as made:
        yield made


def write(stage: LearningStage, who: str, content: str, **fields: Any) -> str:
    reply = stage.client.send(
        "POST", "/v1/memories", {"user_id": who, "content": content, "type": "fact", **fields}
    )
    assert reply.status in (200, 201), reply
    return str(reply.body["id"])


def get(stage: LearningStage, who: str, memory_id: str) -> Any:
    return stage.get(f"/v1/memories/{memory_id}", who)


def judging(action: str, target: str | None = None) -> Any:
    """A judge of the older prompts' kind: one action on the memory whose text holds `target`."""

    def decide(asked: Asked) -> str:
        _, *others = SHOWN.findall(asked.user)
        found = next((one for one, text in others if target and target in text), None)
        return json.dumps({"action": action, "target_id": found})

    return decide


@pytest.mark.parametrize("action", ["supersede", "delete"])
def test_sup_1_a_contradiction_keeps_the_new_fact(stage, action):
    stage.world.clock.now = at("2026-03-02T10:00:00+08:00")
    old = write(stage, "u-rui", "Rui loves spicy hotpot", type="preference")
    stage.drain()
    stage.world.clock.now = at("2026-06-02T12:00:05+08:00")
    new = {"type": "preference", "content": "Rui can no longer stand spicy hotpot"}
    stage.llm.say("extract", facts(new))
    stage.llm.always("judge", judging(action, "loves"))
    said = user("These days I can't stand spicy hotpot.", "2026-06-02T12:00:00+08:00")
    stage.ingest("u-rui", "s1", said)
    stage.drain()
    [found] = [one for one in stage.search("u-rui", "hotpot") if one.startswith("Rui")]
    assert "no longer stand" in found
    before = get(stage, "u-rui", old)
    assert (before["status"], before["content"]) == ("superseded", "Rui loves spicy hotpot")
    after = get(stage, "u-rui", before["superseded_by"])
    assert after["content"] == new["content"]
    assert [one["verdict"] for one in after["verdicts"]] == [
        one["verdict"] for one in before["verdicts"]
    ]
    history = stage.get(f"/v1/memories/{after['id']}/history", "u-rui")
    assert [one["id"] for one in history["predecessors"]] == [old]


@pytest.mark.parametrize("late", [True, False])
def test_sup_3_an_old_conversation_that_arrives_late_does_not_win(stage, late):
    stage.world.clock.now = at("2026-06-12T09:00:00Z")
    stage.llm.always("judge", judging("supersede", "Alma works at"))
    talks = [
        ("chat-2026", "Alma works at Pine & Co", "I've started there.", "2026-02-10T09:00:00Z"),
        ("chat-2024", "Alma works at Blue Kettle", "I work there.", "2024-05-02T09:00:00Z"),
    ]
    for session, content, words, when in talks if late else reversed(talks):
        stage.llm.say("extract", facts({"type": "fact", "content": content}))
        stage.ingest("u-alma", session, user(words, when))
        stage.drain()
    asked = "where does Alma work"
    current = [one for one in stage.search("u-alma", asked) if one.startswith("Alma")]
    assert current == ["Alma works at Pine & Co"]
    every = stage.memories("u-alma", include="superseded")
    old = next(one for one in every if "Blue Kettle" in one["content"])
    assert (old["status"], old["event_time"]) == ("superseded", "2024-05-02T09:00:00Z")
    assert old["valid_until"] <= "2026-02-10T09:00:00Z"


def test_sup_5_a_correction_leaves_one_and_the_rest_of_it(stage):
    old = write(
        stage, "u-dev", "库存服务的数据库是 Oracle，跑在自建机房",
        tags=["项目"], metadata={"repo": "billing"},
    )  # fmt: skip
    stage.drain()
    stage.llm.always("judge", {"decisions": []})
    body = {
        "user_id": "u-dev",
        "reason": "it moved",
        "content": "库存服务的数据库是 TiDB，跑在自建机房",
    }
    reply = stage.client.send("PATCH", f"/v1/memories/{old}", body)
    assert reply.body["settled"] is False
    stage.drain()
    assert stage.search("u-dev", "库存服务用什么数据库") == [body["content"]]
    assert all("Oracle" not in one for one in stage.search("u-dev", "Oracle"))
    now = get(stage, "u-dev", old)
    assert (now["tags"], now["metadata"], now["settled"]) == (
        ["项目"],
        {"repo": "billing"},
        True,
    )
    history = stage.get(f"/v1/memories/{old}/history", "u-dev")
    assert "Oracle" in history["versions"][0]["content"]


@pytest.mark.parametrize("together", [False, True])
def test_sup_7_what_was_true_on_a_day(stage, together):
    stage.world.clock.now = at("2026-03-05T00:00:00Z")
    stage.llm.say("judge", judging("supersede", "Trello"))
    for board, when in (("Trello", "2026-02-03"), ("Linear", "2026-02-20")):
        write(stage, "u-mo", f"Mo's task board is on {board}", event_time=f"{when}T00:00:00Z")
        if not together:
            stage.drain()
    stage.drain()

    def boards(day: str) -> list[str]:
        found = stage.search("u-mo", "task board", as_of=f"{day}T00:00:00Z")
        return [one.split()[-1] for one in found]

    assert boards("2026-02-10") == ["Trello"]
    assert boards("2026-03-01") == ["Linear"]
    assert boards("2026-01-31") == []
    assert len(stage.search("u-mo", "task board")) == 1


def test_des_46_the_surer_value_stays_until_a_second_source_is_as_sure(stage):
    stage.world.clock.now = at("2026-03-05T00:00:00Z")
    stage.llm.always("judge", judging("contradict", "青霉素"))
    old = write(stage, "u", "用户对青霉素过敏", confidence=0.95, event_time="2026-01-10T00:00:00Z")
    stage.drain()
    new = write(stage, "u", "用户对青霉素不过敏", confidence=0.4, event_time="2026-02-10T00:00:00Z")
    stage.drain()
    assert get(stage, "u", new)["status"] == "contested"
    assert stage.search("u", "青霉素") == ["用户对青霉素过敏"]
    body = {"user_id": "u", "reason": "a second doctor says so", "confidence": 0.95}
    assert stage.client.send("PATCH", f"/v1/memories/{new}", body).status == 200
    stage.drain()
    assert stage.search("u", "青霉素") == ["用户对青霉素不过敏"]
    assert get(stage, "u", old)["superseded_by"] == new


def test_a_judge_that_is_down_is_told_by_settled_and_asked_again(stage):
    write(stage, "u", "The kitchen is painted white")
    stage.drain()
    new = write(stage, "u", "The kitchen is painted green now")
    stage.drain()
    assert get(stage, "u", new)["settled"] is False
    assert len(stage.search("u", "kitchen")) == 2
    stage.world.clock.forward(hours=1)
    stage.llm.always("judge", judging("update", "white"))
    for _ in range(5):
        stage.sweep(minutes=1)
    stage.drain()
    assert get(stage, "u", new)["settled"] is True
    assert stage.search("u", "kitchen") == ["The kitchen is painted green now"]
    assert stage.failed == 0
