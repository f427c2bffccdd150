"""One step of a consolidation's job: find, keep what was found, store it, and say how it ended.

Whoever works on a job holds it by a claim, under which everything is committed; a step that is
interrupted anywhere is done again and ends the same.
"""

from datetime import datetime

from pydantic import ValidationError

from hindwise.domain.claims import ended
from hindwise.domain.jobs import Job, JobKind, JobState
from hindwise.domain.patterns import GENERAL, LEAST_EVIDENCE
from hindwise.errors import Unreadable
from hindwise.usecases.claims import Meter, change, claim, delivered
from hindwise.usecases.consolidating import (
    PATIENT,
    Asking,
    Consolidation,
    Finding,
    Outcome,
    find,
    skipped,
    take,
    too_few,
)
from hindwise.usecases.patterns import Domain, look

STATES = {
    "created": JobState.SUCCEEDED,
    "skipped": JobState.SUCCEEDED_EMPTY,
    "partial": JobState.PARTIAL,
}


def work(job: Job, *, parts: Consolidation) -> Job | None:
    """Take a job and do it; gives it as it then is, None where nothing was to be done.

    Whatever a model or a store failed to do is written on the job, which then waits or has failed.
    Raises Unavailable only where not even that could be written.
    """
    scope = parts.ledger.call.scope
    if not job.open:
        parts.learning.jobs.drop_answer(scope, job.id, job.round)
        return None
    mine = claim(scope, job.id, JobKind.CONSOLIDATE, worker=parts.worker)
    return None if mine is None else step(mine, parts=parts)


def step(
    job: Job,
    *,
    parts: Consolidation,
    domain: Domain | None = None,
    asking: Asking = PATIENT,
) -> Job | None:
    """Do a job that is held; gives it as it then is, None where others have it by now.

    Who has just read the domain gives it. Raises Unavailable where that could not be written.
    """
    meter = Meter(job.counts)

    def work() -> Job:
        read = domain or look(
            job.domain or GENERAL, ledger=parts.ledger, rules=parts.learning.rules
        )
        held = parts.under(job)
        finding = _finding(job, held, meter, read, asking=asking)
        return _done(job, read, finding, held, meter)

    scope = parts.ledger.call.scope
    return delivered(scope, job, work, worker=parts.worker, meter=meter)


def outcome_of(job: Job) -> Outcome:
    """What came of a job that has ended."""
    if job.result:
        return Outcome.model_validate(job.result)
    outcome = Outcome(status="skipped", reason=job.reason, method="llm")
    return _costing(outcome, job)


def _finding(
    job: Job, parts: Consolidation, meter: Meter, domain: Domain, *, asking: Asking
) -> Finding | None:
    """What is found for a job, by whoever had it first; None where there is too little by now."""
    if (kept := _kept(job, parts)) is not None:
        return kept
    if not _enough(job, domain):
        return None
    found = find(domain, parts=parts, meter=meter, asking=asking)
    return _keep(job, found, parts)


def _done(
    job: Job, domain: Domain, finding: Finding | None, parts: Consolidation, meter: Meter
) -> Job:
    scope = parts.ledger.call.scope
    if finding is None:
        outcome = skipped("too few", domain, parts)
    else:
        outcome = take(finding, domain.name, parts=parts)
    news = {"created": len(outcome.patterns), "refused": outcome.refused}
    counts = meter.counts.model_copy(update=news)
    outcome = _costing(outcome, job.model_copy(update={"counts": counts}))
    parts.ripening.considered(scope, domain.name, at=parts.ledger.call.now)

    def turned(one: Job, now: datetime) -> Job:
        past = {"counts": counts, "result": outcome.kept(), "broken": 0, "waits": 0, "lost": 0}
        return ended(one, STATES[outcome.status], outcome.reason, now=now, **past)

    after = change(scope, job, turned, worker=parts.worker)
    parts.learning.jobs.drop_answer(scope, job.id, job.round)
    return after


def _enough(job: Job, domain: Domain) -> bool:
    least = LEAST_EVIDENCE if job.force else job.min_episodes
    return too_few(domain.fresh, least) is None


def _kept(job: Job, parts: Consolidation) -> Finding | None:
    kept = parts.learning.jobs.answer(parts.ledger.call.scope, job.id, job.round)
    return _parsed(kept) if kept is not None else None


def _parsed(kept: str) -> Finding:
    try:
        return Finding.model_validate_json(kept)
    except ValidationError:  # which would tell what was said
        raise Unreadable("a kept finding does not read as one") from None


def _keep(job: Job, found: Finding, parts: Consolidation) -> Finding:
    """What is kept under the job: what was found, or what somebody else had found before."""
    kept = parts.learning.jobs.keep_answer(
        parts.ledger.call.scope,
        job.id,
        job.round,
        found.model_dump_json(),
        now=parts.worker.clock(),
    )
    return _parsed(kept)


def _costing(outcome: Outcome, job: Job) -> Outcome:
    tokens = job.counts.input_tokens + job.counts.output_tokens
    return outcome.model_copy(update={"llm_calls": job.counts.llm_calls, "tokens": tokens})
