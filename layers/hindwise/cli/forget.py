"""`hindwise forget`: one memory, for good; what goes is shown before it goes."""

from dataclasses import dataclass
from typing import Annotated

import typer

from hindwise.cli.config import connect
from hindwise.cli.options import FAILED, NOTHING, OK, Asking, command
from hindwise.cli.show import Id
from hindwise.cli.words import line, missing, note, print_json
from hindwise.client.errors import Answered


@dataclass(frozen=True)
class Forget(Asking):
    """How to forget."""

    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask first.")] = False


@command
def forget(memory_id: Id, how: Forget) -> int:
    """Forget one memory for good: its text, its versions, its place in the index."""
    with connect() as api:
        try:
            if not how.yes:
                note(api.read(how.whose, memory_id).content, "bold")
                if not typer.confirm("Forget it for good?", err=True):
                    return FAILED
            forgotten = api.forget(how.whose, memory_id)
        except Answered as error:
            if error.status != 404:
                raise
            missing(error, how.whose, as_json=how.as_json)
            return NOTHING
    if how.as_json:
        print_json(forgotten.raw())
    else:
        line(f"forgotten {forgotten.id}")
        for one in forgotten.along:
            line(f"forgotten {one} along with it")
        for one in forgotten.dependants:
            note(f"{one} had rested on it and is less sure now")
    return OK
