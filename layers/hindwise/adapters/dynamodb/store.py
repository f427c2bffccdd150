"""`ports.MemoryStore` on the table.

Forgetting collects what a memory leaves behind (`left_behind`) before it commits the tombstone.
Where all of it fits into one transaction it goes at once; else the
tombstone, which hides everything, goes first and repeating the call finishes the rest.
"""

from collections.abc import Callable, Iterator, Sequence
from datetime import datetime, timedelta
from functools import partial
from itertools import islice

from hindwise import errors
from hindwise.adapters.dynamodb import keys, rows
from hindwise.adapters.dynamodb.client import reasons_of
from hindwise.adapters.dynamodb.expressions import Item, beginning, number, text
from hindwise.adapters.dynamodb.fences import fence_of, gate_of
from hindwise.adapters.dynamodb.left_behind import left_behind
from hindwise.adapters.dynamodb.reading import id_of, readable, reads
from hindwise.adapters.dynamodb.steps import Step
from hindwise.adapters.dynamodb.table import Table
from hindwise.adapters.dynamodb.transaction import Writer
from hindwise.domain.changes import (
    Action,
    AuditEntry,
    Forget,
    PutConversation,
    Raced,
    Slot,
    Touch,
)
from hindwise.domain.fence import Gate, hidden, require_after, require_known
from hindwise.domain.ids import NewId, is_working_id, task_prefix
from hindwise.domain.memory import LongTermMemory, Memory, WorkingMemory
from hindwise.domain.ports import Backlog, Page, Turn
from hindwise.domain.retention import DEFAULT, Retention
from hindwise.domain.scope import Scope

TRANSACTION = 100
"""Rows that one DynamoDB transaction takes."""
TOUCH_EVERY = timedelta(minutes=1)


