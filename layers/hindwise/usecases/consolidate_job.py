"""One step of a consolidation's job: find, keep what was found, store it, and say how it ended.

Whoever works on a job holds it by a claim, under which everything is committed; a step that is
interrupted anywhere is done again and ends the same.
"""

from datetime import datetime, timedelta

from hindwise.domain.changes import PutJob, Raced, UnderClaim
from hindwise.domain.claims import ended, free, taken, waiting
from hindwise.domain.jobs import Counts, Job, JobState
from hindwise.domain.patterns import LEAST_EVIDENCE
from hindwise.domain.ports import QueueName
from hindwise.errors import Misconfigured, Unavailable
from hindwise.usecases.consolidating import (
    Broken,
    Consolidation,
    Finding,
    Outcome,
    Spent,
    find,
    skipped,
    take,
    too_few,
)
from hindwise.usecases.patterns import Domain, look

SECONDS = 60.0
STATES = {
    "created": JobState.SUCCEEDED,
    "skipped": JobState.SUCCEEDED_EMPTY,
    "partial": JobState.PARTIAL,
}


def work(job: Job, *, parts: Consolidation) -> Job:
    """Take a job if it is free, and do a step of it; returns it as it is afterwards.

    Raises Unavailable where the table does not answer: then its claim ends by itself.
    """
    scope, rules, now = parts.ledger.call.scope, parts.learning.rules, parts.clock()
    if not job.open:
        parts.learning.jobs.drop_answers(scope, job.id)
        return job
    if not free(job, now):
        return job
    token = parts.ledger.tools.new_id(now)
    mine = taken(job, token, lease=timedelta(seconds=rules.lease_seconds), now=now)
    if mine.lost >= rules.lost_limit:
        return _failed(job, "lost", parts, lost=mine.lost)
    try:
        parts.ledger.store.commit(scope, [PutJob(job=mine, before=job)])
    except Raced:
        return _read(job, parts)
    domain = look(mine.domain or "general", ledger=parts.ledger, rules=rules)
    return step(mine, domain, parts=parts, seconds=SECONDS)


def step(
    job: Job, domain: Domain, *, parts: Consolidation, seconds: float, repair: bool = True
) -> Job:
    """Do a job that is held; a model has `seconds` for an answer. Returns it as it is afterwards.

    Raises Unavailable where the table does not answer.
    """
    try:
        finding = _finding(job, domain, parts, seconds=seconds, repair=repair)
    except Broken as broken:
        return _broken(job, broken.spent, parts)
    except (Unavailable, Misconfigured) as error:
        if "reason" not in error.details and isinstance(error, Unavailable):
            raise
        return _put_off(job, error, parts)
    try:
        return _done(job, domain, finding, parts)
    except Raced as raced:
        if not raced.on(UnderClaim) and not raced.on(PutJob):
            raise Unavailable("too many writers at once; try again") from raced
        return _read(job, parts)


def outcome_of(job: Job) -> Outcome:
    """What came of a job that has ended."""
    if job.result:
        return Outcome.model_validate(job.result)
    bare = Outcome(status="skipped", reason=job.reason, method="llm")
    return bare.model_copy(update=_cost(job.counts))


def _finding(
    job: Job, domain: Domain, parts: Consolidation, *, seconds: float, repair: bool
) -> Finding | None:
    """What was found for a job, now or by whoever had it before; None where there is too little."""
    scope, jobs = parts.ledger.call.scope, parts.learning.jobs
    if (kept := jobs.answer(scope, job.id, job.round)) is not None:
        return Finding.model_validate_json(kept)
    if too_few(domain.fresh, LEAST_EVIDENCE if job.force else job.min_episodes):
        return None
    found = find(domain, parts=parts, seconds=seconds, repair=repair).model_dump_json()
    now = parts.clock()
    return Finding.model_validate_json(jobs.keep_answer(scope, job.id, job.round, found, now=now))


