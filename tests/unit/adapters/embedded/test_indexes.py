import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path

import pytest

from hindwise.adapters.embedded.index import EmbeddedIndex
from hindwise.adapters.embedded.table import TableIndex
from hindwise.domain.scope import Scope
from hindwise.errors import Unavailable
from tests.contract.search_documents import (
    ANN,
    BOB,
    DIMENSIONS,
    EAST,
    NOW,
    TableRows,
    arms,
    ask,
    document,
    episode,
    name,
    vector,
)

ROOT = Path(__file__).parents[4]


class Kept:
    """A table index with the clock and the rows in reach."""

    def __init__(self, **given):
        self.rows, self.now = TableRows(), NOW
        self.index = TableIndex(self.rows, DIMENSIONS, clock=lambda: self.now, **given)

    def write(self, scope, *numbers, gone=(), **fields):
        made = [document(episode(number, **fields)) for number in numbers]
        self.rows.put(scope, made, {name(one): 1 for one in gone}, now=self.now)

    def seen(self, scope):
        return sorted(map(int, self.index.versions(scope)))

    def reads(self):
        done, self.rows.reads = self.rows.reads, []
        return done


def test_a_copy_is_loaded_once_and_then_follows_the_log():
    kept = Kept()
    kept.write(ANN, 1, 2)
    for _ in range(2):
        assert kept.seen(ANN) == [1, 2]
        kept.now += timedelta(minutes=5)
    kept.reads()
    assert kept.seen(ANN) == [1, 2] and kept.reads() == []
    kept.write(ANN, 3, gone=[1])
    assert kept.seen(ANN) == [2, 3]
    assert kept.reads() == [("documents", 2)]


@pytest.mark.parametrize("minutes", [-10, 10])
def test_the_clock_of_who_projects_may_differ_as_far_as_aws_lets_it(minutes):
    kept = Kept()
    assert kept.seen(ANN) == []
    for number in (1, 2):
        kept.now += timedelta(minutes=minutes)
        kept.write(ANN, number)
        kept.now -= timedelta(minutes=minutes)
        assert kept.seen(ANN) == [*range(1, number + 1)]
        kept.now += timedelta(minutes=23)
    assert kept.seen(ANN) == [1, 2]


def test_a_copy_older_than_the_log_is_loaded_anew():
    kept = Kept()
    kept.write(ANN, 1)
    kept.seen(ANN)
    kept.now += timedelta(minutes=51)
    kept.rows.rows[ANN][name(2)] = document(episode(2))
    assert kept.seen(ANN) == [1, 2]


def test_a_copy_is_loaded_anew_once_the_clock_was_put_back():
    kept = Kept()
    kept.write(ANN, 1)
    assert kept.seen(ANN) == [1]
    kept.now -= timedelta(minutes=30)
    kept.write(ANN, 2)
    kept.now += timedelta(minutes=2)
    assert kept.seen(ANN) == [1, 2]
    kept.write(ANN, 3)
    kept.now -= timedelta(minutes=1)
    assert kept.seen(ANN) == [1, 2, 3]


def test_many_logged_ids_are_read_in_batches():
    kept = Kept()
    kept.seen(ANN)
    kept.write(ANN, *range(1, 251))
    kept.reads()
    assert len(kept.seen(ANN)) == 250
    assert kept.reads() == [("documents", 100), ("documents", 100), ("documents", 50)]


@pytest.mark.parametrize(("total", "coverage"), [(None, None), (40, 0.25), (9, 1.0)])
def test_coverage_is_the_share_of_a_scope_that_is_over_the_limit(total, coverage):
    kept = Kept(newest=10, total=lambda scope: total)
    kept.write(ANN, *range(1, 16))
    found = kept.index.nominate(ANN, ask(), EAST)
    assert found.coverage == coverage
    assert sorted(arms(found)["cosine"]) == list(range(6, 16))


def test_coverage_is_whole_up_to_the_limit():
    kept = Kept(newest=10)
    kept.write(ANN, *range(1, 11))
    assert kept.index.nominate(ANN, ask(), None).coverage == 1.0


def test_the_scopes_not_used_for_longest_make_room():
    kept = Kept(most=10)
    users = [Scope(tenant="acme", user=str(number)) for number in range(4)]
    for user in users:
        kept.write(user, 1, 2, 3, 4, 5)
        kept.seen(user)
    kept.reads()
    kept.seen(users[3])
    assert ("newest", 2_001) not in kept.reads()
    kept.seen(users[0])
    assert ("newest", 2_001) in kept.reads()


def test_a_row_with_an_unusable_vector_is_found_by_its_words():
    kept = Kept()
    kept.rows.put(ANN, [document(episode(1, "tea"), vector(0, 0, 0, 0))], {}, now=NOW)
    found = arms(kept.index.nominate(ANN, ask("tea"), EAST))
    assert found["keyword"] == [1] and found["cosine"] == []


def test_a_failed_refresh_is_made_up_for():
    kept = Kept()
    kept.seen(ANN)
    kept.now += timedelta(minutes=5)
    kept.write(ANN, 1)
    kept.now += timedelta(minutes=5)
    logged, kept.rows.logged = kept.rows.logged, failing
    with pytest.raises(Unavailable):
        kept.seen(ANN)
    kept.rows.logged = logged
    assert kept.seen(ANN) == [1]


def failing(scope, *, since):
    raise Unavailable("down")


def test_putting_into_the_table_index_changes_nothing():
    kept = Kept()
    assert kept.index.put(ANN, [document(episode(1))], {}) == {}
    assert kept.seen(ANN) == []


def test_several_threads_write_and_search():
    index = EmbeddedIndex(DIMENSIONS)

    def work(thread):
        scope = (ANN, BOB)[thread % 2]
        for number in range(100):
            index.put(scope, [document(episode(thread * 1000 + number, "tea"))], {})
            index.put(scope, [], {name(thread * 1000 + number - 1): 2} if number % 2 else {})
            found = index.nominate(scope, ask("tea"), EAST)
            assert all(one.document.facets for one in found.candidates)
        return scope

    with ThreadPoolExecutor(6) as pool:
        assert set(pool.map(work, range(6))) == {ANN, BOB}
    assert len(index.versions(ANN)) == len(index.versions(BOB)) == 150


def test_importing_the_indexes_loads_no_numpy():
    code = (
        "import sys; import hindwise.adapters.embedded.index, hindwise.adapters.embedded.table\n"
        "assert 'numpy' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True, cwd=ROOT, env={"PYTHONPATH": "layers"})