class DynamoStore:
    """The truth: memories, their versions, links, slots, claims and audit rows.

    `rules` say when fading is to look at a memory again.
    """

    def __init__(
        self,
        table: Table,
        *,
        clock: Callable[[], datetime],
        new_id: NewId,
        rules: Retention = DEFAULT,
    ) -> None:
        self._table = table
        self._clock = clock
        self._new_id = new_id
        self._rules = rules

    def get(
        self, scope: Scope, ids: Sequence[str], *, known: frozenset[str] | None = None
    ) -> dict[str, Memory]:
        """Read memories of any kind by id, and the fence; any number, a hundred rows a call.

        What is held is in the fence's row: raises `Guarded` where that is more than is `known`.
        """
        if not ids:
            return {}
        now = self._clock()
        wanted = [keys.memory(scope, memory_id) for memory_id in ids]
        items = self._table.get_many([*wanted, keys.fence(scope)], rows.MEMORY_ATTRIBUTES)
        read: Iterator[Memory] = readable(items, partial(rows.memory_of, now=now))
        fence = rows.fence_in(items)
        require_known(rows.held_in(items), known)
        found = {memory.id: memory for memory in read if rows.standing(memory, fence)}
        return {memory_id: found[memory_id] for memory_id in ids if memory_id in found}

    def fence(self, scope: Scope) -> datetime | None:
        """Read the moment up to which all of the scope is forgotten."""
        return fence_of(self._table, scope)

    def gate(self, scope: Scope) -> Gate:
        """Read the fence, and what is held from now on: both are in one row."""
        return gate_of(self._table, scope)

    def unreadable(self, scope: Scope, ids: Sequence[str]) -> frozenset[str]:
        """Tell which of these memories are there but cannot be read."""
        wanted = [keys.memory(scope, one) for one in ids]
        items = self._table.get_many([*wanted, keys.fence(scope)], "sk, body, fenced")
        read, fence = partial(rows.memory_of, now=self._clock()), rows.fence_in(items)
        broken = (id_of(item) for item in items if not reads(item, read))
        return frozenset(one for one in broken if not hidden(one, fence))

    def page(self, scope: Scope, *, after: str | None, examine: int) -> Page:
        """Read long-term memories, newest id first.

        One more than `examine` is read, to know whether the scope ends there.
        """
        query = beginning(keys.scope_pk(scope), "M#", newest=True)
        start: Item | None = None
        if after is not None:
            pk, sk = keys.memory(scope, after)
            start = {"pk": text(pk), "sk": text(sk)}
        items: list[Item] = []
        while True:
            read, start = self._table.page({**query, "Limit": examine + 1 - len(items)}, start)
            items.extend(read)
            if start is None or len(items) > examine:
                break
        examined = items[:examine]
        now, fence = self._clock(), self.fence(scope)
        read_as = partial(rows.lasting, now=now)
        standing = [one for one in examined if not hidden(id_of(one), fence)]
        return Page(
            memories=tuple(readable(standing, read_as)),
            after=examined[-1]["sk"]["S"].removeprefix("M#") if len(items) > examine else None,
            examined=len(examined),
        )

    def versions(self, scope: Scope, memory_id: str) -> list[LongTermMemory]:
        """Read the old versions of a memory, oldest first."""
        now = self._clock()
        if hidden(memory_id, self.fence(scope)):
            return []
        items = self._table.rows(beginning(keys.part(scope, "H"), f"{memory_id}#"))
        return list(readable(items, partial(rows.lasting, now=now)))

    def backlog(self, scope: Scope, limit: int) -> Backlog:
        """Read the scope's newest change rows, parked ones among them."""
        query = beginning(keys.part(scope, "D"), "D#", newest=True, limit=limit + 1)
        items = list(islice(self._table.rows(query), limit + 1))
        changes = tuple(rows.change_of(item) for item in items[:limit])
        return Backlog(changes=changes, more=len(items) > limit)

    def turns(self, scope: Scope, session_id: str, *, first: int, last: int) -> list[Turn]:
        """Read the places `first..last` of a session, in order."""
        pk, low = keys.turn(scope, session_id, first, "")
        query = beginning(pk, "")
        query["KeyConditionExpression"] = "pk = :pk AND sk BETWEEN :low AND :high"
        values = {":pk": text(pk), ":low": text(low), ":high": text(f"{keys.place(last)}$")}
        query["ExpressionAttributeValues"] = values
        if last < first:
            return []
        places = (item["sk"]["S"].split("#") for item in self._table.rows(query))
        return [Turn(seq=int(seq), memory_id=memory_id) for seq, memory_id in places]

    def of_task(self, scope: Scope, task_id: str, *, limit: int) -> list[str]:
        """Read the ids of a task's episodes, newest first."""
        pk, _ = keys.task(scope, task_id, "")
        found = self._table.rows(beginning(pk, "", newest=True, limit=limit))
        return [item["sk"]["S"] for item in islice(found, limit)]

    def next_seq(self, scope: Scope, session_id: str, *, count: int) -> int:
        """Reserve `count` places in a session, after all that are taken, and return the first."""
        return self._table.add(keys.counter(scope, session_id), "places", count) - count + 1

    def take_seq(self, scope: Scope, session_id: str, seq: int) -> None:
        """Let later reservations begin after a place that a caller chose itself."""
        self._table.update(
            keys.counter(scope, session_id),
            "SET places = :seq",
            "attribute_not_exists(places) OR places < :seq",
            {":seq": number(seq)},
        )

    def working(self, scope: Scope, task_id: str | None, *, now: datetime) -> list[WorkingMemory]:
        """Read the scratch values of a task, or of all tasks, that have not expired."""
        prefix = "W" if task_id is None else f"W{task_prefix(task_id)}"
        items = self._table.rows(beginning(keys.part(scope, "W"), prefix))
        read = readable(items, partial(rows.memory_of, now=now))
        found = [m for m in read if isinstance(m, WorkingMemory) and task_id in (None, m.task_id)]
        fence = self.fence(scope) if found else None
        return [one for one in found if rows.standing(one, fence)]

    def slot(self, scope: Scope, key: str) -> Slot | None:
        """Read who holds a slot."""
        item = self._table.get(keys.slot(scope, key))
        return None if item is None else Slot.model_validate_json(item["body"]["S"])

    def claim(
        self, scope: Scope, key: str, *, now: datetime, known: frozenset[str] | None = None
    ) -> str | None:
        """Read the memory id that a claimed key stands for, unless the claim is over.

        The fence comes with it: raises `Behind` where what is written at `now` would be forgotten.
        So does what is held: raises `Guarded` where that is more than is `known`.
        """
        items = self._table.get_many([keys.claim(scope, key), keys.fence(scope)])
        require_after(rows.fence_in(items), now)
        require_known(rows.held_in(items), known)
        return rows.claimed_in(items, now)

    def dependants(self, scope: Scope, source: str) -> list[str]:
        """Read the ids of what rests on a source."""
        pk, prefix = keys.edge(scope, source, "")
        return [keys.dependant(item["sk"]["S"]) for item in self._table.rows(beginning(pk, prefix))]

    def audit(self, scope: Scope, memory_id: str) -> list[AuditEntry]:
        """Read the audit chain of a memory, oldest first."""
        pk, prefix = keys.audit(scope, memory_id, "")
        items = self._table.rows(beginning(pk, prefix))
        found = [AuditEntry.model_validate_json(item["body"]["S"]) for item in items]
        return sorted(found, key=lambda entry: entry.version)

    def commit(self, scope: Scope, actions: Sequence[Action]) -> None:
        """Do all actions in one transaction; raises `Invalid` where they are too many for one.

        What a forgotten memory left behind goes before its tombstone where both do not fit: a
        forget that breaks off half-way has forgotten nothing yet, and can be repeated.
        """
        try:
            self._commit(scope, actions, None)
        except Raced:  # it may be a conversation in the place of one that is behind the fence
            anew = any(isinstance(one, PutConversation) and not one.before for one in actions)
            if not anew or (fence := self.fence(scope)) is None:
                raise
            self._commit(scope, actions, fence)

    def _commit(self, scope: Scope, actions: Sequence[Action], fence: datetime | None) -> None:
        now, rules = self._clock(), self._rules
        ulid = self._new_id(now)
        writer = Writer(self._table.name, scope, ulid=ulid, now=now, fence=fence, rules=rules)
        steps = writer.steps(actions)
        forgets = [action for action in actions if isinstance(action, Forget)]
        taken = {step.key for step in steps}
        found = left_behind(self._table, scope, forgets)
        steps += [writer.drop(forgets[0], key) for key in found if key not in taken]
        if forgets and len(steps) > TRANSACTION:
            self._table.delete_many([step.key for step in steps if step.sweeping])
            steps = [step for step in steps if not step.sweeping]
        if len(steps) > TRANSACTION:
            raise errors.Invalid(f"{len(steps)} rows, more than {TRANSACTION}", field="actions")
        _transact(self._table, steps, lambda: self._new_id(self._clock()))

    def touch(self, scope: Scope, touches: Sequence[Touch]) -> None:
        """Count accesses of active memories; several of one memory are one."""
        lasting = [one for one in _merged(touches) if not is_working_id(one.memory_id)]
        self._table.spread(partial(_touch, self._table, scope), lasting)


