"""Consolidation over the real wiring: table and queues of an emulated AWS, a model over HTTP."""

from datetime import timedelta
from typing import Any

import boto3

from functions.consolidate.app import handler as consolidate
from functions.index.app import handler as index
from infra.local.fake_llm import Asked, Said
from tests.integration.http_client import Client
from tests.integration.test_http_on_dynamodb import changes
from tests.integration.test_learning_on_dynamodb import ADA, Stage
from tests.integration.test_learning_on_dynamodb import stage as _stage

stage = _stage


def patterns(asked: Asked) -> dict[str, Any]:
    """One pattern on all that is shown."""
    ids = [line[1:27] for line in asked.user.splitlines() if line.startswith("[0")]
    one = {"content": "部署总在周五失败。", "evidence_ids": ids, "confidence": 0.9, "conflicts": []}
    return {"patterns": [one], "conflicts": []}


def episodes(stage: Stage, count: int) -> list[str]:
    start = stage.wired.clock() - timedelta(days=40)
    bodies = [
        {
            "kind": "episodic",
            "domain": "发布",
            "importance": 0.8,
            "content": f"第 {at} 次部署失败",
            "event_time": (start + timedelta(days=at)).isoformat(),
        }
        for at in range(count)
    ]
    stored = stage.post("/v1/memories", {"items": bodies})["results"]
    return [one["id"] for one in stored]


def deliver(stage: Stage) -> int:
    done = 0
    while records := stage.messages("consolidate"):
        done += len(records)
        for record in records:
            assert consolidate({"Records": [record]}, None) == {"batchItemFailures": []}
    return done


def ripe_rows(stage: Stage) -> list[dict[str, Any]]:
    return [row for row in stage.rows() if row.get("w_pk", {}).get("S", "").startswith("RIPE")]


def test_a_ripe_domain_is_consolidated_and_its_evidence_can_go(stage: Stage) -> None:
    stage.llm.always("consolidate", patterns)
    ids = episodes(stage, 24)
    index(changes(stage.wired), None)
    assert len(ripe_rows(stage)) == 1
    assert consolidate({}, None) == {"started": 1, "skipped": {}}
    assert ripe_rows(stage) == []
    assert consolidate({}, None) == {"started": 0, "skipped": {}}
    assert deliver(stage) == 1
    (made,) = Client().send("GET", "/v1/memories", query={**ADA, "type": "pattern"}).body["results"]
    assert sorted(made["evidence_ids"]) == sorted(ids)
    assert "部署总在" not in "".join(stage.bodies)
    jobs = stage.get("/v1/jobs").body["results"]
    assert [(one["kind"], one["state"]) for one in jobs] == [("consolidate", "succeeded")]
    assert not [row for row in stage.rows() if row["sk"]["S"].startswith("A#")]
    for one in ids[:23]:
        gone = Client().send("DELETE", f"/v1/memories/{one}", query=ADA).body
        assert gone["dependants"] == [made["id"]]
    left = stage.get(f"/v1/memories/{made['id']}").body
    assert (left["status"], left["flags"]) == ("obsolete", ["evidence_changed"])
    assert left["evidence_ids"] == ids[23:]


def test_a_call_that_a_model_keeps_waiting_goes_on_by_the_queue(stage: Stage) -> None:
    stage.llm.say("consolidate", Said(status=503))
    stage.llm.always("consolidate", patterns)
    episodes(stage, 5)
    wish = {"domain": "发布"}
    assert stage.post("/v1/consolidations", wish)["status"] == "accepted"
    stage.wired.ahead = timedelta(minutes=1)
    queued = boto3.client("sqs").get_queue_attributes(
        QueueUrl=stage.urls["consolidate"], AttributeNames=["All"]
    )["Attributes"]
    assert int(queued["ApproximateNumberOfMessagesDelayed"]) == 1
    (job,) = stage.get("/v1/jobs").body["results"]
    body = f'{{"tenant":"acme","user":"ada/张三","id":"{job["id"]}"}}'
    assert consolidate({"Records": [{"messageId": "1", "body": body}]}, None) == {
        "batchItemFailures": []
    }
    assert stage.get(f"/v1/jobs/{job['id']}").body["result"]["status"] == "created"
    assert stage.post("/v1/consolidations", wish)["status"] == "skipped"
