"""Looks at memories without searching, and at the service itself."""

from hindwise.runtime import health, looking
from hindwise.runtime.contracts import answers, listing, views
from hindwise.runtime.http import Answer, Api
from hindwise.runtime.request import Request
from hindwise.runtime.telemetry import entrypoint
from hindwise.runtime.wiring import cursors_of, ledger_of, wiring
from hindwise.usecases import history, inspect, latest

api = looking.register(health.register(Api("inspect")))


@api.operation("listMemories")
def listed(request: Request) -> Answer:
    """A page, newest first; or scratch values, of one task or of all."""
    if listing.is_working(request):
        asked = listing.working_of(request)
        values = latest.read_working(asked.task_id, ledger=ledger_of(request.call), key=asked.key)
        return Answer(views.page_view(values, None, request.now))
    wanted = listing.list_of(request)
    cursors = cursors_of(request.call, wanted.asked)
    page = inspect.listed(
        wanted.filter, wanted.view, call=request.call, store=wiring().store,
        limit=wanted.limit, after=cursors.opened(wanted.cursor),
    )  # fmt: skip
    return Answer(views.page_view(page.memories, cursors.sealed(page.after), request.now))


@api.operation("readMemory")
def read(request: Request) -> Answer:
    """One memory of any kind, and whether it can be found by meaning yet."""
    ledger, projections = ledger_of(request.call), wiring().projections
    memory, found = inspect.looked_at(request.memory_id, ledger=ledger, projections=projections)
    return Answer({**views.memory_view(memory, request.now), "embedding": found})


@api.operation("readHistory")
def became(request: Request) -> Answer:
    """What became of one memory."""
    store, learning = wiring().store, wiring().learning
    found = history.history(request.memory_id, call=request.call, store=store, learning=learning)
    return Answer(answers.history_view(found, request.now))


@api.operation("stats")
def stats(request: Request) -> Answer:
    """Counts over the newest records."""
    return Answer(inspect.stats(call=request.call, store=wiring().store))


@api.operation("timeline")
def timeline(request: Request) -> Answer:
    """Counts by day or month."""
    asked = listing.timeline_of(request).model_dump()
    found = inspect.timeline(call=request.call, store=wiring().store, **asked)
    return Answer(answers.timeline_view(*found))


handler = entrypoint(api, warm=("store", "tools"))
