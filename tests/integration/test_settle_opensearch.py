"""Neighbours that a real search node nominates are compared like any others."""

import pytest

from functions.settle.app import handler as settle
from hindwise.adapters import pointers
from hindwise.domain.ports import QueueName
from infra.local.fake_llm import FakeLlm
from tests.integration.search_plant import SearchPlant
from tests.integration.talks import reasoner
from tests.integration.test_cases_settle import judging

pytestmark = pytest.mark.opensearch


def settled(plant: SearchPlant) -> int:
    """Have the worker compare what it is sent for."""
    done = 0
    while taken := plant.world.queues.take(QueueName.SETTLE):
        record = {"messageId": "m", "body": pointers.written(*taken)}
        assert settle({"Records": [record]}, None) == {"batchItemFailures": []}
        done += 1
    return done


def test_a_node_nominates_what_is_merged_and_what_is_replaced(plant: SearchPlant) -> None:
    with FakeLlm() as llm:
        llm.always("judge", judging("update", "Trello"))
        model = reasoner(llm)
        plant.world.learn_with(model)
        try:
            for text, when in (
                ("The task board is on Trello", "2026-02-01T00:00:00Z"),
                ("the task board is on  TRELLO.", "2026-02-02T00:00:00Z"),
                ("The task board is on Linear now", "2026-03-01T00:00:00Z"),
            ):
                plant.write(text, type="fact", event_time=when)
                plant.sweep()
                assert settled(plant) >= 1
                plant.sweep()
                settled(plant)
        finally:
            model.close()
    results = plant.whole("task board").body["results"]
    assert [one["content"] for one in results] == ["The task board is on Linear now"]
    every = plant.whole("Trello", include=["superseded"]).body["results"]
    assert sorted(one["status"] for one in every) == ["active", "superseded", "superseded"]
    assert len(llm.asked("judge")) == 1
