"""What a search shows of values that were superseded, expired, withdrawn or not yet known."""

from datetime import datetime, timedelta

import pytest

from hindwise.domain.memory import Mark, Status
from hindwise.domain.query import Filter, View
from hindwise.usecases.inspect import listed
from tests.unit.usecases.desk import Desk, at, only, residence


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


def test_a_list_as_of_a_day_has_one_value_of_a_slot_however_deep_the_late_one_went(
    desk: Desk,
) -> None:
    desk.clock.forward(days=400)
    days = [desk.clock() - timedelta(days=300 - n) for n in range(80)]
    drafts = [residence(f"city {n}", day.isoformat()) for n, day in enumerate(days)]
    for draft in (drafts[0], *drafts[2:], drafts[1]):
        desk.write(draft)
    view = View(as_of=days[1] + timedelta(hours=1))
    page = listed(Filter(), view, call=desk.call(), store=desk.store, limit=100)
    assert [one.content for one in page.memories] == ["city 1"]
    desk.project()
    assert desk.contents(view=view, filter=only("kind", "semantic")) == ["city 1"]
    assert desk.contents("which city", view=view) == ["city 1"]


def test_what_is_yet_to_come_was_not_the_last_time(desk: Desk) -> None:
    coming = desk.clock() + timedelta(days=20)
    desk.said("看牙医，约在下个月", event_time=coming)
    desk.said("看牙医，补了一颗牙", event_time=desk.clock() - timedelta(days=40))
    desk.project()
    assert desk.contents("上次看牙医是什么时候")[0] == "看牙医，补了一颗牙"
    assert len(desk.contents("看牙医")) == 2
