"""Answer a repeated request with its first answer: idempotency keys.

One memory: the request's row is written in the memory's own transaction. A batch: a row `open`, one
transaction a memory with ids that derive from (first seen, key, index), then `done`; whoever
retries finishes what is missing. Rows hold ids, never content.
"""

import json
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import timedelta

from pydantic import ConfigDict

from hindwise.domain.base import Model
from hindwise.domain.changes import Raced, Request
from hindwise.domain.drafts import AnyDraft
from hindwise.domain.fence import before
from hindwise.domain.ids import derived_id, key_hash
from hindwise.domain.making import origin_of
from hindwise.domain.memory import Memory
from hindwise.domain.ports import RequestLog
from hindwise.errors import Conflict, HindwiseError, Unavailable
from hindwise.usecases import admit
from hindwise.usecases.ledger import Ledger
from hindwise.usecases.write import write
from hindwise.usecases.written import Written

KEPT = timedelta(hours=24)
STUCK_AFTER = timedelta(seconds=10)


class RequestKey(Model):
    """An idempotency key and the sha256 of the request that it stands for (method, path, scope and
    body).
    """

    key: str
    digest: str


class Item(Model):
    """The result of one memory of a batch: what was written, or the error, at its index."""

    model_config = ConfigDict(frozen=True, arbitrary_types_allowed=True)

    index: int
    written: Written | None = None
    error: HindwiseError | None = None


def once(
    key: RequestKey | None,
    act: Callable[[Ledger], Memory | Written],
    *,
    ledger: Ledger,
    requests: RequestLog,
    said: Model | None = None,
) -> Written:
    """Do a one-memory change, or answer as it was answered; `said` is the draft or edit.

    Raises Conflict where the key stands for another request.
    """

    def change(ledger: Ledger) -> Written:
        return _as_written(act(ledger))

    def again(answer: str) -> Written:
        return _decided(_replayed(answer, ledger), said, ledger)

    return replaying(key, change, again, ledger=ledger, requests=requests)


def replaying[A](
    key: RequestKey | None,
    act: Callable[[Ledger], A],
    again: Callable[[str], A],
    *,
    ledger: Ledger,
    requests: RequestLog,
) -> A:
    """Do what one commit does, or give `again` the answer that was kept with it the first time.

    It is done after the fence, whatever the clock says.

    Raises Conflict where the key stands for another request.
    """
    if key is None:
        return ledger.after_fence(act)
    row = _row(key, ledger, state="done")
    if (known := _known(row, ledger, requests)) is not None:
        return again(known.answer)
    try:
        return ledger.answering(row).after_fence(act)
    except Raced as raced:
        if (known := _known(row, ledger, requests)) is not None:
            return again(known.answer)
        raise Unavailable("the same request is being answered; try again") from raced


def write_batch(
    drafts: Sequence[AnyDraft | HindwiseError],
    *,
    ledger: Ledger,
    requests: RequestLog,
    key: RequestKey | None,
) -> list[Item]:
    """Write many memories, each in its own transaction.

    Results keep their indexes, and errors stand at theirs.
    """
    if key is None:
        return [_item(index, draft, ledger, None) for index, draft in enumerate(drafts)]
    ledger, fence = ledger.fenced()  # ids derive from when the key was first seen
    row = _row(key, ledger, state="open")
    known = _known(row, ledger, requests)
    if known is not None and known.state == "done":
        return _replayed_batch(known, drafts, ledger)
    if known is not None and ledger.call.now - known.first_seen < STUCK_AFTER:
        raise Conflict(
            "the same batch is being written", details={"retry_after": STUCK_AFTER.seconds}
        )
    if known is not None and before(known.first_seen, fence):
        raise Conflict("what this request began to write has been forgotten; use another key")
    if known is None:
        try:
            requests.record(row)
        except Raced as raced:
            raise Conflict(
                "the same batch is being written", details={"retry_after": STUCK_AFTER.seconds}
            ) from raced
    row = known or row
    items = [_item(index, draft, ledger, row) for index, draft in enumerate(drafts)]
    if not any(isinstance(item.error, Unavailable) for item in items):
        answer = {
            str(item.index): [item.written.id, item.written.outcome]
            for item in items
            if item.written
        }
        with suppress(Raced):  # another retry has closed it with the same ids
            requests.record(row.model_copy(update={"state": "done", "answer": json.dumps(answer)}))
    return items


def _item(index: int, draft: AnyDraft | HindwiseError, ledger: Ledger, row: Request | None) -> Item:
    if isinstance(draft, HindwiseError):
        return Item(index=index, error=draft)
    memory_id = derived_id(row.first_seen, row.principal, row.key_hash, str(index)) if row else None

    def act(ledger: Ledger) -> Written:
        return write(draft, ledger=ledger, memory_id=memory_id)

    try:
        return Item(index=index, written=ledger.after_fence(act))
    except HindwiseError as error:
        return Item(index=index, error=error)


def _row(key: RequestKey, ledger: Ledger, *, state: str) -> Request:
    call = ledger.call
    return Request(
        tenant=call.principal.tenant,
        principal=call.principal.name,
        key_hash=key_hash(key.key),
        digest=key.digest,
        state=state,
        answer="",
        first_seen=call.now,
        expires=call.now + KEPT,
    )


def _known(row: Request, ledger: Ledger, requests: RequestLog) -> Request | None:
    found = requests.find(row.tenant, row.principal, row.key_hash, now=ledger.call.now)
    if found is not None and found.digest != row.digest:
        raise Conflict("this Idempotency-Key already stands for another request")
    return found


def _as_written(result: Memory | Written) -> Written:
    if isinstance(result, Written):
        return result
    return Written(id=result.id, outcome="updated", memory=result)


def _replayed(answer: str, ledger: Ledger) -> Written:
    outcome, memory_id = answer.split(" ")
    return Written(id=memory_id, outcome=outcome, memory=ledger.read(memory_id))


def _decided(written: Written, said: Model | None, ledger: Ledger) -> Written:
    """The same with what admission had decided, which is kept nowhere: it is decided again."""
    if said is None:
        return written
    decided = admit.again(said, written.memory, ledger=ledger)
    return written.model_copy(update={"admission": decided})


def _replayed_batch(
    row: Request, drafts: Sequence[AnyDraft | HindwiseError], ledger: Ledger
) -> list[Item]:
    answers: dict[str, list[str]] = json.loads(row.answer)
    known = ledger.store.get(ledger.call.scope, [one[0] for one in answers.values()])
    items = []
    for index, draft in enumerate(drafts):
        if (answer := answers.get(str(index))) is not None:
            written = Written(id=answer[0], outcome=answer[1], memory=known.get(answer[0]))
            said = None if isinstance(draft, HindwiseError) else draft
            items.append(Item(index=index, written=_decided(written, said, ledger)))
        elif isinstance(draft, HindwiseError):
            items.append(Item(index=index, error=draft))
        else:
            error = admit.refused_again(draft, origin=origin_of(draft, ledger.call), ledger=ledger)
            first = error or Conflict("this memory was refused the first time")
            items.append(Item(index=index, error=first))
    return items
