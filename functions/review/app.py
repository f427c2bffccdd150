"""What people decide about memories, and what is laid before them: reviews, sources, audit."""

from collections.abc import Mapping

from hindwise.runtime import auditing, reviewing
from hindwise.runtime.batch import each
from hindwise.runtime.http import Api
from hindwise.runtime.telemetry import Context, entrypoint, worker

api = auditing.register(reviewing.register(Api("review")))


def work(event: Mapping[str, object]) -> Mapping[str, object]:
    """Messages succeed or come back each on its own; a schedule names the sweep to start."""
    if "Records" in event:
        return each(event, reviewing.delivered)
    return reviewing.started(event)


_answer = entrypoint(api, warm=("store", "requests", "tools", "screens"))
_work = worker("review", work)


def handler(event: Mapping[str, object], context: Context) -> Mapping[str, object]:
    """A request of the gateway, or an event of the queue or of a schedule."""
    if "requestContext" in event or "httpMethod" in event:
        return _answer(event, context)
    return _work(event, context)
