"""`hindwise reindex`: build the search index anew. It works on the table and the index themselves.

For a new mapping or another number of shards, and where nobody trusts the index any more; one that
was lost is filled again by the sweep without being asked.
"""

from dataclasses import dataclass
from typing import Annotated

import typer
from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from hindwise.cli.options import DEGRADED, OK, Output, command
from hindwise.cli.stage import opened
from hindwise.cli.words import err, line, note, print_json
from hindwise.runtime.upkeep import reindex as rebuilt

MOST_SHARDS = 64


@dataclass(frozen=True)
class Reindex(Output):
    """How the new index is made."""

    shards: Annotated[
        int, typer.Option(min=1, max=MOST_SHARDS, help="Its shards: one for each 20 GB.")
    ] = 1
    stage: Annotated[
        str, typer.Option(help="The stage on AWS; else STAGE and MEMORY_TABLE say it.")
    ] = ""
    anew: Annotated[
        bool, typer.Option("--anew", help="Drop one that was begun and left unfinished.")
    ] = False


@command
def reindex(how: Reindex) -> int:
    """Build the OpenSearch index anew from the table, while the old one answers.

    Nothing is embedded again. On AWS, set SEARCH_BACKEND, OPENSEARCH_ENDPOINT and the embedder's
    variables as the functions have them.
    """
    wiring = opened(how.stage)
    columns = (SpinnerColumn(), TextColumn("{task.completed} documents"), TimeElapsedColumn())
    hidden = how.as_json or not err().is_terminal
    with Progress(*columns, console=err(), transient=True, disable=hidden) as steps:
        job = steps.add_task("", total=None)
        filled = rebuilt(
            wiring,
            shards=how.shards,
            anew=how.anew,
            progress=lambda written: steps.update(job, completed=written),
        )
    if how.as_json:
        print_json({"written": filled.written, "refused": filled.refused})
    else:
        line(f"{filled.written} documents are in the new index, which answers from now on")
    if not filled.refused:
        return OK
    note(f"{filled.refused} were refused; they are tried again, and `hindwise doctor` names them")
    return DEGRADED
