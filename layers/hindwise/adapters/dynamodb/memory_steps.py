"""The rows of what is done to a long-term memory.

A change row goes with every such action: this is the only place that writes one, so no use case can
forget it.
"""

from collections.abc import Iterator

from hindwise.adapters.dynamodb import fading_keys, keys, rows
from hindwise.adapters.dynamodb.expressions import Key, Value, key_of, number, text
from hindwise.adapters.dynamodb.steps import Step, Steps
from hindwise.domain.changes import (
    Action,
    Claim,
    Create,
    Edge,
    Forget,
    Hold,
    PutOff,
    Replace,
    Settled,
    Stands,
)
from hindwise.domain.fading_changes import Looked, Rewrite
from hindwise.domain.memory import Episode, LongTermMemory, SemanticMemory
from hindwise.domain.reviews import kinds_of
from hindwise.domain.scope import Scope

OWN = ("l_pk", "l_sk", "w_pk", "w_sk", "unsettled")
"""Attributes of a memory's row that not every version has."""


class MemorySteps(Steps):
    """Steps on memories and on what belongs to them."""

    def _create(self, action: Create) -> Iterator[Step]:
        row = rows.memory_row(self._scope, action.memory, self._rules)
        yield self.put(action, row, "attribute_not_exists(pk)")
        yield self.changed(action, action.memory.id)
        for key, more in members(self._scope, action.memory).items():
            yield self.put(action, key_of(key) | more)

    def _replace(self, action: Replace) -> Iterator[Step]:
        """Change the row in place, so that an access counted meanwhile is not lost."""
        yield from self._changed_in_place(action)
        yield self.put(action, rows.version_row(self._scope, action.before))

    def _rewrite(self, action: Rewrite) -> Iterator[Step]:
        """Change the row in place; what it said before is kept elsewhere, or not at all."""
        yield from self._changed_in_place(action, action.hits)
        for number_ in action.drop:
            yield self.drop(action, keys.version(self._scope, action.after.id, number_))
        for old in action.put:
            yield self.put(action, rows.version_row(self._scope, old))

    def _changed_in_place(
        self, action: Replace | Rewrite, hits: int | None = None
    ) -> Iterator[Step]:
        before, after = action.before, action.after
        new = rows.described(self._scope, after, self._rules)
        change, values = _assignments(before, after, new)
        values[":before"] = number(before.version)
        key = keys.memory(self._scope, after.id)
        condition = "attribute_exists(body) AND version = :before" + _unless_seen(hits, values)
        yield self.update(action, key, change, condition, values)
        yield self.changed(action, after.id)
        old, now = members(self._scope, before), members(self._scope, after)
        for gone in old.keys() - now.keys():
            yield self.drop(action, gone)
        for come in now.keys() - old.keys():
            yield self.put(action, key_of(come) | now[come])

    def _forget(self, action: Forget) -> Iterator[Step]:
        """Leave a tombstone; one that is there already only grows older."""
        memory = action.memory
        values = {
            ":forgotten": text("forgotten"),
            ":one": number(1),
            ":before": number(memory.version),
            ":at": text(action.at.isoformat()),
        }
        seen = _unless_seen(action.hits, values)
        yield self.update(
            action,
            keys.memory(self._scope, memory.id),
            "SET #status = :forgotten, version = version + :one, "
            "forgotten_at = if_not_exists(forgotten_at, :at) "
            f"REMOVE body, access_count, last_access_at, {', '.join(OWN)}",
            f"(version = :before{seen}) OR #status = :forgotten",
            values,
        )
        yield self.changed(action, memory.id)
        for gone in members(self._scope, memory):
            yield self.drop(action, gone)
        for claimed in memory.claims:
            yield self._release(action, claimed, memory.id)
        for source in sources(memory):
            yield self.drop(action, keys.edge(self._scope, source, memory.id))

    def _settled(self, action: Settled) -> Step:
        """Let the row go where its dates put it; the record stays as it is."""
        memory = action.memory.model_copy(update={"settled": True})
        due = {
            name: value
            for name, value in rows.indexed(self._scope, memory, self._rules).items()
            if name in ("w_pk", "w_sk")
        }
        change = f"REMOVE {', '.join(['unsettled', *({'w_pk', 'w_sk'} - due.keys())])}"
        if due:
            change = f"SET {', '.join(f'{name} = :{name}' for name in due)} {change}"
        values = {f":{name}": value for name, value in due.items()}
        values[":version"] = number(memory.version)
        key = keys.memory(self._scope, memory.id)
        condition = "attribute_exists(body) AND version = :version"
        return self.update(action, key, change, condition, values)

    def _looked(self, action: Looked) -> Step:
        """Move the row to its next date, as long as it stands where dates put it."""
        memory = action.memory
        home = text(fading_keys.due(memory.id))
        values = {":home": home, ":version": number(memory.version)}
        change = "REMOVE w_pk, w_sk"
        if action.due is not None:
            change = "SET w_sk = :due"
            values[":due"] = text(keys.moment(action.due))
        condition = "attribute_exists(body) AND version = :version AND w_pk = :home"
        return self.update(action, keys.memory(self._scope, memory.id), change, condition, values)

    def _put_off(self, action: PutOff) -> Step:
        waits = keys.settle_bucket(keys.bucket(action.memory_id, keys.WORK_BUCKETS))
        values = {":waits": text(waits), ":since": text(keys.moment(action.since))}
        key = keys.memory(self._scope, action.memory_id)
        return self.update(action, key, "SET w_sk = :since", "w_pk = :waits", values)

    def _stands(self, action: Stands) -> Step:
        key = keys.memory(self._scope, action.memory_id)
        return self.check(action, key, "attribute_exists(body)", {})

    def _claim(self, action: Claim) -> Step:
        """A claim that is over is free, whether DynamoDB has dropped it or not."""
        condition = "attribute_not_exists(pk) OR ends_at <= :now"
        values = {":now": number(rows.micros(action.now))}
        if action.expected is not None:
            condition += " OR memory_id = :expected"
            values[":expected"] = text(action.expected)
        return self.put(action, rows.claim_row(self._scope, action), condition, values)

    def _release(self, action: Action, claimed: str, memory_id: str) -> Step:
        key = keys.claim(self._scope, claimed)
        condition = "attribute_not_exists(pk) OR memory_id = :id"
        step = self.drop(action, key, condition, {":id": text(memory_id)})
        return step._replace(optional=True)

    def _hold(self, action: Hold) -> Step:
        row = rows.slot_row(self._scope, action.slot)
        expected = action.expected
        if expected is None:
            return self.put(action, row, "attribute_not_exists(pk)")
        values = {":turn": number(expected.turn)}
        if expected.holder is None:
            return self.put(action, row, "turn = :turn AND attribute_not_exists(holder)", values)
        values[":holder"] = text(expected.holder)
        return self.put(action, row, "turn = :turn AND holder = :holder", values)

    def _edge(self, action: Edge) -> Step:
        key = keys.edge(self._scope, action.source, action.dependant)
        return self.put(action, key_of(key) | {"kind": text(action.kind)})


