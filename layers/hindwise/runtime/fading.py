"""The ways to what fades: schedules, messages that go on with a run, and the calls of the API."""

from collections.abc import Mapping
from datetime import timedelta

from hindwise.domain.fading import Sweep
from hindwise.domain.memory import Memory
from hindwise.domain.ports import QueueName
from hindwise.domain.scope import Scope
from hindwise.errors import Invalid
from hindwise.runtime.contracts import fading as wire
from hindwise.runtime.contracts import views
from hindwise.runtime.contracts.checking import checked
from hindwise.runtime.http import Answer, Api
from hindwise.runtime.request import Request
from hindwise.runtime.scheduled import sweep_in
from hindwise.runtime.telemetry import count
from hindwise.runtime.wiring import cursors_of, ledger_of, wiring
from hindwise.usecases.archive import restore
from hindwise.usecases.ledger import Ledger
from hindwise.usecases.once import once
from hindwise.usecases.sweeping import Report, look, run

LONGEST = timedelta(seconds=45)
ANSWERED = timedelta(seconds=15)
"""How long a call may work before it says where to go on."""
_TOLD = {"counts", "looked", "steps"}
AGAIN = 60
"""Seconds until a run goes on: by then the leases of one that died are over."""
EVERYBODY = Scope(tenant="-", user="-")
"""Whose messages those of a run over all scopes are: nobody's."""


def register(api: Api) -> Api:
    """Let these operations be answered by `api`, and return it."""
    api.operation("restoreMemory")(restored)
    api.operation("fade")(asked)
    return api


def started(event: Mapping[str, object]) -> Mapping[str, object]:
    """Start the sweep that a schedule names; raises Invalid for one that there is not."""
    name = sweep_in(event, [*map(str, Sweep)])
    return _run(Sweep(name), wiring().tools.new_id(wiring().clock()))


def delivered(body: str) -> None:
    """Go on with the run that a message points at; raises Invalid for what is none of ours."""
    _, pointed = wiring().pointer_in(body)
    name, _, this = pointed.partition("#")
    if name not in [*map(str, Sweep)] or not this:
        raise Invalid("not a pointer to a run of a sweep", field="body")
    _run(Sweep(name), this)


def _run(sweep: Sweep, this: str) -> Mapping[str, object]:
    """Sweep as long as there is time, and have what is left gone on with."""
    fading = wiring().fading
    report = run(sweep, this, fading=fading, until=fading.clock() + LONGEST)
    if not report.done:
        fading.queues.send(QueueName.FADE, EVERYBODY, [f"{sweep}#{this}"], delay=AGAIN)
    _measured(report)
    return {"sweep": sweep, "done": report.done, **report.model_dump(include=_TOLD)}


def _measured(report: Report) -> None:
    """Count what a sweep did; a metric is paid for by the hours it is sent in."""
    for fate, number in report.counts.items():
        count(f"Faded{fate.title()}", number)
    if report.failed:
        count("FadedLater", report.failed)


def asked(request: Request) -> Answer:
    """What a sweep would do to a user's memories, or doing it, as far as there is time."""
    wish = wire.wish_of(request.fields)
    cursors = cursors_of(request.call, f"fade {wish.sweep} {wish.dry_run}")
    report = look(
        wish.sweep, ledger=ledger_of(request.call), fading=wiring().fading,
        after=cursors.opened(wish.cursor), until=wiring().clock() + ANSWERED, dry=wish.dry_run,
    )  # fmt: skip
    if not wish.dry_run:
        _measured(report)
    return Answer(wire.report_view(report, cursors.sealed(report.after)))


def restored(request: Request) -> Answer:
    """A memory back from the archive, as it was."""
    checked(wire.RestoreRequest, request.fields)
    memory_id, blobs = request.memory_id, wiring().fading.blobs
    wire.nothing_else(request.fields)

    def act(ledger: Ledger) -> Memory:
        return restore(memory_id, ledger=ledger, blobs=blobs)

    written = once(request.key, act, ledger=ledger_of(request.call), requests=wiring().requests)
    return Answer(views.written_view(written, request))
