"""The three ways to a consolidation: a call, a message of the queue, and the schedule."""

from collections import Counter
from datetime import timedelta

from hindwise.domain.base import Model
from hindwise.domain.call import Call
from hindwise.domain.ports import Ripe
from hindwise.domain.scope import Principal, Role
from hindwise.errors import HindwiseError
from hindwise.runtime.contracts.consolidations import consolidated_answer, wish_of
from hindwise.runtime.http import Answer
from hindwise.runtime.request import Request
from hindwise.runtime.telemetry import count, fault
from hindwise.runtime.wiring import learner, ledger_of, wiring
from hindwise.runtime.worked import count_job
from hindwise.usecases import consolidate
from hindwise.usecases.consolidate_job import work
from hindwise.usecases.consolidating import Consolidation
from hindwise.usecases.ledger import Ledger
from hindwise.usecases.once import replaying
from hindwise.usecases.withheld import told_to

BUCKETS = 16
ROUND = 100
LONGEST = timedelta(seconds=45)


def parts_of(ledger: Ledger) -> Consolidation:
    """What consolidates for a ledger's scope, of wired parts."""
    return Consolidation(
        ledger=ledger,
        worker=learner(),
        projections=wiring().projections,
        ripening=wiring().ripening,
        embedder_id=wiring().embedder.id,
    )


def asked(request: Request) -> Answer:
    """Consolidate a domain now, or leave it to the queue."""
    ledger = ledger_of(request.call)
    wish = wish_of(request.fields)

    def act(ledger: Ledger) -> consolidate.Consolidated:
        return consolidate.consolidate(wish, parts=parts_of(ledger))

    def again(answer: str) -> consolidate.Consolidated:
        return consolidate.again(answer, parts=parts_of(ledger))

    done = replaying(request.key, act, again, ledger=ledger, requests=wiring().requests)
    ids = done.outcome.patterns if done.outcome else ()
    found = ledger.store.get(request.scope, ids) if ids else {}
    made = {one: told_to(memory, request.principal) for one, memory in found.items()}
    count("Patterns", len(ids))
    return consolidated_answer(done, wish.domain, made, request.now)


def delivered(body: str) -> None:
    """Do the job that a message points at; raises Invalid for what is none of ours.

    A message is done with once its job knows what came of it, also where that is nothing good.
    """
    scope, job_id = wiring().pointer_in(body)
    job = wiring().learning.jobs.get(scope, job_id)
    if job is None:
        count("Echoes")
        return
    call = Call(scope=scope, principal=job.principal, now=wiring().clock())
    done = work(job, parts=parts_of(ledger_of(call)))
    count_job(done)


class Started(Model):
    """How many consolidations were started, and why others were not, counted by reason."""

    started: int = 0
    skipped: dict[str, int]


def start_ripe() -> Started:
    """Look at the domains that have grown, and open a job for each that is ripe."""
    end = wiring().clock() + LONGEST
    reasons: Counter[str] = Counter()
    started = 0
    for bucket in range(BUCKETS):
        while wiring().clock() < end:
            found = wiring().ripening.ripe(bucket, ROUND)
            for one in found:
                reason = _started(one)
                started += reason is None
                reasons.update([reason] if reason else [])
            if len(found) < ROUND or reasons["failed"]:
                break
    return Started(started=started, skipped=dict(reasons))


def _started(ripe: Ripe) -> str | None:
    """None where a domain's job was opened; else why not."""
    scope = ripe.scope
    who = Principal(tenant=scope.tenant, name="schedule", role=Role.WRITER, users=(scope.user,))
    call = Call(scope=scope, principal=who, now=wiring().clock())
    try:
        return consolidate.start(ripe, parts=parts_of(ledger_of(call)))
    except HindwiseError as error:
        fault(error, operation="consolidate", request_id="")
        return "failed"
