"""The sweep says how old the oldest change is that it could not bring into the index."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta

from hindwise.adapters.embedders.hashed import HashedEmbedder
from hindwise.domain.document import Vector
from hindwise.errors import Unavailable
from hindwise.runtime.sweep import Swept, drain
from tests.memory_queues import InMemoryQueues
from tests.unit.usecases.desk import Desk


class Silent(HashedEmbedder):
    def documents(self, texts: Sequence[str]) -> list[Vector]:
        raise Unavailable("the embedder does not answer")


def swept(desk: Desk, **limits: timedelta) -> Swept:
    return drain(engine=desk.engine, queues=InMemoryQueues(desk.clock), clock=desk.clock, **limits)


def test_nothing_left_is_no_age() -> None:
    desk = Desk()
    desk.said("tea")
    desk.clock.forward(hours=1)
    assert swept(desk) == Swept(projected=1, oldest_seconds=0)


def test_the_oldest_of_all_buckets_counts_however_often_it_was_tried() -> None:
    desk = Desk()
    for content in ("tea", "coffee", "milk", "water"):
        desk.said(content)
        desk.clock.forward(minutes=10)
    desk.engine = replace(desk.engine, embedder=Silent())
    first = swept(desk)
    assert (first.failed, first.oldest_seconds) == (4, 40 * 60)
    desk.clock.forward(minutes=1)
    assert swept(desk).oldest_seconds == 41 * 60


def test_what_is_parked_waits_for_a_person_and_has_no_age() -> None:
    desk = Desk()
    desk.said("tea")
    projections = desk.store.projections
    ((scope, change),) = [row for bucket in range(16) for row in projections.dirty(bucket, 9)]
    projections.failed(scope, change, reason="refused: x", park=True)
    desk.clock.forward(minutes=10)
    assert swept(desk) == Swept(parked=1, oldest_seconds=0)


def test_out_of_time_it_still_looks_at_what_waits() -> None:
    desk = Desk()
    desk.said("tea")
    desk.clock.forward(minutes=10)
    assert swept(desk, longest=timedelta(0)) == Swept(oldest_seconds=10 * 60)
