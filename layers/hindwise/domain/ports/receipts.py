"""What forgetting many needs: receipts, and to erase what lies behind a fence."""

from datetime import datetime
from typing import Protocol

from hindwise.domain.receipts import Errand, Receipt
from hindwise.domain.scope import Scope


class Receipts(Protocol):
    """Receipts in the table; they are written through `MemoryStore.commit`."""

    def get(self, scope: Scope, receipt_id: str) -> Receipt | None:
        """Read a receipt of a scope."""

    def page(self, scope: Scope, *, after: str | None, limit: int) -> list[Receipt]:
        """Read a scope's receipts, newest id first, those before `after`."""

    def due(self, *, now: datetime, limit: int) -> list[tuple[Scope, str]]:
        """Name receipts, over all scopes, that are to be worked on or copied by now."""

    def errand(self, scope: Scope, receipt_id: str) -> Errand | None:
        """Read what an open receipt looks for."""


class Erasure(Protocol):
    """Takes out of the table all that lies behind a scope's fence, store by store."""

    stores: tuple[str, ...]

    def count(self, scope: Scope, fence: datetime) -> dict[str, int]:
        """Count what there is of each store, and `changes` that the index has still to take."""

    def erase(self, scope: Scope, fence: datetime, store: str, *, most: int) -> int:
        """Remove up to `most` rows of a store, and tell how many; 0 where none is left.

        What was written after the fence stays. With each memory goes a change row, so that the
        index drops it too.
        """
