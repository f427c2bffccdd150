"""Who has a job, and what becomes of it where something does not answer."""

from datetime import timedelta

import pytest

from hindwise.domain.changes import PutJob, UnderClaim
from hindwise.domain.claims import postponed
from hindwise.domain.jobs import Counts, JobKind, JobState
from hindwise.errors import Misconfigured, Unavailable, Unreadable
from hindwise.usecases import claims
from hindwise.usecases.extract import extract
from hindwise.usecases.job_actions import dismiss
from tests.builders import scope
from tests.lab import Lab


@pytest.fixture
def lab():
    lab = Lab()
    lab.taken = lab.say("a", "b")
    return lab


def claim(lab):
    return claims.claim(scope(), lab.taken.job_id, JobKind.EXTRACT, worker=lab.worker)


def put_off(lab, job, error):
    spent = Counts(llm_calls=1)
    return claims.put_off(scope(), job, error, worker=lab.worker, spent=spent)


def test_one_has_the_claim_until_it_is_over(lab):
    mine = claim(lab)
    assert (mine.state, mine.claimed_until) == (
        JobState.RUNNING, lab.clock() + timedelta(seconds=240),
    )  # fmt: skip
    assert claim(lab) is None
    lab.clock.forward(seconds=240)
    theirs = claim(lab)
    assert theirs.token != mine.token and theirs.lost == 1


def test_a_job_of_another_kind_is_not_touched(lab):
    kind = JobKind.CONSOLIDATE
    assert claims.claim(scope(), lab.taken.job_id, kind, worker=lab.worker) is None


def test_who_lost_the_claim_writes_nothing_of_the_job(lab):
    mine = claim(lab)
    lab.clock.forward(seconds=240)
    theirs = claim(lab)
    for act in (
        lambda: put_off(lab, mine, Unavailable("down")),
        lambda: claims.broken(scope(), mine, "empty", worker=lab.worker, spent=Counts()),
        lambda: claims.fail(scope(), mine, "lost", worker=lab.worker),
    ):
        with pytest.raises(claims.ClaimLost):
            act()
    assert lab.job(lab.taken) == theirs
    with pytest.raises(claims.ClaimLost):
        dismiss(theirs.id, ledger=lab.ledger(), learning=lab.learning)
        put_off(lab, theirs, Unavailable("down"))


def test_the_sweep_may_move_a_job_under_the_hands_of_its_worker(lab):
    mine = claim(lab)
    lab.store.commit(scope(), [PutJob(job=postponed(mine, lab.clock()), before=mine)])
    after = put_off(lab, mine, Unavailable("down", details={"reason": "timeout"}))
    assert (after.reason, after.waits, after.counts.llm_calls) == ("timeout", 1, 1)
    assert lab.job(lab.taken) == after


def test_a_job_that_changes_without_end_is_left_to_the_sweep(lab):
    mine = claim(lab)
    lab.store.faults.race_next(claims.TRIES, on=PutJob)
    with pytest.raises(Unavailable):
        put_off(lab, mine, Unavailable("down"))
    assert lab.job(lab.taken) == mine


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (Unavailable("down"), "unavailable"), (Misconfigured("no key"), "misconfigured"),
        (Unreadable("gone"), "unreadable"),
        (Unavailable("x", details={"reason": "rate_limited", "retry_after": 30}), "rate_limited"),
    ],
)  # fmt: skip
def test_what_does_not_answer_is_named_and_tried_again_a_few_times(lab, error, reason):
    for number in range(1, 9):
        job = put_off(lab, claim(lab), error)
        assert (job.reason, job.waits) == (reason, number)
        lab.clock.forward(seconds=1_000)
    assert (job.state, job.next_at) == (JobState.FAILED, None)
    assert lab.buried() == [job.id]


def test_a_blob_that_is_gone_fails_its_job_and_a_silent_store_only_delays_it(lab):
    lab.blobs.down = True
    lab.deliver()
    job = lab.job(lab.taken)
    assert (job.state, job.reason) == (JobState.ACCEPTED, "unavailable")
    lab.blobs.down = False
    lab.settle()
    assert lab.job(lab.taken).state is JobState.SUCCEEDED
    other = lab.say("c", id="c2")
    lab.blobs.held.clear()
    lab.settle()
    failed = lab.job(other)
    assert (failed.state, failed.reason) == (JobState.FAILED, "unreadable")


def test_a_worker_whose_claim_is_gone_lets_go_quietly(lab):
    """Also where it has just found that something does not answer."""

    def gone():
        dismiss(lab.taken.job_id, ledger=lab.ledger(), learning=lab.learning)

    names = 30
    for number in range(4, names):
        lab = Lab()
        lab.taken = lab.say("a", "b")
        lab.wire.arm(number, gone)
        assert extract(scope(), lab.taken.job_id, worker=lab.fragile()) is None or (
            lab.wire.armed is not None
        )
        if lab.wire.armed is not None:
            assert lab.job(lab.taken).state is JobState.SUCCEEDED
            break
        assert lab.job(lab.taken).state is JobState.DISMISSED
    else:
        raise AssertionError("there are more calls than that")


def test_two_that_find_a_job_lost_too_often_end_it_once(lab):
    """The other one is quicker, between the look at the row and the last word on it."""
    for _ in range(5):
        claim(lab)
        lab.clock.forward(seconds=240)

    def first():
        assert claim(lab) is None

    lab.wire.arm(3, first)
    assert extract(scope(), lab.taken.job_id, worker=lab.fragile()) is None
    assert lab.wire.armed is None
    assert (lab.job(lab.taken).state, lab.job(lab.taken).reason) == (JobState.FAILED, "lost")


def test_a_race_on_anything_else_is_nobodys_excuse(lab):
    lab.store.faults.race_next(on=UnderClaim)
    assert extract(scope(), lab.taken.job_id, worker=lab.worker) is None
    assert lab.memories() == []
    lab.clock.forward(minutes=10)
    lab.settle()
    assert len(lab.episodes()) == 2
