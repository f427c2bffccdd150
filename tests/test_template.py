"""What only a deployment would reveal: template.yaml as SAM's own translator expands it."""

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from samtranslator.translator.transform import transform
from samtranslator.yaml_helper import yaml_parse

ROOT = Path(__file__).parents[1]
TEXT = (ROOT / "template.yaml").read_text()
FUNCTIONS = ("Authorize", "Write", "Search", "Inspect", "Forget", "Index", "Sweep", "Reinforce")
ROUTES = {
    "POST /v1/memories": "Write",
    "PATCH /v1/memories/{id}": "Write",
    "POST /v1/tasks/{task_id}/close": "Write",
    "POST /v1/search": "Search",
    "POST /v1/context": "Search",
    "POST /v1/diagnose": "Search",
    "GET /v1/memories": "Inspect",
    "GET /v1/memories/{id}": "Inspect",
    "GET /v1/memories/{id}/history": "Inspect",
    "GET /v1/me": "Inspect",
    "GET /v1/stats": "Inspect",
    "GET /v1/timeline": "Inspect",
    "GET /v1/health": "Inspect",
    "GET /v1/openapi.json": "Inspect",
    "DELETE /v1/memories/{id}": "Forget",
}
OPEN = {"GET /v1/health", "GET /v1/openapi.json"}


class NoManagedPolicies:
    def load(self) -> dict[str, str]:
        return {}


@pytest.fixture(scope="module")
def source() -> dict[str, Any]:
    return yaml_parse(TEXT)


@pytest.fixture(scope="module")
def expanded() -> Iterator[dict[str, Any]]:
    template = yaml_parse(TEXT)
    for resource in template["Resources"].values():
        for name in ("CodeUri", "ContentUri"):
            if name in resource.get("Properties", {}):
                resource["Properties"][name] = {"Bucket": "bucket", "Key": "key"}
    with pytest.MonkeyPatch.context() as patch:
        for name in [name for name in os.environ if name.startswith("AWS_")]:
            patch.delenv(name)
        patch.setenv("AWS_DEFAULT_REGION", "eu-central-1")
        yield transform(template, {}, NoManagedPolicies())


def of_type(template: dict[str, Any], kind: str) -> dict[str, Any]:
    return {
        name: resource["Properties"]
        for name, resource in template["Resources"].items()
        if resource["Type"] == kind
    }


