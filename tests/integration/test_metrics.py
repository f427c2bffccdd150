"""What functions say to CloudWatch is what infra/alarms.yaml listens to, and holds no content."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from functions.sweep.app import handler as sweep
from hindwise.errors import Unavailable
from tests.expanded import expanded, of_type, parsed
from tests.integration.http_client import Client, World

NAMESPACE = "hindwise-test"


@pytest.fixture
def emitting(world: World, monkeypatch: pytest.MonkeyPatch) -> World:
    """The world with metrics on, under the names that the template gives."""
    variables = of_type(expanded(), "AWS::Lambda::Function")["SweepFunction"]["Environment"]
    named = variables["Variables"]
    assert named["POWERTOOLS_METRICS_NAMESPACE"] == {"Fn::Sub": "hindwise-${Stage}"}
    monkeypatch.delenv("POWERTOOLS_METRICS_DISABLED")
    monkeypatch.setenv("POWERTOOLS_METRICS_NAMESPACE", NAMESPACE)
    monkeypatch.setenv("POWERTOOLS_SERVICE_NAME", named["POWERTOOLS_SERVICE_NAME"])
    return world


def emitted(text: str) -> Iterator[dict[str, Any]]:
    """The embedded metrics of what was printed."""
    for line in text.splitlines():
        if '"_aws"' in line:
            yield json.loads(line)


def heard(said: dict[str, Any], alarm: dict[str, Any]) -> float | None:
    """The value that an alarm gets to see of what was said."""
    (metrics,) = said["_aws"]["CloudWatchMetrics"]
    namespace = alarm["Namespace"]["Fn::Sub"].replace("${Stage}", "test")
    wanted = {each["Name"]: each["Value"] for each in alarm["Dimensions"]}
    named = {each["Name"] for each in metrics["Metrics"]}
    if metrics["Namespace"] != namespace or alarm["MetricName"] not in named:
        return None
    if not any({name: said[name] for name in names} == wanted for names in metrics["Dimensions"]):
        return None
    (value,) = said[alarm["MetricName"]]
    return float(value)


def test_the_alarms_of_the_projection_hear_the_sweep(
    emitting: World, client: Client, capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    client.send("POST", "/v1/memories", {"user_id": "ada", "items": ["tea", "the code is 4711"]})
    rows = [row for bucket in range(16) for row in emitting.projections.dirty(bucket, 9)]
    emitting.projections.failed(*rows[0], reason="refused: x", park=True)
    emitting.clock.forward(minutes=15)

    def silent(texts: Any) -> Any:
        raise Unavailable("the embedder does not answer")

    monkeypatch.setattr(emitting.embedder, "documents", silent)
    capsys.readouterr()
    sweep({}, None)
    printed = capsys.readouterr().out
    (said,) = emitted(printed)
    alarms = of_type(parsed("infra/alarms.yaml"), "AWS::CloudWatch::Alarm")
    assert heard(said, alarms["OldestChangeAlarm"]) == pytest.approx(900, abs=1)
    assert heard(said, alarms["ParkedAlarm"]) == 1
    units = {m["Name"]: m["Unit"] for m in said["_aws"]["CloudWatchMetrics"][0]["Metrics"]}
    assert (units["OldestChangeSeconds"], units["Parked"]) == ("Seconds", "Count")
    assert "4711" not in printed and "ada" not in printed


def test_an_idle_sweep_says_what_the_alarms_wait_for_and_no_more(
    emitting: World, capsys: pytest.CaptureFixture[str]
) -> None:
    sweep({}, None)
    (said,) = emitted(capsys.readouterr().out)
    names = {each["Name"] for each in said["_aws"]["CloudWatchMetrics"][0]["Metrics"]}
    assert names == {"OldestChangeSeconds", "Parked"}
    alarms = of_type(parsed("infra/alarms.yaml"), "AWS::CloudWatch::Alarm")
    assert heard(said, alarms["OldestChangeAlarm"]) == 0
    assert heard(said, alarms["ParkedAlarm"]) == 0


def test_the_dashboard_shows_what_requests_say(
    emitting: World, client: Client, capsys: pytest.CaptureFixture[str]
) -> None:
    client.send("POST", "/v1/search", {"user_id": "ada", "query": "tea"})
    (said,) = emitted(capsys.readouterr().out)
    (dashboard,) = of_type(parsed("infra/alarms.yaml"), "AWS::CloudWatch::Dashboard").values()
    body = json.loads(dashboard["DashboardBody"]["Fn::Sub"].replace("${Stage}", "test"))
    shown = [m for w in body["widgets"] for m in w["properties"].get("metrics", [])]
    assert [
        NAMESPACE,
        "Degraded",
        "service",
        said["service"],
        "operation",
        said["operation"],
    ] in shown
    assert said["Degraded"] == [0.0]
