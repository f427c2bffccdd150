"""The command line: which commands there are.

Exit codes: 0 ok, 1 failed, 2 wrong usage, 3 nothing found, 4 degraded (answered, but not by all
parts).
"""

from importlib.metadata import version
from typing import Annotated

import typer

from hindwise.cli.audit import audit
from hindwise.cli.consolidate import consolidate
from hindwise.cli.context import context
from hindwise.cli.dev import dev
from hindwise.cli.doctor import doctor
from hindwise.cli.exporting import export
from hindwise.cli.fade import fade, restore
from hindwise.cli.forget import forget
from hindwise.cli.forgets import forgets, receipts
from hindwise.cli.importing import import_file
from hindwise.cli.ingest import ingest
from hindwise.cli.jobs import jobs
from hindwise.cli.keys import keys
from hindwise.cli.quarantine import quarantine, users
from hindwise.cli.recall import recall
from hindwise.cli.reindex import reindex
from hindwise.cli.remember import remember
from hindwise.cli.review import review
from hindwise.cli.show import show
from hindwise.cli.text import Telling

app = typer.Typer(
    name="hindwise",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Exit codes: 0 ok, 1 failed, 2 wrong usage, 3 nothing found, 4 degraded.",
)
app.command()(dev)
app.command(cls=Telling)(remember)
app.command(cls=Telling)(recall)
app.command()(show)
app.command(cls=Telling)(context)
app.command()(forget)
app.add_typer(forgets, name="forgets")
app.add_typer(receipts, name="receipts")
app.command()(fade)
app.command()(restore)
app.command()(consolidate)
app.command()(ingest)
app.add_typer(jobs, name="jobs")
app.add_typer(review, name="review")
app.command()(quarantine)
app.command()(users)
app.command("import")(import_file)
app.command()(export)
app.add_typer(keys, name="keys")
app.add_typer(audit, name="audit")
app.command()(reindex)
app.command()(doctor)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"hindwise {version('hindwise')}")
        raise typer.Exit


@app.callback()
def hindwise(
    shown: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """Long-term memory for LLM agents, from the command line."""


def main() -> None:
    """Run the command that was typed."""
    app()