def statements(template: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    for name, role in of_type(template, "AWS::IAM::Role").items():
        for policy in role.get("Policies", []):
            yield from ((name, each) for each in policy["PolicyDocument"]["Statement"])
    for name, policy in of_type(template, "AWS::IAM::ManagedPolicy").items():
        yield from ((name, each) for each in policy["PolicyDocument"]["Statement"])


def actions(template: dict[str, Any], owner: str) -> set[str]:
    found: set[str] = set()
    for name, statement in statements(template):
        if name == owner:
            given = statement["Action"]
            found |= {given} if isinstance(given, str) else set(given)
    return found


def test_every_parameter_has_a_default(source: dict[str, Any]) -> None:
    assert [name for name, found in source["Parameters"].items() if "Default" not in found] == []


def test_functions_are_the_folders(expanded: dict[str, Any]) -> None:
    names = {name.removesuffix("Function") for name in of_type(expanded, "AWS::Lambda::Function")}
    assert names == set(FUNCTIONS)


def test_function_blocks_fit_on_a_screen() -> None:
    blocks, name = {}, ""
    for line in TEXT.splitlines():
        if line.startswith("  ") and not line.startswith("   ") and line.rstrip().endswith(":"):
            name = line.strip().removesuffix(":")
        if line.strip() and not line.strip().startswith("#"):
            blocks[name] = blocks.get(name, 0) + 1
    assert {
        name: size for name, size in blocks.items() if name.endswith("Function") and size > 30
    } == {}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_function_has_its_own_log_group_with_retention(expanded: dict[str, Any], name: str) -> None:
    function = of_type(expanded, "AWS::Lambda::Function")[f"{name}Function"]
    group = function["LoggingConfig"]["LogGroup"]["Ref"]
    assert group == f"{name}Logs"
    assert "RetentionInDays" in of_type(expanded, "AWS::Logs::LogGroup")[group]


def test_api_functions_answer_before_the_gateway_gives_up(expanded: dict[str, Any]) -> None:
    functions = of_type(expanded, "AWS::Lambda::Function")
    assert {functions[f"{name}Function"]["Timeout"] for name in ROUTES.values()} == {10}


def test_routes_lead_to_their_functions(expanded: dict[str, Any]) -> None:
    body = of_type(expanded, "AWS::ApiGatewayV2::Api")["Api"]["Body"]
    found = {
        f"{method.upper()} {path}": json.dumps(operation["x-amazon-apigateway-integration"]["uri"])
        for path, operations in body["paths"].items()
        for method, operation in operations.items()
    }
    assert set(found) == set(ROUTES)
    for route, function in ROUTES.items():
        assert f"${{{function}Function.Arn}}" in found[route], route


def test_all_routes_but_two_are_guarded(expanded: dict[str, Any]) -> None:
    body = of_type(expanded, "AWS::ApiGatewayV2::Api")["Api"]["Body"]
    unguarded = {
        f"{method.upper()} {path}"
        for path, operations in body["paths"].items()
        for method, operation in operations.items()
        if not any("Credential" in each for each in operation.get("security", []))
    }
    assert unguarded == OPEN
    (stage,) = of_type(expanded, "AWS::ApiGatewayV2::Stage").values()
    assert stage["StageName"] == "$default"


def test_authorizer_may_be_called_and_is_asked_once_a_minute(expanded: dict[str, Any]) -> None:
    body = of_type(expanded, "AWS::ApiGatewayV2::Api")["Api"]["Body"]
    scheme = body["components"]["securitySchemes"]["Credential"]["x-amazon-apigateway-authorizer"]
    assert scheme["authorizerPayloadFormatVersion"] == "2.0"
    assert scheme["enableSimpleResponses"] is True
    assert scheme["authorizerResultTtlInSeconds"] == 60
    assert scheme["identitySource"] == ["$request.header.Authorization"]
    permissions = of_type(expanded, "AWS::Lambda::Permission").values()
    assert any(
        each["FunctionName"] == {"Fn::GetAtt": ["AuthorizeFunction", "Arn"]}
        and each["Principal"] == "apigateway.amazonaws.com"
        for each in permissions
    )


def test_no_function_refers_to_the_api(expanded: dict[str, Any]) -> None:
    for name, function in of_type(expanded, "AWS::Lambda::Function").items():
        text = json.dumps(function)
        assert '"Ref": "Api"' not in text and "${Api" not in text and '["Api"' not in text, name


def test_change_rows_feed_index(expanded: dict[str, Any]) -> None:
    mapping = of_type(expanded, "AWS::Lambda::EventSourceMapping")["IndexFunctionChanges"]
    (each,) = mapping["FilterCriteria"]["Filters"]
    keys = {"Keys": {"sk": {"S": [{"prefix": "D#"}]}}}
    assert json.loads(each["Pattern"]) == {"eventName": ["INSERT"], "dynamodb": keys}
    assert mapping["FunctionResponseTypes"] == ["ReportBatchItemFailures"]
    assert mapping["BisectBatchOnFunctionError"] is True
    assert mapping["MaximumRetryAttempts"] == 3
    assert mapping["MaximumRecordAgeInSeconds"] == 3600
    assert mapping["ParallelizationFactor"] == 10
    failed = mapping["DestinationConfig"]["OnFailure"]["Destination"]
    assert failed == {"Fn::GetAtt": ["ProjectionDlq", "Arn"]}
    assert "sqs:SendMessage" in actions(expanded, "IndexFunctionRole")


def test_queue_mappings_report_failures_and_are_bounded(expanded: dict[str, Any]) -> None:
    mapping = of_type(expanded, "AWS::Lambda::EventSourceMapping")["ReinforceFunctionAccesses"]
    assert mapping["FunctionResponseTypes"] == ["ReportBatchItemFailures"]
    assert 2 <= mapping["ScalingConfig"]["MaximumConcurrency"] <= 1000


def test_queues_have_dead_letters_and_time(expanded: dict[str, Any]) -> None:
    queues = of_type(expanded, "AWS::SQS::Queue")
    functions = of_type(expanded, "AWS::Lambda::Function")
    for name, queue in queues.items():
        if not name.endswith("Dlq"):
            target = queue["RedrivePolicy"]["deadLetterTargetArn"]["Fn::GetAtt"][0]
            assert target in queues and target.endswith("Dlq"), name
            assert queue["RedrivePolicy"]["maxReceiveCount"] >= 5, name
    for mapping in of_type(expanded, "AWS::Lambda::EventSourceMapping").values():
        source = mapping["EventSourceArn"]["Fn::GetAtt"][0]
        if source in queues:
            timeout = functions[mapping["FunctionName"]["Ref"]]["Timeout"]
            assert queues[source]["VisibilityTimeout"] >= 6 * timeout, source


def test_every_queue_has_an_alarm(expanded: dict[str, Any]) -> None:
    watched = {
        dimension["Value"]["Fn::GetAtt"][0]
        for alarm in of_type(expanded, "AWS::CloudWatch::Alarm").values()
        for dimension in alarm["Dimensions"]
        if dimension["Name"] == "QueueName"
    }
    assert watched == set(of_type(expanded, "AWS::SQS::Queue"))


def test_schedules_have_dead_letters_and_run_every_minute(expanded: dict[str, Any]) -> None:
    schedules = of_type(expanded, "AWS::Scheduler::Schedule")
    assert set(schedules) == {"SweepFunctionEveryMinute"}
    for name, schedule in schedules.items():
        assert schedule["ScheduleExpression"] == "rate(1 minute)"
        assert schedule["Target"]["DeadLetterConfig"]["Arn"] == {
            "Fn::GetAtt": ["ScheduleDlq", "Arn"]
        }
        assert "sqs:SendMessage" in actions(expanded, f"{name}Role")


def test_table_is_the_one_that_adapters_know(expanded: dict[str, Any]) -> None:
    table = of_type(expanded, "AWS::DynamoDB::Table")["MemoryTable"]
    assert [key["AttributeName"] for key in table["KeySchema"]] == ["pk", "sk"]
    indexes = {
        each["IndexName"]: (
            [key["AttributeName"] for key in each["KeySchema"]],
            each["Projection"]["ProjectionType"],
        )
        for each in table["GlobalSecondaryIndexes"]
    }
    assert indexes == {
        "work": (["w_pk", "w_sk"], "KEYS_ONLY"),
        "list": (["l_pk", "l_sk"], "KEYS_ONLY"),
    }
    assert "LocalSecondaryIndexes" not in table
    assert table["StreamSpecification"] == {"StreamViewType": "KEYS_ONLY"}
    assert table["TimeToLiveSpecification"] == {"AttributeName": "ttl", "Enabled": True}
    assert table["PointInTimeRecoverySpecification"] == {"PointInTimeRecoveryEnabled": True}
    assert "${Stage}" in table["TableName"]["Fn::Sub"]
    assert table["TableName"]["Fn::Sub"].endswith("-v1")


def test_truth_outlives_its_stack_outside_a_laptop(expanded: dict[str, Any]) -> None:
    for name in ("MemoryTable", "SealSecret"):
        resource = expanded["Resources"][name]
        assert resource["DeletionPolicy"] == resource["UpdateReplacePolicy"] == "Retain"
    protection = of_type(expanded, "AWS::DynamoDB::Table")["MemoryTable"][
        "DeletionProtectionEnabled"
    ]
    assert protection == {"Fn::If": ["IsLocal", False, True]}


def test_policies_name_what_they_are_for(expanded: dict[str, Any]) -> None:
    for name, statement in statements(expanded):
        assert "*" not in json.dumps(statement["Resource"]), name
        given = statement["Action"]
        assert not any("*" in each for each in ([given] if isinstance(given, str) else given)), name


@pytest.mark.parametrize("name", ["Forget", "Write"])
def test_transactions_may_check_and_delete(expanded: dict[str, Any], name: str) -> None:
    needed = {"dynamodb:PutItem", "dynamodb:DeleteItem", "dynamodb:ConditionCheckItem"}
    assert needed <= actions(expanded, f"{name}FunctionRole")
    assert "dynamodb:BatchWriteItem" in actions(expanded, "ForgetFunctionRole")


@pytest.mark.parametrize("name", ["Authorize", "Search", "Inspect"])
def test_readers_cannot_write(expanded: dict[str, Any], name: str) -> None:
    words = {each.partition(":")[2] for each in actions(expanded, f"{name}FunctionRole")}
    assert not {
        each for each in words if each.startswith(("Put", "Update", "Delete", "BatchWrite"))
    }


def test_key_of_ones_own_is_granted_only_when_named(expanded: dict[str, Any]) -> None:
    assert expanded["Resources"]["UseKmsKey"]["Condition"] == "HasKmsKey"
    for name in FUNCTIONS:
        role = of_type(expanded, "AWS::IAM::Role")[f"{name}FunctionRole"]
        grant = {"Fn::If": ["HasKmsKey", {"Ref": "UseKmsKey"}, {"Ref": "AWS::NoValue"}]}
        assert grant in role["ManagedPolicyArns"], name


def test_environment_is_small_and_the_same_for_all(expanded: dict[str, Any]) -> None:
    seen: dict[str, Any] = {}
    for name, function in of_type(expanded, "AWS::Lambda::Function").items():
        variables = function["Environment"]["Variables"]
        assert variables["AWS_ENDPOINT_URL"] == "", name
        for variable, value in variables.items():
            assert seen.setdefault(variable, value) == value, variable
    assert len(seen) <= 25


def test_embedders_are_shipped_to_those_who_embed(expanded: dict[str, Any]) -> None:
    for name, function in of_type(expanded, "AWS::Lambda::Function").items():
        layers = json.dumps(function["Layers"])
        embeds = name.removesuffix("Function") in {"Search", "Index", "Sweep"}
        assert ("EmbedderLayer" in layers) == ("OpenAILayer" in layers) == embeds, name
