"""The functions that no request calls: authorize, index, sweep, reinforce."""

import importlib
import json
import traceback
from dataclasses import replace
from pathlib import Path

import pytest

from functions.authorize.app import handler as authorize
from functions.index.app import handler as index
from functions.reinforce.app import handler as reinforce
from functions.sweep.app import handler as sweep
from hindwise.adapters import sqs
from hindwise.adapters.dynamodb import keys
from hindwise.adapters.embedders.hashed import HashedEmbedder
from hindwise.domain.changes import Touch
from hindwise.domain.ports import ApiKey
from hindwise.errors import Unavailable
from hindwise.runtime import credentials
from hindwise.runtime.principal import principal_of
from hindwise.runtime.telemetry import WorkerFailed
from tests.builders import NOW, principal, scope

SECRET = "hw_test_" + "k" * 43
NOBODY = {"isAuthorized": True, "context": {}}
"""Let through without a name: who serves the call answers 401."""


def authorizer_event(credential):
    return {"version": "2.0", "type": "REQUEST", "identitySource": [credential], "headers": {}}


@pytest.fixture
def key(world):
    key = ApiKey(
        id="1", digest=credentials.digest(SECRET), principal=principal(users=("张三",)),
        created_at=NOW,
    )  # fmt: skip
    world.keys.add(key)
    return key


def test_a_key_opens_the_door_for_its_principal(world, key):
    answer = authorize(authorizer_event(f"Bearer {SECRET}"), None)
    assert answer["isAuthorized"] is True
    event = {"requestContext": {"authorizer": {"lambda": answer["context"]}}}
    assert principal_of(event) == key.principal


@pytest.mark.parametrize(
    "credential", ["", "Bearer x", f"Bearer {SECRET}x", f"Bearer {SECRET.replace('test', 'prod')}"]
)
def test_other_keys_stand_for_nobody(world, key, credential):
    assert authorize(authorizer_event(credential), None) == NOBODY


def test_a_revoked_key_stands_for_nobody(world, key):
    world.keys.revoke("acme", "1", at=NOW)
    assert authorize(authorizer_event(f"Bearer {SECRET}"), None) == NOBODY


def test_a_silent_table_does_not_either(world, key, capfd):
    world.store.faults.fail_next(on="find_key")
    with pytest.raises(Unavailable):
        authorize(authorizer_event(f"Bearer {SECRET}"), None)
    assert SECRET not in capfd.readouterr().out


def stream_event(world, user="ada"):
    backlog = world.store.backlog(scope(user), 100)
    return {
        "Records": [
            {
                "eventName": "INSERT",
                "dynamodb": {
                    "Keys": {"pk": {"S": keys.part(scope(user), "D")}, "sk": {"S": change.key}},
                    "SequenceNumber": str(number),
                },
            }
            for number, change in enumerate(backlog.changes)
        ]
    }


def test_the_stream_brings_changes_into_the_index(world, client):
    client.send("POST", "/v1/memories", {"user_id": "ada", "items": ["tea", "coffee"]})
    event = stream_event(world)
    event["Records"].append({"eventName": "REMOVE", "dynamodb": event["Records"][0]["dynamodb"]})
    assert index(event, None) == {"batchItemFailures": []}
    assert world.store.backlog(scope("ada"), 10).changes == ()
    assert len(world.projections.newest(scope("ada"), 10)) == 2
    assert index(event, None) == {"batchItemFailures": []}
    assert len(world.projections.newest(scope("ada"), 10)) == 2


def test_what_the_stream_leaves_the_sweep_drains(world, client):
    client.send("POST", "/v1/memories", {"user_id": "ada", "items": ["tea", "coffee"]})
    client.send("POST", "/v1/memories", {"user_id": "bob", "content": "milk"})
    world.store.faults.fail_next(on="get")
    assert index(stream_event(world), None) == {"batchItemFailures": []}
    assert len(world.store.backlog(scope("ada"), 10).changes) == 2
    assert sweep({}, None) == {"projected": 3, "failed": 0, "parked": 0}
    assert sweep({}, None) == {"projected": 0, "failed": 0, "parked": 0}


def test_a_silent_embedder_keeps_the_backlog_and_the_sweep_ends(world, client):
    class Silent(HashedEmbedder):
        def documents(self, texts):
            raise Unavailable("the embedder does not answer")

    client.send("POST", "/v1/memories", {"user_id": "ada", "items": ["tea", "coffee"]})
    working = world.engine
    world.engine = replace(working, embedder=Silent())
    assert sweep({}, None) == {"projected": 0, "failed": 2, "parked": 0}
    found = client.send("POST", "/v1/search", {"user_id": "ada", "query": "tea"})
    assert [hit["content"] for hit in found.body["results"]][:1] == ["tea"]
    world.engine = working
    assert sweep({}, None) == {"projected": 2, "failed": 0, "parked": 0}


def message(number, body):
    return {"messageId": str(number), "receiptHandle": "r", "body": body, "attributes": {},
            "messageAttributes": {}, "md5OfBody": "", "eventSource": "aws:sqs",
            "eventSourceARN": "arn:aws:sqs:eu-west-1:1:q", "awsRegion": "eu-west-1"}  # fmt: skip


def test_accesses_are_counted_and_a_bad_message_comes_back(world, client):
    written = client.send("POST", "/v1/memories", {"user_id": "ada", "content": "tea"}).body
    world.clock.forward(hours=1)
    touched = Touch(memory_id=written["id"], times=1, at=world.clock())
    said = sqs.written(scope("ada"), [touched])
    event = {"Records": [message(1, "{"), message(2, said)]}
    assert reinforce(event, None) == {"batchItemFailures": [{"itemIdentifier": "1"}]}
    memory = world.store.get(scope("ada"), [written["id"]])[written["id"]]
    assert (memory.access_count, memory.version) == (1, 1)


def test_a_batch_that_fails_as_a_whole_comes_back_as_a_whole(world):
    event = {"Records": [message(1, "{"), message(2, "[]")]}
    failures = reinforce(event, None)["batchItemFailures"]
    assert [one["itemIdentifier"] for one in failures] == ["1", "2"]


EVENTS = sorted((Path(__file__).parents[1] / "events").glob("*.json"))


@pytest.mark.parametrize("path", EVENTS, ids=lambda path: path.stem)
def test_every_function_takes_its_sample_event(world, path):
    function = importlib.import_module(f"functions.{path.stem}.app")
    answer = function.handler(json.loads(path.read_text()), None)
    expected = {"write": 201, "search": 200, "inspect": 200, "forget": 404}
    assert answer.get("statusCode") == expected.get(path.stem)


def test_every_function_has_a_sample_event():
    functions = (Path(__file__).parents[2] / "functions").glob("*/app.py")
    assert {path.stem for path in EVENTS} == {app.parent.name for app in functions}


@pytest.mark.parametrize("function", ["index", "sweep"])
def test_an_unforeseen_exception_tells_lambda_its_name_and_nobody_its_words(
    world, client, capfd, monkeypatch, function
):
    def broken(*args, **named):
        raise ValueError("bad input: the door code is 4711")

    client.send("POST", "/v1/memories", {"user_id": "ada", "content": "the door code is 4711"})
    event = stream_event(world)
    monkeypatch.setattr(world.projections, "put", broken)
    app = importlib.import_module(f"functions.{function}.app")
    with pytest.raises(WorkerFailed, match="ValueError") as caught:
        app.handler(event, None)
    told = "".join(traceback.format_exception(caught.value))
    assert "4711" not in told + capfd.readouterr().out
