"""Which domains have grown, and by how much; on the fakes and on the table."""

from datetime import timedelta

import pytest

from hindwise.adapters.dynamodb.ripening import DynamoRipening
from hindwise.adapters.dynamodb.table import Table
from hindwise.domain.ports import Ripe, Ripening
from tests.builders import NOW, new_id, scope
from tests.contract.flaky import Flaky
from tests.fakes import InMemoryStore

LATER = NOW + timedelta(hours=1)


@pytest.fixture(params=["memory", pytest.param("ministack", marks=pytest.mark.ministack)])
def ripening(request: pytest.FixtureRequest) -> Ripening:
    if request.param == "memory":
        return InMemoryStore(lambda: NOW, new_id).ripening
    table = Table(request.getfixturevalue("dynamodb"), request.getfixturevalue("table"))
    return DynamoRipening(table, least=5)


def listed(ripening: Ripening) -> dict[tuple[str, str], int]:
    found = [one for bucket in range(16) for one in ripening.ripe(bucket, 100)]
    return {(one.scope.user, one.domain): one.episodes for one in found}


def only(ripening: Ripening) -> Ripe:
    (found,) = [one for bucket in range(16) for one in ripening.ripe(bucket, 10)]
    return found


def test_a_domain_is_listed_once_it_has_enough(ripening: Ripening) -> None:
    for _ in range(4):
        ripening.note(scope("ada"), "release", 1, now=NOW)
    assert listed(ripening) == {}
    ripening.note(scope("ada"), "release", 2, now=NOW)
    ripening.note(scope("李 四"), "release", 5, now=NOW)
    assert listed(ripening) == {("ada", "release"): 6, ("李 四", "release"): 5}


def test_general_episodes_count_in_every_domain(ripening: Ripening) -> None:
    ripening.note(scope(), "release", 3, now=NOW)
    ripening.note(scope(), "general", 2, now=NOW)
    ripening.note(scope(), "lunch", 3, now=NOW)
    ripening.note(scope("bob"), "general", 1, now=NOW)
    assert listed(ripening) == {("ada", "release"): 5, ("ada", "lunch"): 5}
    ripening.note(scope(), "general", 3, now=NOW)
    assert listed(ripening) == {
        ("ada", "release"): 8,
        ("ada", "lunch"): 8,
        ("ada", "general"): 5,
    }


@pytest.mark.ministack
def test_a_scope_of_countless_domains_costs_no_more_than_one_of_many(dynamodb, table) -> None:
    counting = Flaky(dynamodb)
    ripening = DynamoRipening(Table(counting, table), least=5)
    for number in range(130):
        ripening.note(scope(), f"task {number:03}", 4, now=NOW)
    counting.calls.clear()
    ripening.note(scope(), "general", 1, now=NOW)
    assert counting.calls["update_item"] <= 2 * 101
    assert len(listed(ripening)) == 100
    counting.calls.clear()
    ripening.note(scope(), "task 129", 1, now=NOW)
    assert sum(counting.calls.values()) <= 3
    assert listed(ripening)["ada", "task 129"] == 5


def test_one_that_was_passed_comes_back_when_it_grows(ripening: Ripening) -> None:
    ripening.note(scope(), "release", 5, now=NOW)
    ripening.passed(only(ripening))
    assert listed(ripening) == {}
    ripening.note(scope(), "release", 1, now=LATER)
    assert listed(ripening) == {("ada", "release"): 6}


def test_one_that_grew_while_it_was_looked_at_stays(ripening: Ripening) -> None:
    ripening.note(scope(), "release", 5, now=NOW)
    seen = only(ripening)
    ripening.note(scope(), "release", 1, now=NOW)
    ripening.passed(seen)
    assert listed(ripening) == {("ada", "release"): 6}


def test_one_that_was_considered_begins_anew(ripening: Ripening) -> None:
    ripening.considered(scope(), "lunch", at=NOW)
    ripening.note(scope(), "release", 9, now=NOW)
    ripening.considered(scope(), "release", at=LATER)
    ripening.considered(scope(), "release", at=LATER)
    assert listed(ripening) == {}
    ripening.note(scope(), "release", 5, now=LATER)
    ripening.considered(scope(), "release", at=NOW)
    assert only(ripening) == Ripe(scope=scope(), domain="release", episodes=5, considered_at=LATER)
