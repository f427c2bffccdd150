"""Each day is written down once, in any number of runs; what comes late is added, never changed."""

import json
from datetime import timedelta
from itertools import pairwise

import pytest

from hindwise.domain.audit_faults import Wrong
from hindwise.domain.digests import DayDigest
from hindwise.errors import Unavailable
from hindwise.usecases import digest as nightly
from hindwise.usecases.digest import Digested, digest
from tests.unit.usecases.test_audit_verify import Kept


@pytest.fixture
def kept():
    return Kept()


def head(kept, day, name=""):
    return DayDigest.model_validate_json(kept.records.held[f"digests/acme/{day}{name}.json"])


def test_a_day_is_closed_once_and_chained_to_the_day_before(kept):
    kept.work()
    kept.clock.forward(days=1)
    kept.said("the next day")
    kept.clock.forward(days=1)
    assert kept.digested() == Digested(tenants=1, days=2, rows=7)
    first, second = head(kept, kept.day), head(kept, kept.day + timedelta(days=1))
    assert (first.previous, first.rows, first.supplement) == ("", 6, 0)
    assert (second.previous, second.rows) == (first.seal, 1)
    before = dict(kept.records.held)
    assert kept.digested() == Digested(tenants=1)
    assert kept.records.held == before
    kept.clock.forward(days=1)
    assert kept.digested() == Digested(tenants=1, days=1)


def test_no_content_and_no_user_is_written_down(kept):
    kept.said("a canary sings")
    kept.note(user="somebody")
    kept.clock.forward(days=1)
    kept.digested()
    whole = b"".join(kept.records.held.values())
    assert not any(word in whole for word in (b"canary", b"somebody", b"tester"))


def test_today_is_not_over(kept):
    kept.work()
    assert kept.digested() == Digested(tenants=1, days=1)
    assert head(kept, kept.day - timedelta(days=1)).rows == 0


def test_whoever_is_interrupted_goes_on_behind_the_last_part(kept, monkeypatch):
    monkeypatch.setattr(nightly, "PART", 2)
    for n in range(7):
        kept.said(f"number {n}")
    kept.clock.forward(days=1)
    runs, until = 0, kept.clock()
    digester, read = kept.digester, kept.log.day

    def slow(*given, **more):
        found = read(*given, **more)
        kept.clock.forward(seconds=20 if found.rows else 0)
        return found

    monkeypatch.setattr(kept.log, "day", slow)
    while (done := digest(digester, until=until + timedelta(seconds=45))).unfinished:
        runs, until = runs + 1, kept.clock()
        assert runs < 60
    monkeypatch.undo()
    assert runs > 1
    assert (done.days, head(kept, kept.day).rows) == (1, 7)
    assert kept.faults(kept.day)[0] == []


def test_a_run_that_fails_anywhere_is_made_good_by_the_next(kept):
    kept.work()
    kept.clock.forward(days=1)
    for nth in range(12):
        kept.store.faults.fail_next(on="audit_day")
        with pytest.raises(Unavailable):
            kept.digested()
        kept.records.down = nth % 2 == 0
        if kept.records.down:
            with pytest.raises(Unavailable):
                kept.digested()
        kept.records.down = False
    kept.digested()
    assert kept.faults(kept.day)[0] == []


def test_what_comes_late_is_added_and_never_changes_what_is_written(kept):
    kept.work()
    day = kept.clock()
    kept.clock.forward(days=1)
    kept.digested()
    before = dict(kept.records.held)
    now, kept.clock.now = kept.clock.now, day
    late = kept.said("late").memory.id
    kept.clock.now = now
    assert sum(piece.late for piece in kept.faults(kept.day)[1]) == 1
    assert kept.digested() == Digested(tenants=1, late=1)
    assert {name: kept.records.held[name] for name in before} == before
    supplement = head(kept, kept.day, ".late-001")
    assert supplement.previous == head(kept, kept.day).seal
    assert [line.chain for _, line in supplement.late] == [late]
    assert kept.digested() == Digested(tenants=1)
    faults, pieces = kept.faults(kept.day)
    assert faults == [] and sum(piece.late for piece in pieces) == 0
    kept.clock.forward(days=1)
    kept.digested()
    assert head(kept, kept.day + timedelta(days=1)).previous == supplement.seal
    kept.rows(late).clear()
    assert [f.wrong for f in kept.faults(kept.day)[0]] == [Wrong.MISSING]


def test_what_no_longer_agrees_is_counted_and_left_as_it_is(kept):
    memory_id, other, _ = kept.work()
    kept.clock.forward(days=1)
    kept.digested()
    before = dict(kept.records.held)
    rows = kept.rows(memory_id)
    rows[0] = rows[0].model_copy(update={"digest": "f" * 64})
    kept.rows(other).clear()
    assert kept.digested() == Digested(tenants=1, differing=2)
    assert kept.records.held == before
    kept.records.held[f"digests/acme/{kept.day}.json"] = b"not JSON"
    assert kept.digested() == Digested(tenants=1, differing=1)


def test_nights_that_were_missed_are_made_up_for(kept):
    for n in range(5):
        kept.said(f"day {n}")
        kept.clock.forward(days=1)
    kept.clock.forward(days=20)
    assert kept.digested() == Digested(tenants=1, days=25, rows=5)
    assert kept.digested() == Digested(tenants=1)
    seals = [head(kept, kept.day + timedelta(days=n)) for n in range(25)]
    assert all(b.previous == a.seal for a, b in pairwise(seals))


def test_a_digest_that_was_taken_out_of_the_chain_is_found(kept):
    kept.work()
    kept.clock.forward(days=1)
    kept.said("more")
    kept.clock.forward(days=1)
    kept.digested()
    name = f"digests/acme/{kept.day}.json"
    second = kept.day + timedelta(days=1)
    assert kept.faults(second)[0] == []
    kept.records.held[name] = kept.records.held.pop(name).replace(b'"seal":"', b'"seal":"0')
    assert [(f.wrong, f.id) for f in kept.faults(second)[0]] == [
        (Wrong.DIGEST, f"digests/{second}.json")
    ]
    assert json.loads(kept.records.held[name])["rows"] == 6


def test_time_that_is_up_before_it_began_leaves_all_for_the_next_run(kept):
    kept.log.know("zeta")
    done = digest(kept.digester, until=kept.clock())
    assert done == Digested(unfinished=True)


@pytest.mark.parametrize(
    "broken", [b"no part", b'{"tenant":"acme","day":"x","shard":0,"lines":[]}']
)
def test_a_part_that_cannot_be_read_is_counted_and_its_rows_stand_behind_it(kept, broken):
    kept.work()
    kept.clock.forward(days=1)
    kept.digested()
    name, *_ = sorted(one for one in kept.records.held if f"/{kept.day}/" in one)
    (lost,) = json.loads(kept.records.held[name])["lines"][:1]
    del kept.records.held[f"digests/acme/{kept.day}.json"]  # killed before the day was closed
    kept.records.held[name] = broken
    assert kept.digested() == Digested(tenants=1, days=1, rows=6, differing=1)
    behind = kept.records.held[name.replace("-00000", "-00001")]
    assert kept.records.held[name] == broken and lost in json.loads(behind)["lines"]
    assert kept.digested() == Digested(tenants=1)
    assert kept.faults(kept.day)[0] == []
