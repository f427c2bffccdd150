"""What is refused is parked, named, and tried again; nothing waits behind it."""

from collections.abc import Mapping, Sequence

import pytest

from hindwise.domain.document import Document
from hindwise.domain.scope import Scope
from hindwise.runtime.sweep import Swept, drain
from hindwise.usecases.inspect import Parked, stats
from hindwise.usecases.project import PARK_AFTER
from tests.memory_queues import InMemoryQueues
from tests.unit.usecases.desk import Desk, home

REASON = "mapper_parsing_exception at facts"


@pytest.fixture
def desk(monkeypatch: pytest.MonkeyPatch) -> Desk:
    """Its index refuses the ids in `desk.index.refuses`."""
    made = Desk()
    refuses: set[str] = set()
    put = made.index.put

    def refusing(
        scope: Scope, documents: Sequence[Document], gone: Mapping[str, int]
    ) -> Mapping[str, str]:
        good = [one for one in documents if one.id not in refuses]
        refused = {one.id: REASON for one in documents if one.id in refuses}
        return {**put(scope, good, gone), **refused}

    monkeypatch.setattr(made.index, "put", refusing)
    monkeypatch.setattr(made.index, "refuses", refuses, raising=False)
    return made


def sweep(desk: Desk, times: int = 1) -> Swept:
    for _ in range(times):
        swept = drain(engine=desk.engine, queues=InMemoryQueues(desk.clock), clock=desk.clock)
    return swept.model_copy(update={"oldest_seconds": 0})


def refused(desk: Desk, content: str) -> str:
    memory_id = desk.said(content).id
    desk.index.refuses.add(memory_id)  # type: ignore[attr-defined]
    return memory_id


def test_one_that_is_refused_is_parked_and_the_others_are_indexed(desk: Desk) -> None:
    good = [desk.said(f"good {n}").id for n in range(5)]
    bad = refused(desk, "bad")
    assert sweep(desk) == Swept(projected=5, failed=1, parked=0)
    sweep(desk, PARK_AFTER - 1)  # or fewer: one that shares a bucket with others is tried twice
    assert sweep(desk) == Swept(projected=0, failed=0, parked=1)
    assert set(desk.index.versions(home())) == set(good)
    assert "bad" in desk.contents("bad"), "its words are still found, in the table"
    found = stats(call=desk.call(), store=desk.store)
    assert found.parked == (Parked(id=bad, reason=f"refused: {REASON}"),)
    assert found.waiting == 0 and not found.waiting_more
    assert stats(call=desk.call("bob"), store=desk.store).parked == ()


def test_what_was_parked_is_tried_again_once_an_hour(desk: Desk) -> None:
    bad = refused(desk, "bad")
    sweep(desk, PARK_AFTER)
    desk.index.refuses.clear()  # type: ignore[attr-defined]
    assert sweep(desk).parked == 1
    desk.clock.forward(minutes=60 - desk.clock().minute)
    assert sweep(desk) == Swept(projected=1, failed=0, parked=0)
    assert bad in desk.index.versions(home())
    assert stats(call=desk.call(), store=desk.store).parked == ()


def test_what_is_refused_again_stays_parked(desk: Desk) -> None:
    refused(desk, "bad")
    sweep(desk, PARK_AFTER)
    desk.clock.forward(minutes=60 - desk.clock().minute)
    assert sweep(desk, 3) == Swept(projected=0, failed=0, parked=1)


def test_a_parked_memory_that_is_forgotten_is_named_no_longer_than_an_hour(desk: Desk) -> None:
    bad = refused(desk, "bad")
    sweep(desk, PARK_AFTER)
    desk.forget(bad)
    sweep(desk)
    desk.clock.forward(minutes=60 - desk.clock().minute)
    assert sweep(desk).parked == 0
    assert stats(call=desk.call(), store=desk.store).parked == ()
