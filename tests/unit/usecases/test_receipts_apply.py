"""A table that was restored forgets again what had been forgotten since its backup."""

import copy
from datetime import timedelta
from typing import Any

from hindwise.domain.query import Condition, Filter
from hindwise.domain.receipts import ReceiptKind, ReceiptState
from hindwise.usecases.forget import forget
from hindwise.usecases.forget_job import work
from hindwise.usecases.forget_turn import ForgetWorker
from hindwise.usecases.forgetting import Forgetting, Wanted, start
from hindwise.usecases.receipts_apply import apply
from tests.builders import scope
from tests.memory_records import InMemoryRecords
from tests.pattern_lab import PatternLab, Scripted

FLAT = "My old flat is on Elm Street."


def lab_of() -> tuple[PatternLab, ForgetWorker]:
    known = {"type": "fact", "content": "Mia's flat is on Elm Street", "confidence": 0.9}
    lab = PatternLab(Scripted({"memories": [{**known, "turns": [1]}], "intent": None}))
    lab.say(FLAT)
    lab.settle()
    parts = Forgetting(lab.store.receipts, lab.store.erasure, lab.learning, InMemoryRecords())
    worker = ForgetWorker(
        parts=parts,
        store=lab.store,
        tools=lab.tools,
        clock=lab.clock,
        users=lab.store.users,
        hands=1,
    )
    return lab, worker


def backup(lab: PatternLab) -> dict[Any, Any]:
    return copy.deepcopy(lab.store.world.homes)


def restore(lab: PatternLab, homes: dict[Any, Any]) -> None:
    lab.store.world.homes.clear()
    lab.store.world.homes.update(copy.deepcopy(homes))


def seen_through(lab: PatternLab, worker: ForgetWorker) -> None:
    for _ in range(60):
        for who, receipt_id in lab.store.receipts.due(now=lab.clock(), limit=9):
            work(who, receipt_id, worker=worker)
        home = lab.store.world.home(scope())
        lab.store.projections.clear(scope(), list(home.changes.values()))
        lab.clock.forward(seconds=5)
        if all(one.next_at is None for one in home.receipts.values()):
            return
    raise AssertionError("something is still waiting")


def test_a_memory_that_came_back_goes_again() -> None:
    lab, worker = lab_of()
    kept = backup(lab)
    (known,) = lab.learnt()
    done = forget(known.id, ledger=lab.ledger(), said=worker.parts.said)
    seen_through(lab, worker)
    restore(lab, kept)
    assert len(lab.memories()) == 2
    told = apply("acme", worker=worker)
    assert (told.receipts, told.memories, told.users) == (1, 2, 0)
    assert lab.memories() == [] and {known.id, *done.along} == {
        one for receipt in lab.store.world.home(scope()).receipts.values() for one in receipt.ids
    }
    assert apply("acme", worker=worker).memories == 0


def test_a_user_that_came_back_is_hidden_at_once_and_erased() -> None:
    lab, worker = lab_of()
    kept = backup(lab)
    lab.clock.forward(seconds=5)
    begun = start(Wanted(everything=True), ledger=lab.ledger(), parts=worker.parts)
    seen_through(lab, worker)
    done = lab.store.receipts.get(scope(), begun.id)
    assert done is not None and done.state is ReceiptState.COMPLETE
    restore(lab, kept)
    assert apply("acme", worker=worker).users == 1
    assert lab.memories() == [] and apply("acme", worker=worker).users == 0
    seen_through(lab, worker)
    again = lab.store.receipts.get(scope(), begun.id)
    assert again is not None and again.state is ReceiptState.COMPLETE
    assert {**again.counts, "objects": 1} == done.counts and again.kind is ReceiptKind.USER
    assert "Elm" not in repr(lab.store.world.home(scope()))


def test_a_filter_that_was_not_complete_is_named_and_broken_copies_are_counted() -> None:
    lab, worker = lab_of()
    records = worker.parts.records
    assert isinstance(records, InMemoryRecords)
    lab.clock.forward(seconds=5)
    wanted = Wanted(filter=Filter(all_of=(Condition(field="domain", value="general"),)))
    begun = start(wanted, ledger=lab.ledger(), parts=worker.parts)
    home = lab.store.world.home(scope())
    assert "general" not in repr(home.receipts[begun.id])
    brief = ForgetWorker(
        parts=worker.parts, store=lab.store, tools=lab.tools, clock=lab.clock, longest=timedelta(0)
    )
    work(scope(), begun.id, worker=brief)
    records.held["receipts/acme/broken.json"] = b"{"
    told = apply("acme", worker=worker)
    assert (told.unfinished, told.unreadable) == ((begun.id,), 1)
    seen_through(lab, worker)
    assert apply("acme", worker=worker).unfinished == ()


def test_what_is_not_there_or_in_other_hands_is_nobodys_work() -> None:
    lab, worker = lab_of()
    assert work(scope(), "nothing", worker=worker) is None
    begun = start(Wanted(everything=True), ledger=lab.ledger(), parts=worker.parts)
    records = worker.parts.records
    assert isinstance(records, InMemoryRecords)
    records.down = True
    later = work(scope(), begun.id, worker=worker)
    assert later is not None and later.open and later.next_at is not None and not later.counted
    records.down = False
    lab.store.faults.race_next()
    assert work(scope(), begun.id, worker=worker) is None
    nowhere = ForgetWorker(
        parts=Forgetting(lab.store.receipts, lab.store.erasure, lab.learning),
        store=lab.store, tools=lab.tools, clock=lab.clock,
    )  # fmt: skip
    assert apply("acme", worker=nowhere).receipts == 0
