"""Acceptance cases of patterns and conventions: what recurs is kept once, and comes up unasked."""

import json
import re
from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

import pytest

from hindwise.adapters.embedders.use import UseEmbedder
from infra.local.fake_llm import Asked
from tests.integration.http_client import World
from tests.integration.learning_stage import LearningStage, facts, learning_stage, user
from tests.lab import at

SHOWN = re.compile(r"^\[(0[0-9A-Z]{25})\]", re.MULTILINE)


@pytest.fixture(autouse=True)
def quiet(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("POWERTOOLS_METRICS_DISABLED", "true")


@pytest.fixture
def stage() -> Iterator[LearningStage]:
    with learning_stage() as made:
        yield made


def happened(stage: LearningStage, content: str, when: datetime, **more: Any) -> str:
    body = {"user_id": "u", "kind": "episodic", "content": content, "importance": 0.8,
            "event_time": when.isoformat(), **more}  # fmt: skip
    reply = stage.client.send("POST", "/v1/memories", body)
    assert reply.status == 201, reply
    return str(reply.body["id"])


def consolidate(stage: LearningStage, **wish: Any) -> Any:
    reply = stage.client.send("POST", "/v1/consolidations", {"user_id": "u", **wish})
    assert reply.status == 200, reply
    return reply.body


def offered(content: str, *evidence: str, confidence: float = 0.8) -> dict[str, Any]:
    return {"content": content, "evidence_ids": list(evidence), "confidence": confidence}


def test_ded_6_invented_evidence_makes_no_pattern(stage: LearningStage) -> None:
    stage.world.clock.now = at("2026-04-12T00:00:00Z")
    one = happened(stage, "Deploy on Friday 3 April failed", at("2026-04-03T16:00:00Z"))
    two = happened(stage, "Deploy on Friday 10 April failed", at("2026-04-10T16:00:00Z"))
    lunch = happened(stage, "Lunch order was noodles", at("2026-04-11T12:00:00Z"))
    stage.llm.say("consolidate", {"patterns": [], "conflicts": []})
    nothing = consolidate(stage, min_episodes=2)
    assert (nothing["status"], nothing["patterns"]) == ("skipped", [])
    patterns = [
        offered("Friday deploys tend to fail", one, two, "mem-does-not-exist"),
        offered("The team loves Mondays", "mem-x", "mem-y", confidence=0.9),
        offered("User prefers noodles", lunch, confidence=0.9),
    ]
    stage.llm.say("consolidate", {"patterns": patterns, "conflicts": []})
    report = consolidate(stage, min_episodes=2, force=True)
    [kept] = stage.memories("u")
    assert kept["content"] == "Friday deploys tend to fail"
    assert sorted(kept["evidence_ids"]) == sorted([one, two])
    assert (report["status"], sum(report["refused"].values())) == ("partial", 2)


def test_des_41_five_are_enough_and_fifty_are_shown(stage: LearningStage) -> None:
    stage.world.clock.now = at("2026-03-10T00:00:00Z")
    start = at("2026-01-01T00:00:00Z")

    def several(name: str, count: int, day: int, importance: float) -> list[str]:
        return [
            happened(
                stage, f"{name}{number} 发布失败", start + timedelta(days=day, hours=number),
                importance=importance, domain="发布",
            )
            for number in range(count)
        ]  # fmt: skip

    def recurring(asked: Asked) -> dict[str, Any]:
        ids = SHOWN.findall(asked.user)
        return {"patterns": [offered(f"发布前夜容易失败（{ids[0]}）", *ids)], "conflicts": []}

    stage.llm.always("consolidate", recurring)
    four = several("甲", 4, 0, 0.7)
    several("乙", 10, 1, 0.6)
    few = consolidate(stage, domain="发布")
    assert (few["status"], few["source_count"], len(stage.llm.asked())) == ("skipped", 4, 0)
    five = {*four, *several("丙", 1, 2, 0.7)}
    first = consolidate(stage, domain="发布")
    assert set(first["patterns"][0]["evidence_ids"]) == five
    assert set(SHOWN.findall(stage.llm.asked()[0].user)) == five
    sixty = several("丁", 60, 9, 0.8)
    consolidate(stage, domain="发布")
    shown = set(SHOWN.findall(stage.llm.asked()[1].user))
    assert shown & {*five, *sixty} == {*sixty[10:]}
    consolidate(stage, domain="发布")
    calls, patterns = len(stage.llm.asked()), stage.contents("u")
    last = consolidate(stage, domain="发布")
    assert (last["status"], last["patterns"]) == ("skipped", [])
    assert (len(stage.llm.asked()), stage.contents("u")) == (calls, patterns)


CONVENTIONS = [
    ("这个仓库用 pnpm，别用 npm", "仓库用 pnpm，不用 npm"),
    ("接口层用 Litestar，不用 Django", "接口层用 Litestar，不用 Django"),
    ("数据库是 MariaDB", "数据库是 MariaDB"),
    ("测试一律 vitest，不要 jest", "测试一律 vitest，不用 jest"),
]


@pytest.mark.parametrize("infer", [True, False])
def test_des_34_conventions_come_up_a_week_later(infer: bool) -> None:
    with learning_stage(World(UseEmbedder())) as stage:
        stage.world.clock.now = at("2026-05-01T10:00:00+08:00")
        learnt = [
            {"type": "preference", "content": text, "importance": 0.8, "turns": [number]}
            for number, (_, text) in enumerate(CONVENTIONS, 1)
        ]
        stage.llm.say("extract", facts(*learnt))
        said = [user(text, "2026-05-01T10:00:00+08:00") for text, _ in CONVENTIONS]
        stage.ingest("u", "s1", *said, infer=infer, agent_id="first")
        stage.drain()
        stage.world.clock.forward(days=7)
        blocks = []
        for asked in ("给订单页加一个导出按钮", "写一下建表语句"):
            body = {"user_id": "u", "query": asked}
            blocks.append(json.dumps(stage.client.send("POST", "/v1/context", body).body["text"]))
        assert "pnpm" in blocks[0] and "vitest" in blocks[0] and "MariaDB" in blocks[1]
