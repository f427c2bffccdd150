"""Any sequence of writes leaves the fakes and the table in the same state."""

from collections.abc import Sequence
from itertools import count
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from hindwise.domain import changes as c
from hindwise.domain.ids import ulid
from hindwise.domain.memory import Status
from hindwise.domain.scope import Origin, Scope
from tests import builders
from tests.builders import NOW
from tests.contract.backends import Backend, in_memory, on_dynamodb

IDS = [ulid(1_700_000_000_000 + number, bytes(10)) for number in range(3)]
KEYS = ["k", "字 1"]
SESSIONS = ["s", None]
_tenants = count(1)

one_id = some.sampled_from(IDS)
one_key = some.sampled_from(KEYS)
a_step = some.one_of(
    some.tuples(some.just("create"), one_id, some.sampled_from(SESSIONS), some.integers(0, 2)),
    some.tuples(some.just("replace"), one_id, some.booleans(), some.sampled_from(list(Status)[:3])),
    some.tuples(some.just("forget"), one_id, some.booleans()),
    some.tuples(some.just("claim"), one_key, one_id, some.sampled_from([None, *IDS])),
    some.tuples(some.just("release"), one_key, one_id),
    some.tuples(some.just("hold"), some.sampled_from([None, *IDS]), some.booleans()),
    some.tuples(some.just("edge"), one_id, one_id),
    some.tuples(some.just("touch"), one_id, some.integers(1, 3)),
    some.tuples(some.just("working"), some.sampled_from(["a", "b"]), some.booleans()),
)
a_program = some.lists(some.lists(a_step, min_size=1, max_size=3), min_size=3, max_size=10)


class Driver:
    """Turns steps into actions on what the store holds, and does them on one backend."""

    def __init__(self, backend: Backend, scope: Scope) -> None:
        self.backend = backend
        self.scope = scope
        self.versions: dict[str, Any] = {}

    def do(self, steps: Sequence[tuple[Any, ...]]) -> list[str]:
        """Commit the steps together; the names of the lost actions."""
        actions, keys = [], set()
        for step in steps:
            key = (step[0] in ("claim", "release"), *step[1:2])
            name = "memory" if step[0] in ("create", "replace", "forget") else step[0]
            if (name, key) in keys or step[0] == "touch":
                continue
            keys |= {(name, key)}
            if (action := self.action(step)) is not None:
                actions.append(action)
        self.touch(steps)
        if len({type(one) for one in actions if isinstance(one, c.Claim | c.Release)}) > 1:
            actions = [one for one in actions if not isinstance(one, c.Release)]
        holds = [one for one in actions if isinstance(one, c.Hold)]
        actions = [one for one in actions if one not in holds[1:]]
        try:
            self.backend.store.commit(self.scope, actions)
        except c.Raced as raced:
            return [type(one).__name__ for one in raced.actions]
        return []

    def touch(self, steps: Sequence[tuple[Any, ...]]) -> None:
        now = self.backend.clock.forward(seconds=45)
        touches = [
            c.Touch(memory_id=step[1], times=step[2], at=now)
            for step in steps
            if step[0] == "touch"
        ]
        self.backend.store.touch(self.scope, touches)

    def current(self, memory_id: str, *, stale: bool) -> Any:
        """The record as it is, or (stale) as it first was."""
        held = self.backend.store.get(self.scope, [memory_id]).get(memory_id)
        first = self.versions.get(memory_id)
        return first if stale or held is None else held

    def action(self, step: tuple[Any, ...]) -> c.Action | None:
        kind, *rest = step
        return getattr(self, f"_{kind}")(*rest)

    def _create(self, memory_id: str, session: str | None, seq: int) -> c.Action:
        memory = builders.episode(
            id=memory_id, session_id=session, seq=seq, task_id="t", claims=(KEYS[0],)
        )
        self.versions.setdefault(memory_id, memory)
        return c.Create(memory=memory)

    def _replace(self, memory_id: str, stale: bool, status: Status) -> c.Action | None:
        before = self.current(memory_id, stale=stale)
        if before is None:
            return None
        return c.Replace(before=before, after=builders.newer(before, status=status, seq=1))

    def _forget(self, memory_id: str, stale: bool) -> c.Action | None:
        memory = self.current(memory_id, stale=stale)
        return None if memory is None else c.Forget(memory=memory, at=NOW)

    def _claim(self, key: str, memory_id: str, expected: str | None) -> c.Action:
        return c.Claim(key=key, memory_id=memory_id, expected=expected, now=NOW)

    def _release(self, key: str, memory_id: str) -> c.Action:
        return c.Release(key=key, memory_id=memory_id)

    def _hold(self, holder: str | None, stale: bool) -> c.Action:
        before = None if stale else self.backend.store.slot(self.scope, "slot")
        turn = before.turn + 1 if before else 1
        slot = c.Slot(key="slot", holder=holder, event_time=NOW, authority=Origin.OWNER, turn=turn)
        return c.Hold(slot=slot, expected=before)

    def _edge(self, source: str, dependant: str) -> c.Action:
        return c.Edge(source=source, kind="evidence", dependant=dependant)

    def _working(self, key: str, drop: bool) -> c.Action:
        value = builders.working(key=key)
        return c.DropWorking(memory_id=value.id) if drop else c.PutWorking(memory=value)

    def state(self) -> dict[str, Any]:
        """All that the ports show, without the ids of change rows."""
        store, scope, now = self.backend.store, self.scope, self.backend.clock()
        return {
            "records": store.get(scope, IDS),
            "page": store.page(scope, after=None, examine=2),
            "versions": [store.versions(scope, one) for one in IDS],
            "claims": [store.claim(scope, key, now=NOW) for key in KEYS],
            "slot": store.slot(scope, "slot"),
            "turns": store.turns(scope, "s", first=0, last=9),
            "task": store.of_task(scope, "t", limit=9),
            "edges": [store.dependants(scope, one) for one in IDS],
            "working": store.working(scope, "task-1", now=now),
            "changes": sorted(one.memory_id for one in store.backlog(scope, 99).changes),
        }


@pytest.mark.ministack
@settings(max_examples=20, deadline=None, derandomize=True, database=None)
@given(program=a_program)
def test_any_sequence_of_writes_ends_in_the_same_state(dynamodb, shared_table, program):
    scope = builders.scope(tenant=f"t-{next(_tenants)}")
    drivers = [
        Driver(in_memory(), scope),
        Driver(on_dynamodb(dynamodb, shared_table), scope),
    ]
    for steps in program:
        fake, real = (driver.do(steps) for driver in drivers)
        assert fake == real
    fake_state, real_state = (driver.state() for driver in drivers)
    assert fake_state == real_state
