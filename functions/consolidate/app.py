"""Finds what recurs: when somebody asks, when the queue brings a job, and when a domain is ripe."""

from collections.abc import Mapping

from hindwise.runtime import consolidation
from hindwise.runtime.batch import each
from hindwise.runtime.http import Answer, Api
from hindwise.runtime.request import Request
from hindwise.runtime.telemetry import Context, count, entrypoint, worker

WARM = ("learning", "store", "requests", "tools", "screens")
api = Api("consolidate")


@api.operation("consolidate")
def asked(request: Request) -> Answer:
    """What recurs in a domain's episodes, or the job that finds out."""
    return consolidation.asked(request)


def work(event: Mapping[str, object]) -> Mapping[str, object]:
    """Messages succeed or come back each on its own; without any, it is the schedule's turn."""
    if "Records" in event:
        return each(event, consolidation.delivered)
    done = consolidation.start_ripe()
    if done.started:
        count("Started", done.started)
    return done.model_dump()


_answer = entrypoint(api, warm=WARM)
_work = worker("consolidate", work)


def handler(event: Mapping[str, object], context: Context) -> Mapping[str, object]:
    """A request of the gateway, or an event of the queue or the schedule."""
    if "requestContext" in event or "httpMethod" in event:
        return _answer(event, context)
    return _work(event, context)
