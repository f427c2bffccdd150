"""What a repeated text carries beside itself is not dropped."""

import pytest

from tests.unit.usecases.desk import Desk


@pytest.mark.parametrize(
    "more",
    [
        {"metadata": {"build": 8}},
        {"metadata": {"build": 7, "ok": True}},
        {"metadata": {"build": 7, "ok": 1, "by": None}},
        {"tags": ["ci", "nightly"]},
        {"entities": ["billing"]},
        {"outcome": {"result": "failure"}},
        {"evidence_ids": ["the first"]},
        {"scene": "weekend"},
        {"domain": "ops"},
        {"importance": 0.9},
    ],
)
def test_an_event_that_carries_more_is_no_repeat(desk: Desk, more: dict[str, object]) -> None:
    base = {"task_id": "t", "tags": ["ci"], "metadata": {"build": 7, "ok": 1}}
    cause = desk.said("a commit")
    if "evidence_ids" in more:
        more = {"evidence_ids": [cause.id]}
    first = desk.said("tests failed", **base)
    for less in ({}, {"tags": ["ci"]}, {"metadata": {"ok": 1}}, {"importance": 0.1}):
        assert desk.said("tests failed", task_id="t", **less).id == first.id
    second = desk.said("tests failed", **{**base, **more})
    assert second.outcome == "created"
    for name, value in more.items():
        stored = desk.read(second.id).model_dump(mode="json", exclude_none=True)
        assert stored[name] == value
    assert desk.said("tests failed", **{**base, **more}).id == second.id
