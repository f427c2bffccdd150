"""What only a deployment would reveal about the API, its functions and what feeds them."""

import json
import shlex
from typing import Any

import pytest
from typer.testing import CliRunner

from hindwise.cli.app import app
from tests.expanded import FUNCTIONS, TEXT, actions, expanded, of_type, parsed

SOURCE, STACK = parsed("template.yaml"), expanded()
LAMBDAS = of_type(STACK, "AWS::Lambda::Function")
MAPPINGS = of_type(STACK, "AWS::Lambda::EventSourceMapping")
ROUTES = {
    "POST /v1/memories": "Write",
    "PATCH /v1/memories/{id}": "Write",
    "POST /v1/tasks/{task_id}/close": "Write",
    "POST /v1/conversations": "Write",
    "POST /v1/conversations/{id}/messages": "Write",
    "POST /v1/jobs/{id}/retry": "Write",
    "POST /v1/jobs/{id}/dismiss": "Write",
    "POST /v1/queues/{name}/redrive": "Write",
    "POST /v1/search": "Search",
    "POST /v1/context": "Search",
    "POST /v1/diagnose": "Search",
    "GET /v1/entities/{name}": "Search",
    "GET /v1/memories": "Inspect",
    "GET /v1/memories/{id}": "Inspect",
    "GET /v1/memories/{id}/history": "Inspect",
    "GET /v1/conversations/{id}": "Inspect",
    "GET /v1/jobs": "Inspect",
    "GET /v1/jobs/{id}": "Inspect",
    "GET /v1/queues": "Inspect",
    "GET /v1/export": "Inspect",
    "POST /v1/import": "Write",
    "GET /v1/me": "Inspect",
    "GET /v1/stats": "Inspect",
    "GET /v1/timeline": "Inspect",
    "GET /v1/audit": "Review",
    "GET /v1/audit/verify": "Review",
    "GET /v1/audit/recalls": "Review",
    "GET /v1/health": "Inspect",
    "GET /v1/openapi.json": "Inspect",
    "DELETE /v1/memories/{id}": "Forget",
    "POST /v1/forget": "Forget",
    "POST /v1/fading": "Fade",
    "POST /v1/memories/{id}/restore": "Fade",
    "GET /v1/forgets": "Forget",
    "GET /v1/forgets/{id}": "Forget",
    "POST /v1/consolidations": "Consolidate",
    "GET /v1/reviews": "Review",
    "POST /v1/reviews/{id}": "Review",
    "POST /v1/sources/{id}/quarantine": "Review",
    "GET /v1/users": "Review",
}
ASKS = {
    name: ["EmbedderLayer", "OpenAILayer"]
    for name in ("Search", "Index", "Sweep", "Settle", "Consolidate")
} | {"Extract": ["OpenAILayer"]}
"""Who embeds, compares vectors or asks a language model; the write path loads none of it."""
OPEN = {"GET /v1/health", "GET /v1/openapi.json"}


def test_every_parameter_has_a_default() -> None:
    assert [name for name, found in SOURCE["Parameters"].items() if "Default" not in found] == []


def test_functions_are_the_folders() -> None:
    names = {name.removesuffix("Function") for name in LAMBDAS}
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
def test_function_has_its_own_log_group_with_retention(name: str) -> None:
    function = LAMBDAS[f"{name}Function"]
    group = function["LoggingConfig"]["LogGroup"]["Ref"]
    assert group == f"{name}Logs"
    assert "RetentionInDays" in of_type(STACK, "AWS::Logs::LogGroup")[group]


def test_api_functions_answer_before_the_gateway_gives_up() -> None:
    """Some stay within by themselves: their queue's work takes longer than any answer may."""
    behind = {name: LAMBDAS[f"{name}Function"]["Timeout"] for name in ROUTES.values()}
    worked = {MAPPINGS[name]["FunctionName"]["Ref"].removesuffix("Function") for name in MAPPINGS}
    for name in worked & set(behind):
        assert behind.pop(name) == LAMBDAS["ExtractFunction"]["Timeout"] == 180
    assert set(behind.values()) == {10}


