"""What the calls about conversations, jobs and queues take in their query strings, and answer."""

import json
from dataclasses import dataclass, field
from datetime import datetime
from typing import Annotated

from pydantic import Field

from hindwise.domain.drafts import Id
from hindwise.domain.jobs import Job, JobKind, JobState
from hindwise.domain.ports import Depth
from hindwise.runtime.contracts.checking import Contract, checked
from hindwise.runtime.contracts.views import admission_view, memory_view
from hindwise.runtime.http import Answer
from hindwise.runtime.request import Request
from hindwise.runtime.strict_json import JsonObject
from hindwise.usecases.converse import Taken
from hindwise.usecases.retell import Retelling, Retold, Sought

PAGE = 50
_PAGING = {"cursor", "limit", "user_id"}
_OUR_OWN = {
    "token", "claimed_until", "principal", "version", "round", "min_episodes", "force", "broken",
    "waits", "lost", "source",
}  # fmt: skip
_OF_CONVERSATION = {
    "sender", "audit_head", "messages", "turns", "queued", "last_job", "idle_at", "read",
    "withheld",
}  # fmt: skip


class JobRequest(Contract):
    """POST /v1/jobs/{id}/retry and …/dismiss have nothing to say but the user."""


class RedriveRequest(Contract):
    """POST /v1/queues/{name}/redrive has nothing to say."""


class TurnsRequest(Contract):
    """Which part of a conversation is read."""

    limit: Annotated[int, Field(ge=1, le=100)] = PAGE


class JobsRequest(Contract):
    """Which jobs are listed."""

    limit: Annotated[int, Field(ge=1, le=100)] = PAGE
    state: Annotated[tuple[JobState, ...], Field(max_length=8)] = ()
    conversation_id: Id | None = None
    kind: JobKind | None = None


@dataclass(frozen=True)
class Paged:
    """A page that is asked for; `asked` is what its cursors are bound to."""

    limit: int
    cursor: str | None
    asked: str
    sought: Sought = field(default_factory=Sought)


def turns_of(request: Request) -> Paged:
    """The part of a conversation that is asked for; raises Invalid naming the parameter."""
    asked = checked(TurnsRequest, _given(request))
    place = f"conversation {json.dumps(request.params['id'])}"
    return Paged(limit=asked.limit, cursor=request.one("cursor"), asked=place)


def jobs_of(request: Request) -> Paged:
    """The jobs that are asked for; raises Invalid naming the parameter."""
    asked = checked(JobsRequest, _given(request))
    given = sorted((name, value) for name, value in request.query.items() if name not in _PAGING)
    sought = Sought(states=asked.state, conversation_id=asked.conversation_id, kind=asked.kind)
    return Paged(
        limit=asked.limit,
        cursor=request.one("cursor"),
        asked=f"jobs {json.dumps(given)}",
        sought=sought,
    )


def _given(request: Request) -> JsonObject:
    given: JsonObject = {}
    for name, values in request.query.items():
        if name not in ("user_id", "cursor"):
            given[name] = [*values] if name == "state" else request.one(name)
    limit = given.get("limit")
    if isinstance(limit, str) and limit.isascii() and limit.isdigit() and len(limit) < 6:
        given["limit"] = int(limit)
    return given


def taken_answer(taken: Taken) -> Answer:
    """202, and where the job can be asked after; where none is needed yet, the conversation."""
    view: JsonObject = taken.model_dump(mode="json", exclude={"admission"})
    if taken.admission.findings:
        view["admission"] = admission_view(taken.admission)
    headers = {} if taken.job_id is None else {"location": f"/v1/jobs/{taken.job_id}"}
    return Answer(view, 202, headers)


def job_view(job: Job) -> JsonObject:
    """A job as the API shows it; nothing in it is content."""
    view: JsonObject = job.model_dump(mode="json", exclude=_OUR_OWN)
    if job.source is not None:
        view["source"] = job.source.model_dump(mode="json", include={"kind", "id"})
    tries: JsonObject = {"broken": job.broken, "waits": job.waits, "lost": job.lost}
    return {**view, "principal": job.principal.name, "tries": tries}


def job_answer(job: Job) -> Answer:
    """A job that was put back or let go."""
    return Answer(job_view(job), 202 if job.open else 200, {"location": f"/v1/jobs/{job.id}"})


def retold_view(retelling: Retelling, cursor: str | None, now: datetime) -> JsonObject:
    """A page of a conversation; only `next: null` ends it."""
    head = retelling.conversation
    view: JsonObject = head.model_dump(mode="json", exclude=_OF_CONVERSATION)
    counts: JsonObject = {
        "message_count": head.messages,
        "turn_count": head.turns,
        "waiting": head.turns - head.queued,
        "job_id": head.last_job if head.turns == head.queued else None,
        "principal": head.sender.name,
    }
    said: list[JsonObject] = [_message(one, now) for one in retelling.messages]
    return {**view, **counts, "messages": [*said], "next": cursor}


def _message(retold: Retold, now: datetime) -> JsonObject:
    one = retold.message
    view: JsonObject = {
        "number": one.number,
        "turn": one.turn,
        "role": one.role.value,
        "name": one.name,
        "content": one.text,
        "at": one.model_dump(mode="json", include={"at"})["at"],
        "origin": one.origin.label,
        "redacted": one.redacted,
        "episode_id": retold.episode_id,
        "learnt": [memory_view(memory, now) for memory in retold.learnt],
    }
    return {**view, **({"extra": one.extra} if one.extra else {})}


def depths_view(depths: list[Depth]) -> JsonObject:
    """How much is in each queue, roughly."""
    return {"queues": [depth.model_dump(mode="json") for depth in depths]}
