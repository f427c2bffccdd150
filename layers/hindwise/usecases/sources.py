"""Quarantine all that came from one source, or put it back: a walk over the scope, page by page.

Each memory is looked at once and decided about by what it rests on, so any page may be done again.
What the source had superseded stands again; what it writes from then on is held. Each change
happens only while the job is held, and a job that is out of time goes on by queue.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from hindwise.domain.admission.admitting import screened
from hindwise.domain.call import Call
from hindwise.domain.changes import Action, PutJob, Raced, Replace, UnderClaim
from hindwise.domain.claims import RESENT_AFTER, ended, further, progressed
from hindwise.domain.evidence import without
from hindwise.domain.jobs import Job, JobKind, JobState
from hindwise.domain.memory import LongTermMemory, Memory, Status, WorkingMemory
from hindwise.domain.ports import Page, QueueName
from hindwise.domain.reviews import WITHDRAWN
from hindwise.domain.scope import Scope
from hindwise.domain.sources import DEPTH, HoldSource, Lineage, SourceKind, SourceOrder, mark_of
from hindwise.errors import Conflict, Unavailable
from hindwise.usecases.claims import Meter, Worker, change, claim, delivered
from hindwise.usecases.ledger import Ledger
from hindwise.usecases.standing import let_back, revive, withdraw
from hindwise.usecases.withhold import OF_SOURCE, withhold, withhold_work_of

PAGE = 100
LONGEST = timedelta(seconds=45)
HELD = 200
"""Sources of a user that are held at once: each of its writes reads their marks."""
WITHDRAWABLE = frozenset(
    {Status.ACTIVE, Status.OBSOLETE, Status.CONTESTED, Status.SUPERSEDED, Status.EXPIRED}
)
Act = Callable[[LongTermMemory], bool]


def order(wish: SourceOrder, *, ledger: Ledger, worker: Worker) -> Job:
    """Have a source quarantined, or put back, in one scope; the job tells what comes of it."""
    now, scope = ledger.call.now, ledger.call.scope
    if wish.reason is not None:
        clean = screened(wish.reason, rules=ledger.trust.rules).clean
        wish = wish.model_copy(update={"reason": clean})
    job = Job(
        id=ledger.tools.new_id(now),
        kind=JobKind.QUARANTINE,
        principal=ledger.call.principal,
        conversation_id=wish.id if wish.kind is SourceKind.CONVERSATION else None,
        source=wish,
        next_at=now + RESENT_AFTER,
        created_at=now,
        updated_at=now,
    )
    actions: list[Action] = [PutJob(job=job)]
    if not wish.dry_run:
        actions.append(_held(wish, ledger))
    ledger.commit(actions, answer=job.id)
    worker.learning.queues.send(QueueName.REVIEW, scope, [job.id])
    return job


def _held(wish: SourceOrder, ledger: Ledger) -> HoldSource:
    """Hold what the source says from now on, or let it in again; raises Conflict."""
    mark = mark_of(wish.kind, wish.id)
    held = ledger.store.gate(ledger.call.scope).held
    if not wish.undo and mark not in held and len(held) >= HELD:
        raise Conflict(f"{HELD} sources of this user are quarantined: undo one of them first")
    return HoldSource(mark=mark, undo=wish.undo)


def work(scope: Scope, job_id: str, *, ledger: Ledger, worker: Worker) -> Job | None:
    """Take a job and do as much of it as there is time for; None where there was nothing to do.

    Raises Unavailable where not even why it failed could be written.
    """
    job = claim(scope, job_id, JobKind.QUARANTINE, worker=worker)
    if job is None or job.source is None:
        return None
    return delivered(
        scope, job, lambda: _walk(job, ledger, worker), worker=worker, meter=Meter(job.counts)
    )


def ledger_for(job: Job, scope: Scope, ledger: Ledger) -> Ledger:
    """The ledger of whoever gave the order, which changes things only while the job is held."""
    call = Call(scope=scope, principal=job.principal, now=ledger.call.now)
    return replace(ledger, call=call, under=(UnderClaim(job_id=job.id, token=job.token),))


def _walk(job: Job, ledger: Ledger, worker: Worker) -> Job:
    scope = ledger.call.scope
    until = worker.clock() + LONGEST
    mine = ledger_for(job, scope, ledger)
    now = job.source
    assert now is not None
    if now.after is None and not now.dry_run:
        _withhold(now, mine, worker)
    while True:
        page = ledger.store.page(scope, after=now.after, examine=PAGE)
        now = _page(page, now, mine).counting(examined=page.examined)
        now = now.model_copy(update={"after": page.after})
        job = change(scope, job, _with(now), worker=worker)
        if page.after is None:
            return change(scope, job, _done, worker=worker)
        if worker.clock() >= until:
            job = change(scope, job, _let_go, worker=worker)
            worker.learning.queues.send(QueueName.REVIEW, scope, [job.id])
            return job


def _withhold(now: SourceOrder, ledger: Ledger, worker: Worker) -> None:
    """Have nothing learnt from the source while it is walked after, and from then on."""
    learning = worker.learning
    if now.kind is SourceKind.CONVERSATION:
        withhold(now.id, back=now.undo, ledger=ledger, learning=learning)
    elif now.kind is SourceKind.PRINCIPAL:
        withhold_work_of(now.id, back=now.undo, ledger=ledger, learning=learning)


def _with(order: SourceOrder) -> Callable[[Job, datetime], Job]:
    """The job as far as its order has come; the counts are what it tells."""
    told = order.model_dump(mode="json", exclude={"kind", "id", "reason", "after"})
    return lambda job, now: progressed(job, now, source=order, result=told)


def _done(job: Job, now: datetime) -> Job:
    met = job.source is not None and job.source.found + job.source.derived > 0
    state = JobState.SUCCEEDED if met else JobState.SUCCEEDED_EMPTY
    return ended(job, state, "", now=now)


def _let_go(job: Job, now: datetime) -> Job:
    return further(job, next_turn=job.next_turn, counts=job.counts, now=now)


def _page(page: Page, now: SourceOrder, ledger: Ledger) -> SourceOrder:
    """Decide about the memories of one page."""
    lineage = Lineage(now, _records(page.memories, ledger))
    for memory in page.memories:
        if lineage.tainted(memory):
            direct = Lineage(now, {}).tainted(memory)
            counts = {"found": int(direct), "derived": int(not direct)}
            now = now.counting(**counts, **_moved(memory, now, ledger))
        elif not now.undo and (lost := lineage.lost(memory)):
            now = now.counting(weakened=_weakened(memory, lost, now, ledger))
    return now


def _records(memories: Sequence[LongTermMemory], ledger: Ledger) -> dict[str, Memory]:
    """The memories and all that they rest on, as deep as it is followed."""
    known: dict[str, Memory] = {one.id: one for one in memories}
    new: Sequence[Memory] = memories
    for _ in range(DEPTH):
        ids = {
            one
            for memory in new
            if not isinstance(memory, WorkingMemory)
            for one in memory.evidence_ids
        }
        wanted = sorted(ids - known.keys())
        found: dict[str, Memory] = {}
        for start in range(0, len(wanted), PAGE):
            found |= ledger.store.get(ledger.call.scope, wanted[start : start + PAGE])
        if not found:
            break
        known |= found
        new = list(found.values())
    return known


def _moved(memory: LongTermMemory, now: SourceOrder, ledger: Ledger) -> dict[str, int]:
    """Quarantine a memory of the source or put it back, unless that has been done."""
    away = memory.status is Status.QUARANTINED and WITHDRAWN in memory.flags
    if now.undo:
        done = away and (now.dry_run or _put_back(memory, now, ledger))
        return {"moved": int(done)}
    if memory.status not in WITHDRAWABLE and not away:
        return {}
    if now.dry_run:
        return {"moved": int(not away), "revived": len(_outlived(memory, now, ledger))}
    _each(memory, ledger, lambda one: _withdrawn(one, now, ledger))
    revived = 0
    for one in _outlived(memory, now, ledger):
        revived += _each(one, ledger, lambda before: revive(before, ledger=ledger) is not None)
    return {"moved": 1, "revived": revived}


def _withdrawn(memory: LongTermMemory, now: SourceOrder, ledger: Ledger) -> bool:
    if memory.status not in WITHDRAWABLE:
        return False
    why = now.reason or "its source is not trusted"
    withdraw(memory, why, decision="withdrawn", ledger=ledger, flags=(WITHDRAWN,))
    return True


def _put_back(memory: LongTermMemory, now: SourceOrder, ledger: Ledger) -> bool:
    """Whether it was put back; one whose external id was given anew is left to a reviewer."""

    def act(before: LongTermMemory) -> bool:
        if before.status is not Status.QUARANTINED or WITHDRAWN not in before.flags:
            return False
        let_back(before, now.reason or "its source is trusted again", ledger=ledger)
        return True

    try:
        return _each(memory, ledger, act)
    except Conflict:
        return False


def _outlived(memory: LongTermMemory, now: SourceOrder, ledger: Ledger) -> list[LongTermMemory]:
    """What a memory had superseded last that does not come from the source itself."""
    if memory.superseded_by is not None:
        return []
    found: list[LongTermMemory] = []
    before, last = memory.supersedes, memory.id
    for _ in range(DEPTH):
        records = ledger.store.get(ledger.call.scope, before) if before else {}
        past = [
            one
            for one in records.values()
            if not isinstance(one, WorkingMemory) and one.superseded_by == last
        ]
        lineage = Lineage(now, _records(past, ledger))
        gone = [one for one in past if lineage.tainted(one)]
        found += [one for one in past if one.status is Status.SUPERSEDED and one not in gone]
        if not gone:
            break
        before, last = gone[0].supersedes, gone[0].id
    return found


def _weakened(
    memory: LongTermMemory, lost: Sequence[str], now: SourceOrder, ledger: Ledger
) -> bool:
    """Take a part of its evidence from a memory that has other evidence too."""
    if now.dry_run:
        return True

    def act(before: LongTermMemory) -> bool:
        left = [one for one in before.evidence_ids if one not in lost]
        found: Mapping[str, Memory] = ledger.store.get(ledger.call.scope, left)
        kept = {k: one for k, one in found.items() if not isinstance(one, WorkingMemory)}
        after = without(before, lost, kept, at=ledger.call.now)
        if after is None:
            return False
        after, row = ledger.recorded(after, "evidence_changed", (OF_SOURCE,))
        ledger.commit([Replace(before=before, after=after), row])
        return True

    return _each(memory, ledger, act)


def _each(memory: LongTermMemory, ledger: Ledger, act: Act) -> bool:
    """Change one memory, read again where a race was lost; False where nothing was to be done."""
    patience = ledger.tools.patience()
    now: Memory | None = memory
    while now is not None and not isinstance(now, WorkingMemory):
        try:
            return act(now)
        except Raced as raced:
            if raced.on(UnderClaim):
                raise
            if not patience.again():
                raise Unavailable("too many writers at once on this memory") from raced
            now = ledger.read(memory.id)
    return False
