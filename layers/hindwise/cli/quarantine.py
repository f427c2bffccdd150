"""`hindwise quarantine`: undo what a source taught; `hindwise users`: whose memories there are."""

from collections import Counter
from dataclasses import dataclass
from typing import Annotated

import typer

from hindwise.cli.config import connect
from hindwise.cli.options import FAILED, NOTHING, OK, Asking, Output, command
from hindwise.cli.words import line, memories, note, print_json
from hindwise.client import calls, reviews
from hindwise.client.answers import JsonObject
from hindwise.client.api import Api
from hindwise.client.learning import Job
from hindwise.client.reviews import SourceJob

Source = Annotated[
    str,
    typer.Argument(
        metavar="SOURCE", help="A conversation's id, a document's address, or a key's name."
    ),
]
KINDS = ("conversation", "document", "principal")
COUNTS = ("found", "derived", "moved", "weakened", "revived")


@dataclass(frozen=True)
class Wish(Asking):
    """What is to be done with a source."""

    kind: Annotated[
        str, typer.Option(help="What the source is: conversation, document or principal.")
    ] = "conversation"
    all_users: Annotated[
        bool, typer.Option("--all", help="For all users of the tenant; needs the role admin.")
    ] = False
    yes: Annotated[
        bool, typer.Option("--yes", "-y", help="Do it; without, it is only counted.")
    ] = False
    undo: Annotated[bool, typer.Option("--undo", help="Put back what was quarantined.")] = False
    reason: Annotated[
        str | None, typer.Option(metavar="TEXT", help="Why; kept with each memory.")
    ] = None
    wait: Annotated[
        float, typer.Option(help="Seconds to wait for each job; then it goes on by itself.")
    ] = 120.0


@command
def quarantine(source: Source, wish: Wish) -> int:
    """Quarantine all that came from one source, and what rests on that alone."""
    if wish.kind not in KINDS:
        raise typer.BadParameter(f"must be one of {', '.join(KINDS)}", param_hint="--kind")
    with connect() as api:
        made = _ordered(api, source, wish)
        jobs = [
            api.run(calls.finished(api.url, one.user_id, one.job_id, seconds=wish.wait))
            for one in made
        ]
    counts = _summed(jobs)
    failed = [job for job in jobs if job.state == "failed"]
    if wish.as_json:
        told: JsonObject = {**counts, "jobs": [job.id for job in jobs], "failed": len(failed)}
        print_json(told)
    else:
        _print(counts, jobs, wish)
    if failed:
        return FAILED
    return OK if counts["found"] + counts["derived"] else NOTHING


def _ordered(api: Api, source: str, wish: Wish) -> list[SourceJob]:
    """The jobs of all that are meant; of many users, a call for so many at a time."""
    made: list[SourceJob] = []
    asked: JsonObject = {"kind": wish.kind, "dry_run": not wish.yes, "undo": wish.undo}
    if wish.reason is not None:
        asked["reason"] = wish.reason
    user = None if wish.all_users else wish.whose
    while True:
        done = api.ask(reviews.quarantine(source, asked, user=user))
        made += done.jobs
        if done.next is None:
            return made
        asked["cursor"] = done.next


def _summed(jobs: list[Job]) -> dict[str, int]:
    counts: Counter[str] = Counter(dict.fromkeys(COUNTS, 0))
    for job in jobs:
        for name in COUNTS:
            number = job.result.get(name, 0)
            counts[name] += number if isinstance(number, int) else 0
    return dict(counts)


def _print(counts: dict[str, int], jobs: list[Job], wish: Wish) -> None:
    verb = "put back" if wish.undo else "quarantined"
    would = "" if wish.yes else "would be "
    found, derived = counts["found"], counts["derived"]
    rest = "rests" if derived == 1 else "rest"
    line(f"{memories(found)} came from it, {derived} {rest} on those alone")
    line(f"{counts['moved']} {would}{verb}")
    if counts["weakened"]:
        line(f"{counts['weakened']} with other evidence too {would}less sure")
    if counts["revived"]:
        line(f"{counts['revived']} that they had superseded {would}current again")
    if not counts["found"] + counts["derived"]:
        note(
            f"Nothing came from such a {wish.kind}: --kind says what the source is, --user or "
            "--all whose memories."
        )
    elif not wish.yes:
        note("Nothing was changed: say --yes to do it.")
    for job in jobs:
        if not job.ended or job.state == "failed":
            note(f"job {job.id}: {job.state} {job.reason}".rstrip())


@dataclass(frozen=True)
class Whose(Output):
    """Which users are listed."""

    prefix: Annotated[str | None, typer.Option(help="Those whose id begins so.")] = None
    limit: Annotated[int, typer.Option(help="How many, 1 to 100.", min=1, max=100)] = 100


@command
def users(whose: Whose) -> int:
    """List the users of the tenant who have memories; needs the role admin."""
    with connect() as api:
        page = api.ask(reviews.users(prefix=whose.prefix, limit=whose.limit))
    if whose.as_json:
        print_json(page.raw())
    else:
        for one in page.results:
            line(one.user_id)
        if page.next is not None:
            note("There are more: narrow with --prefix.")
    if not page.results and not whose.as_json:
        note("There are no such users.")
    return OK if page.results else NOTHING
