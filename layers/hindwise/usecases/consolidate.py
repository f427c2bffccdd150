"""Consolidate a domain when somebody asks for it, when it is ripe, or when a job says so.

With a model there is always a job: the call that opens it tries for a few seconds, and leaves it to
the queue where that is not enough. Without one, everything is done at once.
"""

from dataclasses import replace
from datetime import timedelta

from hindwise.domain.base import Model
from hindwise.domain.changes import Answered, PutJob, Raced
from hindwise.domain.claims import RESENT_AFTER, anew, free, taken
from hindwise.domain.ids import derived_id
from hindwise.domain.jobs import Counts, Job, JobKind
from hindwise.domain.patterns import GENERAL, LEAST_EVIDENCE, too_little
from hindwise.domain.ports import QueueName, Ripe
from hindwise.usecases.claims import Meter
from hindwise.usecases.consolidate_job import outcome_of, step
from hindwise.usecases.consolidating import (
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

AT_ONCE = 8.0
"""Seconds that a caller is kept waiting for a model."""
LEAST_SECONDS = 1.0
CLAIM = timedelta(seconds=30)
"""How long a call holds its job; after that the sweep sends it to the queue."""


class Wish(Model):
    """What is asked for.

    With `force` any two episodes are enough, with `dry_run` nothing is stored and no model asked.
    """

    domain: str = GENERAL
    min_episodes: int | None = None
    dry_run: bool = False
    force: bool = False


class Consolidated(Model):
    """What came of a call: an outcome, or the job that goes on without it.

    `preview` is what a dry run would have stored, where that can be told without a model.
    """

    outcome: Outcome | None = None
    job: Job | None = None
    preview: Finding | None = None


class Kept(Model):
    """What stands for a request key: the job that it opened, or what came of it at once."""

    job: str | None = None
    outcome: Outcome | None = None


def consolidate(wish: Wish, *, parts: Consolidation) -> Consolidated:
    """Look for patterns in a domain, now if it can be done in time.

    Raises Unavailable, and `changes.Raced` on the request row.
    """
    rules, ledger = parts.learning.rules, parts.ledger
    domain = look(wish.domain, ledger=ledger, rules=rules)
    least = rules.consolidation_min if wish.min_episodes is None else wish.min_episodes
    if reason := too_few(domain.fresh, LEAST_EVIDENCE if wish.force else least):
        return _kept(skipped(reason, domain, parts), parts)
    if wish.dry_run:
        extractive = parts.method == "extractive"
        preview = find(domain, parts=parts, meter=Meter(Counts())) if extractive else None
        return Consolidated(outcome=skipped("dry run", domain, parts), preview=preview)
    if parts.method == "extractive":
        aside = replace(parts, ledger=replace(ledger, request=None))
        found = find(domain, parts=aside, meter=Meter(Counts()))
        outcome = take(found, wish.domain, parts=aside)
        parts.ripening.considered(ledger.call.scope, wish.domain, at=ledger.call.now)
        return _kept(outcome, parts)
    job, mine = _opened(domain, wish, parts)
    if not mine:
        return Consolidated(job=job)
    return _as_it_is(_tried(job, domain, parts))


def again(answer: str, *, parts: Consolidation) -> Consolidated:
    """What a call was answered, for a request that comes again; a job may be further by now."""
    kept = Kept.model_validate_json(answer)
    if kept.job is None:
        return Consolidated(outcome=kept.outcome)
    job = parts.learning.jobs.get(parts.ledger.call.scope, kept.job)
    return Consolidated() if job is None else _as_it_is(job)


def _as_it_is(job: Job) -> Consolidated:
    return Consolidated(job=job) if job.open else Consolidated(outcome=outcome_of(job))


def _kept(outcome: Outcome, parts: Consolidation) -> Consolidated:
    if parts.ledger.request is not None:
        parts.ledger.commit([], answer=Kept(outcome=outcome).model_dump_json())
    return Consolidated(outcome=outcome)


def _tried(job: Job, domain: Domain, parts: Consolidation) -> Job:
    """Do a job that this call holds, for as long as a caller can be kept waiting."""
    call = parts.ledger.call
    waited = (parts.worker.clock() - call.now).total_seconds()
    seconds = max(AT_ONCE - waited, LEAST_SECONDS)
    asking = Asking(seconds=seconds, repair=False)
    done = step(job, parts=parts, domain=domain, asking=asking)
    return done or parts.learning.jobs.get(call.scope, job.id) or job


def _opened(domain: Domain, wish: Wish, parts: Consolidation) -> tuple[Job, bool]:
    """The job of these episodes, and whether it is this call that holds it now."""
    scope, now = parts.ledger.call.scope, parts.worker.clock()
    job, before = _job(domain, wish, parts)
    if job.open and not free(job, now):
        return _known(job, parts), False
    if not job.open:
        job = anew(job, now).model_copy(update={"counts": Counts()})
    mine = taken(job, parts.ledger.tools.new_id(now), lease=CLAIM, now=now)
    try:
        parts.ledger.commit(
            [PutJob(job=mine, before=before)], answer=Kept(job=job.id).model_dump_json()
        )
    except Raced as raced:
        there = parts.learning.jobs.get(scope, job.id)
        if raced.on(Answered) or there is None:
            raise
        return there, False
    return mine, True


def _known(job: Job, parts: Consolidation) -> Job:
    if parts.ledger.request is not None:
        parts.ledger.commit([], answer=Kept(job=job.id).model_dump_json())
    return job


def _job(domain: Domain, wish: Wish, parts: Consolidation) -> tuple[Job, Job | None]:
    """The one job of a domain's newest episodes, and as it is stored."""
    call = parts.ledger.call
    shown = domain.fresh[: parts.learning.rules.consolidation_newest]
    newest = max(one.created_at for one in shown)
    ids = sorted(one.id for one in shown)
    job_id = derived_id(newest, "consolidate", domain.name, *ids)
    if (there := parts.learning.jobs.get(call.scope, job_id)) is not None:
        return there, there
    least = parts.learning.rules.consolidation_min
    new = Job(
        id=job_id,
        kind=JobKind.CONSOLIDATE,
        principal=call.principal,
        domain=domain.name,
        min_episodes=least if wish.min_episodes is None else wish.min_episodes,
        force=wish.force,
        next_at=call.now + RESENT_AFTER,
        created_at=call.now,
        updated_at=call.now,
    )
    return new, None


def start(ripe: Ripe, *, parts: Consolidation) -> str | None:
    """Open a job for a domain if it is ripe indeed; else say why not, and wait till it has grown.

    Doing it twice opens one job. Raises Unavailable.
    """
    rules, scope = parts.learning.rules, ripe.scope
    if ripe.episodes < rules.consolidation_ripe:
        parts.ripening.passed(ripe)
        return "too few"
    domain = look(ripe.domain, ledger=parts.ledger, rules=rules)
    since = ripe.considered_at
    new = [one for one in domain.fresh if since is None or one.created_at > since]
    if reason := too_little(new, rules) or too_few(domain.fresh, LEAST_EVIDENCE):
        parts.ripening.passed(ripe)
        return reason.partition(":")[0]
    wish = Wish(domain=ripe.domain, force=True)
    job, before = _job(domain, wish, parts)
    try:
        if before is None:
            parts.ledger.commit([PutJob(job=job, before=None)])
    except Raced:
        pass
    if job.open:
        parts.learning.queues.send(QueueName.CONSOLIDATE, scope, [job.id])
    parts.ripening.considered(scope, ripe.domain, at=parts.ledger.call.now)
    return None if job.open else "done already"
