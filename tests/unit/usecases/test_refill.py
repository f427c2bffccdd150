"""Filling an index from the table, and building another one beside it, with writers at work."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime, timedelta

import pytest

from hindwise.adapters.embedded.index import EmbeddedIndex
from hindwise.domain import changes as c
from hindwise.domain.document import Document
from hindwise.domain.memory import LongTermMemory
from hindwise.domain.ports import Touched
from hindwise.domain.scope import Scope
from hindwise.errors import Unavailable
from hindwise.usecases.refill import Filled, fill, rebuild
from tests import builders
from tests.builders import NOW, Clock
from tests.fakes import InMemoryStore

ANN, BOB, EVE = (builders.scope(user) for user in ("ann", "bob", "eve"))
HOUR = timedelta(hours=1)


class Shelf:
    """An index with what `IndexUpkeep` and `Successor` keep about it."""

    def __init__(self, clock: Clock) -> None:
        self.clock, self.index = clock, EmbeddedIndex(4)
        self.put_at: dict[tuple[Scope, str], Touched] = {}
        self.cursor: str | None = ""
        self.writable = True
        self.refuses: set[str] = set()
        self.pages = 0

    def unfilled(self) -> str | None:
        return self.cursor

    def reached(self, cursor: str | None) -> None:
        self.cursor = cursor
        self.pages += 1

    def add(self, scope: Scope, documents: Sequence[Document]) -> Mapping[str, str]:
        there = self.index.versions(scope)
        new = [one for one in documents if there.get(one.id, 0) < one.version]
        return self.put(scope, new, {})

    def put(
        self, scope: Scope, documents: Sequence[Document], gone: Mapping[str, int]
    ) -> dict[str, str]:
        if not self.writable:
            raise Unavailable("held")
        kept = [one for one in documents if one.id not in self.refuses]
        self.index.put(scope, kept, gone)
        at = int(self.clock().timestamp() * 1e6)
        for one in kept:
            self._touch(scope, one.id, one.version, live=True, at=at)
        for memory_id, version in gone.items():
            self._touch(scope, memory_id, version, live=False, at=at)
        return {one.id: "refused" for one in documents if one.id in self.refuses}

    def _touch(self, scope: Scope, memory_id: str, version: int, *, live: bool, at: int) -> None:
        row = Touched(scope=scope, memory_id=memory_id, version=version, live=live, at=at)
        self.put_at[scope, memory_id] = row


class Beside(Shelf):
    """A successor of a shelf; `during` names what happens at which of its steps."""

    def __init__(self, old: Shelf) -> None:
        super().__init__(old.clock)
        self.old = old
        self.steps: list[str] = []
        self.during: dict[str, Callable[[], None]] = {}

    def _step(self, name: str) -> None:
        self.steps.append(name)
        self.during.pop(name, lambda: None)()

    def touched(self, since: datetime) -> Iterator[Touched]:
        self._step("touched")
        first = since.timestamp() * 1e6
        yield from [one for one in self.old.put_at.values() if one.at >= first or not one.live]

    @contextmanager
    def held(self) -> Iterator[None]:
        self._step("held")
        self.old.writable = False
        yield

    def take_over(self) -> None:
        self._step("take_over")

    def remove_old(self) -> None:
        self._step("remove_old")

    def abandon(self) -> None:
        self._step("abandon")


class Plant:
    """A table with documents of several scopes, and an index that is filled from it."""

    def __init__(self) -> None:
        self.clock = Clock()
        self.store = InMemoryStore(self.clock)
        self.projections = self.store.projections
        self.shelf = Shelf(self.clock)
        self.told: list[int] = []

    def write(self, scope: Scope, *, late: bool = False) -> LongTermMemory:
        """A memory in the table and, unless the index is to get it `late`, in the index."""
        memory = builders.episode(at=self.clock())
        self.store.commit(scope, [c.Create(memory=memory)])
        self.project(scope, memory, index=not late)
        return memory

    def project(self, scope: Scope, memory: LongTermMemory, *, index: bool = True) -> None:
        document = builders.document(memory)
        self.projections.put(scope, [document], {}, now=self.clock())
        if index:
            self.shelf.put(scope, [document], {})

    def edit(self, scope: Scope, memory: LongTermMemory) -> None:
        newer = builders.newer(memory)
        self.store.commit(scope, [c.Replace(before=memory, after=newer)])
        self.project(scope, newer)

    def forget(self, scope: Scope, memory: LongTermMemory) -> None:
        self.store.commit(scope, [c.Forget(memory=memory, at=self.clock())])
        self.projections.put(scope, [], {memory.id: 2**31}, now=self.clock())
        self.shelf.put(scope, [], {memory.id: 2**31})

    def fill(self, longest: timedelta = HOUR) -> Filled:
        return fill(
            self.shelf, self.projections, store=self.store, clock=self.clock, longest=longest
        )

    def rebuild(self, beside: Beside) -> Filled:
        return rebuild(
            beside, self.projections, store=self.store, clock=self.clock, progress=self.told.append
        )

    def truth(self, scope: Scope) -> dict[str, int]:
        return {one.id: one.version for one in self.projections.newest(scope, 100)}

    def waiting(self, scope: Scope) -> list[str]:
        return [one.memory_id for one in self.store.backlog(scope, 100).changes]


@pytest.fixture
def plant() -> Plant:
    made = Plant()
    for scope in (ANN, BOB, EVE):
        for _ in range(3):
            made.write(scope, late=True)
    return made


def agrees(shelf: Shelf, plant: Plant) -> bool:
    return all(shelf.index.versions(one) == plant.truth(one) for one in (ANN, BOB, EVE))


def test_everything_the_table_holds_is_added(plant: Plant) -> None:
    assert plant.fill() == Filled(written=9, refused=0, whole=True)
    assert agrees(plant.shelf, plant) and plant.shelf.cursor is None
    assert plant.fill() == Filled(), "an index that is filled is left alone"


def test_stopped_anywhere_it_goes_on_where_it_was(plant: Plant) -> None:
    written = 0
    while plant.shelf.cursor is not None:
        ticks = iter([NOW, NOW, NOW + HOUR])
        page = fill(
            plant.shelf,
            plant.projections,
            store=plant.store,
            clock=lambda ticks=ticks: next(ticks),  # type: ignore[misc]
            longest=HOUR,
        )
        assert page.written == 3 and page.whole == (plant.shelf.cursor is None)
        written += page.written
    assert (written, plant.shelf.pages) == (9, 3) and agrees(plant.shelf, plant)


def test_a_failure_costs_the_page_it_meets(plant: Plant) -> None:
    plant.shelf.writable = False
    with pytest.raises(Unavailable):
        plant.fill()
    assert plant.shelf.cursor == ""
    plant.shelf.writable = True
    assert plant.fill().written == 9 and agrees(plant.shelf, plant)


def test_what_is_there_is_not_replaced_by_what_was_read_before(plant: Plant) -> None:
    """The same version of a turn may have got a new vector while the fill was under way."""
    turn = plant.write(ANN)
    fresh = builders.document(turn, words="of now")
    plant.shelf.put(ANN, [fresh], {})
    before = plant.shelf.put_at[ANN, turn.id]
    plant.clock.forward(seconds=1)
    plant.fill()
    assert plant.shelf.put_at[ANN, turn.id] == before


def test_what_is_refused_is_given_back_to_the_projection(plant: Plant) -> None:
    bad = plant.write(BOB, late=True)
    plant.shelf.refuses = {bad.id}
    waiting = len(plant.waiting(BOB))
    assert plant.fill() == Filled(written=10, refused=1, whole=True)
    assert len(plant.waiting(BOB)) == waiting + 1 and plant.waiting(BOB)[0] == bad.id


def test_a_new_index_gets_everything_and_only_then_answers(plant: Plant) -> None:
    plant.fill()
    beside = Beside(plant.shelf)
    assert plant.rebuild(beside) == Filled(written=9, refused=0, whole=True)
    assert beside.steps == ["touched", "held", "touched", "take_over", "remove_old"]
    assert plant.told == [3, 6, 9] and agrees(beside, plant)


@pytest.mark.parametrize("step", ["touched", "held"])
def test_what_is_written_meanwhile_is_carried_over(plant: Plant, step: str) -> None:
    edited, gone = plant.write(ANN), plant.write(BOB)
    plant.fill()
    beside = Beside(plant.shelf)

    def meanwhile() -> None:
        plant.write(EVE)
        plant.edit(ANN, edited)
        plant.forget(BOB, gone)

    beside.during[step] = meanwhile
    plant.rebuild(beside)
    assert agrees(beside, plant)
    assert beside.index.versions(ANN)[edited.id] == 2
    assert gone.id not in beside.index.versions(BOB)


def test_nothing_can_be_written_to_the_old_one_once_the_rest_is_carried(plant: Plant) -> None:
    plant.fill()
    beside = Beside(plant.shelf)

    def late() -> None:
        with pytest.raises(Unavailable):
            plant.write(EVE)

    beside.during["take_over"] = late
    plant.rebuild(beside)
    assert beside.steps[-1] == "remove_old"


def test_old_tombstones_are_carried_too(plant: Plant) -> None:
    """A write that was stalled since before the rebuild must still meet its tombstone."""
    gone = plant.write(ANN)
    late = builders.document(gone)
    plant.forget(ANN, gone)
    plant.fill()
    plant.clock.forward(days=20)
    beside = Beside(plant.shelf)
    plant.rebuild(beside)
    beside.put(ANN, [late], {})
    assert gone.id not in beside.index.versions(ANN)


def test_many_are_carried_in_batches_each_once(plant: Plant) -> None:
    plant.fill()
    beside = Beside(plant.shelf)
    beside.during["touched"] = lambda: [plant.write(ANN) for _ in range(250)] and None
    plant.rebuild(beside)
    assert len(beside.index.versions(ANN)) == 253


@pytest.mark.parametrize("step", ["touched", "held", "take_over"])
def test_stopped_before_it_has_taken_over_it_is_dropped(plant: Plant, step: str) -> None:
    plant.fill()
    beside = Beside(plant.shelf)

    def stop() -> None:
        raise KeyboardInterrupt

    beside.during[step] = stop
    with pytest.raises(KeyboardInterrupt):
        plant.rebuild(beside)
    assert beside.steps[-1] == "abandon" and "remove_old" not in beside.steps


def test_what_the_new_one_refuses_is_projected_to_it(plant: Plant) -> None:
    plant.fill()
    bad = plant.write(EVE)
    waiting = len(plant.waiting(EVE))
    beside = Beside(plant.shelf)
    beside.refuses = {bad.id}
    assert plant.rebuild(beside).refused == 1
    assert len(plant.waiting(EVE)) == waiting + 1
