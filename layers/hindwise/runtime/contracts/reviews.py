"""What the calls of reviewers and admins take, and what they answer."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Annotated, Literal

from pydantic import Field

from hindwise.domain.drafts import Content, Edit, Label, Note
from hindwise.domain.memory import Memory
from hindwise.domain.reviews import ReviewKind, told
from hindwise.domain.scope import Scope
from hindwise.domain.sources import SourceOrder
from hindwise.errors import Invalid
from hindwise.runtime.contracts.checking import Contract, checked
from hindwise.runtime.contracts.views import memory_view
from hindwise.runtime.http import Answer
from hindwise.runtime.request import Request
from hindwise.runtime.strict_json import JsonObject
from hindwise.usecases.awaiting import Case, Cases
from hindwise.usecases.review import Decision, ReviewAction

PAGE = 50
IN_BODY = "-"
"""What the path says where the body names the source."""
_PAGING = {"cursor", "limit"}


class ReviewsRequest(Contract):
    """Which reviews are listed."""

    limit: Annotated[int, Field(ge=1, le=100)] = PAGE
    kind: Annotated[tuple[ReviewKind, ...], Field(max_length=5)] = ()


class UsersRequest(Contract):
    """Which users are listed."""

    limit: Annotated[int, Field(ge=1, le=100)] = 100
    prefix: Label | None = None


class ReviewRequest(Contract):
    """POST /v1/reviews/{id}."""

    action: ReviewAction
    reason: Note | None = None
    content: Content | None = None
    fields: JsonObject | None = None


class SourceRequest(Contract):
    """POST /v1/sources/{id}/quarantine."""

    kind: Literal["conversation", "document", "principal"]
    source: Annotated[str, Field(min_length=1, max_length=2_048)] | None = None
    reason: Note | None = None
    dry_run: bool = True
    undo: bool = False
    cursor: str | None = None


@dataclass(frozen=True)
class Asked:
    """A list of reviews that is asked for; `listed` is what its cursors are bound to."""

    limit: int
    cursor: str | None
    listed: str
    kinds: frozenset[ReviewKind] = field(default_factory=frozenset)


def reviews_of(request: Request) -> Asked:
    """The reviews that are asked for; raises Invalid naming the parameter."""
    asked = checked(ReviewsRequest, _given(request, many={"kind"}))
    return Asked(
        limit=asked.limit,
        cursor=request.one("cursor"),
        listed=f"reviews {_bound(request)}",
        kinds=frozenset(asked.kind),
    )


def users_of(request: Request) -> tuple[UsersRequest, Asked]:
    """The users that are asked for; raises Invalid naming the parameter."""
    asked = checked(UsersRequest, _given(request, many=set()))
    listed = f"users {_bound(request)}"
    return asked, Asked(limit=asked.limit, cursor=request.one("cursor"), listed=listed)


def decision_of(fields: JsonObject) -> Decision:
    """What a reviewer says; raises Invalid naming the field that is wrong.

    An edit takes `content`, and any other field of PATCH in `fields`; no other action takes either.
    """
    asked = checked(ReviewRequest, fields)
    if asked.action is not ReviewAction.EDIT:
        if extra := [name for name in ("content", "fields") if getattr(asked, name) is not None]:
            message = f"{extra[0]}: only an edit changes it"
            raise Invalid(message, field=extra[0])
        return Decision(action=asked.action, reason=asked.reason)
    changes: JsonObject = dict(asked.fields or {})
    if "reason" in changes or ("content" in changes and asked.content is not None):
        name = "reason" if "reason" in changes else "content"
        raise Invalid(f"fields.{name}: say it beside `fields`", field=f"fields.{name}")
    if asked.content is not None:
        changes["content"] = asked.content
    if not changes:
        raise Invalid("content: an edit needs it, or `fields`", field="content")
    said = {"reason": asked.reason or "put right by a reviewer", **changes}
    change = checked(Edit, said, at="" if asked.fields is None else "fields")
    if change.marks is not None:
        raise Invalid("fields.marks: the action says it", field="fields.marks")
    return Decision(action=asked.action, reason=change.reason, change=change)


def source_of(request: Request) -> tuple[str, SourceRequest]:
    """The source that is meant and what is to be done; raises Invalid naming the field.

    A path holds no address with / or ?, for a gateway decodes it: the body says it then.
    """
    asked, named = checked(SourceRequest, request.fields), request.params["id"]
    if asked.source is None and named == IN_BODY:
        raise Invalid("source: is missing; the path says that it is here", field="source")
    if asked.source is not None and named != IN_BODY:
        message = f"source: the path names one already; where it is here, the path says {IN_BODY}"
        raise Invalid(message, field="source")
    return asked.source or named, asked


def ordered_answer(wish: SourceOrder, jobs: Mapping[str, str], cursor: str | None) -> Answer:
    """202, and by user the job that does it; where it is one job, where to ask after it."""
    view: JsonObject = {
        "kind": wish.kind.value,
        "dry_run": wish.dry_run,
        "undo": wish.undo,
        "jobs": [{"user_id": user, "job_id": job} for user, job in jobs.items()],
        "next": cursor,
    }
    alone = [*jobs.values()] if cursor is None and len(jobs) == 1 else []
    return Answer(view, 202, {"location": f"/v1/jobs/{alone[0]}"} if alone else {})


def cases_view(page: Cases, cursor: str | None, now: datetime) -> JsonObject:
    """A page of reviews; only `next: null` ends it."""
    return {"results": [_case_view(case, now) for case in page.cases], "next": cursor}


def _case_view(case: Case, now: datetime) -> JsonObject:
    return {
        "user_id": case.scope.user,
        "kinds": [kind.value for kind in case.kinds],
        "rules": list(told(case.memory)),
        "against": [memory_view(one, now) for one in case.against],
        "memory": memory_view(case.memory, now),
    }


def decided_view(memory: Memory, decision: Decision, now: datetime) -> JsonObject:
    """What a reviewer's decision came to; the same decision again is answered the same."""
    return {
        "id": memory.id,
        "action": decision.action.value,
        "status": memory.status.value,
        "version": memory.version,
        "memory": memory_view(memory, now),
    }


def scope_or_all(request: Request, user: object) -> Scope | None:
    """The scope of a user that is named, or of the key's only one; None for all users."""
    if user is None and request.principal.only_user is None:
        return None
    return request.scope


def _bound(request: Request) -> str:
    pairs = sorted((name, value) for name, value in request.query.items() if name not in _PAGING)
    return json.dumps(pairs)


def _given(request: Request, *, many: set[str]) -> JsonObject:
    given: JsonObject = {}
    for name, values in request.query.items():
        if name not in ("user_id", "cursor"):
            given[name] = [*values] if name in many else request.one(name)
    limit = given.get("limit")
    if isinstance(limit, str) and limit.isascii() and limit.isdigit() and len(limit) < 6:
        given["limit"] = int(limit)
    return given
