"""The calls of reviewers and admins, and what reviewing does without being asked."""

from collections.abc import Mapping

from hindwise.domain.call import Call
from hindwise.domain.ports import Reviews, Users
from hindwise.domain.scope import Principal, Role, Scope
from hindwise.domain.sources import SourceKind, SourceOrder
from hindwise.errors import Misconfigured
from hindwise.runtime import digesting
from hindwise.runtime.contracts import reviews as wire
from hindwise.runtime.http import Answer, Api
from hindwise.runtime.principal import require_role
from hindwise.runtime.request import Request
from hindwise.runtime.scheduled import sweep_in
from hindwise.runtime.telemetry import count
from hindwise.runtime.wiring import cursors_of, learner, ledger_of, wiring
from hindwise.runtime.worked import count_job
from hindwise.usecases import sources
from hindwise.usecases.awaiting import Docket, awaiting
from hindwise.usecases.ledger import Ledger
from hindwise.usecases.once import RequestKey, once, replaying
from hindwise.usecases.periodic import AGAIN, Periodic, lay_before
from hindwise.usecases.review import decide, teach

SWEEPS = ("periodic", "digest")
FANOUT = 50
"""Users of whom one call orders the quarantine of a source."""


def register(api: Api) -> Api:
    """Let these operations be answered by `api`, and return it."""
    api.operation("listReviews")(listed)
    api.operation("review")(decided)
    api.operation("quarantineSource")(quarantined)
    api.operation("listUsers")(users)
    return api


def listed(request: Request) -> Answer:
    """A page of what waits, of one user or of all that the key may act for."""
    asked = wire.reviews_of(request)
    scope = wire.scope_or_all(request, request.one("user_id"))
    cursors = cursors_of(_call(request, scope), asked.listed)
    docket = Docket(
        request.principal, wiring().store, _reviews(),
        user=None if scope is None else scope.user, kinds=asked.kinds,
    )  # fmt: skip
    page = awaiting(docket, limit=asked.limit, after=cursors.opened(asked.cursor))
    return Answer(wire.cases_view(page, cursors.sealed(page.after), request.now))


def decided(request: Request) -> Answer:
    """What a reviewer says of one memory."""
    memory_id, decision = request.memory_id, wire.decision_of(request.fields)
    written = once(
        request.key,
        lambda ledger: decide(memory_id, decision, ledger=ledger, if_match=request.if_match),
        ledger=ledger_of(request.call),
        requests=wiring().requests,
    )
    memory = written.memory or ledger_of(request.call).need(memory_id)
    teach(memory, ledger=ledger_of(request.call))
    count("Reviewed")
    return Answer(wire.decided_view(memory, decision, request.now))


def quarantined(request: Request) -> Answer:
    """A job for one user, or one each for a number of users of the tenant."""
    source, asked = wire.source_of(request)
    scope = wire.scope_or_all(request, request.body.get("user_id"))
    wish = SourceOrder(
        kind=SourceKind(asked.kind), id=source, reason=asked.reason,
        dry_run=asked.dry_run, undo=asked.undo,
    )  # fmt: skip
    cursors = cursors_of(_call(request, scope), f"source {wish.model_dump_json()}")
    after = cursors.opened(asked.cursor)
    if scope is None:
        require_role(request.principal, Role.ADMIN)
        page = _users().page(request.principal.tenant, prefix="", after=after, limit=FANOUT)
        after = page[-1] if len(page) == FANOUT else None
        whose = [one for one in page if request.principal.may_act_for(one)]
        scopes = [Scope(tenant=request.principal.tenant, user=one) for one in whose]
    else:
        scopes, after = [scope], None
    key = None if scope is None else request.key
    jobs = {one.user: _ordered(wish, one, request, key) for one in scopes}
    return wire.ordered_answer(wish, jobs, cursors.sealed(after))


def _ordered(wish: SourceOrder, scope: Scope, request: Request, key: RequestKey | None) -> str:
    """The id of the job, which is the same one under the same key."""

    def act(ledger: Ledger) -> str:
        return sources.order(wish, ledger=ledger, worker=learner()).id

    call = Call(scope=scope, principal=request.principal, now=request.now)
    requests = wiring().requests
    return replaying(key, act, lambda job: job, ledger=ledger_of(call), requests=requests)


def users(request: Request) -> Answer:
    """A page of the tenant's users, those that the key may act for."""
    asked, listed = wire.users_of(request)
    cursors = cursors_of(_call(request, None), listed.listed)
    page = _users().page(
        request.principal.tenant, prefix=asked.prefix or "",
        after=cursors.opened(listed.cursor), limit=asked.limit,
    )  # fmt: skip
    after = page[-1] if len(page) == asked.limit else None
    shown = [{"user_id": one} for one in page if request.principal.may_act_for(one)]
    return Answer({"results": shown, "next": cursors.sealed(after)})


def started(event: Mapping[str, object]) -> Mapping[str, object]:
    """Start the sweep that a schedule names; raises Invalid for one that there is not."""
    name = sweep_in(event, SWEEPS)
    if name == "periodic":
        return periodic().model_dump()
    return digesting.digested()


def periodic() -> Periodic:
    """Lay before reviewers what is recalled most; what there is no time for goes on by queue."""
    wired = wiring()
    done = lay_before(
        lambda scope: ledger_of(_as_schedule(scope)), reviews=_reviews(), users=_users(),
        clock=wired.clock, queues=wired.learning.queues,
    )  # fmt: skip
    count("LaidBefore", done.flagged)
    return done


def delivered(body: str) -> None:
    """Do what a message points at; raises Invalid for what is none of ours."""
    scope, pointed = wiring().pointer_in(body)
    if pointed == AGAIN:
        periodic()
        return
    done = sources.work(scope, pointed, ledger=ledger_of(_as_schedule(scope)), worker=learner())
    count_job(done)


def _as_schedule(scope: Scope) -> Call:
    who = Principal(tenant=scope.tenant, name="review", role=Role.WRITER, users=(scope.user,))
    return Call(scope=scope, principal=who, now=wiring().clock())


def _call(request: Request, scope: Scope | None) -> Call:
    """The call of a list; one of all users is bound to the tenant alone."""
    whose = scope or Scope(tenant=request.principal.tenant, user="")
    return Call(scope=whose, principal=request.principal, now=request.now)


def _reviews() -> Reviews:
    if (found := wiring().trust.reviews) is None:
        raise Misconfigured("this function has no list of reviews")
    return found


def _users() -> Users:
    if (found := wiring().trust.users) is None:
        raise Misconfigured("this function has no list of users")
    return found
