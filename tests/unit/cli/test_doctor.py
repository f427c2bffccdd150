"""`hindwise doctor`: each thing that is wrong is found, with its cause and what to do next."""

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from hindwise.cli.checks import NO_MEMORY, Finding, Subject, findings
from hindwise.client.api import Api
from tests.unit.cli.stub import Stub, found, memory

HEALTH = {"status": "ok", "stage": "local", "dependencies": {"table": "ok"}}
ME = {
    "tenant": "local",
    "principal": "laptop",
    "role": "writer",
    "users": ["*"],
    "ceiling": "owner",
    "stage": "local",
    "features": {"search_backend": "table", "embedder": "use"},
}
STATS = {
    "examined": 9,
    "complete": True,
    "by_kind": {"episodic": 9},
    "by_type": {},
    "by_status": {"active": 9},
    "never_recalled": 0,
    "waiting": 0,
    "waiting_more": False,
}
PARKED = {"id": "01PARKED", "reason": "refused: mapper_parsing_exception at facts"}
ANSWERS = {
    "GET /v1/health": HEALTH,
    "GET /v1/me": ME,
    "GET /v1/stats": STATS,
    "GET /v1/jobs": {"results": [], "next": None},
    "POST /v1/search": found(),
    "GET /v1/memories": {"results": [memory()], "next": None},
}


def jobs(state: str, reason: str) -> dict[str, Any]:
    at = "2026-03-13T18:30:00Z"
    one = {"id": "01JOB", "kind": "extract", "created_at": at, "updated_at": at}
    return {"results": [{**one, "state": state, "reason": reason}]}


def prepare(stub: Stub, **changed: Any) -> None:
    for call, answer in ANSWERS.items():
        name = call.rsplit("/", 1)[1]
        stub.says(call, {**answer, **changed.get(name, {})})  # type: ignore[dict-item]


def examined(
    stub: Stub, clock: Callable[[], datetime] = lambda: datetime.now(UTC)
) -> list[Finding]:
    with Api(stub.url, "key") as api:
        return [*findings(Subject(api, "ann", clock=clock, sleep=lambda seconds: None))]


def test_all_well(stub: Stub) -> None:
    prepare(stub)
    result = stub.run("doctor")
    assert (result.exit_code, result.stdout) == (0, "Everything is as it should be.\n")
    assert json.loads(stub.run("doctor", "--json").stdout) == {"ok": True, "findings": []}


def test_the_search_that_is_tried_touches_no_memory(stub: Stub) -> None:
    prepare(stub)
    examined(stub)
    [search] = [one for one in stub.asked if one.path == "/v1/search"]
    assert search.body["filters"] == {"external_id": NO_MEMORY}


@pytest.mark.parametrize(
    ("changed", "level", "words"),
    [
        ({"health": {"dependencies": {"table": "unavailable"}}}, "broken", "table"),
        ({"stats": {"waiting": 7}}, "degraded", "7 changes wait"),
        ({"stats": {"waiting": 100, "waiting_more": True}}, "note", "100 or more changes wait"),
        ({"stats": {"parked": [PARKED]}}, "degraded", "has not taken the memory 01PARKED"),
        ({"jobs": jobs("accepted", "misconfigured")}, "degraded", "1 job cannot go on yet"),
        ({"jobs": jobs("failed", "not_json")}, "degraded", "1 job failed"),
        ({"search": {"degraded": True, "reasons": ["embedder"]}}, "degraded", "without the embe"),
        ({"me": {"features": {"embedder": "hashed"}}}, "degraded", "does not understand Chinese"),
        (
            {"me": {"features": {"embedder": "openai", "embedding_model": "bge-small-en-v1.5"}}},
            "degraded",
            "bge-small-en-v1.5 does not understand Chinese",
        ),
        ({"stats": {"examined": 0}}, "note", "nothing is remembered for the user ann"),
    ],
)
def test_what_is_wrong_is_found(
    stub: Stub, changed: dict[str, Any], level: str, words: str
) -> None:
    prepare(stub, **changed)
    [finding] = examined(stub)
    assert finding.level == level
    assert words in finding.what
    assert finding.cause
    assert finding.next


