"""`hindwise audit`: who changed what, without its words, and whether the record of it is whole."""

from dataclasses import dataclass
from functools import partial
from typing import Annotated

import typer

from hindwise.cli.config import connect
from hindwise.cli.options import FAILED, NOTHING, OK, Asking, command
from hindwise.cli.words import DOT, line, note, print_json
from hindwise.client import auditing
from hindwise.client.api import Api
from hindwise.client.auditing import Row, Trail

audit = typer.Typer(help="See who changed what, and check it.", no_args_is_help=True)
Day = Annotated[
    str | None, typer.Option(metavar="DAY", help="All users on this day (UTC), e.g. 2026-01-15.")
]


PAGES = 12
"""Pages asked for one list, at most: a year in which nothing happened."""


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
        page = _page(api, which, user)
    if which.as_json:
        print_json(page.raw())
        return OK if page.results else NOTHING
    for row in page.results:
        line(_told(row))
    if not page.results:
        note("Nothing was changed" + (" in the months looked at." if page.next else "."))
    if page.next is not None:
        note("There may be more: ask for a --day, or raise --limit.")
    return OK if page.results else NOTHING


def _page(api: Api, which: Which, user: str | None) -> Trail:
    """The first page that holds anything: a page without a row is not yet the end."""
    asked = partial(
        auditing.trail, user=user, memory_id=which.memory, day=which.day, limit=which.limit
    )
    page = api.ask(asked())
    for _ in range(PAGES - 1):
        if page.results or page.next is None:
            break
        page = api.ask(asked(cursor=page.next))
    return page


def _told(row: Row) -> str:
    """A row as a line whose ids can be copied whatever the width of the terminal."""
    when = f"{row.at:%Y-%m-%d %H:%M:%S} UTC" if row.at else "-"
    what = " ".join(filter(None, (row.decision, row.call)))
    rules = ", ".join(row.rules)
    return DOT.join(filter(None, (when, row.actor, what, row.user_id, row.memory_id, rules)))


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
