"""The calls that forget many and look at receipts, and the messages that bring receipts to work."""

from hindwise.domain.receipts import Receipt
from hindwise.domain.scope import Origin
from hindwise.errors import HindwiseError, Misconfigured, NotFound
from hindwise.runtime.contracts.forgetting import (
    forget_of,
    preview_view,
    receipt_answer,
    receipt_view,
    receipts_of,
)
from hindwise.runtime.http import Answer, Api
from hindwise.runtime.request import Request
from hindwise.runtime.telemetry import count, fault
from hindwise.runtime.wired import Wired
from hindwise.runtime.wiring import cursors_of, ledger_of, wiring
from hindwise.usecases import receipts_apply
from hindwise.usecases.forget import require_say
from hindwise.usecases.forget_job import work
from hindwise.usecases.forget_turn import ForgetWorker
from hindwise.usecases.forgetting import Forgetting, preview, start
from hindwise.usecases.ledger import Ledger
from hindwise.usecases.once import replaying


def register(api: Api) -> Api:
    """Let these operations be answered by `api`, and return it."""
    api.operation("forgetMany")(asked)
    api.operation("readForget")(read)
    api.operation("listForgets")(listed)
    return api


def parts_of(wired: Wired) -> Forgetting:
    """What forgets many, of wired parts; raises Misconfigured where there are none."""
    trust = wired.trust
    if trust.receipts is None or trust.erasure is None:
        raise Misconfigured("this function keeps no receipts")
    return Forgetting(trust.receipts, trust.erasure, wired.learning, trust.records)


def worker_of(wired: Wired) -> ForgetWorker:
    """What works on receipts, of wired parts."""
    return ForgetWorker(
        parts=parts_of(wired),
        store=wired.store,
        tools=wired.tools,
        clock=wired.clock,
        users=wired.trust.users,
        rules=wired.learning.rules,
    )


def asked(request: Request) -> Answer:
    """What would be forgotten; or it is begun, and the receipt tells how far it is."""
    wanted, dry_run = forget_of(request.fields)
    ledger, parts = ledger_of(request.call), parts_of(wiring())
    if dry_run:
        return Answer(preview_view(preview(wanted, ledger=ledger, parts=parts)))
    require_say(request.principal, Origin.OWNER)  # whatever the filter names by then

    def act(ledger: Ledger) -> Receipt:
        return start(wanted, ledger=ledger, parts=parts)

    def again(answer: str) -> Receipt:
        return _needed(answer, request)

    begun = replaying(request.key, act, again, ledger=ledger, requests=wiring().requests)
    return receipt_answer(begun)


def read(request: Request) -> Answer:
    """How far a forgetting is, and how much went."""
    return Answer(receipt_view(_needed(request.receipt_id, request)))


def _needed(receipt_id: str, request: Request) -> Receipt:
    found = parts_of(wiring()).receipts.get(request.scope, receipt_id)
    if found is None:
        raise NotFound(f"there is no receipt {receipt_id}")
    return found


def listed(request: Request) -> Answer:
    """A user's receipts, newest first."""
    wanted = receipts_of(request)
    cursors = cursors_of(request.call, wanted.asked)
    after = cursors.opened(wanted.cursor)
    read = parts_of(wiring()).receipts.page
    found = read(request.scope, after=after, limit=wanted.limit)
    last = found[-1].id if len(found) == wanted.limit else None
    views = [receipt_view(one) for one in found]
    return Answer({"results": views, "next": cursors.sealed(last)})


def delivered(body: str) -> None:
    """Go on with the receipt that a message points at; raises Invalid for what is none of ours."""
    scope, receipt_id = wiring().pointer_in(body)
    done = work(scope, receipt_id, worker=worker_of(wiring()))
    if done is None:
        count("Echoes")
    else:
        count("ForgetsWaiting" if done.open else "ForgetsDone")


def applied_again(wired: Wired, tenant: str) -> receipts_apply.Applied:
    """Forget again, in a table that was restored, all that a tenant's receipts name."""
    return receipts_apply.apply(tenant, worker=worker_of(wired))


def copied_at_once(receipt: Receipt | None) -> None:
    """Keep the copy of a receipt that has just been written; the sweep sees to it if not.

    The memory is forgotten in any case: a bucket that cannot be used is told to the operator.
    """
    if receipt is None:
        return
    try:
        work(receipt.scope, receipt.id, worker=worker_of(wiring()))
    except HindwiseError as error:
        fault(error, operation="receipt", request_id=receipt.id)
