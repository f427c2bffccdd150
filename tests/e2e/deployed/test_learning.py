"""A conversation goes through the deployed stage: taken in, learnt from, settled, found, traced."""

import re
from typing import Any

import pytest

from infra.local.deployment.deployed import Deployed
from infra.local.fake_llm import Asked, FakeLlm
from tests.e2e.deployed.conftest import Enter
from tests.e2e.deployed.person import Person, eventually

pytestmark = pytest.mark.artifacts

WORDS = "We agreed with Maria to hold the retrospective on Tuesdays from now on."
LEARNT = "The retrospective is on Tuesdays"
POISON = "This sentence breaks whoever reads it."


def item(content: str, turn: int = 1, **more: Any) -> dict[str, Any]:
    given = {"type": "decision", "content": content, "confidence": 0.9, "importance": 0.7}
    return {**given, "turns": [turn], **more}


def read(asked: Asked) -> Any:
    """What the model finds: by the words that it is shown."""
    if POISON in asked.user:
        return "I would rather not say."
    return {"memories": [item(LEARNT, entities=["Maria"])] if WORDS in asked.user else []}


def says(ann: Person, user: str, conversation: str, *said: str) -> str:
    """Tell a conversation and give the id of its job."""
    messages = [{"role": "user", "content": one} for one in said]
    body = {"user_id": user, "id": conversation, "messages": messages}
    return str(ann.told("POST", "/v1/conversations", json=body)["job_id"])


def ends(ann: Person, user: str, job_id: str, *states: str) -> Any:
    """The job, once it is in one of these states."""

    def look() -> Any:
        return ann.told("GET", f"/v1/jobs/{job_id}", params={"user_id": user})

    return eventually(look, lambda job: job["state"] in states)


def test_a_conversation_is_learnt_settled_found_and_traced(ann: Person, llm: FakeLlm) -> None:
    llm.say("extract", "no JSON, this once")
    llm.always("extract", read)
    job = ends(ann, "lea", says(ann, "lea", "retro", WORDS), "succeeded")
    assert (job["counts"]["created"], job["counts"]["llm_calls"]) == (1, 2)
    listed = {"user_id": "lea", "kind": "semantic"}
    (known,) = ann.told("GET", "/v1/memories", params=listed)["results"]
    assert known["content"] == LEARNT
    settled = eventually(lambda: ann.reads("lea", known["id"]), lambda one: one["settled"])
    assert settled["status"] == "active"
    assert LEARNT in ann.finds("lea", "when is the retrospective?")
    history = ann.told("GET", f"/v1/memories/{known['id']}/history", params={"user_id": "lea"})
    assert WORDS in str(history)
    told = ann.told("GET", "/v1/conversations/retro", params={"user_id": "lea"})
    assert WORDS in str(told)
    named = ann.told("GET", "/v1/entities/Maria", params={"user_id": "lea"})
    assert LEARNT in str(named)


def test_poison_becomes_a_dead_letter_that_an_administrator_redrives(
    ann: Person, enter: Enter, llm: FakeLlm
) -> None:
    llm.always("extract", read)
    bad = says(ann, "pia", "poisoned", POISON)
    good = says(ann, "pia", "healthy", WORDS)
    ends(ann, "pia", good, "succeeded")
    assert ends(ann, "pia", bad, "failed")["reason"]
    admin = enter("acme", "--role", "admin")
    assert ann.ask("GET", "/v1/queues").status_code == 403

    def dead() -> int:
        depths = admin.told("GET", "/v1/queues")
        return int(re.search(r"'extract'.*?'dead': (\d+)", str(depths))[1])  # type: ignore[index]

    eventually(dead, lambda letters: letters == 1)
    llm.always("extract", {"memories": [item("Somebody was careful")]})
    admin.told("POST", "/v1/queues/extract/redrive")
    ends(ann, "pia", bad, "succeeded")
    assert dead() == 0


def test_episodes_are_consolidated(ann: Person, llm: FakeLlm) -> None:
    for number in range(5):
        ann.writes("con", f"Deploy {number} on a Friday was rolled back.", domain="ops",
                   importance=0.9, session_id=f"d{number}")  # fmt: skip
    llm.always("consolidate", recurring)
    body = {"user_id": "con", "domain": "ops"}
    found = ann.told("POST", "/v1/consolidations", json=body)
    assert found["status"] == "created", found
    assert "Deploys on a Friday are rolled back" in str(found["patterns"])


def recurring(asked: Asked) -> Any:
    ids = re.findall(r"^\[([0-9A-Z]{26})\]", asked.user, re.MULTILINE)
    content = "Deploys on a Friday are rolled back"
    return {"patterns": [{"content": content, "evidence_ids": ids, "confidence": 0.9}]}


def test_what_was_said_is_in_no_log(stack: Deployed) -> None:
    logs = stack.account.client("logs").get_paginator("filter_log_events")
    lines = [
        event["message"]
        for group in stack.of_kind("AWS::Logs::LogGroup").values()
        for page in logs.paginate(logGroupName=group)
        for event in page["events"]
    ]
    assert lines
    for secret in (WORDS, LEARNT, POISON, "rolled back"):
        assert not [line for line in lines if secret in line]
