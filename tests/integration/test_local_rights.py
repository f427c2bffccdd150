"""Each function may do what it does: its calls to AWS, recorded, against its policies.

The emulator grants everything, so a right that the template forgets would show only on AWS.
"""

import json
import os
from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import boto3
import pytest
from botocore.client import BaseClient
from samtranslator.yaml_helper import yaml_parse

from hindwise.runtime.wiring import Wiring, use_wiring
from infra.local.events import Call, match, request_event
from infra.local.functions import Functions
from infra.local.keys import local_key
from tests import local_stack
from tests.local_stack import ROOT, SYSTEM

pytestmark = pytest.mark.ministack

Used = dict[str, set[tuple[str, str]]]
Do = Callable[..., Any]
TRANSACTED = {
    "Put": "PutItem",
    "Update": "UpdateItem",
    "Delete": "DeleteItem",
    "ConditionCheck": "ConditionCheckItem",
}
SERVICES = {"sqs": ("sqs", "AccessQueue"), "secretsmanager": ("secretsmanager", "SealSecret")}


def needed(service: str, operation: str, params: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """The rights (action, resource) that AWS would ask for."""
    if service == "dynamodb":
        index = params.get("IndexName")
        resource = f"MemoryTable/index/{index}" if index else "MemoryTable"
        if operation == "TransactWriteItems":
            for item in params["TransactItems"]:
                yield from ((f"dynamodb:{TRANSACTED[kind]}", resource) for kind in item)
        else:
            yield f"dynamodb:{operation}", resource
    else:
        prefix, resource = SERVICES[service]
        yield f"{prefix}:{operation.removesuffix('Batch')}", resource


def resources(node: Any) -> list[str]:
    if isinstance(node, list):
        return [name for each in node for name in resources(each)]
    if "Fn::GetAtt" in node:
        return [node["Fn::GetAtt"][0]]
    if "Fn::Sub" in node:
        return [node["Fn::Sub"].replace("${MemoryTable.Arn}", "MemoryTable")]
    return [node["Ref"]]


def granted() -> dict[str, set[tuple[str, str]]]:
    """The rights that the template's own policies give each function."""
    document = yaml_parse((ROOT / "template.yaml").read_text())["Resources"]
    rights: dict[str, set[tuple[str, str]]] = defaultdict(set)
    for name in SYSTEM.functions:
        statements: list[Any] = []
        for policy in document[name]["Properties"]["Policies"]:
            if "Ref" in policy:
                policy = document[policy["Ref"]]["Properties"]["PolicyDocument"]
            found = policy.get("Statement", [])
            statements += [each for each in found if each["Effect"] == "Allow"]
        for statement in statements:
            actions = statement["Action"]
            for action in [actions] if isinstance(actions, str) else actions:
                rights[name] |= {(action, each) for each in resources(statement["Resource"])}
    return rights


@pytest.fixture(scope="module")
def used(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Used]:
    """What the functions called while a memory was written, found, changed and forgotten."""
    calls: Used = defaultdict(set)
    current = ["nobody"]

    real = BaseClient._make_api_call

    def noted(client: BaseClient, operation: str, params: dict[str, Any]) -> Any:
        service = client.meta.service_model.service_name
        calls[current[0]] |= set(needed(service, operation, params))
        return real(client, operation, params)

    data: Path = tmp_path_factory.mktemp("data")
    with local_stack.running(data), pytest.MonkeyPatch.context() as patch:
        patch.setattr(BaseClient, "_make_api_call", noted)
        with use_wiring(Wiring(os.environ)) as wired:
            key = local_key(data / "key", wired.keys, stage="local")
            functions = Functions(SYSTEM)
            functions.load()

            def invoke(name: str, event: dict[str, Any]) -> Any:
                current[0] = name
                try:
                    return functions.invoke(name, event)
                finally:
                    current[0] = "nobody"

            live(invoke, key)
        yield calls


def live(invoke: Do, key: str) -> None:
    """Call every function with what makes it reach for each of its rights."""

    def ask(method: str, path: str, body: Any = None, **headers: str) -> Any:
        content = b"" if body is None else json.dumps(body).encode()
        given = [("authorization", f"Bearer {key}"), ("content-type", "application/json")]
        call = Call(method, path, [*given, *headers.items()], content, "127.0.0.1")
        found = match(SYSTEM.routes, method, call.path)
        assert found is not None
        event = request_event(call, *found)
        asked = {**event, "identitySource": [f"Bearer {key}"]}
        verdict = invoke("AuthorizeFunction", asked)
        assert verdict["isAuthorized"]
        event["requestContext"]["authorizer"] = {"lambda": verdict["context"]}
        answer = invoke(found[0].function, event)
        assert answer["statusCode"] < 300, answer
        return json.loads(answer["body"] or "null")

    me = {"user_id": "me"}
    episode = {"kind": "episodic", "content": "Ana has the keys", "session_id": "s", "task_id": "t"}
    first = ask(
        "POST", "/v1/memories", me | episode | {"external_id": "e"}, **{"idempotency-key": "k"}
    )
    fact = {"kind": "semantic", "subject": "keys", "attribute": "holder", "cardinality": "one"}
    for holder in ("Ana", "Bo"):
        ask("POST", "/v1/memories", me | fact | {"content": f"{holder} has keys", "value": holder})
    scratch = {"kind": "working", "task_id": "t", "key": "step", "content": "2"}
    ask("POST", "/v1/memories", me | {"items": [scratch, episode | {"content": "Bo has the car"}]})
    invoke("SweepFunction", {})
    one = f"/v1/memories/{first['id']}"
    ask("PATCH", one, me | {"content": "Bo has the keys", "reason": "wrong"})
    key_row = {"pk": {"S": "T#local#U#me#D"}, "sk": {"S": f"D#{first['id']}#{first['id']}"}}
    record = {"eventName": "INSERT", "eventSource": "aws:dynamodb", "dynamodb": {"Keys": key_row}}
    record["dynamodb"]["SequenceNumber"] = "1"  # type: ignore[index]
    invoke("IndexFunction", {"Records": [record]})
    for path in ("/v1/search", "/v1/context"):
        ask("POST", path, me | {"query": "who has the keys?"})
    ask("POST", "/v1/search", me | {"filters": {"kind": "episodic"}})
    ask("POST", "/v1/diagnose", me | {"query": "keys", "memory_id": first["id"]})
    for path in ("/v1/memories", one, f"{one}/history", "/v1/stats", "/v1/timeline", "/v1/me"):
        ask("GET", f"{path}?user_id=me")
    sqs = boto3.client("sqs")
    body = sqs.receive_message(QueueUrl=os.environ["ACCESS_QUEUE_URL"])["Messages"][0]["Body"]
    message = {"messageId": "1", "body": body, "eventSource": "aws:sqs"}
    assert invoke("ReinforceFunction", {"Records": [message]})["batchItemFailures"] == []
    ask("DELETE", f"{one}?user_id=me")
    ask("POST", "/v1/tasks/t/close", me)
    invoke("SweepFunction", {})


@pytest.mark.parametrize("name", sorted(SYSTEM.functions))
def test_function_may_do_what_it_does(used: Used, name: str) -> None:
    assert used[name], "was not called"
    assert used[name] - granted()[name] == set()
