"""What a search shows of values that were superseded, expired, withdrawn or not yet known."""

from datetime import datetime, timedelta

import pytest

from hindwise.domain.memory import Mark, Status
from hindwise.domain.query import View
from tests.unit.usecases.desk import Desk, at


def test_a_superseded_value_leads_to_the_current_one(desk: Desk) -> None:
    where = {"subject": "用户", "attribute": "手机"}
    old = desk.known("用户用的是安卓手机", **where, event_time=at("2026-01-05T00:00:00Z"))
    desk.project()
    new = desk.known("用户换成了苹果手机", **where, event_time=at("2026-03-01T00:00:00Z"))
    assert [h.memory.id for h in desk.ask("用户用什么手机").hits] == [new.id]
    both = desk.ask("用户用什么手机", view=View(include=frozenset({Status.SUPERSEDED})))
    assert {h.memory.id: h.memory.status for h in both.hits} == {
        new.id: Status.ACTIVE,
        old.id: Status.SUPERSEDED,
    }


def test_what_was_true_on_a_day(desk: Desk) -> None:
    where = {"subject": "Mo", "attribute": "task board"}
    trello = desk.known(
        "Mo's task board is on Trello", **where, event_time=at("2026-02-03T00:00:00Z")
    )
    linear = desk.known(
        "Mo's task board is on Linear", **where, event_time=at("2026-02-20T00:00:00Z")
    )
    desk.project()

    def then(day: str) -> list[str]:
        view = View(as_of=at(f"{day}T00:00:00Z"))
        return [hit.memory.id for hit in desk.ask("task board", view=view).hits]

    assert then("2026-02-10") == [trello.id]
    assert then("2026-03-01") == [linear.id]
    assert then("2026-01-31") == []


def test_an_expired_memory_is_not_shown_and_not_deleted(desk: Desk) -> None:
    written = desk.known("门票有效", valid_until=desk.clock() + timedelta(days=1))
    desk.project()
    assert desk.contents("门票") == ["门票有效"]
    desk.clock.forward(days=2)
    assert desk.contents("门票") == []
    assert desk.contents("门票", view=View(include=frozenset({Status.EXPIRED}))) == ["门票有效"]
    assert desk.read(written.id) is not None


def test_an_obsolete_memory_comes_lower(desk: Desk) -> None:
    old, new = desk.known("旧机房的门牌在三号楼"), desk.known("新机房的门牌在五号楼")
    desk.project()
    desk.edit(old.id, marks=frozenset({Mark.OBSOLETE}))
    assert [hit.memory.id for hit in desk.ask("机房的门牌").hits] == [new.id, old.id]


@pytest.mark.parametrize("projected", [True, False])
def test_what_was_known_at_a_moment(desk: Desk, projected: bool) -> None:
    pin = desk.known("the pin hint is lighthouse")
    where = {"subject": "Mo", "attribute": "task board"}
    trello = desk.known("Mo's task board is on Trello", **where)
    before = desk.clock.forward(minutes=1)
    desk.clock.forward(minutes=1)
    desk.edit(pin.id, content="the pin hint is harbour")
    linear = desk.known("Mo's task board is on Linear", **where, event_time=desk.clock())
    wrong = desk.known("the pin hint is nonsense")
    desk.edit(wrong.id, marks=frozenset({Mark.WRONG}))
    if projected:
        desk.project()

    def then(text: str, known_at: datetime | None) -> list[str]:
        return desk.contents(text, view=View(known_at=known_at), top_k=3)

    assert "the pin hint is lighthouse" in then("pin hint", before)
    assert "the pin hint is harbour" not in then("pin hint", before)
    assert "the pin hint is harbour" in then("pin hint", None)
    boards = [text for text in then("task board", before) if "board" in text]
    assert boards == ["Mo's task board is on Trello"]
    assert desk.ask("task board", view=View(known_at=before)).hits[0].memory.id == trello.id
    now = [text for text in then("task board", desk.clock()) if "board" in text]
    assert now == [linear.memory.content] if linear.memory else False
    assert "the pin hint is nonsense" not in then("pin hint", desk.clock())
