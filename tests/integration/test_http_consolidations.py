"""Consolidation over HTTP, by the queue and by the schedule, with a language model over HTTP."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

import pytest

from functions.consolidate import app
from hindwise.adapters import pointers
from hindwise.adapters.reasoners.openai import OpenAIReasoner
from hindwise.domain.ports import QueueName
from infra.local.fake_llm import FakeLlm, Said
from tests.builders import NOW
from tests.integration.http_client import Client, Reply, World


@pytest.fixture
def llm(world: World) -> Iterator[FakeLlm]:
    with FakeLlm() as model:
        world.learn_with(OpenAIReasoner("scripted-model", key="k", base_url=model.url))
        yield model


def write(client: Client, content: str, **given: Any) -> str:
    body = {"user_id": "ada", "kind": "episodic", "importance": 0.8, "content": content, **given}
    return str(client.send("POST", "/v1/memories", body).body["id"])


def episodes(client: Client, count: int, *, step: timedelta, **given: Any) -> list[str]:
    start = NOW - timedelta(days=30)
    return [
        write(client, f"Deploy {at} failed", event_time=(start + at * step).isoformat(), **given)
        for at in range(count)
    ]


def ask(client: Client, user: str = "ada", **wish: Any) -> Reply:
    key = {"Idempotency_Key": wish.pop("key")} if "key" in wish else {}
    return client.send("POST", "/v1/consolidations", {"user_id": user, **wish}, **key)


def deliver(world: World) -> None:
    while message := world.queues.take(QueueName.CONSOLIDATE):
        record = {"messageId": "1", "body": pointers.written(*message)}
        assert app.handler({"Records": [record]}, None) == {"batchItemFailures": []}


def cited(asked: Any) -> list[str]:
    """The ids of the episodes that a question shows."""
    return [line[1:27] for line in asked.user.splitlines() if line.startswith("[0")]


def offered(content: str, ids: list[str], **more: Any) -> dict[str, Any]:
    one = {"content": content, "evidence_ids": ids, "confidence": 0.8, "conflicts": [], **more}
    return {"patterns": [one], "conflicts": []}


def test_a_pattern_and_what_it_rests_on(client: Client, llm: FakeLlm) -> None:
    llm.always("consolidate", lambda asked: offered("Deploys fail.", [*cited(asked), "mem-x"]))
    ids = episodes(client, 5, step=timedelta(days=1), domain="ops")
    reply = ask(client, domain="ops")
    assert (reply.status, reply.body["status"], reply.body["llm_calls"]) == (200, "created", 1)
    (made,) = reply.body["patterns"]
    assert made["confidence"] == round(0.85 * 5 / 6, 4)
    assert (set(made["evidence_ids"]), made["type"]) == (set(ids), "pattern")
    history = client.send("GET", f"/v1/memories/{ids[0]}/history", query={"user_id": "ada"}).body
    assert [one["id"] for one in history["dependants"]] == [made["id"]]
    assert ask(client, domain="ops").body["status"] == "skipped"
    assert len(llm.asked("consolidate")) == 1


def test_the_same_request_is_answered_as_it_was(client: Client, llm: FakeLlm) -> None:
    llm.always("consolidate", lambda asked: offered("Deploys fail.", cited(asked)))
    few = ask(client, key="k0")
    episodes(client, 5, step=timedelta(days=1))
    assert ask(client, key="k0").body == few.body
    first = ask(client, key="k1")
    again = ask(client, key="k1")
    assert again.body == first.body
    assert (first.body["status"], len(llm.asked())) == ("created", 1)
    assert ask(client, key="k1", domain="other").status == 409


def test_a_model_that_is_down_leaves_a_job(world: World, client: Client, llm: FakeLlm) -> None:
    llm.say("consolidate", Said(status=503))
    llm.always("consolidate", lambda asked: offered("Deploys fail.", cited(asked)))
    episodes(client, 5, step=timedelta(days=1))
    reply = ask(client, key="k")
    assert (reply.status, reply.body["status"]) == (202, "accepted")
    where = reply.headers["location"]
    assert where == f"/v1/jobs/{reply.body['job_id']}"
    world.clock.forward(minutes=1)
    deliver(world)
    job = client.send("GET", where, query={"user_id": "ada"}).body
    assert (job["state"], job["result"]["status"]) == ("succeeded", "created")
    done = ask(client, key="k")
    assert (done.status, len(done.body["patterns"])) == (200, 1)


def test_only_what_is_ripe_is_done_by_schedule(world: World, client: Client, llm: FakeLlm) -> None:
    llm.always("consolidate", lambda asked: offered("Deploys fail.", cited(asked)))
    for user, count, span in (
        ("s1", 25, timedelta(hours=3)),
        ("s2", 12, timedelta(days=5)),
        ("s3", 20, timedelta(hours=24, minutes=1)),
        ("s4", 20, timedelta(hours=24)),
    ):
        episodes(client, count, step=span / (count - 1), user_id=user)
    world.project()
    assert app.handler({}, None) == {"started": 1, "skipped": {"too few": 1, "too short": 2}}
    deliver(world)
    assert len(llm.asked()) == 1
    assert app.handler({}, None) == {"started": 0, "skipped": {}}
    assert ask(client, "s3").body["status"] == "skipped"
    assert ask(client, "s1", min_episodes=5).body["status"] == "created"
    assert len(llm.asked()) == 2


@pytest.mark.parametrize(
    ("wish", "field"),
    [
        ({"min_episodes": 0}, "min_episodes"),
        ({"min_episodes": 51}, "min_episodes"),
        ({"min_episodes": "5"}, "min_episodes"),
        ({"domain": ""}, "domain"),
        ({"domain": "x" * 65}, "domain"),
        ({"dry_run": "yes"}, "dry_run"),
        ({"wanted": 1}, "wanted"),
    ],
)
def test_a_wrong_wish_is_named(client: Client, wish: dict[str, Any], field: str) -> None:
    reply = ask(client, **wish)
    assert (reply.status, reply.error["details"]["field"]) == (400, field)


def test_a_dry_run_without_a_model_shows_what_it_would_store(client: Client) -> None:
    ids = episodes(client, 5, step=timedelta(days=1))
    reply = ask(client, dry_run=True)
    assert (reply.body["status"], reply.body["reason"]) == ("skipped", "dry run")
    assert reply.body["method"] == "extractive"
    assert {*reply.body["preview"][0]["evidence_ids"]} <= {*ids}
    listed = client.send("GET", "/v1/memories", query={"user_id": "ada", "type": "pattern"})
    assert listed.body["results"] == []


def test_a_message_of_nobody_is_let_go(world: World) -> None:
    gone = {"messageId": "1", "body": '{"tenant":"acme","user":"ada","id":"01NOSUCHJOB"}'}
    assert app.handler({"Records": [gone]}, None) == {"batchItemFailures": []}


def test_times_of_patterns_are_those_of_their_newest_evidence(client: Client) -> None:
    episodes(client, 5, step=timedelta(days=1))
    (made, *_) = ask(client).body["patterns"]
    newest = NOW - timedelta(days=26)
    assert datetime.fromisoformat(made["event_time"]) <= newest
