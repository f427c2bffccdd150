"""The templates as data: template.yaml as SAM's translator expands it, the others as they are."""

import json
import os
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from samtranslator.translator.transform import transform
from samtranslator.yaml_helper import yaml_parse

ROOT = Path(__file__).parents[1]
TEXT = (ROOT / "template.yaml").read_text()
FUNCTIONS = ("Authorize", "Write", "Search", "Inspect", "Forget", "Index", "Sweep", "Reinforce",
             "Extract", "Settle", "Consolidate", "Fade", "Review")  # fmt: skip
Template = dict[str, Any]


class NoManagedPolicies:
    def load(self) -> dict[str, str]:
        return {}


def parsed(name: str) -> Template:
    """A template below the root, not expanded."""
    return yaml_parse((ROOT / name).read_text())


@cache
def expanded() -> Template:
    """What CloudFormation gets to see; tests do not change it."""
    template = parsed("template.yaml")
    for resource in template["Resources"].values():
        for name in ("CodeUri", "ContentUri"):
            if name in resource.get("Properties", {}):
                resource["Properties"][name] = {"Bucket": "bucket", "Key": "key"}
    with pytest.MonkeyPatch.context() as patch:
        for name in [name for name in os.environ if name.startswith("AWS_")]:
            patch.delenv(name)
        patch.setenv("AWS_DEFAULT_REGION", "eu-central-1")
        return transform(template, {}, NoManagedPolicies())


def of_type(template: Template, kind: str) -> dict[str, Any]:
    """The properties of all resources of a type, by name."""
    return {
        name: resource["Properties"]
        for name, resource in template["Resources"].items()
        if resource["Type"] == kind
    }


def statements(template: Template) -> Iterator[tuple[str, dict[str, Any]]]:
    """Every statement that grants something to a function, with the role or policy it is in."""
    documents = [
        (name, policy["PolicyDocument"])
        for name, role in of_type(template, "AWS::IAM::Role").items()
        for policy in role.get("Policies", [])
    ]
    documents += [
        (name, policy["PolicyDocument"])
        for name, policy in of_type(template, "AWS::IAM::ManagedPolicy").items()
    ]
    for name, document in documents:
        yield from ((name, each) for each in document["Statement"] if each["Effect"] == "Allow")


def actions(template: Template, owner: str) -> set[str]:
    """What a role or a policy grants in its own statements."""
    found: set[str] = set()
    for name, statement in statements(template):
        if name == owner:
            given = statement["Action"]
            found |= {given} if isinstance(given, str) else set(given)
    return found


def allowed(name: str, template: Template | None = None) -> set[str]:
    """What a function may do: by its role's own statements and by the policies of this template.

    Those that AWS or SAM bring along are not looked into.
    """
    template = template or expanded()
    named = json.dumps(granted(name))
    own = of_type(template, "AWS::IAM::ManagedPolicy")
    shared = [policy for policy in own if f'"Ref": "{policy}"' in named]
    return set().union(*(actions(template, each) for each in (f"{name}FunctionRole", *shared)))


def granted(name: str) -> list[Any]:
    """The managed policies of a function, conditions and all."""
    return list(of_type(expanded(), "AWS::IAM::Role")[f"{name}FunctionRole"]["ManagedPolicyArns"])


def only_if(condition: str, policy: str) -> Template:
    """A managed policy that is attached under a condition."""
    return {"Fn::If": [condition, {"Ref": policy}, {"Ref": "AWS::NoValue"}]}
