"""The rows of what learning writes: conversations, chunks, jobs, verdicts."""

from collections.abc import Iterator

from hindwise.adapters.dynamodb import keys, learning_rows
from hindwise.adapters.dynamodb.expressions import Value, key_of, number, text
from hindwise.adapters.dynamodb.steps import Step, Steps
from hindwise.domain.changes import PutChunk, PutConversation, PutJob, PutVerdict, UnderClaim
from hindwise.domain.conversation import Conversation
from hindwise.domain.jobs import Job, JobState
from hindwise.domain.memory import millis

ABSENT = "attribute_not_exists(pk)"


class LearningSteps(Steps):
    """Steps on conversations, jobs and verdicts."""

    def _conversation(self, action: PutConversation) -> Step:
        row = learning_rows.conversation_row(self._scope, action.conversation)
        return self.put(action, row, *self._new(_unchanged(action.before)))

    def _new(
        self, condition: tuple[str, dict[str, Value] | None]
    ) -> tuple[str, dict[str, Value] | None]:
        """The condition of what must be absent: what lies behind the fence counts as that."""
        if condition[0] != ABSENT or self._fence is None:
            return condition
        return f"{ABSENT} OR born <= :fence", {":fence": number(millis(self._fence))}

    def _chunk(self, action: PutChunk) -> Step:
        row = learning_rows.chunk_row(self._scope, action.chunk)
        if action.before is None:
            return self.put(action, row, *self._new((ABSENT, None)))
        return self.put(action, row, "blob_name = :blob", {":blob": text(action.before.blob)})

    def _job(self, action: PutJob) -> Iterator[Step]:
        """The job, and which turns it covers among the jobs of its conversation."""
        job, before = action.job, action.before
        row = learning_rows.job_row(self._scope, job)
        yield self.put(action, row, *_unchanged(before))
        known = before is not None and (before.first_turn, before.last_turn) == (
            job.first_turn,
            job.last_turn,
        )
        if job.conversation_id is not None and not known:
            yield self.put(action, learning_rows.job_entry(self._scope, job.conversation_id, job))

    def _under(self, action: UnderClaim) -> Step:
        return self.check(
            action,
            keys.job(self._scope, action.job_id),
            "job_state = :running AND claim_token = :token",
            {":running": text(JobState.RUNNING), ":token": text(action.token)},
        )

    def _verdict(self, action: PutVerdict) -> Iterator[Step]:
        """The verdict, and its mirror, so that forgetting either memory finds it."""
        pair, row = action.pair, learning_rows.verdict_row(self._scope, action.pair)
        if action.before is None:
            yield self.put(action, row, ABSENT)
        else:
            values = {":basis": text(action.before.basis)}
            yield self.put(action, row, f"{ABSENT} OR basis = :basis", values)
        _, mirror = sorted(keys.verdicts(self._scope, pair.one, pair.other))
        yield self.put(action, key_of(mirror))


def _unchanged(before: Conversation | Job | None) -> tuple[str, dict[str, Value] | None]:
    if before is None:
        return ABSENT, None
    return "version = :before", {":before": number(before.version)}


def together(one: Step, other: Step) -> Step | None:
    """One step for a job that is written and its claim, whichever comes first; else None.

    A claim that is lost has changed the job's version: the condition of the write says it all.
    """
    for put, check in ((one, other), (other, one)):
        written, held = put.actions[0], check.actions[0]
        if isinstance(written, PutJob) and isinstance(held, UnderClaim):
            before = written.before
            if before is not None and (before.state, before.token) == (
                JobState.RUNNING,
                held.token,
            ):
                return put._replace(actions=(*put.actions, held))
    return None
