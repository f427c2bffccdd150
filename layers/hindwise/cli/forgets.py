"""`hindwise forgets` and `hindwise receipts`: what was forgotten, and to forget it again."""

from dataclasses import dataclass
from typing import Annotated

import typer

from hindwise.cli.config import connect
from hindwise.cli.forget_many import show_receipt
from hindwise.cli.lookup import shown
from hindwise.cli.options import DEGRADED, OK, Asking, Output, command
from hindwise.cli.stage import opened
from hindwise.cli.words import DOT, counted, line, memories, note, print_json
from hindwise.client import forgetting
from hindwise.runtime.forgetting import applied_again
from hindwise.settings import BucketSettings, SealSettings

forgets = typer.Typer(no_args_is_help=True, help="Receipts of forgetting.")
receipts = typer.Typer(no_args_is_help=True, help="Receipts and a table that was restored.")
Id = Annotated[str, typer.Argument(help="The receipt's id.", metavar="ID")]


@dataclass(frozen=True)
class Listing(Asking):
    """How many receipts."""

    limit: Annotated[int, typer.Option("-n", "--limit", min=1, max=100, help="How many.")] = 20


@forgets.command("show")
@command
def show(receipt_id: Id, asking: Asking) -> int:
    """Show how far a forgetting is, and how much there was."""
    call = forgetting.receipt(asking.whose, receipt_id)
    return shown(lambda api: api.ask(call), show_receipt, asking)


@forgets.command("list")
@command
def listed(how: Listing) -> int:
    """List receipts, newest first."""
    with connect() as api:
        page = api.ask(forgetting.receipts(how.whose, limit=how.limit))
    if how.as_json:
        print_json(page.raw())
        return OK
    for one in page.results:
        count = one.counts.get("memories", len(one.ids))
        line(DOT.join([one.id, one.kind, one.state, memories(count)]))
    return OK


@dataclass(frozen=True)
class Restored(Output):
    """Which table was restored."""

    tenant: Annotated[str, typer.Option(help="Whose receipts.")] = "local"
    stage: Annotated[
        str, typer.Option(help="The stage on AWS; else STAGE and MEMORY_TABLE say it.")
    ] = ""


@receipts.command("apply")
@command
def apply(how: Restored) -> int:
    """Forget again, in a restored table, all that had been forgotten; before anybody reads it.

    On AWS, set MEMORY_BUCKET and SECRET_ARN as the functions have them. Doing it twice changes
    nothing.
    """
    done = applied_again(opened(how.stage, SealSettings, BucketSettings), how.tenant)
    if how.as_json:
        print_json(done.model_dump(mode="json"))
    else:
        gone = f"{memories(done.memories)} and {counted(done.users, 'user')} forgotten"
        line(f"{counted(done.receipts, 'receipt')}: {gone}")
    for one in done.unfinished:
        note(f"{one} was a filter and not complete: ask for it again")
    if done.unreadable:
        note(f"{counted(done.unreadable, 'copy', 'copies')} of receipts cannot be read")
    return DEGRADED if done.unfinished or done.unreadable else OK
