"""The next instant at which fading could change a memory."""

from datetime import timedelta

import pytest

from hindwise.domain.fading import due_at
from hindwise.domain.memory import Status
from tests.builders import NOW, episode, fact


def days(memory: object) -> float | None:
    due = due_at(memory)  # type: ignore[arg-type]
    return None if due is None else (due - NOW) / timedelta(days=1)


@pytest.mark.parametrize(
    ("memory", "expected"),
    [
        (episode(importance=0.2), 7),
        (episode(importance=0.2, access_count=1, last_access_at=NOW), 30),
        (episode(importance=0.3, confidence=0.2), 365),
        (fact(importance=0.2, confidence=0.2), 30),
        (fact(importance=0.9, confidence=0.2), 365),
        (fact(valid_until=NOW + timedelta(days=2)), 2),
        (fact(confidence=0.8), 300),
        (fact(confidence=0.33), 30),
        (fact(status=Status.ARCHIVED), None),
    ],
)
def test_the_earliest_rule_counts(memory: object, expected: float | None) -> None:
    assert days(memory) == expected


def test_ages_count_from_when_it_was_learnt() -> None:
    imported = episode(importance=0.2, event_time=NOW - timedelta(days=700))
    assert days(imported) == 7


def test_the_fading_step_is_the_first_below_the_threshold() -> None:
    from hindwise.domain.confidence import effective

    memory = fact(confidence=0.8)
    due = due_at(memory)
    assert due is not None
    assert effective(memory, due) < 0.3 <= effective(memory, due - timedelta(seconds=1))
