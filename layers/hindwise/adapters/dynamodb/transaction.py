"""From the actions of a write to the rows of one DynamoDB transaction.

A change row goes with every action on a long-term memory: this is the only place that writes one,
so no use case can forget it. A step whose condition may fail without harm (freeing a text that by
now stands for another memory) is `optional`: the commit is then done without it.
"""

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple

from hindwise.adapters.dynamodb import keys, rows
from hindwise.adapters.dynamodb.expressions import Key, Value, key_of, number, text
from hindwise.domain.changes import (
    Action,
    Answered,
    Audited,
    Claim,
    Create,
    DropWorking,
    Edge,
    Forget,
    Hold,
    PutWorking,
    Release,
    Replace,
    Reproject,
    Request,
)
from hindwise.domain.memory import Episode, LongTermMemory, SemanticMemory
from hindwise.domain.scope import Scope
from hindwise.errors import Invalid

if TYPE_CHECKING:
    from mypy_boto3_dynamodb.type_defs import TransactWriteItemTypeDef


INDEXES = ("l_pk", "l_sk", "w_pk", "w_sk")


class Step(NamedTuple):
    """One row of a transaction, and the action it is for."""

    action: Action
    key: Key
    item: "TransactWriteItemTypeDef"
    optional: bool = False

    @property
    def firm(self) -> bool:
        """Tell whether the commit hangs on a condition of this step."""
        parts = (self.item.get("Put"), self.item.get("Update"), self.item.get("Delete"))
        return not self.optional and any("ConditionExpression" in part for part in parts if part)


class Writer:
    """Turns actions into steps for one scope and one commit.

    `ulid` names the commit's change rows.
    """

    def __init__(self, table: str, scope: Scope, *, ulid: str, now: datetime) -> None:
        self._table = table
        self._scope = scope
        self._ulid = ulid
        self._now = now

    def steps(self, actions: Sequence[Action]) -> list[Step]:
        """All steps in the order of the actions; of two on one row the first one counts.

        Raises `errors.Invalid` where the second one has a condition of its own.
        """
        found: dict[Key, Step] = {}
        for action in actions:
            for step in self._of(action):
                if found.setdefault(step.key, step) is not step and step.firm:
                    raise Invalid("two actions of one commit on the same row", field="actions")
        return list(found.values())

    def _of(self, action: Action) -> Iterator[Step]:
        match action:
            case Create():
                yield from self._create(action)
            case Replace():
                yield from self._replace(action)
            case Forget():
                yield from self._forget(action)
            case Claim():
                yield self._claim(action)
            case Release():
                yield self._release(action, action.key, action.memory_id)
            case Hold():
                yield self._hold(action)
            case Answered():
                yield self._answered(action)
            case PutWorking():
                row = rows.working_row(self._scope, action.memory)
                yield self._put(action, row, *rows.unchanged(action.before))
            case DropWorking():
                yield self.drop(action, keys.memory(self._scope, action.memory_id))
            case Audited():
                yield self._put(action, rows.audit_row(self._scope, action.entry))
            case Edge():
                yield self._edge(action)
            case Reproject():
                yield self._changed(action, action.memory_id)

    def _create(self, action: Create) -> Iterator[Step]:
        row = rows.memory_row(self._scope, action.memory)
        yield self._put(action, row, "attribute_not_exists(pk)")
        yield self._changed(action, action.memory.id)
        for key in members(self._scope, action.memory):
            yield self._put(action, key_of(key))

    def _replace(self, action: Replace) -> Iterator[Step]:
        """Change the row in place, so that an access counted meanwhile is not lost."""
        before, after = action.before, action.after
        new = rows.described(self._scope, after)
        change, values = _assignments(before, after, new)
        values[":before"] = number(before.version)
        key = keys.memory(self._scope, after.id)
        yield Step(
            action,
            key,
            {
                "Update": {
                    "TableName": self._table,
                    "Key": key_of(key),
                    "UpdateExpression": change,
                    "ConditionExpression": "attribute_exists(body) AND version = :before",
                    "ExpressionAttributeNames": {"#status": "status"},
                    "ExpressionAttributeValues": values,
                }
            },
        )
        yield self._put(action, rows.version_row(self._scope, before))
        yield self._changed(action, after.id)
        old, now = members(self._scope, before), members(self._scope, after)
        for gone in old - now:
            yield self.drop(action, gone)
        for come in now - old:
            yield self._put(action, key_of(come))

    def _forget(self, action: Forget) -> Iterator[Step]:
        """Leave a tombstone; one that is there already only grows older."""
        memory = action.memory
        key = keys.memory(self._scope, memory.id)
        yield Step(
            action,
            key,
            {
                "Update": {
                    "TableName": self._table,
                    "Key": key_of(key),
                    "UpdateExpression": "SET #status = :forgotten, version = version + :one, "
                    "forgotten_at = if_not_exists(forgotten_at, :at) "
                    "REMOVE body, access_count, last_access_at, l_pk, l_sk, w_pk, w_sk",
                    "ConditionExpression": "version = :before OR #status = :forgotten",
                    "ExpressionAttributeNames": {"#status": "status"},
                    "ExpressionAttributeValues": {
                        ":forgotten": text("forgotten"),
                        ":one": number(1),
                        ":before": number(memory.version),
                        ":at": text(action.at.isoformat()),
                    },
                }
            },
        )
        yield self._changed(action, memory.id)
        for gone in members(self._scope, memory):
            yield self.drop(action, gone)
        for claimed in memory.claims:
            yield self._release(action, claimed, memory.id)
        for source in sources(memory):
            edge = keys.edge(self._scope, source, memory.id)
            yield self.drop(action, edge)

    def _claim(self, action: Claim) -> Step:
        """A claim that is over is free, whether DynamoDB has dropped it or not."""
        condition = "attribute_not_exists(pk) OR ends_at <= :now"
        values = {":now": number(rows.micros(action.now))}
        if action.expected is not None:
            condition += " OR memory_id = :expected"
            values[":expected"] = text(action.expected)
        return self._put(action, rows.claim_row(self._scope, action), condition, values)

    def _release(self, action: Action, claimed: str, memory_id: str) -> Step:
        condition = "attribute_not_exists(pk) OR memory_id = :id"
        step = self.drop(action, keys.claim(self._scope, claimed), condition)
        step.item["Delete"]["ExpressionAttributeValues"] = {":id": text(memory_id)}
        return step._replace(optional=True)

    def _hold(self, action: Hold) -> Step:
        row = rows.slot_row(self._scope, action.slot)
        expected = action.expected
        if expected is None:
            return self._put(action, row, "attribute_not_exists(pk)")
        values = {":turn": number(expected.turn)}
        if expected.holder is None:
            return self._put(action, row, "turn = :turn AND attribute_not_exists(holder)", values)
        values[":holder"] = text(expected.holder)
        return self._put(action, row, "turn = :turn AND holder = :holder", values)

    def _answered(self, action: Answered) -> Step:
        condition, values = request_condition(action.request, self._now, closing=action.closing)
        return self._put(action, rows.request_row(action.request), condition, values)

    def _edge(self, action: Edge) -> Step:
        key = keys.edge(self._scope, action.source, action.dependant)
        return self._put(action, key_of(key) | {"kind": text(action.kind)})

    def _changed(self, action: Action, memory_id: str) -> Step:
        key = keys.change(self._scope, self._ulid, memory_id)
        return self._put(action, rows.change_row(key, self._ulid, memory_id))

    def drop(self, action: Action, key: Key, condition: str | None = None) -> Step:
        """Delete a row, whatever is there unless a condition is given."""
        item: TransactWriteItemTypeDef = {"Delete": {"TableName": self._table, "Key": key_of(key)}}
        if condition is not None:
            item["Delete"]["ConditionExpression"] = condition
        return Step(action, key, item)

    def _put(
        self,
        action: Action,
        row: dict[str, Value],
        condition: str | None = None,
        values: dict[str, Value] | None = None,
    ) -> Step:
        item: TransactWriteItemTypeDef = {"Put": {"TableName": self._table, "Item": row}}
        if condition is not None:
            item["Put"]["ConditionExpression"] = condition
        if values is not None:
            item["Put"]["ExpressionAttributeValues"] = values
        return Step(action, (row["pk"]["S"], row["sk"]["S"]), item)


