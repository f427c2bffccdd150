"""infra/alarms.yaml: what is watched, and that it is what template.yaml hands over."""

import json
import re
from typing import Any

import pytest

from tests.expanded import FUNCTIONS, expanded, of_type, parsed

STACK, NESTED = expanded(), parsed("infra/alarms.yaml")
HANDED = of_type(STACK, "AWS::CloudFormation::Stack")["Alarms"]["Parameters"]
ALARMS = of_type(NESTED, "AWS::CloudWatch::Alarm")


def dimensions(metric: dict[str, Any]) -> dict[str, Any]:
    return {each["Name"]: each["Value"] for each in metric["Dimensions"]}


def on(metric_name: str, dimension: str) -> list[Any]:
    """What the alarms on a metric watch, as template.yaml names it."""
    found = [
        dimensions(metric)[dimension]
        for metric in ALARMS.values()
        if metric["MetricName"] == metric_name and dimension in dimensions(metric)
    ]
    return [HANDED[each["Ref"]] if isinstance(each, dict) else each for each in found]


def test_everything_that_is_asked_for_is_handed_over_and_nothing_else() -> None:
    assert set(HANDED) == set(NESTED["Parameters"])
    for name, value in HANDED.items():
        assert value in ({"Ref": name}, {"Fn::GetAtt": [name, "QueueName"]}), name
    asked = set(re.findall(r'"Ref": "(\w+)"', json.dumps(NESTED["Resources"])))
    asked |= set(re.findall(r"\$\{(\w+)\}", json.dumps(NESTED["Resources"])))
    assert asked == set(HANDED)


def test_alarms_can_be_done_without_and_are_there_unless_one_says_so() -> None:
    assert STACK["Resources"]["Alarms"]["Condition"] == "HasAlarms"
    assert STACK["Conditions"]["HasAlarms"] == {"Fn::Equals": [{"Ref": "WithAlarms"}, "true"]}
    assert STACK["Parameters"]["WithAlarms"]["Default"] == "true"


def test_every_queue_has_an_alarm() -> None:
    queues = set(of_type(STACK, "AWS::SQS::Queue"))
    depth = on("ApproximateNumberOfMessagesVisible", "QueueName")
    age = on("ApproximateAgeOfOldestMessage", "QueueName")
    named = [each["Fn::GetAtt"][0] for each in [*depth, *age]]
    assert sorted(named) == sorted(queues)
    assert {each["Fn::GetAtt"][0] for each in depth} == {q for q in queues if q.endswith("Dlq")}


@pytest.mark.parametrize("metric", ["Errors", "Throttles"])
def test_every_function_is_watched(metric: str) -> None:
    names = [each["Ref"] for each in on(metric, "FunctionName")]
    assert sorted(names) == sorted(f"{name}Function" for name in FUNCTIONS)


def test_the_projection_the_edge_and_the_table_are_watched() -> None:
    assert on("IteratorAge", "FunctionName") == [{"Ref": "IndexFunction"}]
    assert on("OldestChangeSeconds", "operation") == on("Parked", "operation") == ["sweep"]
    assert on("OldestJobSeconds", "operation") == ["sweep"]
    assert on("5xx", "ApiId") == [{"Ref": "Api"}]
    table = {"Ref": "MemoryTable"}
    assert on("ReadThrottleEvents", "TableName") == [table]
    assert on("WriteThrottleEvents", "TableName") == [table] * 3
    assert on("WriteThrottleEvents", "GlobalSecondaryIndexName") == ["work", "list"]
    assert on("SystemErrors", "Operation") == ["GetItem", "Query", "TransactWriteItems"]
    assert on("SystemErrors", "TableName") == [table] * 3


@pytest.mark.parametrize("name", sorted(ALARMS))
def test_alarms_tell_whoever_wants_to_know(name: str) -> None:
    told = [{"Fn::If": ["HasAlarmTopic", {"Ref": "AlarmTopicArn"}, {"Ref": "AWS::NoValue"}]}]
    assert ALARMS[name]["AlarmActions"] == told
    silent = name == "OldestChangeAlarm"
    assert (ALARMS[name].get("InsufficientDataActions") == told) == silent
    assert ALARMS[name]["TreatMissingData"] == ("missing" if silent else "notBreaching")


def test_dashboard_shows_every_alarm_and_is_json() -> None:
    (dashboard,) = of_type(NESTED, "AWS::CloudWatch::Dashboard").values()
    body = json.loads(dashboard["DashboardBody"]["Fn::Sub"])
    (shown,) = [each for each in body["widgets"] if each["type"] == "alarm"]
    assert shown["properties"]["alarms"] == [f"${{{name}.Arn}}" for name in ALARMS]
    for widget in body["widgets"]:
        assert widget["x"] + widget["width"] <= 24


def test_nothing_is_made_that_could_hold_content() -> None:
    kinds = {resource["Type"] for resource in NESTED["Resources"].values()}
    assert kinds == {"AWS::CloudWatch::Alarm", "AWS::CloudWatch::Dashboard"}
