"""One caller pays for a dependency that is down; the others go on at once."""

import pytest

from hindwise.adapters.breaker import Breaker
from hindwise.errors import Unavailable


class Clock:
    def __init__(self):
        self.now = 100.0

    def __call__(self):
        return self.now


class Harmless(Unavailable):
    pass


class Dependency:
    def __init__(self):
        self.asked = 0
        self.error = None

    def __call__(self):
        self.asked += 1
        if self.error is not None:
            raise self.error
        return "answer"


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def dependency():
    return Dependency()


@pytest.fixture
def breaker(clock):
    return Breaker("index", clock, rest=5.0, harmless=(Harmless,))


def fail(breaker, dependency, error=None):
    dependency.error = error or Unavailable("down")
    with pytest.raises(type(dependency.error)):
        breaker.call(dependency)


def test_answers_pass_through(breaker, dependency):
    assert [breaker.call(dependency) for _ in range(3)] == ["answer"] * 3
    assert not breaker.resting


def test_after_one_failure_nobody_asks_until_the_rest_is_over(breaker, dependency, clock):
    fail(breaker, dependency)
    dependency.error = None
    clock.now += 4.9
    with pytest.raises(Unavailable, match="index") as caught:
        breaker.call(dependency)
    assert dependency.asked == 1
    assert breaker.resting
    assert caught.value.retry_after == 1
    assert caught.value.details["resting"] is True
    clock.now += 0.1
    assert breaker.call(dependency) == "answer"
    assert breaker.call(dependency) == "answer"


def test_a_failed_probe_starts_the_rest_again(breaker, dependency, clock):
    fail(breaker, dependency)
    clock.now += 5
    fail(breaker, dependency)
    clock.now += 4.9
    with pytest.raises(Unavailable, match="left alone"):
        breaker.call(dependency)
    assert dependency.asked == 2


def test_while_one_probes_the_others_are_refused(breaker, dependency, clock):
    fail(breaker, dependency)
    clock.now += 5

    def probe():
        with pytest.raises(Unavailable, match="left alone"):
            breaker.call(dependency)
        return "back"

    assert breaker.call(probe) == "back"
    assert dependency.asked == 1
    assert not breaker.resting


@pytest.mark.parametrize(("wish", "rest"), [(1, 5), (30, 30), (900, 60)])
def test_the_dependency_may_ask_for_a_longer_rest_up_to_a_minute(
    breaker, dependency, clock, wish, rest
):
    error = Unavailable("busy")
    error.retry_after = wish
    fail(breaker, dependency, error)
    clock.now += rest - 0.1
    assert breaker.resting
    clock.now += 0.1
    assert not breaker.resting


def test_a_harmless_error_is_passed_on_and_closes_it(breaker, dependency, clock):
    fail(breaker, dependency, Harmless("odd text"))
    assert not breaker.resting
    fail(breaker, dependency)
    clock.now += 5
    fail(breaker, dependency, Harmless("odd text"))
    assert not breaker.resting


def test_a_bug_neither_opens_it_nor_leaves_the_probe_hanging(breaker, dependency, clock):
    fail(breaker, dependency, KeyError("bug"))
    assert not breaker.resting
    fail(breaker, dependency)
    clock.now += 5
    fail(breaker, dependency, KeyError("bug"))
    dependency.error = None
    assert breaker.call(dependency) == "answer"
