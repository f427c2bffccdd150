"""Learn from conversations: one delivery works on one window of one job.

The job row is the truth, the message only its echo: it is let go of in any case, and another one is
sent for what is left. A delivery that dies leaves a claim that ends, and a sweep that sees it. The
order is: claim, ask, keep the answer, store what it taught, let go of the claim.
"""

from collections import Counter
from datetime import datetime
from functools import partial

from hindwise.domain.changes import PutConversation, Raced, UnderClaim
from hindwise.domain.claims import ended, further
from hindwise.domain.conversation import Conversation
from hindwise.domain.jobs import Counts, Job, JobKind, JobState
from hindwise.domain.learnt import Answer, Window, window_key
from hindwise.domain.scope import Origin, Scope
from hindwise.usecases.claims import QUEUES, Meter, Worker, change, claim, delivered
from hindwise.usecases.extract_answer import answer, kept_answer
from hindwise.usecases.extract_apply import Applied, apply
from hindwise.usecases.opinion import doubted
from hindwise.usecases.windows import next_window

VERBATIM, INFERRED = "verbatim", "inferred"
NO_MODEL, NOT_ASKED = "no_llm", "infer"
"""Why turns were kept as they are and nothing else was learnt."""


def extract(scope: Scope, job_id: str, *, worker: Worker) -> Job | None:
    """Do the next window of a job; gives the job as it then is, None where nothing was to be done.

    Whatever a model or a store failed to do is written on the job, which then waits or has failed.
    Raises Unavailable only where not even that could be written.
    """
    job = claim(scope, job_id, JobKind.EXTRACT, worker=worker)
    if job is None:
        return None
    meter = Meter(job.counts)
    work = partial(_work, scope, job, worker=worker, meter=meter)
    return delivered(scope, job, work, worker=worker, meter=meter)


def _work(scope: Scope, job: Job, *, worker: Worker, meter: Meter) -> Job:
    talk = worker.learning.conversations.get(scope, job.conversation_id or "")
    if talk is None or talk.withheld:
        state = (JobState.DISMISSED, "gone") if talk is None else (JobState.QUARANTINED, "source")
        return change(scope, job, lambda one, now: ended(one, *state, now=now), worker=worker)
    inferred = job.infer and worker.learning.reasoner is not None
    window, said = _heard(scope, job, worker=worker, meter=meter, read=inferred)
    extracted = said.extracted if said else None
    window = _looked_at(scope, window, worker=worker, meter=meter) if inferred else window
    applied = apply(scope, job, talk, window, read=extracted, worker=worker)
    if said is not None and applied.gone:  # forgetting found no answer yet that it could remove
        worker.learning.jobs.drop_answer(scope, job.id, window_key(job))
    if extracted is not None and extracted.intent and _all_stand(scope, applied, worker=worker):
        _intend(scope, job, talk, extracted.intent, worker=worker)
    counts = counted(meter.counts, applied)
    partial = bool(job.result.get("partial")) or (extracted is not None and extracted.partial)
    result = {"mode": INFERRED if inferred else VERBATIM, **({"partial": True} if partial else {})}
    done = job.model_copy(update={"result": result})
    return _onward(scope, done, window, counts, worker=worker)


def _looked_at(scope: Scope, window: Window, *, worker: Worker, meter: Meter) -> Window:
    """The window, and which of its turns a second opinion is against; owners are not doubted."""
    others = [one for one in window.said if one.origin < Origin.OWNER]
    found = doubted(
        [one.text for one in others], scope, trust=worker.trust, learning=worker.learning,
        now=worker.clock(), spent=meter.add,
    )  # fmt: skip
    turns = (others[one].turn for one in found)
    return window.model_copy(update={"doubted": frozenset(one for one in turns if one)})


def _heard(
    scope: Scope, job: Job, *, worker: Worker, meter: Meter, read: bool
) -> tuple[Window, Answer | None]:
    """The window, and the answer to it, where a model is to read it and there is something."""
    learning = worker.learning
    kept = kept_answer(scope, job, worker=worker) if read else None
    last = kept.last if kept else None
    window = next_window(scope, job, learning=learning, last=last, read=read)
    if not read or kept or not window.said:
        return window, kept
    said = answer(scope, job, window, worker=worker, meter=meter)
    if said.last != window.last:
        window = next_window(scope, job, learning=learning, last=said.last)
    return window, said


def counted(before: Counts, applied: Applied) -> Counts:
    """The counts of a job with another window behind it."""
    sums = {name: getattr(before, name) + number for name, number in applied.done.items()}
    refused = Counter(before.refused)
    refused.update(applied.refused)
    return before.model_copy(
        update={**sums, "windows": before.windows + 1, "refused": dict(refused)}
    )


def _onward(scope: Scope, job: Job, window: Window, counts: Counts, *, worker: Worker) -> Job:
    """Let go of the job: at its end, or with a message for the window that follows."""
    result = job.result

    def turned(one: Job, now: datetime) -> Job:
        one = one.model_copy(update={"result": result})
        if window.last < one.last_turn:
            return further(one, next_turn=window.last + 1, counts=counts, now=now)
        state, reason = outcome(one, counts)
        past = {"next_turn": window.last + 1, "counts": counts}
        return ended(one, state, reason, now=now, **past, broken=0, waits=0, lost=0)

    after = change(scope, job, turned, worker=worker)
    if after.open:
        worker.learning.queues.send(QUEUES[job.kind], scope, [job.id])
    return after


def outcome(job: Job, counts: Counts) -> tuple[JobState, str]:
    """How a job ends, and in a word why so: what it learnt, or stored where no model had read it.

    It is partial where a model's answers could not be read to their end, and quarantined where all
    that it taught waits for a person.
    """
    if job.result.get("partial"):
        return JobState.PARTIAL, "truncated"
    if job.result.get("mode") == VERBATIM:
        state = JobState.SUCCEEDED if counts.turns else JobState.SUCCEEDED_EMPTY
        return state, NO_MODEL if job.infer else NOT_ASKED
    if counts.created or counts.duplicates:
        return JobState.SUCCEEDED, ""
    if counts.held:
        return JobState.QUARANTINED, "review"
    return JobState.SUCCEEDED_EMPTY, ""


def _all_stand(scope: Scope, applied: Applied, *, worker: Worker) -> bool:
    """Tell whether no turn of a window has been forgotten up to now."""
    turns = [one for _, one in applied.episodes.values()]
    return not applied.gone and len(worker.store.get(scope, turns)) == len(set(turns))


def _intend(scope: Scope, job: Job, talk: Conversation, intent: str, *, worker: Worker) -> None:
    """Note what the conversation is for, where nobody said; turns may come meanwhile."""
    before: Conversation | None = talk
    patience = worker.tools.patience()
    while before is not None and before.intent is None:
        noted = {"intent": intent, "read": True, "version": before.version + 1}
        after = before.model_copy(update=noted)
        put = PutConversation(conversation=after, before=before)
        try:
            worker.store.commit(scope, [UnderClaim(job_id=job.id, token=job.token), put])
        except Raced as raced:
            if raced.on(UnderClaim):
                raise
            if not patience.again():
                return
            before = worker.learning.conversations.get(scope, talk.id)
        else:
            return
