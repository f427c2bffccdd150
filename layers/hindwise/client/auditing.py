"""The audit: who changed what, whether it is whole, what was recalled; calls and their answers.

trail = api.ask(auditing.trail(user="ann"))
found = api.run(auditing.checked(api.url, day="2026-01-15"))
"""

from pydantic import AwareDatetime, Field

from hindwise.client.answers import Answer, JsonObject
from hindwise.client.wire import Call, Steps, asked

Params = dict[str, str | list[str]]


class Row(Answer):
    """Who did what; of a record, or (with `call`) of what was refused or concerns no record."""

    id: str
    decision: str
    at: AwareDatetime | None = None
    actor: str = ""
    user_id: str | None = None
    memory_id: str | None = None
    version: int | None = None
    rules: tuple[str, ...] = ()
    call: str = ""
    code: str = ""


class Trail(Answer):
    """A page of rows, newest first; only `next` of None ends it."""

    results: tuple[Row, ...]
    next: str | None = None


class Fault(Answer):
    """What is wrong with a row, a chain of rows or a digest."""

    wrong: str
    id: str = ""
    chain: str = ""


class Check(Answer):
    """What a piece of a check found, or with `next` of None all of it."""

    checked: int = 0
    faults: tuple[Fault, ...] = ()
    late: int = 0
    digest: str | None = None
    next: str | None = None


class Recall(Answer):
    """What was recalled while audit mode watched; a question that cannot be read is None."""

    id: str
    at: AwareDatetime
    actor: str
    call: str
    user_id: str
    query: str | None = None
    results: tuple[JsonObject, ...] = Field(default=())


class Recalls(Answer):
    """A page of recalls, newest first."""

    results: tuple[Recall, ...]
    next: str | None = None


def trail(
    *,
    user: str | None = None,
    memory_id: str | None = None,
    day: str | None = None,
    limit: int = 50,
    cursor: str | None = None,
) -> Call[Trail]:
    """List changes: of a memory, of a user, or of everybody on a day in UTC, e.g. `2026-01-15`."""
    params = _given(user_id=user, memory_id=memory_id, day=day, limit=str(limit), cursor=cursor)
    return Call(Trail, "GET", "/v1/audit", params=params)


def check(
    *, user: str | None = None, day: str | None = None, cursor: str | None = None
) -> Call[Check]:
    """Check a piece of a user's chains, or of a day against its digest."""
    params = _given(user_id=user, day=day, cursor=cursor)
    return Call(Check, "GET", "/v1/audit/verify", params=params)


def recalls(
    *, user: str | None = None, limit: int = 50, cursor: str | None = None
) -> Call[Recalls]:
    """List what was recalled while audit mode watched."""
    params = _given(user_id=user, limit=str(limit), cursor=cursor)
    return Call(Recalls, "GET", "/v1/audit/recalls", params=params)


def checked(url: str, *, user: str | None = None, day: str | None = None) -> Steps[Check]:
    """Check all of a user's chains, or of a day, piece by piece; for `Api.run`."""
    whole, cursor = Check(), None
    while True:
        piece = yield from asked(check(user=user, day=day, cursor=cursor), url)
        broken = "broken" in (whole.digest, piece.digest)
        whole = Check(
            checked=whole.checked + piece.checked,
            faults=whole.faults + piece.faults,
            late=whole.late + piece.late,
            digest="broken" if broken else piece.digest,
        )
        if (cursor := piece.next) is None:
            return whole


def _given(**params: str | None) -> Params:
    return {name: value for name, value in params.items() if value is not None}