def _unless_seen(hits: int | None, values: dict[str, Value]) -> str:
    """More of a condition: that it was accessed so many times, if that counts."""
    if hits is None:
        return ""
    values[":hits"] = number(hits)
    return " AND access_count = :hits"


def _assignments(
    before: LongTermMemory, after: LongTermMemory, new: dict[str, Value]
) -> tuple[str, dict[str, Value]]:
    """The update expression from one version to the next, and its values.

    Counters move by the difference between the two, if there is one.
    """
    sets = [f"{'#status' if name == 'status' else name} = :{name}" for name in new]
    values = {f":{name}": value for name, value in new.items()}
    removed = [name for name in OWN if name not in new]
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


def members(scope: Scope, memory: LongTermMemory) -> dict[Key, dict[str, Value]]:
    """The rows beside a record that it alone decides about, and what they hold beside the key.

    They say to which session and task an episode belongs, and that an active memory is under
    review: one that is hidden until then is listed by its own row.
    """
    found: dict[Key, dict[str, Value]] = {}
    if isinstance(memory, Episode):
        if memory.session_id is not None and memory.seq is not None:
            found[keys.turn(scope, memory.session_id, memory.seq, memory.id)] = {}
        if memory.task_id is not None:
            found[keys.task(scope, memory.task_id, memory.id)] = {}
    if memory.status not in rows.REVIEWED and kinds_of(memory):
        listed = {"l_pk": text(keys.review(scope.tenant)), "l_sk": text(memory.id)}
        found[keys.under_review(scope, memory.id)] = listed
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
