"""`hindwise export`, and what `import` does with its files.

The first line says what the file is, the last one how many there are: one that was cut short is
told from a whole one. A file takes the place of another only when it is whole.
"""

import json
import sys
import uuid
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, TextIO, cast

import typer

from hindwise.cli.config import connect
from hindwise.cli.options import FAILED, OK, Asking, command
from hindwise.cli.words import complain, counted, line, note, print_json
from hindwise.client import calls
from hindwise.client.answers import JsonObject
from hindwise.client.api import Api
from hindwise.client.errors import Answered, ClientError
from hindwise.domain.portable import FORMAT, FORMAT_VERSION

BATCH, BATCH_CHARS = 200, 120_000
"""Lines and characters of a request, of which a character is at most four of its 1 MB."""
SHOWN = 20
Target = Annotated[
    str, typer.Argument(metavar="[FILE]", help="Where to; `-` writes to standard output.")
]


@command
def export(how: Asking, file: Target = "-") -> int:
    """Write all that is kept of a user to a file: memories with their versions, conversations.

    For a backup, or to take a user elsewhere: `hindwise import FILE` reads it. What was forgotten
    is not in it, and nobody forgets what a file says: keep it as safe as what it came from. It
    needs a key of the role admin.
    """
    told = 0
    with connect() as api, _writing(file) as target:
        said = {"line": "export", "format": FORMAT, "version": FORMAT_VERSION,
                "user_id": how.whose, "exported_at": datetime.now(UTC).isoformat()}  # fmt: skip
        _write(target, json.dumps(said, ensure_ascii=False))
        cursor: str | None = None
        while True:
            page = api.ask(calls.export(how.whose, cursor=cursor))
            for one in page.lines:
                _write(target, one)
            told += len(page.lines)
            if (cursor := page.next) is None:
                break
        _write(target, json.dumps({"line": "end", "lines": told}))
    if file == "-":
        return OK
    if how.as_json:
        print_json({"file": file, "lines": told})
    else:
        line(f"{counted(told, 'line')} in {file}")
    return OK


def _write(target: TextIO, text: str) -> None:
    target.write(text + "\n")


@contextmanager
def _writing(file: str) -> Iterator[TextIO]:
    """The file under another name until it is whole; a folder that is not there is wrong usage."""
    if file == "-":
        yield sys.stdout
        return
    part = Path(f"{file}.part")
    try:
        with part.open("w", encoding="utf-8", newline="\n") as target:
            part.chmod(0o600)
            yield target
        part.replace(file)
    except OSError as error:
        raise typer.BadParameter(f"{file}: {error.strerror}", param_hint="FILE") from error
    finally:
        part.unlink(missing_ok=True)


def header_of(raw: bytes) -> JsonObject | None:
    """The first line of a file that `export` wrote; None for any other."""
    try:
        said = json.loads(raw)
    except ValueError:
        return None
    return said if isinstance(said, dict) and said.get("format") == FORMAT else None


@dataclass
class Taken:
    """What became of the lines so far."""

    stored: int = 0
    known: int = 0
    forgotten: int = 0
    read: int = 0
    whole: bool = False

    def __post_init__(self) -> None:
        self.refused: list[JsonObject] = []

    def raw(self) -> JsonObject:
        """The counts as JSON."""
        return {"stored": self.stored, "known": self.known, "forgotten": self.forgotten,
                "refused": [*self.refused], "whole": self.whole}  # fmt: skip


def take_in(api: Api, source: Iterable[bytes], header: JsonObject, how: Asking) -> int:
    """Import the lines after the first one; into the user that it names, unless `--user` does."""
    if header.get("version") != FORMAT_VERSION:
        raise typer.BadParameter(f"the file is not of version {FORMAT_VERSION}", param_hint="FILE")
    user = how.whose if how.user is not None else str(header.get("user_id") or how.whose)
    taken = Taken()
    try:
        for batch in _batches(source, taken):
            _send(api, user, batch, taken)
    except ClientError as error:
        complain(error, as_json=how.as_json)
        note("Run the same command again to go on: what is stored is not stored twice.")
        return _told(taken, how, failed=True)
    return _told(taken, how)


def _batches(source: Iterable[bytes], taken: Taken) -> Iterator[list[tuple[int, str]]]:
    batch: list[tuple[int, str]] = []
    chars = 0
    for number, raw in enumerate(source, 2):
        text = raw.decode("utf-8", errors="replace").strip()
        if not text:
            continue
        if text.startswith('{"line": "end"'):
            taken.whole = json.loads(text).get("lines") == taken.read
            continue
        taken.read += 1
        if batch and (len(batch) == BATCH or chars + len(text) > BATCH_CHARS):
            yield batch
            batch, chars = [], 0
        batch.append((number, text))
        chars += len(text)
    if batch:
        yield batch


def _send(api: Api, user: str, batch: list[tuple[int, str]], taken: Taken) -> None:
    """Send lines; a line that no request takes is kept out alone."""
    try:
        key = f"import-{uuid.uuid4()}"
        answer = api.ask(calls.import_lines(user, [text for _, text in batch], key=key))
    except Answered as error:
        if error.status not in (400, 413):
            raise
        if len(batch) == 1:
            taken.refused.append({"line": batch[0][0], "message": str(error)})
            return
        half = len(batch) // 2
        _send(api, user, batch[:half], taken)
        _send(api, user, batch[half:], taken)
        return
    for one in answer.results:
        taken.stored += one.status == "created"
        taken.known += one.status == "known"
        taken.forgotten += one.status == "forgotten"
        if one.error is not None:
            taken.refused.append({"line": batch[one.index][0], "message": one.error.message})


def _told(taken: Taken, how: Asking, *, failed: bool = False) -> int:
    if how.as_json:
        print_json(taken.raw())
    else:
        for bad in taken.refused[:SHOWN]:
            note(f"line {cast(int, bad['line'])}: {bad['message']}")
        if (more := len(taken.refused) - SHOWN) > 0:
            note(f"… and {more} more")
        forgotten = f", {taken.forgotten} stay forgotten" if taken.forgotten else ""
        kept_out = f", {len(taken.refused)} kept out" if taken.refused else ""
        line(f"{taken.stored} stored, {taken.known} known already{forgotten}{kept_out}")
        if not taken.whole and not failed:
            note("The file ends before it is whole: there was more to export.")
    return OK if taken.whole and not failed and not taken.refused else FAILED
