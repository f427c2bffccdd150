"""One turn at a receipt: in the hands of one worker for the length of a lease."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

from hindwise.domain.call import Tools
from hindwise.domain.changes import Action, Raced
from hindwise.domain.learning_rules import LearningRules
from hindwise.domain.ports import MemoryStore, Users
from hindwise.domain.receipts import LEASE, PutReceipt, Receipt, further, renewed
from hindwise.usecases.forgetting import Forgetting


@dataclass(frozen=True)
class ForgetWorker:
    """What works on receipts; `hands` forget at once, for as long as `longest` a turn."""

    parts: Forgetting
    store: MemoryStore
    tools: Tools
    clock: Callable[[], datetime]
    users: Users | None = None
    rules: LearningRules | None = None
    hands: int = 8
    longest: timedelta = timedelta(seconds=40)


class Lost(Exception):
    """Somebody else has the receipt by now."""


class Turn:
    """One turn at a receipt: the receipt as it was last written, and until when there is time."""

    def __init__(self, receipt: Receipt, worker: ForgetWorker) -> None:
        self.receipt = receipt
        self.worker = worker
        self.until = worker.clock() + worker.longest

    @property
    def over(self) -> bool:
        """Tell whether the time is up; where it is not, the lease is renewed in time.

        Raises Lost.
        """
        now, ends = self.worker.clock(), self.receipt.claimed_until
        if now >= self.until:
            return True
        if ends is not None and ends - now < LEASE / 2:
            self.write(renewed(self.receipt, now=now))
        return False

    def write(self, after: Receipt, *more: Action) -> Receipt:
        """Write the receipt as it is now; raises Lost."""
        put = PutReceipt(receipt=after, before=self.receipt)
        try:
            self.worker.store.commit(after.scope, [put, *more])
        except Raced as raced:
            raise Lost from raced
        self.receipt = after
        return after

    def note(self, **changes: object) -> Receipt:
        """Write what has changed about the receipt; raises Lost."""
        return self.write(further(self.receipt, **changes))
