"""The calls of reviewers and admins, and their answers, for both kinds of `Api`.

page = api.ask(reviews.waiting("ann"))
approve = {"action": "approve", "reason": "seen"}
api.ask(reviews.decide("ann", page.results[0].memory.id, approve, key=str(uuid4())))
"""

from urllib.parse import quote

from hindwise.client.answers import Answer, JsonObject, Memory
from hindwise.client.wire import Call


class Review(Answer):
    """A memory that waits, and why; `against` is what a contested one did not get the place of."""

    user_id: str
    kinds: tuple[str, ...]
    rules: tuple[str, ...] = ()
    against: tuple[Memory, ...] = ()
    memory: Memory


class Reviews(Answer):
    """A page of what waits, newest memories first; only `next` of None ends it."""

    results: tuple[Review, ...]
    next: str | None = None


class Reviewed(Answer):
    """What a decision came to."""

    id: str
    action: str
    status: str
    version: int
    memory: Memory


class SourceJob(Answer):
    """The job that quarantines a source, or puts it back, for one user."""

    user_id: str
    job_id: str


class SourceOrdered(Answer):
    """The jobs that were made; `next` is what to send as `cursor` where users are left."""

    kind: str
    dry_run: bool
    undo: bool
    jobs: tuple[SourceJob, ...]
    next: str | None = None


class User(Answer):
    """One user of the tenant."""

    user_id: str


class Users(Answer):
    """A page of users; only `next` of None ends it."""

    results: tuple[User, ...]
    next: str | None = None


def waiting(
    user: str | None = None,
    *,
    kinds: tuple[str, ...] = (),
    limit: int = 50,
    cursor: str | None = None,
) -> Call[Reviews]:
    """List what waits for a reviewer; without a user, of all that the key may act for."""
    params: dict[str, str | list[str]] = {"limit": str(limit)}
    if user is not None:
        params["user_id"] = user
    if kinds:
        params["kind"] = [*kinds]
    if cursor is not None:
        params["cursor"] = cursor
    return Call(Reviews, "GET", "/v1/reviews", params=params)


def decide(
    user: str, memory_id: str, said: JsonObject, *, key: str, version: int | None = None
) -> Call[Reviewed]:
    """Say what becomes of a memory; `said` is the body of the call: `action`, `reason`, ….

    With `version`, only if it is that one still. To choose a contested value that was released
    before takes it: without, approving again is the same decision again.
    """
    path = f"/v1/reviews/{quote(memory_id, safe='')}"
    body: JsonObject = {"user_id": user, **said}
    return Call(Reviewed, "POST", path, body=body, key=key, version=version)


def quarantine(source: str, asked: JsonObject, *, user: str | None = None) -> Call[SourceOrdered]:
    """Quarantine all that came from a source, or put it back; `asked` is the body of the call.

    Without a user, of all users: some at a time, on from `next` as `cursor`.
    """
    body: JsonObject = asked if user is None else {"user_id": user, **asked}
    if {*source} & {*"/?"} or source in ("-", ".", ".."):
        source, body = "-", {**body, "source": source}
    path = f"/v1/sources/{quote(source, safe='')}/quarantine"
    return Call(SourceOrdered, "POST", path, body=body)


def users(*, prefix: str | None = None, limit: int = 100, cursor: str | None = None) -> Call[Users]:
    """List the users of the tenant; needs the role admin."""
    params: dict[str, str | list[str]] = {"limit": str(limit)}
    if prefix is not None:
        params["prefix"] = prefix
    if cursor is not None:
        params["cursor"] = cursor
    return Call(Users, "GET", "/v1/users", params=params)
