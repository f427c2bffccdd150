"""A task's scratch values: there at once, gone in time, never found by search.

`latest` follows the episodes.
"""

from collections.abc import Sequence
from typing import Any

import pytest

from hindwise.domain.changes import Action, PutWorking
from hindwise.domain.drafts import WorkingDraft
from hindwise.domain.memory import Mark
from hindwise.domain.scope import Origin, Scope
from hindwise.errors import NotFound, Unavailable
from hindwise.usecases.latest import close_task, read_working, refresh_latest
from tests.builders import scope
from tests.unit.usecases.desk import Desk


def keep(desk: Desk, key: str, content: str, task: str = "trip-3") -> None:
    desk.write(WorkingDraft(task_id=task, key=key, content=content))


def kept(desk: Desk, task: str = "trip-3", **more: Any) -> dict[str, str]:
    return {v.key: v.content for v in read_working(task, ledger=desk.ledger(), **more)}


def test_values_are_read_by_task_and_by_key(desk: Desk) -> None:
    for key, content in {"座位": "过道", "航班": "HU7801", "付款": "公司卡"}.items():
        keep(desk, key, content)
    keep(desk, "航班", "CA1501", task="other")
    assert kept(desk) == {"座位": "过道", "航班": "HU7801", "付款": "公司卡"}
    assert kept(desk, key="航班") == {"航班": "HU7801"}
    assert desk.contents("航班") == []


def test_a_key_holds_one_value(desk: Desk) -> None:
    keep(desk, "draft", "one")
    keep(desk, "draft", "two")
    assert kept(desk) == {"draft": "two"}


def test_values_are_gone_after_an_hour_or_when_the_task_is_closed(desk: Desk) -> None:
    keep(desk, "draft", "one")
    assert close_task("trip-3", ledger=desk.ledger(ceiling=Origin.AGENT)) == 1
    assert kept(desk) == {}
    rows = [row for chain in desk.store.world.home(scope()).audits.values() for row in chain]
    assert [row.origin for row in rows if row.decision == "task closed"] == [Origin.AGENT]
    keep(desk, "draft", "two")
    desk.clock.forward(minutes=61)
    assert kept(desk) == {}


def test_latest_is_the_newest_episode_of_the_task(desk: Desk) -> None:
    desk.said("first step", task_id="trip-3")
    desk.said("second step", task_id="trip-3")
    assert kept(desk, key="latest") == {"latest": "second step"}
    close_task("trip-3", ledger=desk.ledger())
    assert kept(desk) == {}
    desk.clock.forward(seconds=1)
    desk.said("third step", task_id="trip-3")
    assert kept(desk) == {"latest": "third step"}


def test_a_latest_that_could_not_be_written_is_rebuilt_from_the_episodes(desk: Desk) -> None:
    desk.said("first step", task_id="trip-3")
    real = desk.store.commit

    def breaking(scope: Any, actions: Any) -> None:
        if [type(one).__name__ for one in actions] == ["PutWorking"]:
            raise Unavailable("let down by the test")
        real(scope, actions)

    desk.store.commit = breaking  # type: ignore[method-assign]
    assert desk.said("second step", task_id="trip-3").outcome == "created"
    desk.store.commit = real  # type: ignore[method-assign]
    assert kept(desk) == {"latest": "second step"}


def test_where_the_truth_refuses_there_is_no_slot_either(desk: Desk) -> None:
    desk.store.faults.fail_next(1, on="commit")
    with pytest.raises(Unavailable):
        desk.said("never stored", task_id="trip-3")
    assert kept(desk) == {}


def test_latest_shows_nothing_that_is_forgotten_and_no_row_holds_it(desk: Desk) -> None:
    gone = desk.said("the door code is 4711", task_id="trip-3")
    row = desk.store.working(desk.call().scope, "trip-3", now=desk.clock())[0]
    desk.forget(gone.id)
    assert kept(desk) == {}
    assert desk.read(row.id) is None


def test_latest_falls_back_when_the_newest_is_forgotten_or_marked_wrong(desk: Desk) -> None:
    desk.said("first step", task_id="trip-3")
    second = desk.said("second step", task_id="trip-3")
    third = desk.said("third step", task_id="trip-3")
    desk.forget(third.id)
    assert kept(desk, key="latest") == {"latest": "second step"}
    desk.edit(second.id, marks=frozenset({Mark.WRONG}))
    assert kept(desk, key="latest") == {"latest": "first step"}


def test_latest_shows_an_edit_and_no_row_holds_the_old_words(desk: Desk) -> None:
    said = desk.said("the door code is 4711", task_id="trip-3")
    desk.edit(said.id, content="the door has a code")
    assert kept(desk) == {"latest": "the door has a code"}
    assert desk.store.working(desk.call().scope, "trip-3", now=desk.clock()) == []


def test_a_late_write_through_does_not_bring_a_forgotten_episode_back(
    desk: Desk,
) -> None:
    said = desk.said("the door code is 4711", task_id="trip-3")
    memory = desk.read(said.id)
    desk.forget(said.id)
    refresh_latest(memory, ledger=desk.ledger())
    assert desk.store.working(desk.call().scope, "trip-3", now=desk.clock()) == []


def test_a_repeat_does_not_turn_latest_back(desk: Desk) -> None:
    moment = desk.clock()
    desk.said("first step", task_id="trip-3", event_time=moment)
    desk.said("second step", task_id="trip-3")
    assert desk.said("first step", task_id="trip-3", event_time=moment).outcome == "duplicate"
    rows = desk.store.working(desk.call().scope, "trip-3", now=desk.clock())
    assert [row.content for row in rows] == ["second step"]


def test_an_edit_that_races_a_forget_brings_no_scratch_value_back(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    keep(desk, "code", "4711")
    value = read_working("trip-3", ledger=desk.ledger())[0]
    commit = desk.store.commit

    def late(scope: Scope, actions: Sequence[Action]) -> None:
        monkeypatch.setattr(desk.store, "commit", commit)
        desk.forget(value.id)
        commit(scope, actions)

    monkeypatch.setattr(desk.store, "commit", late)
    with pytest.raises(NotFound):
        desk.edit(value.id, content="4712")
    assert kept(desk) == {}


def test_all_tasks_are_read_at_once_without_what_was_closed_or_forgotten(desk: Desk) -> None:
    def everything(key: str | None = None) -> list[tuple[str, str, str]]:
        values = read_working(None, ledger=desk.ledger(), key=key)
        return [(value.task_id, value.key, value.content) for value in values]

    assert everything() == []
    keep(desk, "plan", "by train")
    gone = desk.said("booked the hotel", task_id="trip-4")
    desk.said("packed", task_id="trip-5")
    desk.said("another user's", task_id="trip-3", user="eve")
    latest = [("trip-4", "latest", "booked the hotel"), ("trip-5", "latest", "packed")]
    assert everything() == [("trip-3", "plan", "by train"), *latest]
    assert everything("latest") == latest
    assert everything("none") == []
    slot = desk.store.working(desk.call().scope, "trip-4", now=desk.clock())
    desk.forget(gone.id)
    desk.store.commit(desk.call().scope, [PutWorking(memory=one) for one in slot])
    assert everything("latest") == latest[1:], "a slot that outlived its episode shows nothing"
    stale = desk.store.working(desk.call().scope, "trip-5", now=desk.clock())
    desk.clock.forward(seconds=1)
    close_task("trip-5", ledger=desk.ledger())
    desk.store.commit(desk.call().scope, [PutWorking(memory=one) for one in stale])
    assert everything() == [("trip-3", "plan", "by train")]
