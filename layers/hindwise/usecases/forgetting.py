"""Forget many: by id, by filter, or all of a user. What would go is shown first; a job does it.

A filter that lets nothing through forgets nothing. What is asked in words only names the memories
that hold all of these words, for whoever asks to name them by id.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from pydantic import Field

from hindwise.domain.base import Model
from hindwise.domain.changes import Action, Raced
from hindwise.domain.fence import fence_at
from hindwise.domain.memory import Memory, WorkingMemory
from hindwise.domain.ports import Erasure, QueueName, Receipts, Records
from hindwise.domain.query import Filter, kept_filter
from hindwise.domain.receipts import (
    RESENT_AFTER,
    Errand,
    PutErrand,
    PutFence,
    PutReceipt,
    Receipt,
    ReceiptKind,
)
from hindwise.errors import NotFound, Unavailable
from hindwise.usecases.along import Along, along
from hindwise.usecases.learning import Learning
from hindwise.usecases.ledger import Ledger
from hindwise.usecases.matching import matching, saying
from hindwise.usecases.transcript import Transcript
from hindwise.usecases.withheld import hidden_from

EXAMINED = 1_000
SHOWN = 100
FOLLOWED = 25
"""Memories of which a dry run tells what goes along."""
TALKS = 200
"""Conversations that are asked whether a clock that is ahead changed them; one query each."""
PURPOSE = "forget"


class Wanted(Model):
    """What is to be forgotten: exactly one of these, and a code that says why."""

    everything: bool = False
    filter: Filter | None = None
    ids: tuple[str, ...] = ()
    query: str | None = None
    reason: str = ""


class Preview(Model):
    """What would be forgotten: of how many memories, by kind, the first ids, and what goes along.

    `complete` is False where there are more memories than were examined; `counts` are those of each
    store, where all of a user is meant.
    """

    matched: int
    complete: bool = True
    by_kind: dict[str, int]
    ids: tuple[str, ...]
    along: tuple[Along, ...] = ()
    counts: dict[str, int] = Field(default_factory=dict)


@dataclass(frozen=True)
class Forgetting:
    """What forgetting many needs beside the ledger; without `records` no copy is kept."""

    receipts: Receipts
    erasure: Erasure
    learning: Learning
    records: Records | None = None

    @property
    def said(self) -> Transcript:
        """What was said in conversations."""
        return Transcript(self.learning.conversations, self.learning.blobs)


def preview(wanted: Wanted, *, ledger: Ledger, parts: Forgetting) -> Preview:
    """Tell what would be forgotten, and change nothing; raises NotFound for an unknown id."""
    found, complete = _found(wanted, ledger=ledger, said=parts.said)
    lasting = [one for one in found if not isinstance(one, WorkingMemory)]
    ids = {one.id for one in found}
    followed = [] if wanted.everything else lasting[:FOLLOWED]
    bound = [one for each in followed for one in along(each, ledger=ledger, said=parts.said)]
    others = {one.id: one for one in reversed(bound) if one.id not in ids}
    counts: dict[str, int] = {}
    if wanted.everything:
        counts = parts.erasure.count(ledger.call.scope, fence_at(ledger.call.now))
        counts.pop("changes", None)
    return Preview(
        matched=len(found),
        complete=complete and len(followed) in (0, len(lasting)),
        by_kind=dict(Counter(one.kind.value for one in found)),
        ids=tuple(one.id for one in found)[:SHOWN],
        along=tuple(others.values())[::-1],
        counts=counts,
    )


def _found(wanted: Wanted, *, ledger: Ledger, said: Transcript) -> tuple[Sequence[Memory], bool]:
    scope = ledger.call.scope
    if wanted.ids:
        return _named(wanted.ids, ledger=ledger), True
    page = ledger.store.page(scope, after=None, examine=EXAMINED)
    complete = page.after is None
    if wanted.everything:
        return page.memories, complete
    if wanted.query is not None:
        told = [one for one in page.memories if not hidden_from(one, ledger.call.principal)]
        return saying(told, wanted.query, scope=scope, said=said), complete
    assert wanted.filter is not None
    now = ledger.call.now
    return matching(page.memories, wanted.filter, now, scope=scope, said=said), complete


def _named(ids: Sequence[str], *, ledger: Ledger) -> list[Memory]:
    found = ledger.store.get(ledger.call.scope, ids)
    if missing := [one for one in ids if one not in found]:
        raise NotFound(f"there is no memory {missing[0]}")
    return list(found.values())


def start(wanted: Wanted, *, ledger: Ledger, parts: Forgetting) -> Receipt:
    """Begin to forget, and return the receipt; all of a user is hidden with the same commit.

    Raises NotFound for an unknown id, and Unavailable.
    """
    call = ledger.call
    if wanted.ids:
        _named(wanted.ids, ledger=ledger)
    receipt = _receipt(wanted, ledger=ledger, parts=parts)
    actions: list[Action] = [PutReceipt(receipt=receipt)]
    if receipt.fence is not None:
        actions.append(PutFence(at=receipt.fence))
    else:
        said = None if wanted.filter is None else kept_filter(wanted.filter)
        actions.append(PutErrand(errand=Errand(receipt=receipt.id, filter=said, ids=wanted.ids)))
    try:
        ledger.commit(actions, answer=receipt.id)
    except Raced as raced:
        if not raced.on(PutFence):
            raise
        raise Unavailable("this user is being forgotten already; try again") from raced
    parts.learning.queues.send(QueueName.FORGET, call.scope, [receipt.id])
    return receipt


def _receipt(wanted: Wanted, *, ledger: Ledger, parts: Forgetting) -> Receipt:
    """The receipt as it begins; of a filter it has only a hash that nobody can try out."""
    call, kind = ledger.call, ReceiptKind.MEMORY
    asked, fence = "", None
    if wanted.everything:
        kind, fence = ReceiptKind.USER, _fence(ledger, parts)
    elif wanted.filter is not None:
        kind = ReceiptKind.FILTER
        asked = ledger.tools.seal.digest(PURPOSE, kept_filter(wanted.filter))
    return Receipt(
        id=ledger.tools.new_id(call.now),
        tenant=call.scope.tenant,
        user=call.scope.user,
        kind=kind,
        by=call.principal.name,
        reason=wanted.reason,
        asked=asked,
        ids=wanted.ids,
        fence=fence,
        requested_at=call.now,
        next_at=call.now + RESENT_AFTER,
    )


def _fence(ledger: Ledger, parts: Forgetting) -> datetime:
    """Now, or when the newest was written by a clock that is ahead; never before a former fence."""
    scope, store, now = ledger.call.scope, ledger.store, ledger.call.now
    former = store.fence(scope) or now
    newest = store.page(scope, after=None, examine=1).memories
    talks = parts.learning.conversations.page(scope, after=None, limit=TALKS)
    values = store.working(scope, None, now=now)
    written = [one.created_at for one in (*newest, *talks)]
    written += [one.updated_at for one in values] + [one.updated_at for one in talks]
    return fence_at(max(now, former, *written))
