"""What the calls about the audit take in their query strings, and answer."""

import json
from dataclasses import dataclass, replace
from datetime import date, timedelta
from typing import Annotated

from pydantic import Field

from hindwise.domain.audit_notes import Note
from hindwise.domain.ports.auditing import Row
from hindwise.domain.ports.recalls import Recall
from hindwise.errors import Invalid
from hindwise.runtime.contracts.checking import DAY, MEMORY_ID, Contract, checked
from hindwise.runtime.request import Request
from hindwise.runtime.strict_json import JsonObject
from hindwise.usecases.audit_verify import Checked

PAGE = 50
SINCE = timedelta(days=90)
Day = Annotated[str, Field(pattern=DAY)]
MemoryId = Annotated[str, Field(pattern=MEMORY_ID)]
_PAGING = {"cursor", "limit"}


class AuditRequest(Contract):
    """Whose changes are listed: of a memory, of a user, or of everybody on a day (UTC)."""

    memory_id: MemoryId | None = None
    day: Day | None = None
    since: Day | None = None
    until: Day | None = None
    limit: Annotated[int, Field(ge=1, le=200)] = PAGE


class VerifyRequest(Contract):
    """What is checked: a user's chains, or a day (UTC) against its digest."""

    day: Day | None = None


class RecallsRequest(Contract):
    """Which recalls are listed: of a user, or of all."""

    limit: Annotated[int, Field(ge=1, le=100)] = PAGE


@dataclass(frozen=True)
class Sought:
    """What is asked for; `asked` is what its cursors are bound to."""

    user: str | None
    memory_id: str | None
    day: date | None
    since: date
    until: date
    limit: int
    cursor: str | None
    asked: str


def trail_of(request: Request) -> Sought:
    """The audit rows that are asked for; raises Invalid naming the parameter."""
    asked = checked(AuditRequest, _given(request))
    day, until = _day(asked.day, "day"), _day(asked.until, "until")
    last = until or request.now.date() + timedelta(days=1)
    since = _day(asked.since, "since") or last - SINCE
    if asked.memory_id and (asked.day or asked.since or asked.until):
        raise Invalid("memory_id: comes without day, since and until", field="memory_id")
    if day and (asked.since or asked.until):
        raise Invalid("day: comes without since and until", field="day")
    if since > last:
        raise Invalid("since: must not be after until", field="since")
    return replace(
        _sought("audit", request),
        memory_id=asked.memory_id,
        day=day,
        since=since,
        until=last,
        limit=asked.limit,
    )


def verify_of(request: Request) -> Sought:
    """What is to be checked; raises Invalid naming the parameter."""
    asked = checked(VerifyRequest, _given(request))
    day, user = _day(asked.day, "day"), request.one("user_id")
    if day and user:
        raise Invalid("day: comes without user_id", field="day")
    return replace(_sought("verify", request), day=day)


def recalls_of(request: Request) -> Sought:
    """The recalls that are asked for; raises Invalid naming the parameter."""
    asked = checked(RecallsRequest, _given(request))
    return replace(_sought("recalls", request), limit=asked.limit)


def _sought(what: str, request: Request) -> Sought:
    today = request.now.date()
    return Sought(
        user=request.one("user_id"),
        memory_id=None,
        day=None,
        since=today,
        until=today,
        limit=0,
        cursor=request.one("cursor"),
        asked=f"{what} {_asked(request)}",
    )


def _given(request: Request) -> JsonObject:
    given: JsonObject = {
        name: request.one(name) for name in request.query if name not in ("user_id", "cursor")
    }
    limit = given.get("limit")
    if isinstance(limit, str) and limit.isascii() and limit.isdigit() and len(limit) < 6:
        given["limit"] = int(limit)
    return given


def _asked(request: Request) -> str:
    return json.dumps(sorted((n, v) for n, v in request.query.items() if n not in _PAGING))


def _day(text: str | None, field: str) -> date | None:
    if text is None:
        return None
    try:
        day = date.fromisoformat(text)
        if not 1971 <= day.year <= 9000:
            raise ValueError
    except ValueError as error:
        raise Invalid(f"{field}: must be a day like 2026-01-15", field=field) from error
    return day


def row_view(row: Row) -> JsonObject:
    """A row as the API shows it: of a record, or a note of the tenant."""
    entry = row.entry
    view: JsonObject = {"id": row.id, "user_id": row.user}
    if entry is None:
        return {**view, "memory_id": row.chain or None, "decision": "unreadable"}
    view |= {"at": entry.at.isoformat(), "actor": entry.actor, "decision": entry.decision}
    view["rules"] = list(entry.rules)
    if isinstance(entry, Note):
        return {**view, "call": entry.call, "code": entry.code, "memory_id": entry.subject}
    own: JsonObject = {"memory_id": entry.memory_id, "version": entry.version}
    return {**view, **own, "origin": entry.origin.label}


def checked_view(found: Checked, cursor: str | None) -> JsonObject:
    """What a piece of a check found."""
    view: JsonObject = found.model_dump(mode="json", exclude={"after"})
    return {**view, "next": cursor}


def recall_view(user: str, recall: Recall, query: str | None) -> JsonObject:
    """A recall with its question, where that can be read."""
    view: JsonObject = recall.model_dump(mode="json", exclude={"query"})
    return {**view, "user_id": user, "query": query}
