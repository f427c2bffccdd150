"""The calls that carry a scope away and bring it back: pages of lines, and what became of each."""

from datetime import datetime

from hindwise.domain.conversation import Conversation
from hindwise.errors import HindwiseError, Transient
from hindwise.runtime.contracts import portable
from hindwise.runtime.contracts.portable import Taken
from hindwise.runtime.http import Answer, envelope
from hindwise.runtime.request import Request
from hindwise.runtime.strict_json import JsonObject
from hindwise.runtime.wiring import cursors_of, ledger_of, wiring
from hindwise.usecases.export import exported
from hindwise.usecases.import_admission import let_in_line
from hindwise.usecases.importing import (
    Held,
    Object,
    Took,
    Words,
    take_conversation,
    take_memory,
    take_object,
    take_version,
    take_words,
)
from hindwise.usecases.ledger import Ledger
from hindwise.usecases.transcript import Transcript


def away(request: Request) -> Answer:
    """A page of the lines of a scope."""
    request.only("cursor")
    cursors = cursors_of(request.call, "export")
    after = cursors.opened(request.one("cursor"))
    page = exported(after, call=request.call, store=wiring().store, said=_said())
    return Answer({"lines": page.lines, "next": cursors.sealed(page.after)})


def back(request: Request) -> Answer:
    """Lines are taken in, each on its own; a part that is down ends the call, for all can be sent
    again.
    """
    lines, said = portable.lines_of(request.fields), _said()
    ledger, fence = ledger_of(request.call).fenced()
    results: list[JsonObject] = []
    for index, text in enumerate(lines):
        told: JsonObject = {"index": index}
        try:
            line = portable.read(text, now=request.now, tenant=request.scope.tenant)
            told["status"] = _took(line, ledger=ledger, said=said, fence=fence).value
        except Transient:
            raise
        except HindwiseError as error:
            told |= {"status": "failed", "error": envelope(error)}
        results.append(told)
    return Answer({"results": results})


def _took(line: Taken, *, ledger: Ledger, said: Transcript, fence: datetime | None) -> Took:
    line = let_in_line(line, ledger=ledger)
    match line:
        case Held():
            return take_memory(line, ledger=ledger, fence=fence)
        case Object():
            return take_object(line, ledger=ledger, blobs=said.blobs)
        case Conversation():
            return take_conversation(line, ledger=ledger, said=said, fence=fence)
        case Words():
            return take_words(line, ledger=ledger, said=said, fence=fence)
    return take_version(line, ledger=ledger)


def _said() -> Transcript:
    return Transcript(wiring().learning.conversations, wiring().learning.blobs)
