"""Finds memories and names, builds context blocks, and says why a memory was not found."""

from hindwise.runtime import recalling
from hindwise.runtime.contracts import answers, listing
from hindwise.runtime.contracts.search import context_of, diagnosis_of, query_of
from hindwise.runtime.http import Answer, Api
from hindwise.runtime.request import Request
from hindwise.runtime.telemetry import entrypoint
from hindwise.runtime.wiring import cursors_of, wiring
from hindwise.usecases import context, diagnose, entities, search

api = Api("search")


@api.operation("search")
def find(request: Request) -> Answer:
    """Results with their reasons."""
    call = request.call
    query = query_of(request.fields, principal=call.principal, now=request.now)
    found = search.search(query, call=call, engine=wiring().engine, learning=wiring().learning)
    recall_id = recalling.found(request, query.text, found)
    return Answer(answers.found_view(found, request.now, recall_id=recall_id))


@api.operation("context")
def block(request: Request) -> Answer:
    """A block for a prompt, within its budget."""
    call, of = request.call, wiring()
    wanted = context_of(request.fields, principal=call.principal, now=request.now)
    built = context.context(
        wanted, call=call, engine=of.engine, learning=of.learning, rules=of.trust.rules,
    )  # fmt: skip
    recall_id = recalling.shown(request, wanted.query.text, built)
    return Answer(answers.context_view(built, recall_id=recall_id))


@api.operation("diagnose")
def why_not(request: Request) -> Answer:
    """The first step on the way from write to answer that failed."""
    call = request.call
    memory_id, query = diagnosis_of(request.fields, principal=call.principal, now=request.now)
    of = wiring()
    steps = diagnose.diagnose(memory_id, query, call=call, engine=of.engine, learning=of.learning)
    return Answer(answers.diagnosis_view(steps))


@api.operation("readEntity")
def named(request: Request) -> Answer:
    """What is known of a name."""
    wanted = listing.named_of(request)
    cursors = cursors_of(request.call, wanted.asked)
    found = entities.entity(
        wanted.name, wanted.view, call=request.call, engine=wiring().engine,
        limit=wanted.limit, after=cursors.opened(wanted.cursor),
    )  # fmt: skip
    return Answer(answers.entity_view(found, cursors.sealed(found.after), request.now))


handler = entrypoint(api, warm=("engine", "access", "weights", "tools", "rewriter"))