def request_condition(
    request: Request, now: datetime, *, closing: bool
) -> tuple[str, dict[str, Value]]:
    """When a request row may be written: none there, or one that is over, or its own open one."""
    condition = "attribute_not_exists(pk) OR ends_at <= :now"
    values = {":now": number(rows.micros(now))}
    if closing:
        condition += " OR (request_state = :open AND digest = :digest)"
        values |= {":open": text("open"), ":digest": text(request.digest)}
    return condition, values


def _assignments(
    before: LongTermMemory, after: LongTermMemory, new: dict[str, Value]
) -> tuple[str, dict[str, Value]]:
    """The update expression from one version to the next, and its values.

    Counters move by the difference between the two, if there is one.
    """
    sets = [f"{'#status' if name == 'status' else name} = :{name}" for name in new]
    values = {f":{name}": value for name, value in new.items()}
    removed = [name for name in INDEXES if name not in new]
    if after.last_access_at != before.last_access_at:
        counted = rows.counted(after)
        if "last_access_at" in counted:
            sets.append("last_access_at = :seen")
            values[":seen"] = counted["last_access_at"]
        else:
            removed.append("last_access_at")
    change = "SET " + ", ".join(sets)
    if removed:
        change += " REMOVE " + ", ".join(removed)
    if after.access_count != before.access_count:
        change += " ADD access_count :more"
        values[":more"] = number(after.access_count - before.access_count)
    return change, values


def members(scope: Scope, memory: LongTermMemory) -> set[Key]:
    """The rows that say to which session and task an episode belongs."""
    if not isinstance(memory, Episode):
        return set()
    found = set()
    if memory.session_id is not None and memory.seq is not None:
        found.add(keys.turn(scope, memory.session_id, memory.seq, memory.id))
    if memory.task_id is not None:
        found.add(keys.task(scope, memory.task_id, memory.id))
    return found


def sources(memory: LongTermMemory) -> tuple[str, ...]:
    """What a memory says that it rests on: evidence, conversation, document, predecessors."""
    found = list(memory.supersedes)
    if isinstance(memory, Episode | SemanticMemory):
        found += memory.evidence_ids
    if memory.source is not None:
        named = (memory.source.conversation_id, memory.source.document)
        found += [name for name in named if name is not None]
    return tuple(dict.fromkeys(found))
