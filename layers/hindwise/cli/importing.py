"""`hindwise import`: a file of memories or conversations, in batches, as often as one likes."""

import sys
import uuid
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from datetime import tzinfo
from itertools import chain
from pathlib import Path
from typing import Annotated, BinaryIO, cast

import typer
from rich.progress import (
    BarColumn,
    Progress,
    TaskID,
    TaskProgressColumn,
    TextColumn,
    TimeRemainingColumn,
)

from hindwise.cli import exporting, lines
from hindwise.cli.config import connect
from hindwise.cli.options import FAILED, NOTHING, OK, Asking, command
from hindwise.cli.words import complain, err, line, note, plain, print_json
from hindwise.client.answers import JsonObject
from hindwise.client.api import Api
from hindwise.client.errors import Answered, ClientError, Unsendable

BATCH, BATCH_CHARS = 100, 60_000
"""Memories and characters of a request; a character is at most four of its 256 KB."""
SHOWN, SHOWN_NO_JSON = 20, 3
"""How many bad lines are shown on the terminal; `--json` lists all."""
AGAIN = "Run the same command again to go on: what is stored is not stored twice."
File = Annotated[
    str, typer.Argument(metavar="FILE", help="JSON lines; `-` reads them from standard input.")
]


@dataclass(frozen=True)
class Import(Asking):
    """How to read the file."""

    zone: Annotated[
        str | None,
        typer.Option(help="Zone of times that name none: +08:00 or Asia/Shanghai."),
    ] = None
    user_from_id: Annotated[
        bool,
        typer.Option(help="Follow a line's user_id; a conversation's user is also its id."),
    ] = False
    from_line: Annotated[int, typer.Option(help="Skip the lines before this one.", min=1)] = 1


@dataclass
class Tally:
    """What became of the file so far."""

    stored: int = 0
    changed: int = 0
    known: int = 0
    redacted: int = 0
    held: int = 0
    refused: list[JsonObject] = field(default_factory=list)

    def refuse(self, number: int, message: str) -> None:
        """Keep a line out."""
        self.refused.append({"line": number, "message": message})

    def raw(self) -> JsonObject:
        """The tally as JSON."""
        counts: JsonObject = {
            "stored": self.stored, "changed": self.changed, "known": self.known,
            "redacted": self.redacted, "held": self.held,
        }  # fmt: skip
        return {**counts, "refused": [*self.in_order]}

    @property
    def in_order(self) -> list[JsonObject]:
        """What was refused, by its place in the file, not by when that was found out."""
        return sorted(self.refused, key=lambda bad: cast(int, bad["line"]))


@command
def import_file(file: File, how: Import) -> int:
    """Import memories or conversations, one a line; doing it twice stores nothing twice.

    A memory, with any field of POST /v1/memories:

    \b
    {"content": "喜欢靠窗的座位", "type": "preference", "subject": "ann", "attribute": "seat"}

    Or a conversation, whose turns become episodes:

    \b
    {"id": "c1", "turns": [{"id": "1", "speaker": "ann", "text": "Hi",
      "session": 1, "time": "2026-01-15T18:30:00+08:00"}]}

    The line breaks inside an object are for reading only: each object is one line of the file.
    A file that `hindwise export` wrote is known by its first line, and taken in as it was.
    """
    try:
        zone = lines.zone_of(how.zone) if how.zone is not None else None
    except ValueError as error:
        raise typer.BadParameter(str(error), param_hint="--zone") from error
    tally = Tally()
    with connect() as api, ExitStack() as closing:
        opened, size = _opened(file, closing)
        first = next(iter(opened), b"")
        if (header := exporting.header_of(first)) is not None:
            return exporting.take_in(api, opened, header, how)
        source = chain([first] if first else [], opened)
        steps = closing.enter_context(_progress(how))
        job = steps.add_task(Path(file).name, total=size)
        read = _read(source, how=how, zone=zone, tally=tally)
        try:
            for batch in _batches(_watched(read, steps, job)):
                _send(api, batch, tally=tally)
        except ClientError as error:
            closing.close()
            complain(error, as_json=how.as_json)
            note(f"{tally.stored} were stored before it stopped. {AGAIN}")
            return _told(tally, how, failed=True)
    return _told(tally, how)


def _opened(file: str, closing: ExitStack) -> tuple[BinaryIO, int | None]:
    """The file and its size; a directory, or none at all, is wrong usage."""
    if file == "-":
        return sys.stdin.buffer, None
    try:
        return closing.enter_context(Path(file).open("rb")), Path(file).stat().st_size
    except OSError as error:
        message = f"{file}: {error.strerror}"
        raise typer.BadParameter(message, param_hint="FILE") from error


