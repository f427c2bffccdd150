"""Learning on a laptop: a stop or a kill in the middle of it, and the next start goes on."""

import json
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from infra.local.fake_llm import FakeLlm, Said
from tests.local_dev import Dev

pytestmark = pytest.mark.ministack
LEARNT = "The retrospective is on Tuesdays"
TALK = [{"role": "user", "content": "From now on the retrospective is on Tuesdays."}]
ANSWER = json.dumps({"memories": [{"type": "fact", "content": LEARNT, "turns": [1]}]})


@pytest.fixture
def llm() -> Iterator[FakeLlm]:
    with FakeLlm() as llm:
        yield llm


def ended(dev: Dev, job_id: str) -> Any:
    deadline = time.monotonic() + 100
    while (job := dev.ask(f"/v1/jobs/{job_id}?user_id=me"))["state"] in ("accepted", "running"):
        assert time.monotonic() < deadline, job
        time.sleep(0.2)
    return job


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL], ids=["stopped", "killed"])
def test_what_was_being_learnt_is_learnt_after_a_restart(
    run: Callable[..., Dev], tmp_path: Path, llm: FakeLlm, number: signal.Signals
) -> None:
    given = {"LLM_MODEL": llm.models[0], "LLM_BASE_URL": llm.url, "LLM_API_KEY": "none"}
    given["RULES"] = '{"learning": {"lease_seconds": 3}}'
    llm.always("extract", Said(ANSWER, delay=60))
    first = run(tmp_path, **given)
    first.greeting()
    body = {"user_id": "me", "id": "retro", "messages": TALK}
    job_id = first.ask("/v1/conversations", body)["job_id"]
    deadline = time.monotonic() + 30
    while not llm.asked("extract"):
        assert time.monotonic() < deadline, "the model was not asked"
        time.sleep(0.05)
    first.stop(number)
    llm.always("extract", ANSWER)
    second = run(tmp_path, **given)
    second.greeting()
    assert ended(second, job_id)["state"] == "succeeded"
    known = second.ask("/v1/memories?user_id=me&kind=semantic")["results"]
    assert [one["content"] for one in known] == [LEARNT]
    turns = second.ask("/v1/memories?user_id=me&kind=episodic")["results"]
    assert [one["content"] for one in turns] == [TALK[0]["content"]]


def test_the_laptop_s_key_may_look_into_the_queues(run: Callable[..., Dev], tmp_path: Path) -> None:
    dev = run(tmp_path)
    dev.greeting()
    named = str(dev.ask("/v1/queues"))
    assert all(name in named for name in ("extract", "settle", "consolidate"))
