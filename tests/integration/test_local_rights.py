"""Each function may do what it does: its calls to AWS, recorded, against its policies.

The emulator grants everything, so a right that the template forgets would show only on AWS.
"""

import os
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from botocore.client import BaseClient
from samtranslator.yaml_helper import yaml_parse

from hindwise.domain.ports import QueueName
from hindwise.runtime.wiring import Wiring, use_wiring
from infra.local.fake_llm import FakeLlm
from infra.local.functions import Functions
from infra.local.keys import local_key
from tests import local_stack
from tests.integration.rights_calls import ME, Asker, learn, remember
from tests.local_stack import ROOT, SYSTEM

pytestmark = pytest.mark.ministack

Used = dict[str, set[tuple[str, str]]]
TRANSACTED = {
    "Put": "PutItem",
    "Update": "UpdateItem",
    "Delete": "DeleteItem",
    "ConditionCheck": "ConditionCheckItem",
}
BUCKET = {"ListObjectsV2": "ListBucket", "HeadObject": "GetObject"}
QUEUES = {
    **{f"hindwise-local-{name.lower()}{tail}": f"{name}{kind}"
       for name in map(str.title, QueueName)
       for tail, kind in (("", "Queue"), ("-dlq", "Dlq"))},
}  # fmt: skip


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
    elif service == "sqs":
        queue = params["QueueUrl"].rsplit("/", 1)[1]
        yield f"sqs:{operation.removesuffix('Batch')}", QUEUES.get(queue, "AccessQueue")
    elif service == "s3":
        bucket = "Receipts" if params["Bucket"].endswith("-receipts") else "Memory"
        yield f"s3:{BUCKET.get(operation, operation)}", f"{bucket}Bucket"
    else:
        yield f"secretsmanager:{operation}", "SealSecret"


def resources(node: Any) -> list[str]:
    if isinstance(node, list):
        return [name for each in node for name in resources(each)]
    if "Fn::GetAtt" in node:
        return [node["Fn::GetAtt"][0]]
    if "Fn::Sub" in node:
        text = node["Fn::Sub"].replace("${MemoryTable.Arn}", "MemoryTable")
        return [text[2 : text.index(".")] if "Bucket.Arn}/" in text else text]
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
    with (
        local_stack.running(data),
        FakeLlm() as llm,
        pytest.MonkeyPatch.context() as patch,
    ):
        patch.setattr(BaseClient, "_make_api_call", noted)
        patch.setenv("LLM_MODEL", llm.models[0])
        patch.setenv("LLM_BASE_URL", llm.url)
        patch.setenv("RULES", '{"learning": {"backoff_base": 0.01}}')
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

            live(Asker(invoke, key), llm)
        yield calls


def live(asker: Asker, llm: FakeLlm) -> None:
    """Call every function with what makes it reach for each of its rights."""
    remember(asker)
    learn(asker, llm)
    first = asker.ask("GET", "/v1/memories?user_id=me")["results"][0]["id"]
    asker.ask("DELETE", f"/v1/memories/{first}?user_id=me")
    asker.ask("POST", "/v1/tasks/t/close", ME)
    asker.invoke("SweepFunction", {})
    for sweep in ("purge", "archive", "decay", "tiers"):
        asker.invoke("FadeFunction", {"sweep": sweep})
    for sweep in ("periodic", "digest"):
        asker.invoke("ReviewFunction", {"sweep": sweep})


@pytest.mark.parametrize("name", sorted(SYSTEM.functions))
def test_function_may_do_what_it_does(used: Used, name: str) -> None:
    assert used[name], "was not called"
    assert used[name] - granted()[name] == set()
