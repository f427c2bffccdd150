"""`hindwise jobs`: work that is done after the answer; what failed is tried again or let go."""

from dataclasses import dataclass
from typing import Annotated

import typer

from hindwise.cli.config import connect
from hindwise.cli.ingest import summary
from hindwise.cli.lookup import shown
from hindwise.cli.options import NOTHING, OK, Asking, command
from hindwise.cli.reasons import explained, why
from hindwise.cli.words import (
    DOT,
    line,
    note,
    out,
    plain,
    print_json,
    table,
    when,
)
from hindwise.client import calls
from hindwise.client.learning import Job
from hindwise.client.wire import Call

jobs = typer.Typer(help="Look at jobs, try them again, let them go.", no_args_is_help=True)
Id = Annotated[str, typer.Argument(metavar="ID", help="A job's id, as `jobs list` shows it.")]


@dataclass(frozen=True)
class Which(Asking):
    """Which jobs are listed."""

    state: Annotated[
        list[str] | None,
        typer.Option(metavar="STATE", help="Only those in this state, e.g. failed; repeatable."),
    ] = None
    conversation: Annotated[
        str | None, typer.Option(metavar="ID", help="Only those of this conversation.")
    ] = None
    limit: Annotated[int, typer.Option(help="How many, 1 to 100.", min=1, max=100)] = 20


@jobs.command("list")
@command
def listed(which: Which) -> int:
    """List jobs, newest first."""
    with connect() as api:
        page = api.ask(
            calls.jobs(
                which.whose,
                states=tuple(which.state or ()),
                conversation_id=which.conversation,
                limit=which.limit,
            )
        )
    if which.as_json:
        print_json(page.raw())
    elif page.results:
        shown = table("id", "state", "since", "turns", "result")
        for job in page.results:
            done = summary([job.counts], calls_too=False)
            words = ", ".join(filter(None, (_reason(job), done)))
            since = f"{job.updated_at:%m-%d %H:%M}"
            shown.add_row(job.id, plain(job.state), since, _turns(job), plain(words))
        out().print(shown)
        for told in explained(page.results):
            note(told)
    else:
        note("There are no such jobs.")
    if page.next is not None and not which.as_json:
        note("There are more: narrow with --state or --conversation.")
    return OK if page.results else NOTHING


@jobs.command("show")
@command
def show(job_id: Id, asking: Asking) -> int:
    """Show one job."""
    return _about(calls.job(asking.whose, job_id), asking)


@jobs.command("retry")
@command
def retry(job_id: Id, asking: Asking) -> int:
    """Try a job again that has failed."""
    return _about(calls.retry(asking.whose, job_id), asking)


@jobs.command("dismiss")
@command
def dismiss(job_id: Id, asking: Asking) -> int:
    """Let a job go for good; its conversation stays."""
    return _about(calls.dismiss(asking.whose, job_id), asking)


def _about(call: Call[Job], asking: Asking) -> int:
    return shown(lambda api: api.ask(call), _print, asking)


def _print(job: Job) -> None:
    line(DOT.join([job.id, job.kind, job.state, *filter(None, [_reason(job)])]), "bold")
    if told := why(job):
        line(told)
    if job.conversation_id is not None:
        line(f"conversation {job.conversation_id}{DOT}turns {_turns(job)}")
    line(f"made {when(job.created_at)}{DOT}changed {when(job.updated_at)}")
    if told := summary([job.counts]):
        line(told)
    if job.next_at is not None:
        line(f"looked at again {when(job.next_at)} at the latest")


def _reason(job: Job) -> str:
    """The code of its reason; empty where the state says the same."""
    return "" if job.reason == job.state else job.reason


def _turns(job: Job) -> str:
    return f"{job.first_turn}-{job.last_turn}" if job.last_turn else "-"
