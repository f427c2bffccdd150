"""`hindwise forget`: memories, for good; what goes is shown before it goes."""

import json
import sys
from dataclasses import dataclass
from typing import Annotated

import typer

from hindwise.cli.config import connect
from hindwise.cli.forget_many import foretell, forget_many
from hindwise.cli.options import FAILED, NOTHING, OK, Asking, command
from hindwise.cli.words import line, missing, note, print_json
from hindwise.client.answers import JsonObject
from hindwise.client.errors import Answered


@dataclass(frozen=True)
class Forget(Asking):
    """What to forget, and how."""

    filters: Annotated[
        str | None, typer.Option("--filter", help="All that this JSON object lets through.")
    ] = None
    query: Annotated[
        str | None, typer.Option("--query", help="Those that hold all of these words.")
    ] = None
    everything: Annotated[
        bool, typer.Option("--all", help="Everything that is there of the user.")
    ] = False
    reason: Annotated[
        str | None, typer.Option(help="A code for the receipt, like user-request.")
    ] = None
    wait: Annotated[
        float, typer.Option(help="Seconds to wait for many to be gone; then it goes on by itself.")
    ] = 600.0
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask first.")] = False
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only tell what would go, and what goes along.")
    ] = False


Ids = Annotated[list[str] | None, typer.Argument(help="Ids of memories.", metavar="[ID]...")]


@command
def forget(how: Forget, memory_ids: Ids = None) -> int:
    """Forget memories for good: their texts, their versions, their places in the index."""
    ids = memory_ids or []
    ways = [bool(ids), how.filters is not None, how.query is not None, how.everything]
    if sum(ways) != 1:
        raise typer.BadParameter("say one of: ids, --filter, --query, --all")
    if how.as_json and not (how.yes or how.dry_run or sys.stdin.isatty()):
        raise typer.BadParameter("there is nobody to ask: say --yes, or --dry-run to look first")
    if len(ids) == 1 and how.reason is None and not how.dry_run:
        return _one(ids[0], how)
    wanted: JsonObject = {"ids": [*ids]}
    if how.filters is not None:
        wanted = {"filters": _object(how.filters)}
    elif how.query is not None:
        wanted = {"query": how.query}
    elif how.everything:
        wanted = {"all": True}
    if how.reason is not None and how.query is None:
        wanted["reason"] = how.reason
    if how.dry_run:
        return foretell(how.whose, wanted, as_json=how.as_json)
    return forget_many(how.whose, wanted, yes=how.yes, as_json=how.as_json, wait=how.wait)


def _object(given: str) -> JsonObject:
    try:
        found = json.loads(given)
    except ValueError:
        found = None
    if not isinstance(found, dict):
        raise typer.BadParameter("must be a JSON object", param_hint="--filter")
    return found


def _one(memory_id: str, how: Forget) -> int:
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
