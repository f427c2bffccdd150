"""Learn nothing more from a conversation that was quarantined, or go on where it was put back.

Its jobs are put aside first, so that whoever works on one loses it; one that is made later finds
the conversation withheld. What is put back waits for as long as it was put aside, and no turn is
learnt twice.
"""

from hindwise.domain.changes import PutConversation, PutJob
from hindwise.domain.claims import anew, ended
from hindwise.domain.jobs import Job, JobKind, JobState
from hindwise.usecases.claims import QUEUES
from hindwise.usecases.learning import Learning
from hindwise.usecases.ledger import Ledger
from hindwise.usecases.winning import until_won

OF_SOURCE = "source"
"""Why a job was put aside: what it is about was quarantined."""
UNDONE = frozenset({JobState.ACCEPTED, JobState.RUNNING, JobState.FAILED})
ROUND = 100
MOST = 1_000
"""Jobs of a scope among which those of a principal are sought, the newest first."""


def withhold(conversation_id: str, *, back: bool, ledger: Ledger, learning: Learning) -> None:
    """Withhold a conversation from learning, or put it `back`; there may be none of that id.

    Raises Unavailable, and `changes.Raced` on what the ledger is `under`.
    """
    scope = ledger.call.scope

    def attempt(ledger: Ledger) -> None:
        before = learning.conversations.get(scope, conversation_id)
        if before is None or before.withheld is not back:
            return
        told = {"withheld": not back, "version": before.version + 1}
        after = before.model_copy(update={**told, "updated_at": ledger.call.now})
        ledger.commit([PutConversation(conversation=after, before=before)])

    until_won(attempt, "this conversation", ledger=ledger)
    for job in learning.jobs.of_conversation(scope, conversation_id):
        _turned(job, back=back, ledger=ledger, learning=learning)


def withhold_work_of(name: str, *, back: bool, ledger: Ledger, learning: Learning) -> None:
    """Put aside what is still to be learnt from a principal's messages, or take it up again."""
    after: str | None = None
    for _ in range(MOST // ROUND):
        page = learning.jobs.page(ledger.call.scope, after=after, limit=ROUND)
        for job in page:
            if job.principal.name == name:
                _turned(job, back=back, ledger=ledger, learning=learning)
        if len(page) < ROUND:
            break
        after = page[-1].id


def _turned(job: Job, *, back: bool, ledger: Ledger, learning: Learning) -> None:
    scope = ledger.call.scope

    def attempt(ledger: Ledger) -> bool:
        now = learning.jobs.get(scope, job.id) if ledger.lost else job
        if now is None or now.kind is not JobKind.EXTRACT:
            return False
        aside = now.state is JobState.QUARANTINED and now.reason == OF_SOURCE
        if not aside if back else now.state not in UNDONE:
            return False
        put = JobState.QUARANTINED
        at = ledger.call.now
        after = _resumed(now, ledger) if back else ended(now, put, OF_SOURCE, now=at)
        ledger.commit([PutJob(job=after, before=now)])
        return True

    if until_won(attempt, "this job", ledger=ledger) and back:
        learning.queues.send(QUEUES[job.kind], scope, [job.id])


def _resumed(job: Job, ledger: Ledger) -> Job:
    """The job as it was: what it had already learnt was put back by itself."""
    return anew(job.model_copy(update={"state": JobState.FAILED}), ledger.call.now)
