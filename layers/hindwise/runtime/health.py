"""What the service says of itself: who is asking, and whether its parts answer.

The table is asked at most once in five seconds: the question needs no credential.
"""

from datetime import datetime, timedelta

from hindwise.errors import HindwiseError
from hindwise.runtime.http import Answer, Api
from hindwise.runtime.openapi import document
from hindwise.runtime.request import Request
from hindwise.runtime.wiring import wiring

REMEMBERED = timedelta(seconds=5)
NOBODY = "0" * 64
"""A key's hash that no key has."""
_last: dict[str, tuple[datetime, str]] = {}


def register(api: Api) -> Api:
    """Let the service's own operations be answered by `api`, and return it."""
    api.operation("me")(me)
    api.operation("health")(health)
    api.operation("openapi")(lambda request: Answer(document()))
    return api


def me(request: Request) -> Answer:
    """The credential's principal, and what this stage is set up with."""
    principal = request.principal
    return Answer(
        {
            "tenant": principal.tenant,
            "principal": principal.name,
            "role": principal.role,
            "users": principal.users,
            "ceiling": principal.ceiling.label,
            "stage": wiring().stage,
            "features": wiring().features,
            "limits": limits_of(principal.tenant),
        }
    )


def limits_of(tenant: str) -> dict[str, int]:
    """What a tenant may ask for; empty where nobody counts."""
    limiter = wiring().trust.limiter
    return {} if limiter is None else limiter.limits.of(tenant).told()


def health(request: Request) -> Answer:
    """200 as long as the function runs; the states of what it depends on."""
    table = _table(request.now)
    status = "ok" if table == "ok" else "degraded"
    return Answer({"status": status, "stage": wiring().stage, "dependencies": {"table": table}})


def _table(now: datetime) -> str:
    stage = wiring().stage
    last = _last.get(stage)
    if last is not None and timedelta(0) <= now - last[0] < REMEMBERED:
        return last[1]
    try:
        wiring().keys.find(NOBODY)
        state = "ok"
    except HindwiseError as error:
        state = error.code
    _last[stage] = (now, state)
    return state
