"""A tenant's daily allowance: never over it, whoever asks at once, and new every day in UTC."""

import logging
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta, timezone

import pytest

from hindwise.adapters.dynamodb.budget import DynamoBudget
from hindwise.adapters.dynamodb.table import Table
from hindwise.domain.ports import Spent
from tests.builders import NOW
from tests.contract.backends import ALLOWED, Backend
from tests.contract.flaky import Flaky, lost


def test_calls_and_tokens_are_counted_and_corrected(backend: Backend):
    budget = backend.budget
    assert budget.spent("acme", now=NOW) == Spent()
    assert budget.reserve("acme", 600, now=NOW)
    assert budget.spent("acme", now=NOW) == Spent(calls=1, tokens=600)
    assert not budget.reserve("acme", 401, now=NOW)
    budget.settle("acme", reserved=600, used=150, now=NOW)
    assert budget.spent("acme", now=NOW) == Spent(calls=1, tokens=150)
    budget.settle("acme", reserved=0, used=0, calls=2, now=NOW)
    assert budget.spent("acme", now=NOW) == Spent(calls=2, tokens=150)
    budget.settle("acme", reserved=0, used=0, calls=0, now=NOW)
    assert budget.spent("acme", now=NOW) == Spent(calls=1, tokens=150)
    assert budget.reserve("acme", 850, now=NOW)
    budget.settle("acme", reserved=850, used=850, now=NOW)
    assert not budget.reserve("acme", 1, now=NOW)
    assert budget.reserve("acme", 0, now=NOW)
    assert not budget.reserve("acme", 0, now=NOW)
    assert budget.spent("acme", now=NOW) == Spent(calls=3, tokens=1_000)
    assert budget.spent("zeta", now=NOW) == Spent()


def test_more_than_a_day_allows_is_never_set_aside(backend: Backend):
    assert not backend.budget.reserve("acme", 1_001, now=NOW)
    assert backend.budget.spent("acme", now=NOW) == Spent()
    with ThreadPoolExecutor(8) as pool:
        given = list(pool.map(lambda _: backend.budget.reserve("acme", 400, now=NOW), range(10)))
    assert given.count(True) == 2
    assert backend.budget.spent("acme", now=NOW) == Spent(calls=2, tokens=800)


def test_a_day_begins_at_midnight_in_utc(backend: Backend):
    shanghai = timezone(timedelta(hours=8))
    before = datetime(2026, 3, 14, 7, 59, tzinfo=shanghai)
    after = datetime(2026, 3, 14, 8, 0, tzinfo=shanghai)
    assert backend.budget.reserve("acme", 1_000, now=NOW)
    assert not backend.budget.reserve("acme", 1, now=before)
    assert backend.budget.reserve("acme", 1, now=after)


@pytest.mark.ministack
def test_nothing_is_allowed_where_a_limit_is_nothing(dynamodb, table: str):
    bound = Table(dynamodb, table)
    assert not DynamoBudget(bound, calls=0, tokens=9).reserve("acme", 1, now=NOW)
    assert not DynamoBudget(bound, calls=9, tokens=0).reserve("acme", 1, now=NOW)


@pytest.mark.ministack
def test_a_correction_that_is_lost_costs_a_log_line(dynamodb, table: str, caplog):
    flaky = Flaky(dynamodb)
    budget = DynamoBudget(Table(flaky, table), **ALLOWED)
    assert budget.reserve("acme", 10, now=NOW)
    flaky.refuse("update_item", lost())
    with caplog.at_level(logging.WARNING):
        budget.settle("acme", reserved=10, used=5, now=NOW)
    assert [record.message for record in caplog.records] == ["tokens not counted: Unavailable"]
    assert budget.spent("acme", now=NOW) == Spent(calls=1, tokens=10)
