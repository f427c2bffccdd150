"""See to it that nothing waits for ever: send again for jobs, and hand over idle conversations.

A message that got lost, a worker that died, a delay longer than a queue can hold: the rows know.
What is sent for again is put off first, so that a long queue does not fill with echoes of itself.
"""

import logging
from datetime import datetime

from hindwise.domain.base import Model
from hindwise.domain.changes import Action, PutConversation, PutJob, Raced
from hindwise.domain.claims import overdue, postponed
from hindwise.domain.ids import key_hash
from hindwise.domain.ports import Due, QueueName
from hindwise.domain.scope import Scope
from hindwise.domain.talk import taken_up
from hindwise.errors import Unreadable
from hindwise.usecases.claims import QUEUES, Worker

BUCKETS = 16
ROUND = 100
LOGGER = logging.getLogger(__name__)


class Resent(Model):
    """How many jobs were sent for again, and how many conversations were found idle.

    `oldest_seconds` is how long the longest waiting of these jobs has been left alone.
    """

    jobs: int = 0
    idle: int = 0
    oldest_seconds: float = 0


def resend(*, worker: Worker, until: datetime) -> Resent:
    """Send for what is due in all buckets, or until the time is up; doing it twice does no harm.

    Each minute begins with another bucket, so that a crowd in one does not starve the others.
    """
    sent, begin = Resent(), worker.clock().minute
    for number in range(BUCKETS):
        bucket = (begin + number) % BUCKETS
        while worker.clock() < until:
            due = worker.learning.jobs.due(bucket, now=worker.clock(), limit=ROUND)
            done = [_again(one, worker=worker) for one in due]
            sent = _with(sent, due, done)
            if len(due) < ROUND or not any(one is not None for one in done):
                break
    return sent


def _with(sent: Resent, due: list[Due], done: list[float | None]) -> Resent:
    jobs = [age for one, age in zip(due, done, strict=True) if one.job_id and age is not None]
    idle = sum(age is not None for one, age in zip(due, done, strict=True) if not one.job_id)
    oldest = max(sent.oldest_seconds, *jobs, 0)
    return Resent(jobs=sent.jobs + len(jobs), idle=sent.idle + idle, oldest_seconds=oldest)


def _again(due: Due, *, worker: Worker) -> float | None:
    """How long it has been left alone; None where somebody else was quicker.

    A row that cannot be read stays as it is, named, and in nobody's way.
    """
    try:
        if due.job_id is not None:
            return _job(due.scope, due.job_id, worker=worker)
        return _idle(due.scope, due.conversation_id or "", worker=worker)
    except Unreadable:
        LOGGER.error(
            "what is due cannot be read: %s", due.job_id or key_hash(due.conversation_id or "")
        )
        return None


def _job(scope: Scope, job_id: str, *, worker: Worker) -> float | None:
    job, now = worker.learning.jobs.get(scope, job_id), worker.clock()
    if job is None or not job.open or job.next_at is None or job.next_at > now:
        return None
    try:
        worker.store.commit(scope, [PutJob(job=postponed(job, now), before=job)])
    except Raced:
        return None
    worker.learning.queues.send(QUEUES[job.kind], scope, [job.id])
    return overdue(job, now)


def _idle(scope: Scope, conversation_id: str, *, worker: Worker) -> float | None:
    """Hand over the turns of a conversation in which nobody has said anything for a while."""
    before, now = worker.learning.conversations.get(scope, conversation_id), worker.clock()
    if before is None or before.idle_at is None or before.idle_at > now:
        return None
    if before.turns <= before.queued:
        head, jobs = before.model_copy(update={"idle_at": None}), []
    else:
        head, job = taken_up(before, scope, now=now)
        jobs = [job]
    head = head.model_copy(update={"version": before.version + 1, "updated_at": now})
    put: list[Action] = [PutConversation(conversation=head, before=before)]
    put += [PutJob(job=one) for one in jobs]
    try:
        worker.store.commit(scope, put)
    except Raced:
        return None
    worker.learning.queues.send(QueueName.EXTRACT, scope, [one.id for one in jobs])
    return (now - before.idle_at).total_seconds()
