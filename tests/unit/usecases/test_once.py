"""A repeated request gets its first answer, and a batch that was cut short is finished, not
doubled.
"""

import pytest

from hindwise.domain.changes import Request
from hindwise.domain.drafts import AnyDraft, SemanticDraft
from hindwise.errors import Conflict, HindwiseError, Invalid, Unavailable
from hindwise.usecases.once import Item, RequestKey, once, write_batch
from hindwise.usecases.write import write
from hindwise.usecases.written import Written
from tests.unit.usecases.desk import Desk

KEY = RequestKey(key="k-1", digest="d" * 64)


def remember(desk: Desk, content: str, key: RequestKey | None = KEY) -> Written:
    draft = SemanticDraft(content=content)
    return once(
        key,
        lambda ledger: write(draft, ledger=ledger),
        ledger=desk.ledger(),
        requests=desk.store.requests,
    )


def batch(desk: Desk, *contents: str | HindwiseError, key: RequestKey | None = KEY) -> list[Item]:
    drafts: list[AnyDraft | HindwiseError] = [
        one if isinstance(one, HindwiseError) else SemanticDraft(content=one) for one in contents
    ]
    return write_batch(drafts, ledger=desk.ledger(), requests=desk.store.requests, key=key)


def count(desk: Desk) -> int:
    return len(desk.store.page(desk.call().scope, after=None, examine=1_000).memories)


def test_the_same_key_answers_the_same(desk: Desk) -> None:
    first, second = remember(desk, "x"), remember(desk, "x")
    assert (first.id, first.outcome) == (second.id, second.outcome)
    assert count(desk) == 1


def test_the_same_key_for_another_body_is_a_conflict(desk: Desk) -> None:
    remember(desk, "x")
    with pytest.raises(Conflict):
        remember(desk, "y", RequestKey(key="k-1", digest="e" * 64))
    assert count(desk) == 1


def test_a_replay_after_forgetting_brings_nothing_back(desk: Desk) -> None:
    first = remember(desk, "x")
    desk.forget(first.id)
    again = remember(desk, "x")
    assert (again.id, again.memory) == (first.id, None)
    assert count(desk) == 0


def test_a_key_is_forgotten_after_a_day(desk: Desk) -> None:
    first = remember(desk, "x")
    desk.forget(first.id)
    desk.clock.forward(hours=25)
    assert remember(desk, "x").id != first.id


def test_a_bad_one_in_a_batch_stands_at_its_index(desk: Desk) -> None:
    items = batch(desk, "a", Invalid("content: too long", field="content"), "b")
    assert [bool(item.error) for item in items] == [False, True, False]
    assert count(desk) == 2


def test_repeats_in_a_batch_are_one_memory_named_three_times(desk: Desk) -> None:
    items = batch(desk, "dup", "dup", "dup", key=None)
    assert len({item.written.id for item in items if item.written}) == 1
    assert count(desk) == 1


def test_a_batch_that_was_cut_short_is_finished_not_doubled(desk: Desk) -> None:
    desk.store.faults.fail_next(1, on="commit")
    first = batch(desk, "a", "b", "c")
    assert [item.written is None for item in first] == [True, False, False]
    with pytest.raises(Conflict):
        batch(desk, "a", "b", "c")
    desk.clock.forward(seconds=11)
    second = batch(desk, "a", "b", "c")
    ids = [item.written.id for item in second if item.written]
    assert len(ids) == 3 and count(desk) == 3
    assert ids[1:] == [item.written.id for item in first if item.written]
    desk.forget(ids[2])
    desk.clock.forward(seconds=1)
    third = batch(desk, "a", "b", "c")
    assert [item.written.id for item in third if item.written] == ids


def test_a_retried_batch_brings_nothing_forgotten_back(desk: Desk) -> None:
    first = batch(desk, "a", "b")
    assert first[0].written is not None
    desk.forget(first[0].written.id)
    row = next(iter(desk.store.world.requests.values()))
    desk.store.world.requests.clear()
    desk.store.requests.record(row.model_copy(update={"state": "open", "answer": ""}))
    desk.clock.forward(seconds=11)
    again = batch(desk, "a", "b")
    assert [item.written and item.written.memory is None for item in again] == [True, False]
    assert count(desk) == 1


def test_a_batch_that_is_finished_twice_at_once_answers_both_the_same(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    record, second = desk.store.requests.record, []

    def crash(row: Request) -> None:
        if row.state == "done":
            raise Unavailable("the table did not answer")
        record(row)

    def late(row: Request) -> None:
        monkeypatch.setattr(desk.store.requests, "record", record)
        second.extend(batch(desk, "a", "b"))
        record(row)

    monkeypatch.setattr(desk.store.requests, "record", crash)
    with pytest.raises(Unavailable):
        batch(desk, "a", "b")
    desk.clock.forward(seconds=11)
    monkeypatch.setattr(desk.store.requests, "record", late)
    first = batch(desk, "a", "b")
    assert [one.written for one in first] == [one.written for one in second]
    assert [one.written.outcome for one in first if one.written] == ["created", "created"]
    assert count(desk) == 2
