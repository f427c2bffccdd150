"""The calls that look at the audit: who changed what, whether it is whole, what was recalled."""

from hindwise.domain.call import Call
from hindwise.domain.ports.auditing import Row
from hindwise.domain.scope import Role, Scope
from hindwise.errors import NotFound
from hindwise.runtime.contracts import auditing as contract
from hindwise.runtime.http import Answer, Api
from hindwise.runtime.principal import require_role, scope_of
from hindwise.runtime.request import Request
from hindwise.runtime.wiring import cursors_of, wiring
from hindwise.usecases.audit import Auditing
from hindwise.usecases.audit_verify import Verifier, verify_day, verify_user
from hindwise.usecases.trail import Trail, of_day, of_memory, of_user


def register(api: Api) -> Api:
    """Let these operations be answered by `api`, and return it."""
    api.operation("readAudit")(trail)
    api.operation("verifyAudit")(verify)
    api.operation("readRecalls")(recalls)
    return api


def trail(request: Request) -> Answer:
    """A page of rows: of a memory for whoever may read it, of more for reviewers."""
    sought = contract.trail_of(request)
    if sought.memory_id is not None:
        found = of_memory(sought.memory_id, scope=request.scope, store=wiring().store)
        if not found.rows:
            raise NotFound(f"there is no memory {sought.memory_id}")
        return Answer({"results": [contract.row_view(row) for row in found.rows], "next": None})
    require_role(request.principal, Role.REVIEWER)
    call = _call(request, sought)
    cursors = cursors_of(call, sought.asked)
    page = _page(call, sought, cursors.opened(sought.cursor))
    views = [contract.row_view(row) for row in page.rows]
    return Answer({"results": views, "next": cursors.sealed(page.after)})


def _page(call: Call, sought: contract.Sought, after: str | None) -> Trail:
    log = _audit().log
    if sought.day is None:
        return of_user(
            call.scope, log=log, since=sought.since, until=sought.until, after=after,
            limit=sought.limit,
        )  # fmt: skip

    def may_see(row: Row) -> bool:
        if row.user is None or row.user.startswith("~"):
            return "*" in call.principal.users
        return sought.user in (None, row.user) and call.principal.may_act_for(row.user)

    return of_day(
        call.scope.tenant, sought.day, log=log, may_see=may_see, after=after, limit=sought.limit
    )


def verify(request: Request) -> Answer:
    """What a piece of the check found."""
    sought = contract.verify_of(request)
    call, audit = _call(request, sought), _audit()
    cursors = cursors_of(call, sought.asked)
    after = cursors.opened(sought.cursor)
    verifier = Verifier(audit.log, wiring().store, audit.book, wiring().seal)
    if sought.day is None:
        found = verify_user(call.scope, verifier=verifier, after=after)
    else:
        found = verify_day(call.scope.tenant, sought.day, verifier=verifier, after=after)
    return Answer(contract.checked_view(found, cursors.sealed(found.after)))


def recalls(request: Request) -> Answer:
    """What was recalled while audit mode watched, newest first."""
    sought = contract.recalls_of(request)
    watch, principal = _audit().recalls, request.principal
    if watch is None:
        return Answer({"results": [], "next": None})
    whole = sought.user is None and principal.only_user is None
    scope = Scope(tenant=principal.tenant, user="") if whole else request.scope
    call = Call(scope=scope, principal=principal, now=request.now)
    cursors = cursors_of(call, sought.asked)
    after, now = cursors.opened(sought.cursor), request.now
    read = watch.recalls
    if whole:
        rows, further = read.of_tenant(scope.tenant, after=after, limit=sought.limit, now=now)
        rows = [row for row in rows if principal.may_act_for(row[0].user)]
    else:
        own, further = read.of_user(scope, after=after, limit=sought.limit, now=now)
        rows = [(scope, one) for one in own]
    views = [contract.recall_view(s.user, one, watch.question(s, one)) for s, one in rows]
    return Answer({"results": views, "next": cursors.sealed(further)})


def _call(request: Request, sought: contract.Sought) -> Call:
    """The call, about a user or, with a day, about the whole tenant."""
    if sought.day is None:
        return request.call
    principal = request.principal
    if sought.user is not None:
        scope_of(principal, sought.user)
    scope = Scope(tenant=principal.tenant, user="")
    return Call(scope=scope, principal=principal, now=request.now)


def _audit() -> Auditing:
    audit = wiring().trust.audit
    assert audit is not None
    return audit
