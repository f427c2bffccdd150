"""Receipts of forgetting: what was asked, how far it is, and how much went; never what it said.

A receipt is its own outbox: it is written in the transaction that forgets or begins to, and stays
listed until all is gone and a copy of it lies in a bucket of its own, for a restored table.
"""

from datetime import datetime, timedelta
from enum import StrEnum

from pydantic import AwareDatetime, Field

from hindwise.domain.base import Model
from hindwise.domain.scope import Scope

LEASE = timedelta(seconds=15)
"""How long whoever works on a receipt has it for itself, from the last time that it wrote it."""
RESENT_AFTER = timedelta(seconds=20)


class ReceiptKind(StrEnum):
    """What was forgotten: memories by id, all that a filter let through, a user, a source."""

    MEMORY = "memory"
    FILTER = "filter"
    USER = "user"
    SOURCE = "source"


class ReceiptState(StrEnum):
    """How far it is; `complete` once nothing is found any more."""

    ACCEPTED = "accepted"
    RUNNING = "running"
    COMPLETE = "complete"


class Receipt(Model):
    """One forgetting.

    `ids` are the memories that were named or went along. `asked` is a keyed hash of the filter,
    `reason` a code, `by` the principal's name. `counts` say how much there was in each store before
    anything was taken away, `left` what the last look still found. `after` is where a walk goes on,
    `found` counts what the present walk has forgotten. `of` is the receipt that it is a part of.
    """

    id: str
    tenant: str
    user: str
    kind: ReceiptKind
    state: ReceiptState = ReceiptState.ACCEPTED
    by: str
    reason: str = ""
    asked: str = ""
    of: str = ""
    ids: tuple[str, ...] = ()
    requested_at: AwareDatetime
    fence: AwareDatetime | None = None
    finished_at: AwareDatetime | None = None
    counts: dict[str, int] = Field(default_factory=dict)
    counted: bool = False
    left: dict[str, int] = Field(default_factory=dict)
    after: str | None = None
    found: int = 0
    token: str = ""
    claimed_until: AwareDatetime | None = None
    next_at: AwareDatetime | None = None
    version: int = 1

    @property
    def scope(self) -> Scope:
        """Whose memories it is about."""
        return Scope(tenant=self.tenant, user=self.user)

    @property
    def open(self) -> bool:
        """Tell whether there is still something to forget."""
        return self.state is not ReceiptState.COMPLETE


class Errand(Model):
    """What an open receipt has still to look for; it may hold words, and goes with the last look.

    `filter` is the condition as JSON, None where `ids` name the memories.
    """

    receipt: str
    filter: str | None = None
    ids: tuple[str, ...] = ()


def taken(receipt: Receipt, token: str, *, now: datetime) -> Receipt:
    """The receipt in the hands of whoever has `token`."""
    mine = {"token": token, "claimed_until": now + LEASE, "next_at": now + RESENT_AFTER}
    if receipt.open:
        mine["state"] = ReceiptState.RUNNING
    return further(receipt, **mine)


def renewed(receipt: Receipt, *, now: datetime) -> Receipt:
    """The receipt in the same hands for another lease."""
    return further(receipt, claimed_until=now + LEASE, next_at=now + RESENT_AFTER)


def free(receipt: Receipt, now: datetime) -> bool:
    """Tell whether somebody may take it: there is work, and nobody has it any more."""
    held = receipt.claimed_until is not None and receipt.claimed_until > now
    return receipt.next_at is not None and not (receipt.token and held)


def let_go(receipt: Receipt, *, until: datetime) -> Receipt:
    """The receipt in nobody's hands, to be looked at again at a moment."""
    return further(receipt, token="", claimed_until=None, next_at=until)


def completed(receipt: Receipt, *, now: datetime) -> Receipt:
    """The receipt when nothing is left, in the same hands: there is still its copy to keep."""
    done = {"state": ReceiptState.COMPLETE, "finished_at": now, "left": {}, "after": None}
    return further(receipt, **done)


def further(receipt: Receipt, **changes: object) -> Receipt:
    """The next version of a receipt."""
    return receipt.model_copy(update={**changes, "version": receipt.version + 1})


class PutFence(Model):
    """Hide for good all that the scope holds of `at` and before; an earlier fence gives way."""

    at: AwareDatetime


class Unforgotten(Model):
    """Let the commit happen only if what is of the moment `at` does not lie behind the fence."""

    at: AwareDatetime
    unheld: bool = False


class PutReceipt(Model):
    """Write a receipt that is absent, or still has `before.version`."""

    receipt: Receipt
    before: Receipt | None = None


class PutErrand(Model):
    """Say what an open receipt looks for."""

    errand: Errand


class DropErrand(Model):
    """Forget what a receipt looked for."""

    receipt: str


Forgetting = PutFence | Unforgotten | PutReceipt | PutErrand | DropErrand
"""What a commit does about forgetting many."""
