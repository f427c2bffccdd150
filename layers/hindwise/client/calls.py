"""The calls about conversations, jobs, queues, patterns and names, for both kinds of `Api`.

taken = api.ask(calls.converse("ann", {"id": "trip", "messages": […]}, key=str(uuid4())))
job = api.run(calls.finished(api.url, "ann", taken.job_id))
"""

from collections.abc import Callable, Sequence
from urllib.parse import quote

from hindwise.client.answers import JsonObject
from hindwise.client.finding import Entity
from hindwise.client.learning import (
    Consolidated,
    Conversation,
    Exported,
    Imported,
    Job,
    Jobs,
    Queues,
    Redriven,
    Taken,
)
from hindwise.client.wire import Call, Steps, looked

PAUSES = (0.2, 2.0)
"""Seconds between two looks at a job, the first and the longest."""


def converse(user: str, conversation: JsonObject, *, key: str) -> Call[Taken]:
    """Send a conversation as far as it has come; `conversation` is the body of the call."""
    return Call(Taken, "POST", "/v1/conversations", body=_of(user, conversation), key=key)


def append(user: str, conversation_id: str, more: JsonObject, *, key: str) -> Call[Taken]:
    """Go on with a conversation; `more` is the body: `messages`, and `end` where it ends."""
    path = f"/v1/conversations/{quote(conversation_id, safe='')}/messages"
    return Call(Taken, "POST", path, body=_of(user, more), key=key)


def conversation(
    user: str, conversation_id: str, *, limit: int = 50, cursor: str | None = None
) -> Call[Conversation]:
    """Read a page of a conversation, with what was learnt from each turn."""
    params: dict[str, str | list[str]] = {"user_id": user, "limit": str(limit)}
    if cursor is not None:
        params["cursor"] = cursor
    path = f"/v1/conversations/{quote(conversation_id, safe='')}"
    return Call(Conversation, "GET", path, params=params)


def entity(user: str, name: str, *, limit: int = 50, cursor: str | None = None) -> Call[Entity]:
    """Read what is known of a name: a page of memories, and the names beside it."""
    params: dict[str, str | list[str]] = {"user_id": user, "limit": str(limit)}
    if cursor is not None:
        params["cursor"] = cursor
    return Call(Entity, "GET", f"/v1/entities/{quote(name, safe='')}", params=params)


def consolidate(user: str, asked: JsonObject, *, key: str) -> Call[Consolidated]:
    """Find what recurs in a domain's episodes; `asked` is the body of the call.

    Where it goes on as a job, the same call under the same `key` tells what came of it.
    """
    return Call(Consolidated, "POST", "/v1/consolidations", body=_of(user, asked), key=key)


def job(user: str, job_id: str) -> Call[Job]:
    """Ask how far a job is."""
    return Call(Job, "GET", _job(job_id), params={"user_id": user})


def jobs(
    user: str,
    *,
    states: tuple[str, ...] = (),
    conversation_id: str | None = None,
    limit: int = 50,
    cursor: str | None = None,
) -> Call[Jobs]:
    """List jobs, newest first, those in some states, or of one conversation."""
    params: dict[str, str | list[str]] = {"user_id": user, "limit": str(limit)}
    if states:
        params["state"] = [*states]
    if conversation_id is not None:
        params["conversation_id"] = conversation_id
    if cursor is not None:
        params["cursor"] = cursor
    return Call(Jobs, "GET", "/v1/jobs", params=params)


def retry(user: str, job_id: str) -> Call[Job]:
    """Try a job again that has failed."""
    return Call(Job, "POST", f"{_job(job_id)}/retry", body=_of(user, {}))


def dismiss(user: str, job_id: str) -> Call[Job]:
    """Let a job go for good; its conversation stays."""
    return Call(Job, "POST", f"{_job(job_id)}/dismiss", body=_of(user, {}))


def queues() -> Call[Queues]:
    """Ask how much waits in each queue; needs the role admin."""
    return Call(Queues, "GET", "/v1/queues")


def redrive(name: str) -> Call[Redriven]:
    """Try again what lies among a queue's dead letters; needs the role admin."""
    return Call(Redriven, "POST", f"/v1/queues/{quote(name, safe='')}/redrive", body={})


def export(user: str, *, cursor: str | None = None) -> Call[Exported]:
    """Read a page of the lines of a user's file; needs the role admin."""
    params: dict[str, str | list[str]] = {"user_id": user}
    if cursor is not None:
        params["cursor"] = cursor
    return Call(Exported, "GET", "/v1/export", params=params)


def import_lines(user: str, lines: Sequence[str], *, key: str) -> Call[Imported]:
    """Take up to 200 lines of a file in, each with a result of its own; needs the role admin."""
    return Call(Imported, "POST", "/v1/import", body=_of(user, {"lines": [*lines]}), key=key)


def finished(
    url: str,
    user: str,
    job_id: str,
    *,
    seconds: float = 600.0,
    watch: Callable[[Job], None] = lambda job: None,
) -> Steps[Job]:
    """Look at a job until it has ended, or for so many seconds; `watch` is told each look.

    For `Api.run` and `AsyncApi.run`. A job that has not ended by then is given as it is.
    """

    def over(found: Job) -> bool:
        watch(found)
        return found.ended

    return looked(job(user, job_id), url, over, pauses=PAUSES, seconds=seconds)


def _job(job_id: str) -> str:
    return f"/v1/jobs/{quote(job_id, safe='')}"


def _of(user: str, fields: JsonObject) -> JsonObject:
    return {"user_id": user, **fields}
