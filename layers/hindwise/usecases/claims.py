"""Work on a job: take it, put it off, bring it a step further, end it.

Every message that points at a job may come twice, late, or while somebody works on it already. The
row decides: who does not get the claim lets go of the message, and the sweep sends another when the
claim is over.
"""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from math import ceil
from zlib import crc32

from hindwise.domain.call import Tools
from hindwise.domain.changes import PutJob, Raced, UnderClaim
from hindwise.domain.claims import ended, free, taken, waiting
from hindwise.domain.jobs import Counts, Job, JobKind, JobState
from hindwise.domain.ports import MemoryStore, QueueName, Reply
from hindwise.domain.scope import Scope
from hindwise.errors import (
    HindwiseError,
    Misconfigured,
    Transient,
    Unavailable,
    Unreadable,
    Unusable,
)
from hindwise.usecases.learning import Learning
from hindwise.usecases.trust import Trust

QUEUES = {
    JobKind.EXTRACT: QueueName.EXTRACT,
    JobKind.CONSOLIDATE: QueueName.CONSOLIDATE,
    JobKind.QUARANTINE: QueueName.REVIEW,
}
TRIES = 8
SPREAD = 0.2
"""How much longer than it must a job may wait, so that not all come back at once."""
BUDGET = "budget"


class ClaimLost(Exception):
    """Somebody else has the job, or has ended it: what was not stored yet will not be."""


@dataclass(frozen=True)
class Worker:
    """What works on jobs: the parts of learning and of trust, the store, and a clock."""

    learning: Learning
    store: MemoryStore
    tools: Tools
    clock: Callable[[], datetime]
    trust: Trust = field(default_factory=Trust)


@dataclass
class Meter:
    """What a delivery has cost, whatever becomes of it."""

    counts: Counts

    def add(self, reply: Reply) -> None:
        """Count a reply."""
        self.counts = self.counts.model_copy(
            update={
                "llm_calls": self.counts.llm_calls + reply.calls,
                "input_tokens": self.counts.input_tokens + reply.input_tokens,
                "output_tokens": self.counts.output_tokens + reply.output_tokens,
            }
        )


def claim(scope: Scope, job_id: str, kind: JobKind, *, worker: Worker) -> Job | None:
    """Take a job of a kind for the length of a lease.

    None where there is nothing to do: it is gone, at its end, in other hands, or is to wait longer.
    One whose claims were left behind too often fails. Raises Unavailable.
    """
    rules = worker.learning.rules
    for _ in range(TRIES):
        job, now = worker.learning.jobs.get(scope, job_id), worker.clock()
        if job is None or job.kind is not kind or not free(job, now):
            return None
        lease = timedelta(seconds=rules.lease_seconds)
        mine = taken(job, worker.tools.new_id(now), lease=lease, now=now)
        if mine.lost >= rules.lost_limit:
            with suppress(ClaimLost):
                fail(scope, job, "lost", worker=worker, lost=mine.lost)
            return None
        try:
            worker.store.commit(scope, [PutJob(job=mine, before=job)])
        except Raced:
            continue
        return mine
    return None


def change(
    scope: Scope, job: Job, turned: Callable[[Job, datetime], Job], *, worker: Worker
) -> Job:
    """Write what becomes of a job, as long as it is in the same hands; the sweep may have moved it.

    Raises ClaimLost, Unavailable.
    """
    held = job.token
    for _ in range(TRIES):
        after = turned(job, worker.clock())
        try:
            worker.store.commit(scope, [PutJob(job=after, before=job)])
        except Raced:
            fresh = worker.learning.jobs.get(scope, job.id)
            if fresh is None or fresh.token != held or not fresh.open:
                raise ClaimLost from None
            job = fresh
        else:
            return after
    raise Unavailable("the job is changing too fast")


def delivered(
    scope: Scope, job: Job, work: Callable[[], Job], *, worker: Worker, meter: Meter
) -> Job | None:
    """Do what a claim is for; gives the job as it then is, None where others have it by now.

    Why it was not done is written on the job, and so whether it waits or has failed. Raises
    Unavailable where not even that could be written.
    """
    try:
        try:
            return work()
        except Unusable as error:
            return broken(scope, job, error.problem, worker=worker, spent=meter.counts)
        except (Transient, Misconfigured, Unreadable) as error:
            return put_off(scope, job, error, worker=worker, spent=meter.counts)
    except ClaimLost:
        return None
    except Raced as raced:
        if not raced.on(UnderClaim):
            raise
        return None


def put_off(scope: Scope, job: Job, error: HindwiseError, *, worker: Worker, spent: Counts) -> Job:
    """Let go of a job because something did not answer, until it is worth another try.

    As long as its host asked for, at least; a used up budget is not the job's fault and comes back
    with the next day (UTC). After the last try it fails. Raises ClaimLost, Unavailable.
    """
    reason = str(error.details.get("reason", error.code))
    if reason == BUDGET:
        tomorrow = worker.clock().astimezone(UTC).date() + timedelta(days=1)
        until = datetime.combine(tomorrow, datetime.min.time(), UTC)
        return _wait(scope, job, reason, until=until, worker=worker, counts=spent)
    waits, rules = job.waits + 1, worker.learning.rules
    if waits >= rules.wait_limit:
        return fail(scope, job, reason, worker=worker, waits=waits, counts=spent)
    asked = error.details.get("retry_after")
    seconds = rules.backoff(waits, float(asked) if isinstance(asked, int | float) else 0)
    until = worker.clock() + timedelta(seconds=spread(job, seconds, rules.backoff_cap))
    return _wait(scope, job, reason, until=until, worker=worker, waits=waits, counts=spent)


def broken(scope: Scope, job: Job, reason: str, *, worker: Worker, spent: Counts) -> Job:
    """Let go of a job whose model said what cannot be used; after the last try it fails.

    Raises ClaimLost, Unavailable.
    """
    times, rules = job.broken + 1, worker.learning.rules
    if times >= rules.broken_limit:
        return fail(scope, job, reason, worker=worker, broken=times, counts=spent)
    seconds = spread(job, rules.backoff(times), rules.backoff_cap)
    until = worker.clock() + timedelta(seconds=seconds)
    return _wait(scope, job, reason, until=until, worker=worker, broken=times, counts=spent)


def fail(scope: Scope, job: Job, reason: str, *, worker: Worker, **more: object) -> Job:
    """End a job that cannot be done now, and put a pointer to it among the dead letters.

    The letter first: one too many is let go of, one too few would leave the job to be found by
    hand. Raises ClaimLost, Unavailable.
    """
    worker.learning.queues.bury(QUEUES[job.kind], scope, job.id)
    return change(
        scope,
        job,
        lambda one, now: ended(one, JobState.FAILED, reason, now=now, **more),
        worker=worker,
    )


def spread(job: Job, seconds: float, cap: float) -> float:
    """Seconds, and up to a fifth more by the job's id, at most `cap`."""
    share = crc32(f"{job.id} {job.waits} {job.broken}".encode()) / 2**32
    return min(seconds * (1 + SPREAD * share), cap)


def _wait(
    scope: Scope, job: Job, reason: str, *, until: datetime, worker: Worker, **more: object
) -> Job:
    waiting_job = change(
        scope,
        job,
        lambda one, now: waiting(one, reason, until=until, now=now, **more),
        worker=worker,
    )
    seconds = (until - worker.clock()).total_seconds()
    if seconds <= worker.learning.rules.backoff_cap:
        delay = max(ceil(seconds), 0)
        worker.learning.queues.send(QUEUES[job.kind], scope, [job.id], delay=delay)
    return waiting_job
