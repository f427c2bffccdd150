"""`hindwise fade` and `hindwise restore`: what a nightly sweep would do, doing it, undoing it."""

import uuid
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated

import typer

from hindwise.cli.config import connect
from hindwise.cli.lookup import shown
from hindwise.cli.options import OK, Asking, command
from hindwise.cli.show import Id
from hindwise.cli.words import line, memories, note, print_json
from hindwise.client import fading
from hindwise.client.answers import Written
from hindwise.client.api import Api
from hindwise.client.fading import Faded

Which = Annotated[str, typer.Argument(help="purge, archive, decay or tiers.")]


@dataclass(frozen=True)
class Fade(Asking):
    """How to sweep."""

    dry_run: Annotated[
        bool, typer.Option("--dry-run/--now", help="Only tell what would be done, or do it.")
    ] = True


@command
def fade(sweep: Which, how: Fade) -> int:
    """Tell what a nightly sweep would do to a user's memories, or do it now.

    purge forgets for good what is of little importance and nobody ever saw.

    archive puts away what is old and of low importance, and to-dos that are long done.

    decay flags what has expired or faded, and decisions that are due for a review.

    tiers archives what nobody asked for in a year, and tells cold episodes in one pattern.
    """
    counts: Counter[str] = Counter()
    looked = 0
    with connect() as api:
        for part in swept(api, how.whose, sweep, dry_run=how.dry_run):
            counts.update(part.counts)
            looked += part.looked
    if how.as_json:
        print_json({"sweep": sweep, "dry_run": how.dry_run, "looked": looked, "counts": {**counts}})
        return OK
    for word, number in counts.items():
        if number:
            line(f"{number} {word.replace('_', ': ')}{' (dry run)' if how.dry_run else ''}")
    note(f"{memories(looked)} looked at")
    return OK


def swept(api: Api, user: str, sweep: str, *, dry_run: bool) -> Iterator[Faded]:
    """The parts of a sweep over all that a user has."""
    cursor: str | None = None
    while True:
        part = api.ask(fading.fade(user, sweep, dry_run=dry_run, cursor=cursor))
        yield part
        cursor = part.next
        if cursor is None:
            return


@command
def restore(memory_id: Id, asking: Asking) -> int:
    """Bring a memory back from the archive, as it was."""
    wanted = fading.restore(asking.whose, memory_id, key=f"restore-{uuid.uuid4()}")
    return shown(lambda api: api.ask(wanted), _print_back, asking)


def _print_back(back: Written) -> None:
    if back.changed:
        line(f"restored {back.id}")
    else:
        line(f"not archived: {back.id} is {back.status} and stays as it is")
