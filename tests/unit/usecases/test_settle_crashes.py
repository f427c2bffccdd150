"""Whoever dies while comparing, at whatever call: the next one ends where it would have ended."""

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from itertools import count

import pytest

from hindwise.domain.memory import SemanticMemory, Status
from hindwise.domain.supersession import slot_key
from hindwise.errors import Unavailable
from hindwise.usecases.settle import State
from tests.lab import Killed, Port, Tripwire, die
from tests.unit.usecases.desk import home, residence
from tests.unit.usecases.settling import FULLER, KITCHEN, SettlingDesk

HOMES = ("住在北京", "搬到上海了")


class Stumbling(SettlingDesk):
    """A desk whose worker can be stopped at any call to a port.

    There are a memory to be merged, one to be superseded in its slot, and one to be let alone.
    """

    def __init__(self) -> None:
        kinds = {frozenset((KITCHEN, FULLER)): "duplicate", frozenset(HOMES): "update"}
        super().__init__(lambda new, other: kinds.get(frozenset((new, other)), "unrelated"))
        self.alike(KITCHEN, FULLER, *HOMES, cosine=0.7)
        self.known(KITCHEN)
        self.write(residence(HOMES[0], "2026-01-10T00:00:00Z"))
        self.drain()
        self.new = [self.known(text).id for text in (FULLER, HOMES[1])]
        self.project()
        self.wire = Tripwire()
        self.whole = self.engine, self.learning

    def stumble(self, call: int, *, after: bool, error: type[BaseException]) -> bool:
        """Compare all that is new, and fail at a call; tells whether it was reached."""
        self.engine = replace(self.engine, **self._behind(self.engine, "projections", "index"))
        self.learning = replace(
            self.learning, **self._behind(self.learning, "jobs", "reasoner", "budget")
        )
        store, self.store = self.store, Port(self.store, self.wire)  # type: ignore[assignment]

        def fail() -> None:
            raise error("stumbled")

        self.wire.arm(call, die if error is Killed else fail, after=after)
        with suppress(Killed, Unavailable):
            for one in self.new:
                self.settle(one)
        reached = self.wire.armed is None
        self.wire.disarm()
        self.store, (self.engine, self.learning) = store, self.whole
        return reached

    def _behind(self, parts: object, *names: str) -> dict[str, Port]:
        return {name: Port(getattr(parts, name), self.wire) for name in names}


def stumbles(after: bool, error: type[BaseException]) -> Iterator[Stumbling]:
    """A desk for each call at which a worker can stumble, after it did."""
    for call in count(1):
        desk = Stumbling()
        if not desk.stumble(call, after=after, error=error):
            return
        yield desk


@pytest.mark.parametrize("error", [Killed, Unavailable])
@pytest.mark.parametrize("after", [False, True])
def test_whoever_comes_next_ends_where_it_would_have_ended(
    after: bool, error: type[BaseException]
) -> None:
    desks = 0
    for desk in stumbles(after, error):
        desks += 1
        assert not {HOMES[0], HOMES[1]} <= set(desk.current()) or desk.unsettled()
        for one in desk.new:
            assert desk.settle(one).state is State.SETTLED
        desk.drain()
        assert desk.current() == sorted((FULLER, HOMES[1]))
        assert desk.unsettled() == []
        records = {one.content: one for one in desk.all()}
        for old, new in ((KITCHEN, FULLER), HOMES):
            assert records[old].status is Status.SUPERSEDED
            assert records[old].superseded_by == records[new].id
            assert len(records[old].verdicts) == len(records[new].verdicts) == 1
        assert _holder(desk) == records[HOMES[1]].id
    assert desks > 15


def _holder(desk: Stumbling) -> str | None:
    record = next(one for one in desk.all() if one.content == HOMES[1])
    assert isinstance(record, SemanticMemory)
    slot = desk.store.slot(home(), slot_key(record) or "")
    return slot.holder if slot else None
