"""Forgetting more than one memory, as it is typed: shown first, then asked, then waited for."""

import uuid

import typer
from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from hindwise.cli.config import connect
from hindwise.cli.options import FAILED, NOTHING, OK
from hindwise.cli.words import DOT, err, line, memories, note, print_json
from hindwise.client import forgetting
from hindwise.client.answers import JsonObject
from hindwise.client.api import Api
from hindwise.client.forgetting import Preview, Receipt


def foretell(user: str, wanted: JsonObject, *, as_json: bool) -> int:
    """Show what would go; the exit code. Nothing is forgotten."""
    with connect() as api:
        found = api.ask(forgetting.preview(user, wanted))
    if as_json:
        print_json(found.raw())
    elif found.matched or "all" in wanted:
        _show(found)
    else:
        note("nothing of that kind is there")
    return OK if found.matched or "all" in wanted else NOTHING


def forget_many(user: str, wanted: JsonObject, *, yes: bool, as_json: bool, wait: float) -> int:
    """Show what would go, ask, forget it, and wait until it is gone; the exit code."""
    with connect() as api:
        found = api.ask(forgetting.preview(user, wanted))
        if not found.matched and "all" not in wanted:
            if as_json:
                print_json(found.raw())
            else:
                note("nothing of that kind is there")
            return NOTHING
        if not as_json:
            _show(found)
        if not yes and not typer.confirm("Forget it for good?", err=True):
            return FAILED
        meant: JsonObject = wanted if "query" not in wanted else {"ids": [*found.ids]}
        begun = api.ask(forgetting.forget(user, meant, key=f"forget-{uuid.uuid4()}"))
        done = _waited(api, user, begun, wait, hidden=as_json)
    if as_json:
        print_json(done.raw())
    else:
        show_receipt(done)
    return OK


def _show(found: Preview) -> None:
    kinds = DOT.join(f"{count} {kind}" for kind, count in sorted(found.by_kind.items()))
    more = "" if found.complete else " among those that were looked at; there are more"
    note(f"{memories(found.matched)}{more}{DOT if kinds else ''}{kinds}", "bold")
    for one in found.ids[:20]:
        note(one)
    if len(found.ids) > 20:
        note(f"and {found.matched - 20} more")
    for each in found.along:
        note(f"{each.id} goes along with {each.of} ({each.why})")


def _waited(api: Api, user: str, begun: Receipt, wait: float, *, hidden: bool) -> Receipt:
    """The receipt when all is gone, or when there was no more time."""
    columns = (SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    hidden = hidden or not err().is_terminal
    with Progress(*columns, console=err(), transient=True, disable=hidden) as steps:
        task = steps.add_task("forgetting", total=None)

        def watch(receipt: Receipt) -> None:
            left = sum(receipt.left.values())
            said = f"{receipt.state}, {left} left" if left else receipt.state
            steps.update(task, description=said)

        return api.run(forgetting.completed(api.url, user, begun.id, seconds=wait, watch=watch))


def show_receipt(receipt: Receipt) -> None:
    """Draw a receipt."""
    line(f"{receipt.state} {receipt.id}", "bold")
    line(DOT.join([receipt.kind, f"asked by {receipt.by}", receipt.requested_at.isoformat()]))
    for store, count in sorted(receipt.counts.items()):
        line(f"{count} {store}")
    if not receipt.complete:
        note("goes on by itself; `hindwise forgets show` tells how far it is")
