"""`hindwise consolidate`: what recurs in an area's episodes, as patterns with their evidence."""

import uuid
from dataclasses import dataclass
from typing import Annotated

import typer

from hindwise.cli.config import connect
from hindwise.cli.options import NOTHING, OK, Asking, command
from hindwise.cli.words import DOT, counted, line, note, print_json
from hindwise.client import calls
from hindwise.client.answers import JsonObject
from hindwise.client.learning import Consolidated

DRY = "dry run"
"""The API's reason where only a dry run kept it from looking."""


@dataclass(frozen=True)
class Wish(Asking):
    """What is to be consolidated."""

    domain: Annotated[str, typer.Option(help="The area; episodes of `general` join every one.")] = (
        "general"
    )
    min_episodes: Annotated[
        int | None, typer.Option(help="How many there must be; 5 unless it is set otherwise.")
    ] = None
    force: Annotated[bool, typer.Option("--force", help="Any two episodes are enough.")] = False
    wait: Annotated[
        float, typer.Option(help="Seconds to wait for a job; then it goes on by itself.")
    ] = 120.0
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only tell whether there is enough; store nothing.")
    ] = False


@command
def consolidate(wish: Wish) -> int:
    """Find what recurs in an area's episodes."""
    asked: JsonObject = {"domain": wish.domain, "force": wish.force, "dry_run": wish.dry_run}
    if wish.min_episodes is not None:
        asked["min_episodes"] = wish.min_episodes
    call = calls.consolidate(wish.whose, asked, key=f"consolidate-{uuid.uuid4()}")
    with connect() as api:
        done = api.ask(call)
        if done.job_id is not None:
            note(f"goes on as job {done.job_id}")
            api.run(calls.finished(api.url, wish.whose, done.job_id, seconds=wish.wait))
            done = api.ask(call)
    if wish.as_json:
        print_json(done.raw())
    else:
        _print(done)
    told = done.patterns or done.preview or done.job_id or done.reason == DRY
    return OK if told else NOTHING


def _print(done: Consolidated) -> None:
    for one in done.patterns:
        line(one.content, "bold")
        line(DOT.join([one.id, f"confidence {one.confidence:.2f}", *_evidence(one.evidence_ids)]))
    for offered in done.preview:
        line(offered.content, "bold")
        line(DOT.join(["would be stored", *_evidence(offered.evidence_ids)]))
    for gone in done.weakened:
        note(f"{gone} is contradicted and less sure now")
    refused = sum(done.refused.values())
    if refused:
        note(f"{refused} refused: {', '.join(sorted(done.refused))}")
    if done.job_id:
        line(f"still at work: job {done.job_id}")
    elif done.reason == DRY:
        line(f"{done.source_count} episodes are enough; nothing was stored (dry run)")
    elif not done.patterns:
        note(f"{done.status}: {done.reason}")
        if done.reason.startswith("too few"):
            note("New episodes count, with an importance over 0.6 unless it is set otherwise.")


def _evidence(ids: tuple[str, ...]) -> list[str]:
    return [f"rests on {counted(len(ids), 'episode')}"]
