"""What makes every function reach for each of its rights: calls as the gateway, queues would."""

import json
import os
import re
from collections.abc import Callable
from typing import Any

import boto3

from infra.local.events import Call, match, request_event
from infra.local.fake_llm import Asked, FakeLlm
from tests.local_stack import SYSTEM

ME = {"user_id": "me"}
SLOT = {"kind": "semantic", "subject": "keys", "attribute": "holder", "cardinality": "one"}
EPISODE = {"kind": "episodic", "content": "Ana has the keys", "session_id": "s", "task_id": "t"}


class Asker:
    """Holds a key and calls functions by name, through `invoke`."""

    def __init__(self, invoke: Callable[..., Any], key: str) -> None:
        self.invoke = invoke
        self._key = key

    def ask(self, method: str, path: str, body: Any = None, **headers: str) -> Any:
        """The body of an answer that must be a success, of the function that the route names."""
        content = b"" if body is None else json.dumps(body).encode()
        given = [("authorization", f"Bearer {self._key}"), ("content-type", "application/json")]
        call = Call(method, path, [*given, *headers.items()], content, "127.0.0.1")
        found = match(SYSTEM.routes, method, call.path)
        assert found is not None
        event = request_event(call, *found)
        asked = {**event, "identitySource": [f"Bearer {self._key}"]}
        verdict = self.invoke("AuthorizeFunction", asked)
        assert verdict["isAuthorized"]
        event["requestContext"]["authorizer"] = {"lambda": verdict["context"]}
        answer = self.invoke(found[0].function, event)
        assert answer["statusCode"] < 300, answer
        return json.loads(answer["body"] or "null")

    def deliver(self, name: str) -> int:
        """Hand over what waits in a work queue; tells how many messages there were."""
        sqs, url = boto3.client("sqs"), os.environ["WORK_QUEUES"] + name.lower()
        done = 0
        while found := sqs.receive_message(QueueUrl=url).get("Messages"):
            message = {"messageId": "1", "body": found[0]["Body"], "eventSource": "aws:sqs"}
            answer = self.invoke(f"{name}Function", {"Records": [message]})
            assert answer["batchItemFailures"] == [], (name, found[0]["Body"])
            sqs.delete_message(QueueUrl=url, ReceiptHandle=found[0]["ReceiptHandle"])
            done += 1
        return done

    def project(self) -> None:
        """Hand over the changes that wait, as the stream would."""
        home = {":pk": {"S": "T#local#U#me#D"}}
        rows = boto3.client("dynamodb").query(
            TableName=os.environ["MEMORY_TABLE"],
            KeyConditionExpression="pk = :pk",
            ExpressionAttributeValues=home,
        )["Items"]
        records = [
            {
                "eventName": "INSERT",
                "eventSource": "aws:dynamodb",
                "dynamodb": {
                    "Keys": {"pk": row["pk"], "sk": row["sk"]},
                    "SequenceNumber": str(number),
                },
            }
            for number, row in enumerate(rows)
        ]
        assert records
        self.invoke("IndexFunction", {"Records": records})


def remember(asker: Asker) -> None:
    """Write, project, edit, find and count."""
    ask = asker.ask
    first = ask(
        "POST", "/v1/memories", ME | EPISODE | {"external_id": "e"}, **{"idempotency-key": "k"}
    )
    for holder in ("Ana", "Bo"):
        ask("POST", "/v1/memories", ME | SLOT | {"content": f"{holder} has keys", "value": holder})
    scratch = {"kind": "working", "task_id": "t", "key": "step", "content": "2"}
    ask("POST", "/v1/memories", ME | {"items": [scratch, EPISODE | {"content": "Bo has the car"}]})
    asker.invoke("SweepFunction", {})
    one = f"/v1/memories/{first['id']}"
    ask("PATCH", one, ME | {"content": "Bo has the keys", "reason": "wrong"})
    asker.project()
    lines = ask("GET", "/v1/export?user_id=me")["lines"]
    taken = ask("POST", "/v1/import", {"user_id": "bo", "lines": lines})["results"]
    assert {one["status"] for one in taken} == {"created"}
    for path in ("/v1/search", "/v1/context"):
        ask("POST", path, ME | {"query": "who has the keys?"})
    ask("POST", "/v1/search", ME | {"filters": {"kind": "episodic"}})
    ask("POST", "/v1/diagnose", ME | {"query": "keys", "memory_id": first["id"]})
    for path in ("/v1/memories", one, f"{one}/history", "/v1/stats", "/v1/timeline", "/v1/me"):
        ask("GET", f"{path}?user_id=me")
    sqs = boto3.client("sqs")
    body = sqs.receive_message(QueueUrl=os.environ["ACCESS_QUEUE_URL"])["Messages"][0]["Body"]
    message = {"messageId": "1", "body": body, "eventSource": "aws:sqs"}
    assert asker.invoke("ReinforceFunction", {"Records": [message]})["batchItemFailures"] == []


