"""The calls that take in conversations and put jobs back or let them go."""

from hindwise.domain.ports import QueueName
from hindwise.domain.talk import Talk
from hindwise.errors import NotFound
from hindwise.runtime import porting
from hindwise.runtime.contracts.checking import checked
from hindwise.runtime.contracts.conversations import continuation_of, conversation_of
from hindwise.runtime.contracts.work import (
    JobRequest,
    RedriveRequest,
    job_answer,
    taken_answer,
)
from hindwise.runtime.http import Answer, Api
from hindwise.runtime.request import Request
from hindwise.runtime.strict_json import shown
from hindwise.runtime.wiring import ledger_of, wiring
from hindwise.usecases import job_actions
from hindwise.usecases.converse import Taken, converse
from hindwise.usecases.ledger import Ledger
from hindwise.usecases.once import replaying


def register(api: Api) -> Api:
    """Let these operations be answered by `api`, and return it."""
    api.operation("converse")(told)
    api.operation("appendMessages")(continued)
    api.operation("retryJob")(retried)
    api.operation("dismissJob")(dismissed)
    api.operation("redriveQueue")(redriven)
    api.operation("importLines")(porting.back)
    return api


def told(request: Request) -> Answer:
    """A conversation from its beginning, as far as it has come."""
    return _take(conversation_of(request.fields), request)


def continued(request: Request) -> Answer:
    """What was said in a conversation since."""
    request.call  # noqa: B018  # whose it is, before anything else is looked at
    return _take(continuation_of(request.params["id"], request.fields), request)


def _take(talk: Talk, request: Request) -> Answer:
    learning, ledger = wiring().learning, ledger_of(request.call)

    def act(ledger: Ledger) -> Taken:
        return converse(talk, ledger=ledger, learning=learning)

    again = Taken.model_validate_json
    taken = replaying(request.key, act, again, ledger=ledger, requests=wiring().requests)
    return taken_answer(taken)


def retried(request: Request) -> Answer:
    """A job that had ended is waiting again."""
    checked(JobRequest, request.fields)
    ledger = ledger_of(request.call)
    return job_answer(job_actions.retry(request.job_id, ledger=ledger, learning=wiring().learning))


def dismissed(request: Request) -> Answer:
    """A job ends for good."""
    checked(JobRequest, request.fields)
    ledger = ledger_of(request.call)
    return job_answer(
        job_actions.dismiss(request.job_id, ledger=ledger, learning=wiring().learning)
    )


def redriven(request: Request) -> Answer:
    """What lies among a queue's dead letters is tried again."""
    given = request.params["name"]
    if given not in {*QueueName}:
        raise NotFound(f"there is no queue {shown(given)}")
    if request.text.strip():
        checked(RedriveRequest, request.fields)
    sent = job_actions.redrive(
        QueueName(given), request.principal, learning=wiring().learning,
        store=wiring().store, now=request.now,
    )  # fmt: skip
    return Answer({"name": given, "sent": sent})
