"""Remembers, takes in conversations, edits, and closes tasks."""

from hindwise.runtime import taking
from hindwise.runtime.contracts import memories, views
from hindwise.runtime.http import Answer, Api
from hindwise.runtime.request import Request
from hindwise.runtime.telemetry import entrypoint
from hindwise.runtime.wiring import ledger_of, wiring
from hindwise.usecases.edit import edit
from hindwise.usecases.latest import close_task
from hindwise.usecases.ledger import Ledger
from hindwise.usecases.once import once, write_batch
from hindwise.usecases.write import write
from hindwise.usecases.written import Written

api = taking.register(Api("write"))


@api.operation("writeMemories")
def remember(request: Request) -> Answer:
    """One memory, or up to a hundred with a result each; or a conversation."""
    if memories.is_conversation(request.fields):
        return taking.told(request)
    ledger, requests = ledger_of(request.call), wiring().requests
    if memories.is_batch(request.fields):
        drafts = memories.drafts_of(request.fields)
        items = write_batch(drafts, ledger=ledger, requests=requests, key=request.key)
        return views.batch_answer(items, request)
    draft = memories.draft_of(request.fields)

    def act(ledger: Ledger) -> Written:
        return write(draft, ledger=ledger)

    written = once(request.key, act, ledger=ledger, requests=requests, said=draft)
    return Answer(views.written_view(written, request), views.written_status(written))


@api.operation("editMemory")
def change(request: Request) -> Answer:
    """A new version of one memory."""
    memory_id, ledger = request.memory_id, ledger_of(request.call)
    wanted = memories.edit_of(request.fields)

    def act(ledger: Ledger) -> Written:
        return edit(memory_id, wanted, ledger=ledger, if_match=request.if_match)

    written = once(request.key, act, ledger=ledger, requests=wiring().requests, said=wanted)
    return Answer(views.written_view(written, request), views.edited_status(written))


@api.operation("closeTask")
def close(request: Request) -> Answer:
    """A task is done: its scratch values go."""
    task_id = memories.task_id_of(request.params["task_id"], request.fields)
    closed = close_task(task_id, ledger=ledger_of(request.call))
    return Answer({"task_id": task_id, "dropped": closed})


handler = entrypoint(api, warm=("store", "requests", "tools", "screens"))
