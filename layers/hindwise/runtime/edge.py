"""What happens around every call: the tenant's limits before it, a note of its refusal after it.

Of changes it is noted who asked for one that was refused, and who ordered one of many records:
never a caller without a credential, for that would let anybody write into the table.
"""

from hindwise.errors import HindwiseError, Refused
from hindwise.runtime.http import Answer, Api, failure
from hindwise.runtime.request import Request
from hindwise.runtime.routes import Route
from hindwise.runtime.strict_json import JsonObject
from hindwise.runtime.wiring import wiring
from hindwise.usecases.audit import REFUSED, Asked

NOTED = frozenset({403, 422})
SEARCHES = frozenset({"search", "context", "diagnose", "readEntity"})
CHANGES = frozenset({"POST", "PATCH", "PUT", "DELETE"})
ORDERS = frozenset({"forgetMany", "quarantineSource"})
"""What is done to many records by one order, which is noted beside what becomes of each."""
ORDERED = "ordered"


def answered(api: Api, route: Route | None, request: Request) -> Answer:
    """The answer to a request, if its tenant's limits let it be asked for."""
    try:
        if route is not None and route.role is not None:
            _admit(route, request)
    except HindwiseError as error:
        return failure(error)
    answer = api.answer(route, request)
    if route is not None and _changes(route):
        for refusal in _refusals(answer):
            _note(route, request, REFUSED, refusal)
        if answer.status == 202 and route.operation in ORDERS:
            _note(route, request, ORDERED, {})
    return answer


def _refusals(answer: Answer) -> list[JsonObject]:
    """The errors to be noted: of the request, or of those items that admission did not let in."""
    body = answer.body
    if not isinstance(body, dict):
        return []
    if answer.status in NOTED and "error" in body:
        return [body["error"]]
    errors = (one.get("error", {}) for one in body.get("results", []) if isinstance(one, dict))
    return [error for error in errors if error.get("code") == Refused.code]


def _admit(route: Route, request: Request) -> None:
    limiter = wiring().trust.limiter
    if limiter is not None:
        asked = ["requests"]
        if _changes(route):
            asked.append("writes")
        elif route.operation in SEARCHES:
            asked.append("searches")
        limiter.admit(request.principal.tenant, asked, now=request.now)


def _changes(route: Route) -> bool:
    return route.method in CHANGES and route.operation not in SEARCHES


def _note(route: Route, request: Request, decision: str, error: JsonObject) -> None:
    audit = wiring().trust.audit
    if audit is None:
        return
    details = error.get("details")
    rules = details.get("rules") if isinstance(details, dict) else None
    asked = Asked(
        principal=request.principal,
        at=request.now,
        call=route.operation,
        user=_user(request),
        subject=_subject(request),
    )
    known = [one for one in rules if isinstance(one, str)] if isinstance(rules, list) else []
    code = str(error.get("code", ""))
    audit.refusals.refused(asked, code=code, rules=known, decision=decision)


def _user(request: Request) -> str | None:
    """Whose memories were meant, where that was said well enough to be refused."""
    try:
        body = request.body if request.method in CHANGES - {"DELETE"} else None
        user = request.one("user_id") if body is None else body.get("user_id")
    except HindwiseError:
        return request.principal.only_user
    return user if isinstance(user, str) else request.principal.only_user


def _subject(request: Request) -> str | None:
    """The id in the path, where it is one of ours: any other is only what somebody wrote."""
    try:
        return request.memory_id if "id" in request.params else None
    except HindwiseError:
        return None