def _touch(table: Table, scope: Scope, touch: Touch) -> None:
    table.update(
        keys.memory(scope, touch.memory_id),
        "SET last_access_at = :at ADD access_count :times",
        "attribute_exists(body) AND #s = :active AND "
        "(attribute_not_exists(last_access_at) OR last_access_at <= :before)",
        {
            ":at": number(rows.micros(touch.at)),
            ":times": number(touch.times),
            ":active": text("active"),
            ":before": number(rows.micros(touch.at - TOUCH_EVERY)),
        },
    )


def _merged(touches: Sequence[Touch]) -> list[Touch]:
    """One touch a memory."""
    merged: dict[str, Touch] = {}
    for one in touches:
        before = merged.get(one.memory_id, Touch(memory_id=one.memory_id, times=0, at=one.at))
        merged[one.memory_id] = Touch(
            memory_id=one.memory_id,
            times=before.times + one.times,
            at=max(before.at, one.at),
        )
    return list(merged.values())


def _transact(table: Table, steps: Sequence[Step], new_id: Callable[[], str]) -> None:
    """Commit, without the optional steps whose condition does not hold."""
    while steps:
        items = [step.item for step in steps]
        error = table.transact(items, new_id())
        if error is None:
            return
        held = [reason != "ConditionalCheckFailed" for reason in reasons_of(error)]
        failed = [step for step, ok in zip(steps, held, strict=True) if not ok]
        lost = {
            id(action): action for step in failed if not step.optional for action in step.actions
        }
        if lost:
            raise Raced(tuple(lost.values())) from error
        steps = [step for step, ok in zip(steps, held, strict=True) if ok]