def test_a_job_that_is_at_work_is_no_problem(stub: Stub) -> None:
    prepare(stub, jobs=jobs("running", ""))
    assert examined(stub) == []


def test_an_english_only_embedder_is_fine_for_english(stub: Stub) -> None:
    english = {"results": [memory(language="en")]}
    model = {"embedder": "openai", "embedding_model": "bge-small-en-v1.5"}
    prepare(stub, me={"features": model}, memories=english)
    assert examined(stub) == []


@pytest.mark.parametrize("model", ["text-embedding-3-small", "bge-m3", "sentence-encoder"])
def test_multilingual_embedders_are_not_suspected(stub: Stub, model: str) -> None:
    prepare(stub, me={"features": {"embedder": "openai", "embedding_model": model}})
    assert examined(stub) == []


def test_a_model_that_is_not_used_is_not_suspected(stub: Stub) -> None:
    prepare(stub, me={"features": {"embedder": "use", "embedding_model": "bge-small-en-v1.5"}})
    assert examined(stub) == []


def test_a_backlog_that_shrinks_is_no_problem(stub: Stub) -> None:
    prepare(stub, stats={"waiting": 7})
    stub.says("GET /v1/stats", STATS)
    assert examined(stub) == []
    stub.answers.clear()
    prepare(stub, stats={"waiting": 7})
    stub.says("GET /v1/stats", {**STATS, "waiting": 3})
    assert [one.level for one in examined(stub)] == ["note"]


@pytest.mark.parametrize(("hours", "side"), [(-2, "behind"), (3, "ahead of")])
def test_a_wrong_clock_is_noticed(stub: Stub, hours: int, side: str) -> None:
    prepare(stub)
    [finding] = examined(stub, lambda: datetime.now(UTC) + timedelta(hours=hours))
    assert f"s {side} the server's" in finding.what


@pytest.mark.parametrize(
    ("call", "status", "body", "words"),
    [
        ("GET /v1/me", 403, {"message": "Forbidden"}, "the key is not accepted"),
        ("GET /v1/me", 401, {"message": "Unauthorized"}, "the key is not accepted"),
        (
            "GET /v1/stats",
            403,
            {"error": {"code": "forbidden", "message": "the key does not allow this user_id"}},
            "may not act for the user ann",
        ),
        ("GET /v1/health", 500, {"message": "Internal Server Error"}, "answers with 500"),
        ("GET /v1/health", 200, {"hello": "world"}, "no Hindwise at"),
    ],
)
def test_what_ends_the_examination(
    stub: Stub, call: str, status: int, body: Any, words: str
) -> None:
    stub.says(call, body, status=status)
    prepare(stub)
    stub.answers[tuple(call.split(" "))] = [(status, body, {})]  # type: ignore[index]
    [finding] = examined(stub)
    assert finding.level == "broken"
    assert words in finding.what
    assert stub.run("doctor", "--user", "ann").exit_code == 1


def test_no_server_is_a_finding_and_not_a_crash(stub: Stub) -> None:
    result = stub.run("doctor", HINDWISE_URL="http://127.0.0.1:1")
    assert result.exit_code == 1
    assert "broken: no Hindwise at http://127.0.0.1:1" in result.stdout
    assert "next:  start it with `hindwise dev`" in result.stdout


def test_parked_memories_are_named_with_the_reason_and_the_rest_is_counted(stub: Stub) -> None:
    prepare(stub, stats={"parked": [PARKED | {"id": f"01P{n}"} for n in range(7)]})
    found = examined(stub)
    assert [one.what for one in found[:5]] == [
        f"the index has not taken the memory 01P{n}" for n in range(5)
    ]
    assert {one.cause for one in found} == {PARKED["reason"]}
    assert found[5].what == "the index has not taken 2 more memories" and len(found) == 6
