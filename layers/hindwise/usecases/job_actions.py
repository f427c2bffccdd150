"""What a person does with a job: try it again, let it go, or try again all that ended dead.

Jobs are put back with what they have already done: a retry goes on at the window that failed. One
that is done in part, or all of whose offers were held, starts anew, and asks its model anew.
"""

import logging
from datetime import datetime

from hindwise.domain.changes import PutJob, Raced
from hindwise.domain.claims import anew, ended
from hindwise.domain.jobs import RETRIABLE, Job, JobState
from hindwise.domain.ports import Letter, MemoryStore, QueueName
from hindwise.domain.scope import Principal, Scope
from hindwise.errors import Conflict, NotFound, Unreadable
from hindwise.usecases.claims import QUEUES
from hindwise.usecases.learning import Learning
from hindwise.usecases.ledger import Ledger
from hindwise.usecases.winning import until_won

_log = logging.getLogger(__name__)
NO_JOBS = frozenset({QueueName.SETTLE, QueueName.FORGET, QueueName.FADE})
"""Queues whose pointers are of no job: whoever is handed one looks whether there is work."""
LETTERS = 10
REDRIVEN = frozenset({JobState.FAILED, JobState.QUARANTINED})


def retry(job_id: str, *, ledger: Ledger, learning: Learning) -> Job:
    """Put an ended job back among the waiting ones and send for it.

    Raises NotFound; Conflict for one that is waiting or running, or has succeeded.
    """
    scope = ledger.call.scope

    def attempt(ledger: Ledger) -> Job:
        job = _needed(job_id, scope, learning)
        if job.state not in RETRIABLE | {JobState.PARTIAL}:
            message = f"job is {job.state}: only one that failed or was dismissed is tried again"
            raise Conflict(message, details={"state": job.state.value})
        again = anew(job, ledger.call.now)
        ledger.commit([PutJob(job=again, before=job)], answer=f"retried {job.id}")
        return again

    job = until_won(attempt, "this job", ledger=ledger)
    learning.queues.send(QUEUES[job.kind], scope, [job.id])
    return job


def dismiss(job_id: str, *, ledger: Ledger, learning: Learning) -> Job:
    """End a job for good, also while it runs: what it has not yet stored, it will not store.

    What it has stored stays, and so does its conversation. Raises NotFound; Conflict for one that
    has succeeded.
    """

    def attempt(ledger: Ledger) -> Job:
        job = _needed(job_id, ledger.call.scope, learning)
        if job.state is JobState.DISMISSED:
            return job
        if not (job.open or job.state in RETRIABLE):
            message = f"job is {job.state}: there is nothing left to dismiss"
            raise Conflict(message, details={"state": job.state.value})
        gone = ended(job, JobState.DISMISSED, "dismissed", now=ledger.call.now)
        ledger.commit([PutJob(job=gone, before=job)], answer=f"dismissed {job.id}")
        return gone

    return until_won(attempt, "this job", ledger=ledger)


def redrive(
    name: QueueName,
    principal: Principal,
    *,
    learning: Learning,
    store: MemoryStore,
    now: datetime,
    most: int = 100,
) -> int:
    """Try again what lies among a queue's dead letters, up to `most`; tells how many were sent.

    Letters of those for whom `principal` may not act are left where they are, and those of jobs
    that cannot be read. Any other is let go of once its job has been sent, has ended well, or is
    gone. Raises Unavailable; a letter that was not let go of comes back.
    """
    sent = seen = 0
    while seen < most and (letters := learning.queues.letters(name, min(LETTERS, most - seen))):
        seen += len(letters)
        done: list[Letter] = []
        for letter in letters:
            if not _may(principal, letter.scope):
                continue
            try:
                sent += _revived(name, letter.scope, letter.id, learning, store, now)
            except Unreadable:
                _log.error("the job of a dead letter cannot be read: %s", letter.id)
            else:
                done.append(letter)
        learning.queues.drop(name, done)
    return sent


def _may(principal: Principal, scope: Scope) -> bool:
    return scope.tenant == principal.tenant and principal.may_act_for(scope.user)


def _needed(job_id: str, scope: Scope, learning: Learning) -> Job:
    if (job := learning.jobs.get(scope, job_id)) is None:
        raise NotFound(f"there is no job {job_id}")
    return job


def _revived(
    name: QueueName,
    scope: Scope,
    job_id: str,
    learning: Learning,
    store: MemoryStore,
    now: datetime,
) -> bool:
    """Send a dead letter's job again, put back where it had failed; False where it has ended."""
    if name in NO_JOBS:
        learning.queues.send(name, scope, [job_id])
        return True
    job = learning.jobs.get(scope, job_id)
    if job is not None and job.state in REDRIVEN:
        try:
            store.commit(scope, [PutJob(job=anew(job, now), before=job)])
        except Raced:
            job = learning.jobs.get(scope, job_id)
        else:
            learning.queues.send(name, scope, [job_id])
            return True
    if job is None or not job.open:
        return False
    learning.queues.send(name, scope, [job_id])
    return True
