from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

from hindwise.runtime.tools import Backoff, Ulids, utc_now
from tests.builders import NOW


def test_ids_of_one_moment_grow_and_never_repeat():
    ids = Ulids(lambda count: b"\xff" * count)
    made = [ids(NOW) for _ in range(1_000)]
    assert made == sorted(set(made))
    assert all(len(one) == 26 for one in made)


def test_ids_of_one_moment_grow_whatever_is_made_between():
    ids = Ulids()
    made = []
    for number in range(100):
        made.append(ids(NOW))
        ids(NOW + timedelta(milliseconds=number % 7))
    assert made == sorted(set(made))


def test_ids_of_later_moments_sort_later():
    ids = Ulids()
    assert ids(NOW) < ids(NOW + timedelta(milliseconds=1)) < ids(NOW + timedelta(days=1))


def test_ids_are_unique_among_threads():
    ids = Ulids()
    with ThreadPoolExecutor(8) as pool:
        made = list(pool.map(lambda _: ids(NOW), range(2_000)))
    assert len(set(made)) == 2_000


def test_the_clock_has_a_zone():
    assert utc_now().utcoffset() == timedelta(0)


def test_patience_ends_in_time():
    now = 0.0
    slept = []

    def sleep(seconds):
        nonlocal now
        slept.append(seconds)
        now += seconds

    patience = Backoff(3.0, clock=lambda: now, sleep=sleep)
    while len(slept) < 10_000 and patience.again():
        assert now < 3.0
    assert len(slept) > 5
    assert max(slept[:1]) <= 0.02
    assert max(slept) <= 0.4
