"""How a job goes from one state to the next: taken, waiting, a step further, at its end, anew.

Who works on a job holds its token for the length of a lease; all that it stores is committed under
the condition that it still does. A job that waits says why, and when it is to be looked at again.
"""

from datetime import datetime, timedelta

from hindwise.domain.jobs import Counts, Job, JobState

RESENT_AFTER = timedelta(minutes=5)
"""How long a message is given to arrive before the sweep sends another."""
DONE_BADLY = frozenset({JobState.PARTIAL, JobState.QUARANTINED})
"""Ends at which all was done, and not as it should be."""
EARLY = timedelta(seconds=2)
"""By how much a delayed message may come before its time: clocks differ."""
_UNHELD = {"token": "", "claimed_until": None}
_UNTRIED = {"broken": 0, "waits": 0, "lost": 0, "reason": ""}


def free(job: Job, now: datetime) -> bool:
    """Tell whether a job may be taken: open, held by nobody any more, and not to wait longer."""
    if not job.open:
        return False
    if job.token:
        return job.claimed_until is None or job.claimed_until <= now
    waiting = bool(job.reason) and job.next_at is not None
    return not waiting or job.next_at is None or job.next_at <= now + EARLY


def taken(job: Job, token: str, *, lease: timedelta, now: datetime) -> Job:
    """The job in the hands of whoever has `token`; a claim that was left behind is counted."""
    return _next(
        job,
        now,
        state=JobState.RUNNING,
        token=token,
        claimed_until=now + lease,
        next_at=now + lease,
        lost=job.lost + bool(job.token),
    )


def waiting(job: Job, reason: str, *, until: datetime, now: datetime, **more: object) -> Job:
    """The job let go of until a moment; `more` are its counters, e.g. `waits`."""
    put_off = {"state": JobState.ACCEPTED, "reason": reason, "next_at": until}
    return _next(job, now, **_UNHELD, **put_off, **{"lost": 0, **more})


def further(job: Job, *, next_turn: int, counts: Counts, now: datetime) -> Job:
    """The job let go of with another window behind it: what went wrong before is forgotten."""
    step = {"next_turn": next_turn, "counts": counts, "next_at": now + RESENT_AFTER}
    return _next(job, now, **_UNHELD, **_UNTRIED, **step)


def postponed(job: Job, now: datetime) -> Job:
    """The job with time for another message to arrive; whoever holds it goes on.

    What it has waited for is over: whoever gets that message may take it at once.
    """
    reason = job.reason if job.token else ""
    later = {"next_at": now + RESENT_AFTER, "reason": reason, "version": job.version + 1}
    return job.model_copy(update=later)


def overdue(job: Job, now: datetime) -> float:
    """Seconds since anything happened to a job that is due, or since it was to be tried again."""
    since = job.next_at if job.reason and job.next_at else job.updated_at
    return max((now - since).total_seconds(), 0.0)


def progressed(job: Job, now: datetime, **changes: object) -> Job:
    """The job in the same hands, and further than it was."""
    return _next(job, now, **changes)


def ended(job: Job, state: JobState, reason: str, *, now: datetime, **more: object) -> Job:
    """The job at its end: nobody holds it, and nothing looks at it again."""
    return _next(job, now, **_UNHELD, state=state, reason=reason, next_at=None, **more)


def anew(job: Job, now: datetime) -> Job:
    """The job as if it had not been tried; one that was done badly begins again, in a new round.

    What it stored stays stored, and what it cost stays counted.
    """
    again: dict[str, object] = {"state": JobState.ACCEPTED, "next_at": now + RESENT_AFTER}
    if job.state in DONE_BADLY:
        spent = job.counts.model_dump(include={"llm_calls", "input_tokens", "output_tokens"})
        again |= {"round": job.round + 1, "next_turn": job.first_turn}
        again |= {"counts": Counts.model_validate(spent), "result": {}}
    return _next(job, now, **_UNHELD, **_UNTRIED, **again)


def _next(job: Job, now: datetime, **changes: object) -> Job:
    more = {"updated_at": now, "version": job.version + 1}
    return job.model_copy(update={**changes, **more})
