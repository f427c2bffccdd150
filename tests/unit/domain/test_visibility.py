"""One function says what is seen, one what passes a filter."""

from datetime import timedelta
from typing import Any

import pytest

from hindwise.domain.memory import Status
from hindwise.domain.query import Condition, Filter, Operator, View
from hindwise.domain.visibility import held, passes, state, visible
from tests.builders import NOW, episode, fact, working


@pytest.mark.parametrize("status", list(Status))
def test_by_default_only_what_stands_is_seen(status: Status) -> None:
    assert visible(fact(status=status), View(), NOW) == (status in (Status.ACTIVE, Status.OBSOLETE))


@pytest.mark.parametrize("status", list(Status))
def test_included_states_are_seen_but_never_what_was_rejected_or_forgotten(status: Status) -> None:
    seen = visible(fact(status=status), View(include=frozenset({status})), NOW)
    assert seen == (status not in (Status.REJECTED, Status.FORGOTTEN))


def test_validity_has_two_ends() -> None:
    day = timedelta(days=1)
    assert not visible(fact(valid_from=NOW + day), View(), NOW)
    assert not visible(fact(valid_until=NOW), View(), NOW)
    assert visible(fact(valid_from=NOW, valid_until=NOW + day), View(), NOW)
    assert state(fact(valid_until=NOW), NOW) is Status.EXPIRED


def test_known_at_hides_what_was_learnt_later() -> None:
    late = fact(at=NOW)
    assert not visible(late, View(known_at=NOW - timedelta(days=1)), NOW)


def test_a_scene_shows_its_own_and_what_has_none() -> None:
    view = View(scene="work")
    shown = [visible(fact(scene=scene), view, NOW) for scene in ("work", None, "weekend")]
    assert shown == [True, True, False]


def test_a_scratch_value_is_never_seen() -> None:
    assert not visible(working(), View(include=frozenset(Status)), NOW)


CASES: list[tuple[dict[str, Any], str, str, Any, bool]] = [
    ({"tags": ("homework",)}, "tags", "in", ["work"], False),
    ({"tags": ("work", "AI")}, "tags", "all", ["work", "AI"], True),
    ({"tags": ("work",)}, "tags", "all", ["work", "AI"], False),
    ({"tags": ("mail",)}, "tags", "eq", "AI", False),
    ({"metadata": {"priority": 5}}, "metadata.priority", "gte", 3, True),
    ({"metadata": {"priority": 7}}, "metadata.priority", "lt", 7, False),
    ({"metadata": {"priority": True}}, "metadata.priority", "gte", 0, False),
    ({"metadata": {"priority": "5"}}, "metadata.priority", "gte", 3, False),
    ({"metadata": {"v": 1}}, "metadata.v", "eq", True, False),
    ({"metadata": {"v": [1, "two", None]}}, "metadata.v", "eq", "two", True),
    ({"metadata": {"v": None}}, "metadata.v", "eq", None, True),
    ({}, "metadata.v", "eq", None, False),
    ({"metadata": {"c": "billing"}}, "metadata.c", "in", ["billing", "legal"], True),
    ({"importance": 0.7}, "importance", "gte", 0.7, True),
    ({"status": Status.SUPERSEDED}, "status", "eq", "superseded", True),
    ({}, "origin", "eq", "owner", True),
    ({}, "no_such_field", "eq", 1, False),
]


@pytest.mark.parametrize(("fields", "name", "op", "value", "expected"), CASES)
def test_conditions(fields: dict[str, Any], name: str, op: str, value: Any, expected: bool) -> None:
    condition = Condition(field=name, op=Operator(op), value=value)
    assert passes(episode(**fields), Filter(all_of=(condition,)), now=NOW) is expected


def test_none_of_excludes() -> None:
    billing = Condition(field="metadata.category", value="billing")
    wanted = Filter(none_of=(billing,))
    assert not passes(episode(metadata={"category": "billing"}), wanted, now=NOW)
    assert passes(episode(), wanted, now=NOW)


def test_times_compare_as_instants() -> None:
    from datetime import datetime

    noon = datetime.fromisoformat("2026-01-15T18:30:00+08:00")
    other = datetime.fromisoformat("2026-01-15T10:30:00+00:00")
    condition = Condition(field="event_time", op=Operator.GTE, value=noon)
    assert passes(episode(event_time=other), Filter(all_of=(condition,)), now=NOW)


def test_what_held_on_days_that_are_over() -> None:
    day = timedelta(days=1)
    during = (NOW - 5 * day, NOW - 3 * day)
    begun = {"event_time": NOW - 9 * day}
    assert held(fact(**begun), during)
    assert held(fact(**begun, valid_until=NOW - 4 * day), during)
    assert not held(fact(**begun, valid_until=NOW - 5 * day), during)
    assert not held(fact(event_time=NOW - 3 * day), during)
    assert held(fact(event_time=NOW, valid_from=NOW - 4 * day), during)
    repeat = fact(event_time=NOW - 4 * day, valid_until=NOW - 9 * day)
    assert not held(repeat, during) and not held(repeat, (NOW - 20 * day, NOW))
    assert not held(episode(event_time=NOW - 4 * day), during)
    view = View(during=during)
    past = {"status": Status.SUPERSEDED}
    assert visible(fact(**begun, **past), view, NOW)
    assert not visible(repeat.model_copy(update=past), view, NOW)
    assert not visible(fact(**begun, status=Status.CONTESTED), view, NOW)
    assert not visible(fact(**begun, **past), View(), NOW)
    assert not visible(fact(**begun, **past, scene="work"), View(during=during, scene="home"), NOW)
