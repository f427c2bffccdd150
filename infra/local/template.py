"""Reads template.yaml into what the laptop runs: there is no second list of anything.

References in the functions' environment and event sources are not resolved here: they become
outputs of the stack that the emulator's CloudFormation makes, and it resolves them. Roles, logs and
the nested alarms are left out: nothing on a laptop asks for a right or looks at a metric.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from samtranslator.yaml_helper import yaml_parse

from infra.local import timetable as timetables
from infra.local.timetable import Timetable

Node = Any
"""A piece of parsed YAML."""
KEPT = {
    "AWS::DynamoDB::Table",
    "AWS::SQS::Queue",
    "AWS::S3::Bucket",
    "AWS::SecretsManager::Secret",
}


@dataclass(frozen=True)
class Function:
    """A function: its folder below the root, its handler `module.name`, its time limit (s)."""

    name: str
    folder: str
    handler: str
    timeout: float


@dataclass(frozen=True)
class Route:
    """A route of the HTTP API; `guarded` says whether the authorizer stands before it."""

    method: str
    path: str
    function: str
    guarded: bool


@dataclass(frozen=True)
class StreamSource:
    """A stream that feeds a function; `arn` and `on_failure` are names of stack outputs."""

    function: str
    arn: str
    batch: int
    retries: int
    patterns: tuple[Node, ...]
    on_failure: str | None


@dataclass(frozen=True)
class QueueSource:
    """A queue that feeds a function; `arn` is the name of a stack output, `window` in seconds.

    `concurrency` is how many batches may be under way at once.
    """

    function: str
    arn: str
    batch: int
    window: float
    concurrency: int


@dataclass(frozen=True)
class Schedule:
    """A function that runs when its timetable says; `input` is its event, None the usual one."""

    name: str
    function: str
    timetable: Timetable
    input: Mapping[str, Any] | None


@dataclass(frozen=True)
class System:
    """The template as the laptop runs it; `stack` is the CloudFormation body of the resources.

    `variables` are the functions' environment: literal values, or names of stack outputs.
    `authorizer` is a function, whose answers hold for `authorizer_ttl` seconds. `rate` and `burst`
    are requests a second.
    """

    functions: Mapping[str, Function]
    routes: tuple[Route, ...]
    streams: tuple[StreamSource, ...]
    queues: tuple[QueueSource, ...]
    schedules: tuple[Schedule, ...]
    authorizer: str
    authorizer_ttl: float
    rate: float
    burst: float
    literals: Mapping[str, str]
    variables: Mapping[str, str]
    stack: Mapping[str, Node]


class _Outputs:
    """Collects expressions that CloudFormation is to resolve."""

    def __init__(self) -> None:
        self.body: dict[str, Node] = {}

    def add(self, expression: Node) -> str:
        for name, output in self.body.items():
            if output["Value"] == expression:
                return name
        name = f"Value{len(self.body)}"
        self.body[name] = {"Value": expression}
        return name


def read(path: Path) -> System:
    """Read the template; raises ValueError where it holds what the laptop cannot run."""
    document = yaml_parse(path.read_text())
    resources, outputs = document["Resources"], _Outputs()
    shared = document["Globals"]["Function"]
    blocks = {
        name: resource["Properties"]
        for name, resource in resources.items()
        if resource["Type"] == "AWS::Serverless::Function"
    }
    events = [
        (name, event["Type"], event["Properties"])
        for name, block in blocks.items()
        for event in block.get("Events", {}).values()
    ]
    api = next(
        resource["Properties"]
        for resource in resources.values()
        if resource["Type"] == "AWS::Serverless::HttpApi"
    )
    authorizer = api["Auth"]["Authorizers"][api["Auth"]["DefaultAuthorizer"]]
    literals, variables = _environment([shared, *blocks.values()], outputs)
    return System(
        functions={name: _function(name, block, shared) for name, block in blocks.items()},
        routes=tuple(_route(name, found) for name, kind, found in events if kind == "HttpApi"),
        streams=tuple(_streams(events, outputs)),
        queues=tuple(
            QueueSource(
                function=name,
                arn=outputs.add(found["Queue"]),
                batch=found.get("BatchSize", 10),
                window=found.get("MaximumBatchingWindowInSeconds", 0),
                concurrency=found.get("ScalingConfig", {}).get("MaximumConcurrency", 1_000),
            )
            for name, kind, found in events
            if kind == "SQS"
        ),
        schedules=tuple(
            _schedule(name, found, document) for name, kind, found in events if kind == "ScheduleV2"
        ),
        authorizer=authorizer["FunctionArn"]["Fn::GetAtt"][0],
        authorizer_ttl=authorizer["Identity"]["ReauthorizeEvery"],
        rate=_number(api["DefaultRouteSettings"]["ThrottlingRateLimit"], document),
        burst=_number(api["DefaultRouteSettings"]["ThrottlingBurstLimit"], document),
        literals=literals,
        variables=variables,
        stack=_stack(document, outputs),
    )


def _number(node: Node, document: Node) -> float:
    """A number, or the default of the parameter that stands for it."""
    if isinstance(node, dict):
        node = document["Parameters"][node["Ref"]]["Default"]
    return float(node)


def _function(name: str, block: Node, shared: Node) -> Function:
    return Function(
        name=name,
        folder=block["CodeUri"].strip("/"),
        handler=block.get("Handler", shared["Handler"]),
        timeout=block.get("Timeout", shared["Timeout"]),
    )


def _route(name: str, found: Node) -> Route:
    guarded = found.get("Auth", {}).get("Authorizer") != "NONE"
    return Route(found["Method"].upper(), found["Path"], name, guarded)


def _streams(events: list[tuple[str, str, Node]], outputs: _Outputs) -> Iterator[StreamSource]:
    for name, kind, found in events:
        if kind == "DynamoDB":
            target = found.get("DestinationConfig", {}).get("OnFailure", {}).get("Destination")
            yield StreamSource(
                function=name,
                arn=outputs.add(found["Stream"]),
                batch=found.get("BatchSize", 100),
                retries=found.get("MaximumRetryAttempts", 3),
                patterns=tuple(
                    yaml_parse(each["Pattern"])
                    for each in found.get("FilterCriteria", {}).get("Filters", [])
                ),
                on_failure=outputs.add(target) if target else None,
            )


def _schedule(function: str, found: Node, document: Node) -> Schedule:
    zone = document["Parameters"][found["ScheduleExpressionTimezone"]["Ref"]]["Default"]
    timetable = timetables.read(found["ScheduleExpression"], zone)
    given = json.loads(found["Input"]) if "Input" in found else None
    name = found["Name"]["Fn::Sub"].removeprefix("hindwise-${Stage}-")
    return Schedule(name, function, timetable, given)


def _environment(blocks: list[Node], outputs: _Outputs) -> tuple[dict[str, str], dict[str, str]]:
    literals: dict[str, str] = {}
    variables: dict[str, str] = {}
    for block in blocks:
        for name, value in block.get("Environment", {}).get("Variables", {}).items():
            if isinstance(value, dict):
                if variables.setdefault(name, outputs.add(value)) != outputs.add(value):
                    raise ValueError(f"{name} differs between functions: one process runs them all")
            else:
                literals[name] = str(value)
    return literals, variables


def _stack(document: Node, outputs: _Outputs) -> dict[str, Node]:
    return {
        "AWSTemplateFormatVersion": document["AWSTemplateFormatVersion"],
        "Parameters": document["Parameters"],
        "Conditions": document["Conditions"],
        "Resources": {
            name: resource
            for name, resource in document["Resources"].items()
            if resource["Type"] in KEPT
        },
        "Outputs": outputs.body,
    }
