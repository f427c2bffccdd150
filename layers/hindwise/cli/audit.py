"""`hindwise audit`: who changed what, without its words, and whether the record of it is whole."""

from dataclasses import dataclass
from typing import Annotated

import typer

from hindwise.cli.config import connect
from hindwise.cli.options import FAILED, NOTHING, OK, Asking, command
from hindwise.cli.words import line, note, out, plain, print_json, table
from hindwise.client import auditing
from hindwise.client.auditing import Row

audit = typer.Typer(help="See who changed what, and check it.", no_args_is_help=True)
Day = Annotated[
    str | None, typer.Option(metavar="DAY", help="All users on this day (UTC), e.g. 2026-01-15.")
]


@dataclass(frozen=True)
class Which(Asking):
    """Which changes are listed."""

    day: Day = None
    memory: Annotated[
        str | None, typer.Option(metavar="ID", help="Only the changes of this memory.")
    ] = None
    limit: Annotated[int, typer.Option(help="How many, 1 to 200.", min=1, max=200)] = 20


@dataclass(frozen=True)
class What(Asking):
    """What is checked."""

    day: Day = None


@audit.command("list")
@command
def listed(which: Which) -> int:
    """List changes and refusals, newest first; for reviewers, but for a memory's own."""
    user = None if which.day and which.user is None else which.whose
    with connect() as api:
        page = api.ask(
            auditing.trail(user=user, memory_id=which.memory, day=which.day, limit=which.limit)
        )
    if which.as_json:
        print_json(page.raw())
    elif page.results:
        shown = table("when", "who", "what", "whose", "memory", "rules")
        for row in page.results:
            when = f"{row.at:%m-%d %H:%M:%S}" if row.at else "-"
            shown.add_row(
                when, plain(row.actor), plain(_what(row)), plain(row.user_id or "-"),
                row.memory_id or "-", plain(", ".join(row.rules)),
            )  # fmt: skip
        out().print(shown)
    else:
        note("Nothing was changed.")
    if page.next is not None and not which.as_json:
        note("There may be more: ask for a --day, or raise --limit.")
    return OK if page.results else NOTHING


def _what(row: Row) -> str:
    return " ".join(filter(None, (row.decision, row.call)))


@audit.command("verify")
@command
def verify(what: What) -> int:
    """Check a user's changes, or a day against its digest; exit code 1 where something is wrong."""
    user = None if what.day else what.whose
    with connect() as api:
        found = api.run(auditing.checked(api.url, user=user, day=what.day))
    if what.as_json:
        print_json(found.model_dump(mode="json", exclude={"next"}))
        return FAILED if found.faults else OK
    for fault in found.faults:
        line(" ".join(filter(None, (fault.wrong, fault.id, fault.chain))))
    if found.digest == "absent":
        note("The day has no digest yet: only what stands there was checked, not what is missing.")
    if found.late:
        note(f"{found.late} rows came after the digest; the next night's run adds them.")
    line(f"{found.checked} looked at, {len(found.faults)} wrong")
    return FAILED if found.faults else OK