def learn(asker: Asker, llm: FakeLlm) -> None:
    """Take in a conversation, learn from it, settle, fail, redrive, consolidate."""
    ask = asker.ask
    llm.always("judge", {"decisions": []})
    llm.say("extract", {"memories": [_item("Ana lives in Oslo"), _item("Ana has a boat")]})
    said = [{"role": "user", "content": "I am Ana, I live in Oslo and have a boat."}]
    taken = ask("POST", "/v1/conversations", ME | {"id": "c1", "messages": said})
    assert asker.deliver("Extract") >= 1
    assert ask("GET", f"/v1/jobs/{taken['job_id']}?user_id=me")["state"] == "succeeded"
    asker.project()
    assert asker.deliver("Settle") >= 1

    llm.always("extract", "no JSON at all")
    more = [{"role": "user", "content": "And a horse."}]
    given = {"messages": more, "end": True}
    path = "/v1/conversations/c1/messages"
    broken = ask("POST", path, ME | given)["job_id"]
    for _ in range(10):
        asker.deliver("Extract")
        asker.invoke("SweepFunction", {})
        if ask("GET", f"/v1/jobs/{broken}?user_id=me")["state"] == "failed":
            break
    ask("GET", "/v1/queues")
    ask("POST", "/v1/queues/extract/redrive", {})
    ask("POST", f"/v1/jobs/{broken}/dismiss", ME)
    ask("GET", "/v1/jobs?user_id=me")
    ask("GET", "/v1/conversations/c1?user_id=me")
    consolidate(asker, llm)
    learnt = ask("GET", "/v1/memories?user_id=me&kind=semantic")["results"]
    ask("GET", f"/v1/memories/{learnt[0]['id']}/history?user_id=me")
    ask("GET", "/v1/entities/Ana?user_id=me")
    llm.always("rewrite", {"query": "Ana's boat"})
    beside = {"turns": 1, "chain": True, "entities": True}
    asked = ME | {"query": "what has she got?", "rewrite": True, "expand": beside}
    assert ask("POST", "/v1/search", asked)["rewrite"] == {"query": "Ana's boat"}
    episode = ask("GET", "/v1/memories?user_id=me&kind=episodic&session_id=c1")["results"][0]
    ask("DELETE", f"/v1/memories/{episode['id']}?user_id=me")


def consolidate(asker: Asker, llm: FakeLlm) -> None:
    """Find what recurs: on call, by a job, and when the schedule asks."""
    for number in range(6):
        told = {"content": f"Deploy {number} on a Friday failed", "domain": "ops"}
        asker.ask("POST", "/v1/memories", ME | {"kind": "episodic", "importance": 0.9} | told)
    asker.project()
    asker.invoke("ConsolidateFunction", {"source": "aws.scheduler"})
    given = ME | {"domain": "ops", "min_episodes": 2}
    llm.say("consolidate", _recurring)
    found = asker.ask("POST", "/v1/consolidations", given, **{"idempotency-key": "c"})
    assert found["status"] == "created", found
    llm.always("consolidate", "no JSON either")
    asker.ask("POST", "/v1/consolidations", given | {"force": True})
    for _ in range(6):
        asker.invoke("SweepFunction", {})
        asker.deliver("Consolidate")


def _recurring(asked: Asked) -> dict[str, Any]:
    ids = re.findall(r"^\[([0-9A-Z]{26})\]", asked.user, re.MULTILINE)
    pattern = {"content": "Deploys on a Friday fail", "confidence": 0.9, "evidence_ids": ids[:4]}
    return {"patterns": [pattern]}


def _item(content: str) -> dict[str, Any]:
    return {"type": "fact", "content": content, "confidence": 0.9, "turns": [1]}
