"""The whole: an emulated AWS with IAM enforced, the stack in it, and its functions running.

What is checked here is the template as it is built. What the emulator cannot show: it does not
enforce conditions on `dynamodb:LeadingKeys`, nor retry limits of the stream.
"""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from infra.local.deployment.account import Account
from infra.local.deployment.corrections import Corrections
from infra.local.deployment.routes import Routes
from infra.local.deployment.runtime import Runtime
from infra.local.deployment.sam import deploy
from infra.local.emulator import Emulator

STACK = "hindwise-ci"
STAGE = "ci"
SETTINGS = {"AUTH": "true", "PERSIST_STATE": "0", "S3_PERSIST": "0"}
KEPT = {"PATH", "HOME", "TMPDIR"}
"""What a function may see of the emulator's variables; Lambda has all three."""


class FunctionFailed(RuntimeError):
    """A function's answer was an error; the message is that answer."""


@dataclass(frozen=True)
class Resource:
    """A resource of the stack: `kind` is its type, `name` its physical name."""

    kind: str
    name: str


@dataclass(frozen=True)
class Deployed:
    """A running stack; `host` is the name under which the endpoint serves the HTTP API."""

    account: Account
    host: str
    resources: Mapping[str, Resource]
    outputs: Mapping[str, str]
    runtime: Runtime

    def of_kind(self, kind: str) -> dict[str, str]:
        """Physical names by logical name of the resources of a type."""
        return {key: one.name for key, one in self.resources.items() if one.kind == kind}

    def role_of(self, function: str) -> str:
        """The ARN of the role under which a function (its logical name) runs."""
        name = self.resources[function].name
        found = self.account.client("lambda").get_function_configuration(FunctionName=name)
        return str(found["Role"])

    def invoke(self, function: str, event: Mapping[str, Any]) -> Any:
        """Call a function by its physical name; raises FunctionFailed."""
        done = self.account.client("lambda").invoke(
            FunctionName=function, Payload=json.dumps(event)
        )
        answer = json.loads(done["Payload"].read())
        if "FunctionError" in done:
            raise FunctionFailed(str(answer))
        return answer


@contextmanager
def deployed(data: Path, parameters: Mapping[str, str]) -> Iterator[Deployed]:
    """Run an emulated AWS with the stack in it; its files are below `data`."""
    emulator = Emulator(data, SETTINGS)
    emulator.start()
    try:
        account = Account(emulator.endpoint)
        deploy(STACK, {"Stage": STAGE, **parameters}, account.variables(), data)
        hidden = set(emulator.environment(0)) - KEPT
        yield _completed(account, Runtime(account, data / "opt", hidden))
    finally:
        emulator.stop()


def _completed(account: Account, runtime: Runtime) -> Deployed:
    """Make good what the emulator leaves out, and start the functions' real runtime."""
    formation = account.client("cloudformation")
    listed = formation.get_paginator("list_stack_resources").paginate(StackName=STACK)
    resources = {
        one["LogicalResourceId"]: Resource(one["ResourceType"], one["PhysicalResourceId"])
        for page in listed
        for one in page["StackResourceSummaries"]
    }
    described = formation.describe_stacks(StackName=STACK)["Stacks"][0]
    outputs = {one["OutputKey"]: one["OutputValue"] for one in described["Outputs"]}
    body = formation.get_template(StackName=STACK, TemplateStage="Processed")["TemplateBody"]
    template = body if isinstance(body, dict) else json.loads(body)
    Routes(account, {key: one.name for key, one in resources.items()}).make(template)
    api = next(one.name for one in resources.values() if one.kind == "AWS::ApiGatewayV2::Api")
    port = account.endpoint.rpartition(":")[2]
    stack = Deployed(account, f"{api}.execute-api.localhost:{port}", resources, outputs, runtime)
    _run(stack)
    return stack


def _run(stack: Deployed) -> None:
    corrected = Corrections(stack.account, stack.of_kind("AWS::SecretsManager::Secret").values())
    for role in stack.of_kind("AWS::IAM::Role").values():
        corrected.in_role(role)
    for policy in stack.of_kind("AWS::IAM::ManagedPolicy").values():
        corrected.in_policy(policy)
    for bucket in stack.of_kind("AWS::S3::Bucket").values():
        corrected.in_bucket(bucket)
    functions = stack.account.client("lambda")
    for name in stack.of_kind("AWS::Lambda::Function").values():
        found = functions.get_function_configuration(FunctionName=name)
        given = corrected.in_variables(found.get("Environment", {}).get("Variables", {}))
        stack.runtime.take(name, given)
