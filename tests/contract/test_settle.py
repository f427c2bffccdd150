"""Comparing memories on the fakes and on the table: the same ends, also where many do at once."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

from hindwise.adapters.embedded.table import TableIndex
from hindwise.domain.memory import Status
from hindwise.usecases.project import Projected, project
from tests.contract.backends import EMBEDDER, Backend
from tests.unit.usecases.desk import home, residence
from tests.unit.usecases.settling import FULLER, KITCHEN, SettlingDesk, always


class BackendDesk(SettlingDesk):
    """A desk whose table is a backend's."""

    def __init__(self, backend: Backend, verdict: str) -> None:
        super().__init__(always(verdict))
        self.backend, self.clock = backend, backend.clock
        self.embedder.id = EMBEDDER
        self.store = backend.store  # type: ignore[assignment]
        index = TableIndex(backend.projections, self.embedder.dimensions, clock=self.clock)
        self.engine = replace(
            self.engine, store=backend.store, projections=backend.projections, index=index
        )
        self.learning = replace(self.learning, jobs=backend.jobs)

    def project(self) -> Projected:
        return project(self.backend.dirty(), engine=self.engine, now=self.clock())

    def verdict_of(self, one: str, other: str) -> str | None:
        found = self.backend.jobs.verdict(home(), one, other)
        return found and found.verdict


def test_a_merge_leaves_one_and_nothing_to_do(backend: Backend) -> None:
    desk = BackendDesk(backend, "duplicate")
    desk.alike(KITCHEN, FULLER)
    turn = desk.said("we repaint again")
    short = desk.known(KITCHEN, evidence_ids=(turn.id,))
    desk.clock.forward(days=1)
    long = desk.known(FULLER)
    assert {one for _, one in desk.project().unsettled} == {short.id, long.id}
    desk.settle(long.id)
    assert desk.settle(short.id).changed == 0
    stays, gone = desk.read(long.id), desk.read(short.id)
    assert (gone.status, gone.superseded_by) == (Status.SUPERSEDED, long.id)
    assert (stays.evidence_ids, stays.settled, gone.settled) == ((turn.id,), True, True)
    assert desk.verdict_of(long.id, short.id) == "duplicate"
    assert set(desk.store.dependants(home(), turn.id)) == {short.id, long.id}
    desk.clock.forward(minutes=5)
    assert backend.unsettled() == []


def test_the_slot_goes_to_whoever_takes_its_holders_place(backend: Backend) -> None:
    desk = BackendDesk(backend, "update")
    desk.alike("住在北京", "搬到上海了", cosine=0.7)
    old = desk.write(residence("住在北京", "2026-01-10T00:00:00Z"))
    moved = desk.known("搬到上海了")
    desk.project()
    for one in (moved.id, old.id, moved.id):
        desk.settle(one)
    assert desk.current() == ["搬到上海了"]
    desk.clock.forward(days=5)
    desk.write(residence("住在成都", "2026-03-15T00:00:00Z"))
    assert desk.current() == ["住在成都"]


@pytest.mark.parametrize("verdict", ["duplicate", "contradiction"])
def test_many_who_compare_at_once_leave_one(backend: Backend, verdict: str) -> None:
    desk = BackendDesk(backend, verdict)
    texts = [f"The kitchen is painted {colour}" for colour in ("white", "green", "red", "blue")]
    desk.alike(*texts, cosine=0.7)
    ids = []
    for text in texts:
        ids.append(desk.known(text).id)
        desk.clock.forward(days=1)
    desk.project()
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(desk.settle, ids * 2))
    for one in ids:
        desk.settle(one)
    desk.clock.forward(minutes=5)
    assert backend.unsettled() == []
    assert len(desk.current()) == 1
    if verdict == "contradiction":
        assert desk.current() == [texts[-1]]
