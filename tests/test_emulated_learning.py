"""The built functions of learning, run by AWS's runtime emulator, with a model over real HTTP.

What asks a model must find its SDK in the layers; what takes a conversation in must not need it.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import boto3
import pytest

from hindwise.domain.jobs import Job, JobState
from hindwise.domain.memory import SemanticMemory
from hindwise.domain.scope import Scope
from infra.local import built
from infra.local.fake_llm import FakeLlm
from infra.local.invoke import Stage
from infra.local.seed import TALK, event
from tests.warm_stage import warm

pytestmark = pytest.mark.artifacts

SCOPE = Scope(tenant="local", user="ada")
LEARNT = {"type": "fact", "content": "The disk of prod has 40 GB", "confidence": 0.9,
          "importance": 0.7, "turns": [2], "quote": "40 GB"}  # fmt: skip


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[Stage]:
    with warm(tmp_path) as stage:
        yield stage


@pytest.fixture
def llm() -> Iterator[FakeLlm]:
    with FakeLlm() as llm:
        yield llm


def invoked(stage: Stage, name: str, given: Any, log: Path, llm: FakeLlm | None = None) -> Any:
    """The answer of a function, which has a model where one is given."""
    model = {"LLM_MODEL": llm.models[0], "LLM_BASE_URL": llm.url} if llm else {}
    with stage.function(name, log, model) as function:
        answer = function.invoke(given)
    assert '"level":"ERROR"' not in log.read_text(), "a variable, right or package is missing"
    return answer


def pointed(name: str) -> str:
    return str(json.loads(event(name)["Records"][0]["body"])["id"])


def job(stage: Stage, job_id: str) -> Job:
    found = stage.wiring().learning.jobs.get(SCOPE, job_id)
    assert found is not None
    return found


def learnt(stage: Stage) -> list[SemanticMemory]:
    page = stage.wiring().store.page(SCOPE, after=None, examine=100)
    return [one for one in page.memories if isinstance(one, SemanticMemory)]


def turns(stage: Stage) -> list[str]:
    page = stage.wiring().store.page(SCOPE, after=None, examine=100)
    return sorted(one.content for one in page.memories if not isinstance(one, SemanticMemory))


def test_extract_learns_by_a_model(stage: Stage, llm: FakeLlm, tmp_path: Path) -> None:
    llm.say("extract", {"memories": [LEARNT]})
    answer = invoked(stage, "extract", event("extract"), tmp_path / "log", llm)
    assert answer == {"batchItemFailures": []}
    done = job(stage, pointed("extract"))
    assert (done.state, done.counts.llm_calls) == (JobState.SUCCEEDED, 1)
    assert [one.content for one in learnt(stage)] == [LEARNT["content"]]
    assert {one.text for one in TALK.messages} <= set(turns(stage))
    assert "40 GB" not in (tmp_path / "log").read_text()


def test_extract_without_a_model_keeps_the_turns(stage: Stage, tmp_path: Path) -> None:
    answer = invoked(stage, "extract", event("extract"), tmp_path / "log")
    assert answer == {"batchItemFailures": []}
    done = job(stage, pointed("extract"))
    assert (done.state, done.counts.llm_calls) == (JobState.SUCCEEDED, 0)
    assert {one.text for one in TALK.messages} <= set(turns(stage))
    assert learnt(stage) == []


def test_write_takes_a_conversation_in_and_inspect_shows_it(stage: Stage, tmp_path: Path) -> None:
    sent = event("write")
    said = [{"role": "user", "content": "I moved to Oslo."}]
    sent["body"] = json.dumps({"user_id": "ada", "id": "c2", "messages": said})
    sent["routeKey"], sent["rawPath"] = "POST /v1/conversations", "/v1/conversations"
    sent["requestContext"]["routeKey"] = sent["routeKey"]
    sent["requestContext"]["http"]["path"] = sent["rawPath"]
    taken = invoked(stage, "write", sent, tmp_path / "log")
    assert taken["statusCode"] == 202, taken
    assert job(stage, json.loads(taken["body"])["job_id"]).state is JobState.ACCEPTED
    asked = event("inspect")
    asked["routeKey"], asked["rawPath"] = "GET /v1/conversations/{id}", "/v1/conversations/c2"
    asked["requestContext"]["routeKey"] = asked["routeKey"]
    asked["requestContext"]["http"]["path"] = asked["rawPath"]
    asked["pathParameters"] = {"id": "c2"}
    asked["rawQueryString"], asked["queryStringParameters"] = "user_id=ada", {"user_id": "ada"}
    shown = invoked(stage, "inspect", asked, tmp_path / "log")
    assert shown["statusCode"] == 200, shown
    assert "I moved to Oslo." in shown["body"]


def test_settle_lets_go_of_what_needs_no_comparing(stage: Stage, tmp_path: Path) -> None:
    answer = invoked(stage, "settle", event("settle"), tmp_path / "log")
    assert answer == {"batchItemFailures": []}


def test_settle_asks_the_judge(stage: Stage, llm: FakeLlm, tmp_path: Path) -> None:
    other = {**LEARNT, "content": "The disk of prod now has 40 GB of room"}
    llm.say("extract", {"memories": [LEARNT, other]})
    llm.always("judge", {"decisions": []})
    invoked(stage, "extract", event("extract"), tmp_path / "log", llm)
    invoked(stage, "sweep", {}, tmp_path / "log")
    given = event("settle")
    newest = max(learnt(stage), key=lambda one: one.id)
    given["Records"][0]["body"] = given["Records"][0]["body"].replace(pointed("settle"), newest.id)
    answer = invoked(stage, "settle", given, tmp_path / "log", llm)
    assert answer == {"batchItemFailures": []}
    assert len(llm.asked("judge")) >= 1


def test_the_sweep_sends_for_what_is_due(stage: Stage, tmp_path: Path) -> None:
    sqs, url = boto3.client("sqs"), stage.outputs[stage.system.variables["WORK_QUEUES"]] + "extract"
    sqs.purge_queue(QueueUrl=url)
    invoked(stage, "sweep", {}, tmp_path / "log")
    (message,) = sqs.receive_message(QueueUrl=url)["Messages"]
    assert json.loads(message["Body"])["id"] == pointed("extract")


@pytest.mark.parametrize("by", ["queue", "schedule"])
def test_consolidate_has_nothing_to_find_yet(stage: Stage, tmp_path: Path, by: str) -> None:
    given = event("consolidate") if by == "queue" else {"source": "aws.scheduler"}
    answer = invoked(stage, "consolidate", given, tmp_path / "log")
    if by == "schedule":
        assert answer["started"] == 0
    else:
        assert answer == {"batchItemFailures": []}
        assert not job(stage, pointed("consolidate")).open


def test_the_sdk_of_a_model_is_shipped_to_those_who_ask_one() -> None:
    for name in ("extract", "settle", "consolidate", "search", "write", "inspect", "forget"):
        shipped = any((layer / "python" / "openai").exists() for layer in built.named(name).layers)
        assert shipped == (name in ("extract", "settle", "consolidate", "search")), name
