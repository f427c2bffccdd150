"""The calls that look at conversations, jobs and queues."""

from hindwise.errors import NotFound
from hindwise.runtime import porting
from hindwise.runtime.contracts import work
from hindwise.runtime.http import Answer, Api
from hindwise.runtime.request import Request
from hindwise.runtime.wiring import cursors_of, wiring
from hindwise.usecases.retell import retell, worklist


def register(api: Api) -> Api:
    """Let these operations be answered by `api`, and return it."""
    api.operation("readConversation")(conversation)
    api.operation("readJob")(job)
    api.operation("listJobs")(jobs)
    api.operation("queues")(queues)
    api.operation("exportLines")(porting.away)
    return api


def conversation(request: Request) -> Answer:
    """A page of a conversation, and what was learnt from each turn."""
    asked = work.turns_of(request)
    cursors = cursors_of(request.call, asked.asked)
    page = retell(
        request.params["id"], call=request.call, learning=wiring().learning,
        store=wiring().store, limit=asked.limit, after=cursors.opened(asked.cursor),
    )  # fmt: skip
    return Answer(work.retold_view(page, cursors.sealed(page.after), request.now))


def job(request: Request) -> Answer:
    """How far a job is."""
    found = wiring().learning.jobs.get(request.scope, request.job_id)
    if found is None:
        raise NotFound(f"there is no job {request.job_id}")
    return Answer(work.job_view(found))


def jobs(request: Request) -> Answer:
    """A page of jobs, newest first."""
    asked = work.jobs_of(request)
    cursors = cursors_of(request.call, asked.asked)
    page = worklist(
        asked.sought, call=request.call, jobs=wiring().learning.jobs, limit=asked.limit,
        after=cursors.opened(asked.cursor),
    )  # fmt: skip
    views = [work.job_view(one) for one in page.jobs]
    return Answer({"results": views, "next": cursors.sealed(page.after)})


def queues(request: Request) -> Answer:
    """How much waits in each queue."""
    return Answer(work.depths_view(wiring().learning.queues.depths()))