def _done(job: Job, domain: Domain, finding: Finding | None, parts: Consolidation) -> Job:
    scope = parts.ledger.call.scope
    if finding is None:
        outcome = skipped("too few", domain, parts)
        counts = job.counts
    else:
        under = UnderClaim(job_id=job.id, token=job.token)
        outcome = take(finding, domain.name, parts=parts, under=under)
        counts = _counted(job.counts, finding.spent)
        counts = counts.model_copy(
            update={"created": len(outcome.patterns), "refused": outcome.refused}
        )
    outcome = outcome.model_copy(update=_cost(counts))
    parts.ripening.considered(scope, domain.name, at=job.created_at)
    now = parts.clock()
    after = ended(
        job, STATES[outcome.status], outcome.reason, now=now, counts=counts, result=outcome.kept()
    )
    parts.ledger.store.commit(scope, [PutJob(job=after, before=job)])
    parts.learning.jobs.drop_answers(scope, job.id)
    return after


def _broken(job: Job, spent: Spent, parts: Consolidation) -> Job:
    rules, now = parts.learning.rules, parts.clock()
    counts, times = _counted(job.counts, spent), job.broken + 1
    if times >= rules.broken_limit:
        return _failed(job, "unusable answer", parts, broken=times, counts=counts)
    until = now + timedelta(seconds=rules.backoff(times))
    after = waiting(job, "unusable answer", until=until, now=now, broken=times, counts=counts)
    return _sent(job, after, until, parts)


def _put_off(job: Job, error: Unavailable | Misconfigured, parts: Consolidation) -> Job:
    """Wait for a model that does not answer; a budget is waited for without losing patience."""
    rules, now = parts.learning.rules, parts.clock()
    reason = str(error.details.get("reason", "misconfigured"))
    asked = error.details.get("retry_after")
    pause = float(asked) if isinstance(asked, int | float) else 0.0
    if reason == "budget":
        until = now + timedelta(seconds=pause)
        return _sent(job, waiting(job, reason, until=until, now=now), until, parts)
    waits = job.waits + 1
    if waits >= rules.wait_limit:
        return _failed(job, reason, parts, waits=waits)
    until = now + timedelta(seconds=rules.backoff(waits, pause))
    return _sent(job, waiting(job, reason, until=until, now=now, waits=waits), until, parts)


def _sent(job: Job, after: Job, until: datetime, parts: Consolidation) -> Job:
    """Let go of a job, and have it sent for when it is time."""
    scope = parts.ledger.call.scope
    try:
        parts.ledger.store.commit(scope, [PutJob(job=after, before=job)])
    except Raced:
        return _read(job, parts)
    delay = max(0.0, (until - parts.clock()).total_seconds())
    parts.learning.queues.send(QueueName.CONSOLIDATE, scope, [job.id], delay=min(delay, 900))
    return after


def _failed(job: Job, reason: str, parts: Consolidation, **more: object) -> Job:
    scope = parts.ledger.call.scope
    after = ended(job, JobState.FAILED, reason, now=parts.clock(), **more)
    try:
        parts.ledger.store.commit(scope, [PutJob(job=after, before=job)])
    except Raced:
        return _read(job, parts)
    parts.learning.queues.bury(QueueName.CONSOLIDATE, scope, job.id)
    return after


def _read(job: Job, parts: Consolidation) -> Job:
    return parts.learning.jobs.get(parts.ledger.call.scope, job.id) or job


def _counted(counts: Counts, spent: Spent) -> Counts:
    return counts.model_copy(
        update={
            "llm_calls": counts.llm_calls + spent.llm_calls,
            "input_tokens": counts.input_tokens + spent.input_tokens,
            "output_tokens": counts.output_tokens + spent.output_tokens,
        }
    )


def _cost(counts: Counts) -> dict[str, int]:
    return {
        "llm_calls": counts.llm_calls,
        "tokens": counts.input_tokens + counts.output_tokens,
    }
