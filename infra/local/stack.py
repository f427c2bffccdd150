"""Makes the template's resources in the emulator, through its CloudFormation.

A second start finds the stack of the first one, and changes it only if the template has changed.
"""

import json
import time
from collections.abc import Mapping
from typing import Any

import boto3
from botocore.exceptions import ClientError

NAME = "hindwise-local"
READY = ("CREATE_COMPLETE", "UPDATE_COMPLETE", "UPDATE_ROLLBACK_COMPLETE")


class StackFailed(RuntimeError):
    """The emulator could not make the resources; the message says which."""


def exists() -> bool:
    """Tell whether the stack is there from an earlier start."""
    client = boto3.client("cloudformation")
    try:
        found = client.describe_stacks(StackName=NAME)["Stacks"]
    except ClientError:
        return False
    return any(stack["StackStatus"] in READY for stack in found)


def settle(body: Mapping[str, Any], parameters: Mapping[str, str]) -> dict[str, str]:
    """Make or update the stack and return its outputs; raises StackFailed."""
    client = boto3.client("cloudformation")
    text = json.dumps(body, sort_keys=True)
    given = [{"ParameterKey": name, "ParameterValue": value} for name, value in parameters.items()]
    request: dict[str, Any] = {"StackName": NAME, "TemplateBody": text, "Parameters": given}
    if not exists():
        client.create_stack(**request)
    elif _changed(client, text):
        client.update_stack(**request)
    outputs = _outputs(client)
    _expire(client, body["Resources"])
    return outputs


def _expire(client: Any, resources: Mapping[str, Any]) -> None:
    """Switch on the tables' expiry, which the emulator's CloudFormation leaves out."""
    dynamodb = boto3.client("dynamodb")
    for found in client.list_stack_resources(StackName=NAME)["StackResourceSummaries"]:
        properties = resources.get(found["LogicalResourceId"], {}).get("Properties", {})
        if "TimeToLiveSpecification" in properties:
            table, wanted = found["PhysicalResourceId"], properties["TimeToLiveSpecification"]
            now = dynamodb.describe_time_to_live(TableName=table)["TimeToLiveDescription"]
            if now["TimeToLiveStatus"] == "DISABLED":
                dynamodb.update_time_to_live(TableName=table, TimeToLiveSpecification=wanted)


def _changed(client: Any, text: str) -> bool:
    stored = client.get_template(StackName=NAME)["TemplateBody"]
    return bool((stored if isinstance(stored, dict) else json.loads(stored)) != json.loads(text))


def _outputs(client: Any) -> dict[str, str]:
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        stack = client.describe_stacks(StackName=NAME)["Stacks"][0]
        if stack["StackStatus"] in READY:
            return {each["OutputKey"]: each["OutputValue"] for each in stack.get("Outputs", [])}
        if not stack["StackStatus"].endswith("IN_PROGRESS"):
            break
        time.sleep(0.05)
    reason = stack.get("StackStatusReason", "no reason given")
    raise StackFailed(f"the resources of template.yaml could not be made: {reason}")
