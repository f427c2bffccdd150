"""Effective confidence: what a month without use takes away."""

from datetime import timedelta

import pytest

from hindwise.domain.confidence import effective
from tests.builders import NOW, fact


def after(days, **given):
    return effective(fact(**given), NOW + timedelta(days=days))


@pytest.mark.parametrize(
    ("days", "expected"), [(0, 0.8), (29, 0.8), (30, 0.72), (59, 0.72), (90, 0.5832)]
)
def test_each_whole_month_takes_a_tenth(days, expected):
    assert after(days) == pytest.approx(expected)


def test_it_ends_at_a_tenth_or_at_what_it_was():
    assert after(36_500) == 0.1
    assert after(36_500, confidence=0.05) == 0.05
    assert after(36_500, confidence=0.0) == 0.0


def test_an_access_starts_the_count_again():
    assert after(89, last_access_at=NOW + timedelta(days=60)) == 0.8


def test_an_access_before_creation_or_a_time_to_come_takes_nothing():
    assert after(29, last_access_at=NOW - timedelta(days=60)) == 0.8
    assert after(-400) == 0.8
