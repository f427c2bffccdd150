"""Reviews, the weekly one, and the quarantine of a source, through the real wiring on a table."""

import boto3
import pytest
from moto import mock_aws

from functions.index.app import handler as index
from functions.review.app import handler as work
from functions.sweep.app import handler as sweep
from hindwise.domain.changes import Touch
from hindwise.domain.scope import Origin, Role, Scope
from hindwise.runtime.wiring import Wiring, use_wiring
from tests.builders import principal
from tests.integration.http_client import Client
from tests.integration.reviews import ADMIN, REVIEWER
from tests.integration.test_http_on_dynamodb import changes, make_table, without_account

USER = "ada/张三"
ADA = {"user_id": USER}
SCOPE = Scope(tenant="acme", user=USER)
DOOR = {"type": "fact", "subject": "door", "attribute": "floor"}


@pytest.fixture
def wired(monkeypatch, tmp_path):
    without_account(monkeypatch)
    with mock_aws():
        make_table("memories")
        sqs = boto3.client("sqs")
        url = sqs.create_queue(QueueName="hindwise-test-review")["QueueUrl"]
        env = {"STAGE": "test", "MEMORY_TABLE": "memories", "EMBEDDER": "hashed",
               "SECRET_FILE": str(tmp_path / "secret"), "ACCESS_QUEUE_URL": url,
               "WORK_QUEUES": url.removesuffix("review")}  # fmt: skip
        with use_wiring(Wiring(env)) as wired:
            yield wired


def deliver(wired):
    """Work on all that the review queue holds."""
    sqs = boto3.client("sqs")
    url = sqs.get_queue_url(QueueName="hindwise-test-review")["QueueUrl"]
    while found := sqs.receive_message(QueueUrl=url).get("Messages"):
        for one in found:
            record = {"messageId": one["MessageId"], "body": one["Body"]}
            assert work({"Records": [record]}, None) == {"batchItemFailures": []}
            sqs.delete_message(QueueUrl=url, ReceiptHandle=one["ReceiptHandle"])


def written(content, client=None, **more):
    reply = (client or Client()).send("POST", "/v1/memories", {**ADA, "content": content, **more})
    assert reply.status == 201, reply.body
    return reply.body["id"]


def waiting(**query):
    reply = REVIEWER.send("GET", "/v1/reviews", query={**ADA, **query})
    assert reply.status == 200, reply.body
    return {one["memory"]["id"]: one["kinds"] for one in reply.body["results"]}


def decide(action, memory_id, **more):
    body = {**ADA, "action": action, **more}
    reply = REVIEWER.send("POST", f"/v1/reviews/{memory_id}", body)
    assert reply.status == 200, reply.body
    return reply.body


def test_a_contested_value_is_listed_and_chosen(wired):
    bot = Client(principal(name="bot", ceiling=Origin.AGENT))
    owner = written("It is on floor 4", **DOOR)
    lost = written("It is on floor 5", bot, **DOOR)
    assert waiting() == {lost: ["contested"]}
    assert decide("approve", lost)["memory"]["supersedes"] == [owner]
    assert waiting() == {}
    assert decide("reopen", lost)["status"] == "quarantined"
    assert waiting(kind="quarantined") == {lost: ["quarantined"]}
    assert decide("edit", lost, content="It is on floor 6")["status"] == "active"
    assert decide("reject", lost)["status"] == "rejected"
    assert waiting() == {}


def test_the_weekly_review_lists_what_is_recalled_most(wired):
    often, never = written("Tea is brown", type="fact"), written("Milk is white", type="fact")
    wired.store.touch(SCOPE, [Touch(memory_id=often, times=5, at=wired.clock())])
    sweep({}, None)
    index(changes(wired), None)
    assert work({"sweep": "periodic"}, None) == {"scopes": 1, "flagged": 1, "more": False}
    assert work({"sweep": "periodic"}, None) == {"scopes": 0, "flagged": 0, "more": False}
    assert waiting() == {often: ["periodic"]}
    assert decide("approve", often)["memory"]["marks"] == ["reviewed"]
    assert waiting() == {}
    assert never not in waiting()
    users = ADMIN.send("GET", "/v1/users", query={"prefix": "ada/"}).body
    assert users == {"results": [{"user_id": USER}], "next": None}


def test_a_source_is_quarantined_and_put_back(wired):
    forged = {"source": {"document": "https://forged.example/张"}}
    said = written("The bank moved", **forged)
    fact = written("The bank is in Rome", type="fact", evidence_ids=[said])
    path = "/v1/sources/https%3A%2F%2Fforged.example%2F%E5%BC%A0/quarantine"
    order = {**ADA, "kind": "document", "dry_run": False}

    def done(**more):
        reply = REVIEWER.send("POST", path, {**order, **more})
        assert reply.status == 202, reply.body
        deliver(wired)
        return REVIEWER.send("GET", reply.headers["location"], query=ADA).body

    assert done(dry_run=True)["result"]["moved"] == 2
    assert waiting() == {}
    assert done()["state"] == "succeeded"
    assert waiting() == {said: ["quarantined"], fact: ["quarantined"]}
    assert done(undo=True)["result"]["moved"] == 2
    assert waiting() == {}
    reader = Client(principal(role=Role.READER))
    assert reader.send("GET", f"/v1/memories/{fact}", query=ADA).body["status"] == "active"
