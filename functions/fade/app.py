"""Every night, sweep by sweep, what fades does: purge, archive, decay, tiers; and bringing back.

What a night does not get through comes back by the queue.
"""

from collections.abc import Mapping

from hindwise.runtime import fading
from hindwise.runtime.batch import each
from hindwise.runtime.http import Api
from hindwise.runtime.telemetry import Context, entrypoint, worker

api = fading.register(Api("fade"))


def work(event: Mapping[str, object]) -> Mapping[str, object]:
    """Messages go on where a sweep stopped, each on its own; a schedule names one to start."""
    if "Records" in event:
        return each(event, fading.delivered)
    return fading.started(event)


_answer = entrypoint(api, warm=("store", "requests", "tools"))
_work = worker("fade", work)


def handler(event: Mapping[str, object], context: Context) -> Mapping[str, object]:
    """A request of the gateway, or an event of the queue or of a schedule."""
    if "requestContext" in event or "httpMethod" in event:
        return _answer(event, context)
    return _work(event, context)
