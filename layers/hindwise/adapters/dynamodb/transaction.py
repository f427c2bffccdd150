"""From the actions of a write to the rows of one DynamoDB transaction.

Which rows an action becomes, and under which conditions, is in `memory_steps` and `learning_steps`.
"""

from collections.abc import Iterator, Sequence
from datetime import datetime

from hindwise.adapters.dynamodb import keys, rows
from hindwise.adapters.dynamodb.expressions import Key, Value, number, text
from hindwise.adapters.dynamodb.forget_steps import ForgetSteps
from hindwise.adapters.dynamodb.learning_steps import LearningSteps, together
from hindwise.adapters.dynamodb.memory_steps import MemorySteps
from hindwise.adapters.dynamodb.steps import Step
from hindwise.domain import changes as c
from hindwise.domain.fading_changes import Looked, Rewrite
from hindwise.domain.portable import PutVersion
from hindwise.errors import Invalid


class Writer(MemorySteps, LearningSteps, ForgetSteps):
    """Turns actions into steps for one scope and one commit."""

    def steps(self, actions: Sequence[c.Action]) -> list[Step]:
        """All steps in the order of the actions; of two on one row the first one counts.

        Raises `errors.Invalid` where the second one has a condition of its own, unless the two say
        the same: a job that is written by whoever holds its claim.
        """
        found: dict[Key, Step] = {}
        for action in actions:
            for step in self._of(action):
                there = found.setdefault(step.key, step)
                if there is step or not step.firm:
                    continue
                one = together(there, step)
                if one is None:
                    raise Invalid("two actions of one commit on the same row", field="actions")
                found[step.key] = one
        return list(found.values())

    def _of(self, action: c.Action) -> Iterator[Step]:
        match action:
            case c.Create():
                yield from self._create(action)
            case c.Replace():
                yield from self._replace(action)
            case Rewrite():
                yield from self._rewrite(action)
            case c.Forget():
                yield from self._forget(action)
            case c.PutJob():
                yield from self._job(action)
            case c.PutVerdict():
                yield from self._verdict(action)
            case _:
                yield self._one(action)

    def _one(self, action: c.Action) -> Step:
        """The step of an action that is one row."""
        match action:
            case c.Claim():
                return self._claim(action)
            case c.Release():
                return self._release(action, action.key, action.memory_id)
            case c.Hold():
                return self._hold(action)
            case c.Settled():
                return self._settled(action)
            case Looked():
                return self._looked(action)
            case c.PutOff():
                return self._put_off(action)
            case c.Answered():
                return self._answered(action)
            case c.Audited():
                return self.put(action, rows.audit_row(self._scope, action.entry))
            case c.Edge():
                return self._edge(action)
            case PutVersion():
                row = rows.version_row(self._scope, action.memory)
                return self.put(action, row, "attribute_not_exists(pk)")
            case c.Reproject():
                return self.changed(action, action.memory_id)
            case c.PutWorking():
                row = rows.working_row(self._scope, action.memory)
                return self.put(action, row, *rows.unchanged(action.before))
            case c.DropWorking():
                return self.drop(action, keys.memory(self._scope, action.memory_id))
            case c.PutConversation():
                return self._conversation(action)
            case c.PutChunk():
                return self._chunk(action)
            case c.UnderClaim():
                return self._under(action)
            case c.Stands():
                return self._stands(action)
        for step in self._forgetting(action):
            return step
        raise TypeError(f"no row for {type(action).__name__}")

    def _answered(self, action: c.Answered) -> Step:
        condition, values = request_condition(action.request, self._now, closing=action.closing)
        return self.put(action, rows.request_row(action.request), condition, values)


def request_condition(
    request: c.Request, now: datetime, *, closing: bool
) -> tuple[str, dict[str, Value]]:
    """When a request row may be written: none there, or one that is over, or its own open one."""
    condition = "attribute_not_exists(pk) OR ends_at <= :now"
    values = {":now": number(rows.micros(now))}
    if closing:
        condition += " OR (request_state = :open AND digest = :digest)"
        values |= {":open": text("open"), ":digest": text(request.digest)}
    return condition, values
