"""Do what a receipt says, a lease at a time, until nothing is found any more.

Whatever it was interrupted at is done again: to forget what is forgotten changes nothing. How much
there was is counted before anything goes, so that no interruption makes the receipt say less.
"""

import logging
from datetime import timedelta

from hindwise.domain.ports import QueueName
from hindwise.domain.receipts import (
    RESENT_AFTER,
    Receipt,
    ReceiptKind,
    completed,
    free,
    let_go,
    taken,
)
from hindwise.domain.scope import Scope
from hindwise.errors import HindwiseError, Transient
from hindwise.usecases.erase import counted, erased
from hindwise.usecases.forget_turn import ForgetWorker, Lost, Turn
from hindwise.usecases.forget_walk import walked
from hindwise.usecases.receipt_copies import copied

GRACE = timedelta(seconds=20)
"""How long a call may be under way that began before the fence: API functions have ten seconds."""
PAUSE = timedelta(seconds=2)
_log = logging.getLogger(__name__)


def work(scope: Scope, receipt_id: str, *, worker: ForgetWorker) -> Receipt | None:
    """Go on with a receipt; None where there is nothing to do, or it is in other hands."""
    found = worker.parts.receipts.get(scope, receipt_id)
    now = worker.clock()
    if found is None or not free(found, now):
        return None
    turn = Turn(found, worker)
    try:
        turn.write(taken(found, worker.tools.new_id(now), now=now))
        if found.open:  # should this turn end without a word
            seconds = RESENT_AFTER.total_seconds()
            worker.parts.learning.queues.send(QueueName.FORGET, scope, [found.id], delay=seconds)
        return _done(turn)
    except Lost:
        return None
    except Transient as error:
        _log.warning("a receipt has to wait: %s", type(error).__name__)
        return _later(turn)


def _done(turn: Turn) -> Receipt | None:
    receipt, worker = turn.receipt, turn.worker
    copied(receipt, records=worker.parts.records)
    if receipt.open:
        whole = _erase(turn) if receipt.kind is ReceiptKind.USER else walked(turn)
        if not whole:
            return _later(turn)
        copied(turn.receipt, records=worker.parts.records)
    return turn.note(token="", claimed_until=None, next_at=None)


def _later(turn: Turn) -> Receipt | None:
    """Let go of the receipt, and have it brought again in a moment."""
    worker, receipt = turn.worker, turn.receipt
    try:
        after = turn.write(let_go(receipt, until=worker.clock() + PAUSE))
    except (Lost, HindwiseError):
        return None
    seconds = PAUSE.total_seconds()
    queues = worker.parts.learning.queues
    queues.send(QueueName.FORGET, receipt.scope, [receipt.id], delay=seconds)
    return after


def _erase(turn: Turn) -> bool:
    """Take away all that lies behind the fence; tells whether a whole look found nothing."""
    receipt, parts = turn.receipt, turn.worker.parts
    fence = receipt.fence
    assert fence is not None
    if not receipt.counted:
        turn.note(counts=counted(receipt.scope, fence, parts=parts), counted=True)
    if not erased(receipt.scope, fence, parts=parts, over=lambda: turn.over):
        return False
    left = counted(receipt.scope, fence, parts=parts, waiting=True)
    if left or turn.worker.clock() < fence + GRACE:
        turn.note(left=left)
        return False
    _unlist(turn)
    turn.write(completed(turn.receipt, now=turn.worker.clock()))
    return True


def _unlist(turn: Turn) -> None:
    """Take the user off the list, unless there is something new of it."""
    users, scope = turn.worker.users, turn.receipt.scope
    if users is not None and not turn.worker.store.page(scope, after=None, examine=1).examined:
        users.drop(scope)
