"""Forget what a filter lets through, or what was named, each memory as by itself.

Page by page, several at a time; those of one conversation one after the other, for they take words
out of the same places. It is over when one whole walk has found nothing, and the index has dropped
what went.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

from hindwise.domain.call import Call
from hindwise.domain.memory import Memory
from hindwise.domain.query import filter_from
from hindwise.domain.receipts import DropErrand, Errand, completed
from hindwise.domain.scope import Principal, Role
from hindwise.errors import NotFound
from hindwise.usecases.forget import forget
from hindwise.usecases.forget_turn import Turn
from hindwise.usecases.ledger import Ledger
from hindwise.usecases.matching import matching

PAGE = 100
BACKLOG = 1_000
type Found = tuple[Sequence[Memory], str | None]


def walked(turn: Turn) -> bool:
    """Go on with a walk; True once the receipt is complete. Raises Lost, Unavailable."""
    scope, parts = turn.receipt.scope, turn.worker.parts
    errand = parts.receipts.errand(scope, turn.receipt.id)
    if errand is not None:
        if not turn.receipt.counted:
            total = sum(len(found) for found, _ in _pages(turn, errand, None))
            turn.note(counts={"memories": total} if total else {}, counted=True)
        if not _all_walked(turn, errand):
            return False
    if waits := _waiting(turn):
        turn.note(left={"changes": waits})
        return False
    done = completed(turn.receipt, now=turn.worker.clock())
    turn.write(done.model_copy(update={"counted": True}), DropErrand(receipt=done.id))
    return True


def _all_walked(turn: Turn, errand: Errand) -> bool:
    """Walk until one whole walk finds nothing, or the time is up."""
    while True:
        for found, after in _pages(turn, errand, turn.receipt.after):
            if found:
                _forget_all(found, turn)
            turn.note(after=after, found=turn.receipt.found + len(found))
            if turn.over:
                return False
        if turn.receipt.found == 0:
            return True
        turn.note(after=None, found=0)


def _pages(turn: Turn, errand: Errand, after: str | None) -> Iterator[Found]:
    """What an errand names that is still there, and where each page ends."""
    store, receipt = turn.worker.store, turn.receipt
    if errand.filter is None:
        yield tuple(store.get(receipt.scope, errand.ids).values()), None
        return
    wanted, said = filter_from(errand.filter), turn.worker.parts.said
    while True:
        page = store.page(receipt.scope, after=after, examine=PAGE)
        after = page.after
        at, scope = receipt.requested_at, receipt.scope
        yield matching(page.memories, wanted, at, scope=scope, said=said), after
        if after is None:
            return


def _forget_all(found: Sequence[Memory], turn: Turn) -> None:
    groups: dict[str, list[str]] = defaultdict(list)
    for one in found:
        source = one.source.conversation_id if one.source else None
        groups[source or one.id].append(one.id)
    hands = min(turn.worker.hands, len(groups))
    if hands < 2:
        for ids in groups.values():
            _forget_each(ids, turn)
        return
    with ThreadPoolExecutor(hands) as pool:
        list(pool.map(lambda ids: _forget_each(ids, turn), groups.values()))


def _forget_each(ids: Sequence[str], turn: Turn) -> None:
    for one in ids:
        with suppress(NotFound):  # gone along with another one
            forget(one, ledger=ledger_of(turn), said=turn.worker.parts.said, of=turn.receipt.id)


def ledger_of(turn: Turn) -> Ledger:
    """What forgets in the name of whoever asked for it."""
    receipt, worker = turn.receipt, turn.worker
    who = Principal(tenant=receipt.tenant, name=receipt.by, role=Role.WRITER, users=(receipt.user,))
    call = Call(scope=receipt.scope, principal=who, now=worker.clock())
    return Ledger(call=call, store=worker.store, tools=worker.tools, rules=worker.rules)


def _waiting(turn: Turn) -> int:
    """How many changes of what is gone the index has still to take."""
    store, scope = turn.worker.store, turn.receipt.scope
    ids = {one.memory_id for one in store.backlog(scope, BACKLOG).changes}
    return len(ids - store.get(scope, sorted(ids)).keys()) if ids else 0
