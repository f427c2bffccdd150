"""Sends for what waits: jobs, idle conversations, memories nobody has compared yet, receipts."""

from datetime import timedelta

from hindwise.domain.ports import QueueName
from hindwise.errors import HindwiseError
from hindwise.runtime.telemetry import fault
from hindwise.runtime.wired import Wired
from hindwise.usecases.claims import Worker
from hindwise.usecases.resend import Resent, resend
from hindwise.usecases.settle_due import send_overdue

RECEIPTS = 100


def send_due(wired: Wired, *, longest: timedelta) -> Resent:
    """Send for all that is due, or as much as there is time for; what fails is for the next run."""
    now = wired.clock()
    try:
        learning = wired.learning
        worker = Worker(learning, wired.store, wired.tools, wired.clock)
        resent = resend(worker=worker, until=now + longest)
        send_overdue(store=wired.store, learning=learning, now=now)
        if wired.trust.receipts is not None:
            for scope, receipt_id in wired.trust.receipts.due(now=now, limit=RECEIPTS):
                learning.queues.send(QueueName.FORGET, scope, [receipt_id])
    except HindwiseError as error:
        fault(error, operation="due", request_id="")
        return Resent()
    return resent