def test_routes_lead_to_their_functions() -> None:
    body = of_type(STACK, "AWS::ApiGatewayV2::Api")["Api"]["Body"]
    found = {
        f"{method.upper()} {path}": json.dumps(operation["x-amazon-apigateway-integration"]["uri"])
        for path, operations in body["paths"].items()
        for method, operation in operations.items()
    }
    assert set(found) == set(ROUTES)
    for route, function in ROUTES.items():
        assert f"${{{function}Function.Arn}}" in found[route], route


def test_all_routes_but_two_are_guarded() -> None:
    body = of_type(STACK, "AWS::ApiGatewayV2::Api")["Api"]["Body"]
    unguarded = {
        f"{method.upper()} {path}"
        for path, operations in body["paths"].items()
        for method, operation in operations.items()
        if not any("Credential" in each for each in operation.get("security", []))
    }
    assert unguarded == OPEN
    (stage,) = of_type(STACK, "AWS::ApiGatewayV2::Stage").values()
    assert stage["StageName"] == "$default"


def test_authorizer_may_be_called_and_is_asked_once_a_minute() -> None:
    body = of_type(STACK, "AWS::ApiGatewayV2::Api")["Api"]["Body"]
    scheme = body["components"]["securitySchemes"]["Credential"]["x-amazon-apigateway-authorizer"]
    assert scheme["authorizerPayloadFormatVersion"] == "2.0"
    assert scheme["enableSimpleResponses"] is True
    assert scheme["authorizerResultTtlInSeconds"] == 60
    assert scheme["identitySource"] == ["$request.header.Authorization"]
    permissions = of_type(STACK, "AWS::Lambda::Permission").values()
    assert any(
        each["FunctionName"] == {"Fn::GetAtt": ["AuthorizeFunction", "Arn"]}
        and each["Principal"] == "apigateway.amazonaws.com"
        for each in permissions
    )


def test_no_function_refers_to_the_api() -> None:
    for name, function in LAMBDAS.items():
        text = json.dumps(function)
        assert '"Ref": "Api"' not in text and "${Api" not in text and '["Api"' not in text, name


def test_change_rows_feed_index() -> None:
    mapping = MAPPINGS["IndexFunctionChanges"]
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
    assert "sqs:SendMessage" in actions(STACK, "IndexFunctionRole")


def test_queue_mappings_report_failures_and_are_bounded() -> None:
    fed = {
        mapping["EventSourceArn"]["Fn::GetAtt"][0]: mapping
        for name, mapping in MAPPINGS.items()
        if name != "IndexFunctionChanges"
    }
    assert {queue: mapping["BatchSize"] for queue, mapping in fed.items()} == {
        "AccessQueue": 100, "ExtractQueue": 1, "SettleQueue": 1, "ConsolidateQueue": 1,
        "ForgetQueue": 1, "FadeQueue": 1, "ReviewQueue": 1,
    }  # fmt: skip
    for queue, mapping in fed.items():
        assert mapping["FunctionResponseTypes"] == ["ReportBatchItemFailures"], queue
        assert 2 <= mapping["ScalingConfig"]["MaximumConcurrency"] <= 1000, queue


def test_schedules_have_dead_letters_and_their_pace() -> None:
    schedules = of_type(STACK, "AWS::Scheduler::Schedule")
    paces = {name: schedule["ScheduleExpression"] for name, schedule in schedules.items()}
    assert paces == {
        "SweepFunctionEveryMinute": "rate(1 minute)",
        "ConsolidateFunctionWhatIsRipe": "rate(15 minutes)",
        "ReviewFunctionDigest": "cron(30 2 * * ? *)",
        "ReviewFunctionPeriodic": "cron(0 5 ? * MON *)",
        "FadeFunctionPurge": "cron(0 3 * * ? *)",
        "FadeFunctionArchive": "cron(30 3 * * ? *)",
        "FadeFunctionDecay": "cron(0 4 * * ? *)",
        "FadeFunctionTiers": "cron(30 4 * * ? *)",
    }
    told = {
        name: json.loads(found["Target"]["Input"])
        for name, found in schedules.items()
        if "Input" in found["Target"]
    }
    assert told == {
        name: {"sweep": name.removeprefix("FadeFunction").removeprefix("ReviewFunction").lower()}
        for name, pace in paces.items()
        if pace.startswith("cron")
    }
    for name, schedule in schedules.items():
        assert schedule["Target"]["DeadLetterConfig"]["Arn"] == {
            "Fn::GetAtt": ["ScheduleDlq", "Arn"]
        }
        assert "sqs:SendMessage" in actions(STACK, f"{name}Role")