def _progress(how: Import) -> Progress:
    console = err()
    columns = (TextColumn("{task.description}", markup=False), BarColumn(), TaskProgressColumn())
    hidden = how.as_json or not console.is_terminal
    return Progress(
        *columns, TimeRemainingColumn(), console=console, transient=True, disable=hidden
    )


type Owned = tuple[str, lines.Entry]


def _read(
    source: Iterable[bytes], *, how: Import, zone: tzinfo | None, tally: Tally
) -> Iterator[tuple[int, list[Owned]]]:
    """Each line's bytes and memories; a line that is wrong is kept out whole."""
    for number, raw in enumerate(source, 1):
        made: list[Owned] = []
        if number >= how.from_line:
            try:
                said = lines.parsed(raw)
                found = lines.entries(number, said, zone) if said is not None else ()
                made = [(_owner(entry, how), entry) for entry in found]
            except lines.BadLine as error:
                tally.refuse(number, str(error))
        yield len(raw), made


def _owner(entry: lines.Entry, how: Import) -> str:
    """Whose memory it is; a line must not name another user than the command does."""
    if how.user_from_id:
        return entry.user or entry.conversation or how.whose
    if entry.user not in (None, how.whose):
        raise lines.BadLine(f"user_id: is not {how.whose}; say --user-from-id to follow the file")
    return how.whose


def _watched(
    read: Iterable[tuple[int, list[Owned]]], steps: Progress, job: TaskID
) -> Iterator[Owned]:
    for size, made in read:
        yield from made
        steps.advance(job, size)


def _batches(owned: Iterable[Owned]) -> Iterator[list[Owned]]:
    """Runs of one user's memories that fit into a request."""
    batch: list[Owned] = []
    chars = 0
    for user, entry in owned:
        size = len(str(entry.memory))
        full = len(batch) == BATCH or chars + size > BATCH_CHARS
        if batch and (full or batch[0][0] != user):
            yield batch
            batch, chars = [], 0
        batch.append((user, entry))
        chars += size
    if batch:
        yield batch


def _send(api: Api, batch: list[Owned], *, tally: Tally) -> None:
    """Store a batch; one that is refused as a whole is halved until the culprit stands alone."""
    memories = [entry.memory for _, entry in batch]
    try:
        answer = api.write_batch(batch[0][0], memories, key=f"import-{uuid.uuid4()}")
    except (Answered, Unsendable) as error:
        if isinstance(error, Answered) and error.status not in (400, 413, 422):
            raise
        if len(batch) > 1:
            half = len(batch) // 2
            _send(api, batch[:half], tally=tally)
            _send(api, batch[half:], tally=tally)
            return
        _refuse(batch[0][1], str(error), tally)
    else:
        for item in answer.results:
            if item.error is not None:
                _refuse(batch[item.index][1], item.error.message, tally)
            else:
                tally.stored += item.created
                tally.changed += item.changed and not item.created
                tally.known += not item.changed and not item.created
                tally.held += item.status == "quarantined"
                tally.redacted += item.admission is not None and item.admission.decision == "redact"


def _refuse(entry: lines.Entry, message: str, tally: Tally) -> None:
    """Keep a memory out; the index of our batch means nothing to whoever reads the message."""
    words = message.split(".", 2) if message.startswith("items.") else []
    said = words[2] if len(words) == 3 else message
    tally.refuse(entry.line, f"{entry.place}: {said}" if entry.place else said)


def _told(tally: Tally, how: Import, *, failed: bool = False) -> int:
    if how.as_json:
        print_json(tally.raw())
    else:
        _complain(tally)
        changed = f", {tally.changed} changed" if tally.changed else ""
        kept_out = f", {len(tally.refused)} kept out" if tally.refused else ""
        let_in = f", {tally.redacted} redacted" if tally.redacted else ""
        let_in += f", {tally.held} held for review" if tally.held else ""
        line(f"{tally.stored} stored{changed}, {tally.known} known already{let_in}{kept_out}")
    if failed or tally.refused:
        return FAILED
    return OK if tally.stored + tally.changed + tally.known else NOTHING


def _complain(tally: Tally) -> None:
    """Name the lines that were refused; many that are no JSON say one thing, so a few stand for
    all.
    """
    console = err()
    no_json = [bad for bad in tally.in_order if str(bad["message"]).startswith(lines.NO_JSON)]
    unsaid = no_json[SHOWN_NO_JSON:]
    others = [bad for bad in tally.in_order if bad not in unsaid]
    for bad in others[:SHOWN]:
        console.print(plain(f"line {bad['line']}: {bad['message']}", "red"))
    if (more := len(others) - SHOWN) > 0:
        console.print(plain(f"… and {more} more", "red"))
    if unsaid:
        console.print(plain(f"… and {len(unsaid)} more lines are not JSON", "red"))
    if no_json:
        note("Each line is a JSON object of its own: `hindwise import --help` shows the shapes.")
