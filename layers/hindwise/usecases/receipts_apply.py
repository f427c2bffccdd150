"""Forget again, in a table that was restored, what had been forgotten since its backup.

Before anybody reads it: users are hidden behind their fences at once, and memories that are named
go as they went. Doing it twice changes nothing. What a filter had only begun cannot be finished,
for its words are in no receipt; it is named, for a person to ask again.
"""

from datetime import datetime

from hindwise.domain.base import Model
from hindwise.domain.changes import Action, Raced
from hindwise.domain.receipts import (
    PutFence,
    PutReceipt,
    Receipt,
    ReceiptKind,
    ReceiptState,
)
from hindwise.errors import NotFound
from hindwise.usecases.forget import forget
from hindwise.usecases.forget_turn import ForgetWorker, Turn
from hindwise.usecases.forget_walk import ledger_of
from hindwise.usecases.receipt_copies import copies, finished


class Applied(Model):
    """How many receipts there were, how many memories and users they forgot again, and what not.

    `unfinished` are the ids of filters that were not complete, `unreadable` counts broken copies.
    """

    receipts: int = 0
    memories: int = 0
    users: int = 0
    unfinished: tuple[str, ...] = ()
    unreadable: int = 0


def apply(tenant: str, *, worker: ForgetWorker) -> Applied:
    """Apply all receipts of a tenant; raises Unavailable, and is then to be done again."""
    records = worker.parts.records
    if records is None:
        return Applied()
    done = Applied()
    for receipt in copies(tenant, records=records):
        if receipt is None:
            done = done.model_copy(update={"unreadable": done.unreadable + 1})
            continue
        told: dict[str, object] = {"receipts": done.receipts + 1}
        if receipt.kind is ReceiptKind.USER:
            told["users"] = done.users + _hidden(receipt, worker)
        elif receipt.ids:
            told["memories"] = done.memories + _forgotten(receipt, worker)
        elif receipt.kind is ReceiptKind.FILTER and not finished(receipt, records=records):
            told["unfinished"] = (*done.unfinished, receipt.id)
        done = done.model_copy(update=told)
    return done


def _hidden(receipt: Receipt, worker: ForgetWorker) -> bool:
    """Put a user behind the fence again, with the work that takes all of it away."""
    there = worker.parts.receipts.get(receipt.scope, receipt.id)
    fence = worker.store.fence(receipt.scope)
    if receipt.fence is None or (there is not None and fence is not None):
        return False
    now = worker.clock()
    begun = _anew(receipt, now)
    actions: list[Action] = [] if there is not None else [PutReceipt(receipt=begun)]
    if fence is None or fence < receipt.fence:
        actions.append(PutFence(at=receipt.fence))
    try:
        worker.store.commit(receipt.scope, actions)
    except Raced:  # somebody applies it at the same time
        return False
    return True


def _anew(receipt: Receipt, now: datetime) -> Receipt:
    begun = {"state": ReceiptState.ACCEPTED, "finished_at": None, "next_at": now}
    return receipt.model_copy(update={**begun, "counted": bool(receipt.counts), "version": 1})


def _forgotten(receipt: Receipt, worker: ForgetWorker) -> int:
    """Forget the memories of a receipt that are there again, and tell how many."""
    turn, count = Turn(receipt, worker), 0
    for one in receipt.ids:
        try:
            forget(one, ledger=ledger_of(turn), said=worker.parts.said, of=receipt.id)
        except NotFound:
            continue
        count += 1
    return count
