"""How a job goes from one state to the next."""

from datetime import timedelta

import pytest

from hindwise.domain.claims import anew, ended, free, further, overdue, postponed, taken, waiting
from hindwise.domain.jobs import Counts, Job, JobKind, JobState
from tests.builders import NOW, principal

LEASE = timedelta(minutes=4)
JOB = Job(
    id="j", kind=JobKind.EXTRACT, principal=principal(), first_turn=1, last_turn=40, next_turn=1,
    next_at=NOW + timedelta(minutes=1), created_at=NOW, updated_at=NOW,
)  # fmt: skip
HELD = taken(JOB, "mine", lease=LEASE, now=NOW)


def later(**by):
    return NOW + timedelta(**by)


def test_a_new_job_is_free_before_the_sweep_would_send_for_it():
    assert free(JOB, NOW)


@pytest.mark.parametrize(("seconds", "is_free"), [(0, False), (239, False), (240, True)])
def test_a_claim_holds_as_long_as_its_lease(seconds, is_free):
    assert free(HELD, later(seconds=seconds)) is is_free


def test_a_claim_that_was_left_behind_is_counted_and_one_that_was_given_back_is_not():
    again = taken(HELD, "theirs", lease=LEASE, now=later(minutes=5))
    assert (again.lost, again.token, again.next_at) == (1, "theirs", later(minutes=9))
    step = further(HELD, next_turn=21, counts=Counts(windows=1), now=NOW)
    assert taken(step, "x", lease=LEASE, now=NOW).lost == 0
    assert further(again, next_turn=21, counts=Counts(), now=NOW).lost == 0


@pytest.mark.parametrize(("seconds", "is_free"), [(0, False), (57, False), (58, True), (90, True)])
def test_a_job_that_waits_is_free_when_its_time_has_come_or_almost(seconds, is_free):
    put_off = waiting(HELD, "timeout", until=later(minutes=1), now=NOW, waits=1)
    assert (put_off.state, put_off.token, put_off.waits) == (JobState.ACCEPTED, "", 1)
    assert free(put_off, later(seconds=seconds)) is is_free


def test_an_ended_job_is_never_free_and_has_no_moment():
    for state in JobState:
        done = ended(HELD, state, "why", now=NOW)
        assert (done.next_at, done.token, done.claimed_until) == (None, "", None)
        assert free(done, later(days=9)) is (state in (JobState.ACCEPTED, JobState.RUNNING))


def test_every_step_is_another_version():
    steps = [
        HELD, waiting(JOB, "x", until=NOW, now=NOW), ended(JOB, JobState.FAILED, "x", now=NOW),
        further(JOB, next_turn=2, counts=Counts(), now=NOW), anew(JOB, NOW), postponed(JOB, NOW),
    ]  # fmt: skip
    assert {one.version for one in steps} == {JOB.version + 1}


def test_a_job_is_left_alone_since_something_happened_or_since_it_was_to_be_tried():
    assert overdue(JOB, later(minutes=7)) == 420
    assert overdue(postponed(JOB, later(minutes=5)), later(minutes=7)) == 420
    put_off = waiting(JOB, "budget", until=later(hours=6), now=NOW)
    assert overdue(put_off, later(hours=6, minutes=1)) == 60
    assert overdue(put_off, NOW) == 0


def test_a_failed_job_begins_where_it_failed_and_a_partial_one_from_the_start():
    counts = Counts(windows=1, created=2, llm_calls=3, refused={"guess": 1})
    step = further(HELD, next_turn=21, counts=counts, now=NOW)
    failed = ended(step, JobState.FAILED, "timeout", now=NOW, waits=8)
    again = anew(failed, NOW)
    assert (again.next_turn, again.round, again.counts, again.waits) == (21, 0, counts, 0)
    state = JobState.QUARANTINED
    partial = ended(step, JobState.PARTIAL, "truncated", now=NOW, result={"partial": True})
    assert anew(ended(step, state, "review", now=NOW), NOW).next_turn == 1
    again = anew(partial, NOW)
    assert (again.next_turn, again.round, again.result) == (1, 1, {})
    assert again.counts == Counts(llm_calls=3)
