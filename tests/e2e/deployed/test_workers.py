"""What runs behind the API: the sweep on its schedule, and the queues."""

import pytest

from infra.local.deployment.deployed import Deployed
from tests.e2e.deployed.person import Person, eventually

pytestmark = pytest.mark.artifacts

QUEUE = "AWS::SQS::Queue"


def test_the_schedule_s_sweep_projects_what_the_stream_left(stack: Deployed, ann: Person) -> None:
    mappings = stack.account.client("lambda")
    mapping = stack.resources["IndexFunctionChanges"].name
    mappings.update_event_source_mapping(UUID=mapping, Enabled=False)
    try:
        written = ann.writes("max", "The spare key is under the stone.")
        assert ann.reads("max", written)["embedding"] == "pending"
        eventually(lambda: ann.reads("max", written), lambda seen: seen["embedding"] == "ready")
    finally:
        mappings.update_event_source_mapping(UUID=mapping, Enabled=True)
    assert ann.finds("max", "where is the spare key?") == ["The spare key is under the stone."]


def test_an_access_is_counted_through_the_queue(ann: Person) -> None:
    written = ann.writes("joe", "The bicycle lock has three digits.")
    assert ann.reads("joe", written)["access_count"] == 0
    ann.finds("joe", "bicycle lock")
    seen = eventually(lambda: ann.reads("joe", written), lambda seen: seen["access_count"] > 0)
    assert seen["last_access_at"] is not None


def test_nothing_was_given_up(stack: Deployed) -> None:
    client = stack.account.client("sqs")
    dead = {name: url for name, url in stack.of_kind(QUEUE).items() if name.endswith("Dlq")}
    assert len(dead) >= 3
    for name, url in dead.items():
        wanted = ["ApproximateNumberOfMessages", "ApproximateNumberOfMessagesNotVisible"]
        held = client.get_queue_attributes(QueueUrl=url, AttributeNames=wanted)["Attributes"]
        assert set(held.values()) == {"0"}, name


def test_no_function_logged_an_error(stack: Deployed) -> None:
    logs = stack.account.client("logs").get_paginator("filter_log_events")
    groups = stack.of_kind("AWS::Logs::LogGroup").values()
    lines = [
        event["message"]
        for group in groups
        for page in logs.paginate(logGroupName=group)
        for event in page["events"]
    ]
    assert [line for line in lines if line.startswith("{")], "what functions say is kept"
    assert not [line for line in lines if '"level":"ERROR"' in line or "[ERROR]" in line]
