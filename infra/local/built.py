"""Reads `.aws-sam/build`: what `sam build` made of each function, and what Lambda would give it."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from samtranslator.yaml_helper import yaml_parse

from infra.local.emulator import ROOT
from infra.local.template import Node, System

BUILD = ROOT / ".aws-sam" / "build"
MEMORY_MB = 128
TIMEOUT_SECONDS = 3
"""Lambda's own defaults."""


class NotBuilt(RuntimeError):
    """There is no build, or none of this function; the message says what to do."""


@dataclass(frozen=True)
class Package:
    """A function as it is shipped: its folder, its layers in order, its handler and limits.

    `variables` are the names of the environment variables that the template declares for it.
    """

    name: str
    task: Path
    layers: tuple[Path, ...]
    handler: str
    timeout: int = TIMEOUT_SECONDS
    memory: int = MEMORY_MB
    variables: tuple[str, ...] = ()


def packages(build: Path = BUILD) -> dict[str, Package]:
    """The functions of the last build by their name in the template; raises NotBuilt."""
    file = build / "template.yaml"
    if not file.exists():
        raise NotBuilt("there is no build to run: run `make build`")
    document = yaml_parse(file.read_text())
    shared = document["Globals"]["Function"]
    folders = {
        name: build / resource["Properties"]["ContentUri"]
        for name, resource in document["Resources"].items()
        if resource["Type"] == "AWS::Serverless::LayerVersion"
    }
    return {
        name: _package(name, resource["Properties"], shared, build=build, layers=folders)
        for name, resource in document["Resources"].items()
        if resource["Type"] == "AWS::Serverless::Function"
    }


def named(function: str) -> Package:
    """The function that is called `write` or `WriteFunction`; raises NotBuilt."""
    found = packages()
    name = function if function in found else f"{function.capitalize()}Function"
    if name not in found:
        known = ", ".join(sorted(each.removesuffix("Function").lower() for each in found))
        raise NotBuilt(f"there is no function {function}; there are {known}")
    return found[name]


def environment(
    package: Package, system: System, outputs: Mapping[str, str], endpoint: str
) -> dict[str, str]:
    """The function's variables, resolved by the stack's outputs, with AWS at `endpoint`."""
    known = {**system.literals, **{name: outputs[each] for name, each in system.variables.items()}}
    return {name: known[name] for name in package.variables} | {"AWS_ENDPOINT_URL": endpoint}


def _package(
    name: str, block: Node, shared: Node, *, build: Path, layers: Mapping[str, Path]
) -> Package:
    blocks = (shared, block)
    return Package(
        name=name,
        task=build / block["CodeUri"],
        layers=tuple(layers[each["Ref"]] for one in blocks for each in one.get("Layers", [])),
        handler=block.get("Handler", shared.get("Handler")),
        timeout=block.get("Timeout", shared.get("Timeout", TIMEOUT_SECONDS)),
        memory=block.get("MemorySize", shared.get("MemorySize", MEMORY_MB)),
        variables=tuple(
            {
                variable: None
                for one in blocks
                for variable in one.get("Environment", {}).get("Variables", {})
            }
        ),
    )