def test_environment_is_small_and_the_same_for_all() -> None:
    seen: dict[str, Any] = {}
    for name, function in LAMBDAS.items():
        variables = function["Environment"]["Variables"]
        assert variables["AWS_ENDPOINT_URL"] == "", name
        for variable, value in variables.items():
            assert seen.setdefault(variable, value) == value, variable
    assert len(seen) <= 25


def test_embedders_and_sdks_are_shipped_to_those_who_ask_them() -> None:
    for name, function in LAMBDAS.items():
        layers = json.dumps(function["Layers"])
        shipped = [each for each in ("EmbedderLayer", "OpenAILayer") if each in layers]
        assert shipped == ASKS.get(name.removesuffix("Function"), []), name


def test_a_backend_that_is_not_there_is_refused_before_anything_is_made() -> None:
    (rule,) = STACK["Rules"].values()
    assert rule["RuleCondition"] == {"Fn::Equals": [{"Ref": "SearchBackend"}, "opensearch"]}
    demanded = {
        each["Assert"]["Fn::Not"][0]["Fn::Equals"][0]["Ref"]: each["AssertDescription"]
        for each in rule["Assertions"]
    }
    assert set(demanded) == {"OpenSearchEndpoint", "OpenSearchDomainArn"}
    for parameter, said in demanded.items():
        assert parameter in said and "infra/search-domain.yaml" in said


@pytest.mark.parametrize("name", sorted(LAMBDAS))
def test_all_know_what_answers_a_search(name: str) -> None:
    """Those too that may not ask it: `/v1/me` says what the stage is set up with."""
    variables = LAMBDAS[name]["Environment"]["Variables"]
    assert variables["SEARCH_BACKEND"] == {"Ref": "SearchBackend"}
    assert variables["OPENSEARCH_ENDPOINT"] == {"Ref": "OpenSearchEndpoint"}


def test_the_edge_and_the_schedule_go_by_their_parameters() -> None:
    (stage,) = of_type(STACK, "AWS::ApiGatewayV2::Stage").values()
    assert stage["DefaultRouteSettings"] == {
        "ThrottlingBurstLimit": {"Ref": "ThrottlingBurst"},
        "ThrottlingRateLimit": {"Ref": "ThrottlingRate"},
    }
    for schedule in of_type(STACK, "AWS::Scheduler::Schedule").values():
        assert schedule["ScheduleExpressionTimezone"] == {"Ref": "ScheduleTimezone"}


LEARNS = {"Extract", "Settle", "Consolidate"}


@pytest.mark.parametrize("name", sorted(LAMBDAS))
def test_a_model_is_reached_by_those_who_ask_it_and_known_to_all(name: str) -> None:
    variables = LAMBDAS[name]["Environment"]["Variables"]
    assert variables["LLM_MODEL"] == {"Ref": "LlmModel"}
    assert variables["RULES"] == {"Ref": "Rules"}
    asks = name.removesuffix("Function") in LEARNS | {"Search"}
    assert ("LLM_API_KEY" in variables) == ("LLM_BASE_URL" in variables) == asks
    assert SOURCE["Parameters"]["LlmApiKey"]["NoEcho"] is True


def test_what_does_not_work_everywhere_is_not_relied_on() -> None:
    for name, function in LAMBDAS.items():
        assert not {"DeadLetterConfig", "ReservedConcurrentExecutions"} & set(function), name


def test_nothing_waits_for_the_alarms() -> None:
    others = {name: each for name, each in STACK["Resources"].items() if name != "Alarms"}
    assert '"Alarms"' not in json.dumps(others)


def test_the_first_key_is_made_by_what_the_stack_says() -> None:
    said = STACK["Outputs"]["FirstKey"]["Value"]["Fn::Sub"]
    words = shlex.split(said.replace("${Stage}", "dev"))
    assert words[0] == "hindwise" and len(said) < 70, "sam deploy breaks longer lines"
    result = CliRunner().invoke(app, [*words[1:], "--help"])
    assert result.exit_code == 0
    assert STACK["Outputs"]["ApiUrl"]["Value"]["Fn::Sub"].startswith("https://${Api}.")
