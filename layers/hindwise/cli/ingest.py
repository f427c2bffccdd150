"""`hindwise ingest`: conversations of a file, and what was learnt from them.

A file that was sent before is known again: only what is new goes over the wire a second time, also
after an interruption.
"""

import json
import sys
import uuid
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

import typer
from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeElapsedColumn

from hindwise.cli import admitted, talks
from hindwise.cli.config import connect
from hindwise.cli.lines import BadLine, zone_of
from hindwise.cli.options import FAILED, NOTHING, OK, Asking, command
from hindwise.cli.reasons import SAID, explained, why
from hindwise.cli.words import DOT, complain, err, line, note, print_json
from hindwise.client import calls
from hindwise.client.answers import JsonObject
from hindwise.client.api import Api
from hindwise.client.errors import ClientError, Unsendable
from hindwise.client.learning import Counts, Job, Said, Taken

MESSAGES, CHARS = 200, 60_000
"""Messages and characters of a request; a character is at most four of its 256 KB."""
BAD = ("failed", "quarantined", "dismissed")
File = Annotated[
    str,
    typer.Argument(
        metavar="FILE", help="JSON, JSON lines or `Speaker: text`; `-` reads standard input."
    ),
]


@dataclass(frozen=True)
class Ingest(Asking):
    """How to read the file, and whether to wait."""

    session: Annotated[
        str | None, typer.Option(help="The conversation's id; default: from the file's path.")
    ] = None
    me: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Which speaker of a transcript is the user, beside `me` and `user`. Whoever else "
            "is no assistant, tool or system makes the file count as a document.",
        ),
    ] = None
    zone: Annotated[
        str | None, typer.Option(help="Zone of times that name none: +08:00 or Asia/Shanghai.")
    ] = None
    verbatim: Annotated[
        bool, typer.Option("--verbatim", help="Keep the turns, learn nothing from them.")
    ] = False
    wait: Annotated[
        bool, typer.Option("--wait/--no-wait", help="Wait for what is learnt, or do not.")
    ] = True
    timeout: Annotated[float, typer.Option(help="Seconds to wait, at most.", min=0)] = 600.0


@dataclass(frozen=True)
class Sent:
    """A conversation that was sent: what was new of it, and the jobs that learn from it."""

    taken: Taken
    added: int
    job_ids: tuple[str, ...] = ()
    jobs: tuple[Job, ...] = ()
    noticed: tuple[str, ...] = ()


@command
def ingest(file: File, how: Ingest) -> int:
    """Take in the conversations of a file, and wait for what is learnt from them.

    A transcript. Times are optional: a line without one has that of the line before. One that
    names no zone needs --zone:

    \b
    [2026-04-14 09:05] me: I moved to Brno.
    assistant: Noted.

    Or JSON: a list of messages, or an object (one, a list of them, or one a line):

    \b
    {"id": "trip", "messages": [{"role": "user", "content": "我五月去成都",
      "at": "2026-04-14T09:05:00+08:00"}]}
    """
    found = _read(file, how)
    if not found:
        note("There is no message in it.")
        return NOTHING
    sent: list[Sent] = []
    with connect() as api:
        try:
            for talk in found:
                sent.append(_sent(api, talk, how))
            if how.wait:
                sent = _waited(api, sent, how)
        except ClientError as error:
            if not sent:
                raise
            complain(error, as_json=how.as_json)
            note("Run the same command again to go on: what was sent is not sent twice.")
            return _told(sent, how, failed=True)
    return _told(sent, how)


def _read(file: str, how: Ingest) -> list[talks.Talk]:
    try:
        raw = sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()
        zone = zone_of(how.zone) if how.zone is not None else None
        name = how.session or talks.name_of(file) or f"stdin-{uuid.uuid4().hex[:12]}"
        reading = talks.Reading(zone=zone, me=how.me)
        found = talks.talks_of(raw.decode("utf-8"), name=name, how=reading)
    except UnicodeDecodeError as error:
        raise typer.BadParameter(f"{file}: is not UTF-8", param_hint="FILE") from error
    except BadLine as error:
        raise typer.BadParameter(f"{file}: {error}", param_hint="FILE") from error
    except ValueError as error:
        raise typer.BadParameter(str(error), param_hint="--zone") from error
    except OSError as error:
        raise typer.BadParameter(f"{file}: {error.strerror}", param_hint="FILE") from error
    if how.session is not None and len(found) > 1:
        message = f"the file holds {len(found)} conversations; they cannot share one id"
        raise typer.BadParameter(message, param_hint="--session")
    if how.session is not None:
        found = [talks.Talk(how.session, one.messages, one.fields) for one in found]
    return [one for one in found if one.messages]


def _sent(api: Api, talk: talks.Talk, how: Ingest) -> Sent:
    """Send a conversation, in as many requests as it needs; the last one ends it."""
    fields = {**talk.fields, **({"infer": False} if how.verbatim else {})}
    first, *others = _batches(talk.messages)
    body: JsonObject = {"id": talk.name, "messages": [*first], "end": not others, **fields}
    all_taken = [api.ask(calls.converse(how.whose, body, key=_key()))]
    if others:
        known = len(first) if all_taken[0].added else _known(api, talk, how)
        more: list[list[JsonObject]] = [*_batches(talk.messages[known:])] or [[]]
        for number, batch in enumerate(more, 1):
            body = {"end": number == len(more), **_said(fields)}
            if batch:
                body["messages"] = [*batch]
            all_taken.append(api.ask(calls.append(how.whose, talk.name, body, key=_key())))
    ids = dict.fromkeys(taken.job_id for taken in all_taken if taken.job_id is not None)
    noticed = tuple(admitted.told(taken.admission for taken in all_taken))
    return Sent(all_taken[-1], sum(taken.added for taken in all_taken), tuple(ids), noticed=noticed)


def _known(api: Api, talk: talks.Talk, how: Ingest) -> int:
    """How many messages of a file are stored, from the first on; raises Unsendable where others
    are between them.
    """
    cursor, number = None, 0
    while True:
        page = api.ask(calls.conversation(how.whose, talk.name, limit=100, cursor=cursor))
        for stored in page.messages:
            if number == len(talk.messages):
                return number
            if not _same(talk.messages[number], stored):
                raise Unsendable(
                    f"the conversation {talk.name} holds other messages than the file, from the "
                    f"{number + 1}. on; name another one with --session"
                )
            number += 1
        cursor = page.next
        if cursor is None:
            return number


def _same(sent: JsonObject, stored: Said) -> bool:
    """Tell whether a message is the stored one, as far as it is a plain text."""
    content = sent.get("content")
    if stored.redacted or not isinstance(content, str):
        return True
    return admitted.same_but_redacted(content, stored.content)


def _said(fields: JsonObject) -> JsonObject:
    """What every request of a conversation must say: whose word it is, and what becomes of it."""
    return {name: value for name, value in fields.items() if name in ("infer", "origin")}


def _key() -> str:
    return f"ingest-{uuid.uuid4()}"


def _batches(messages: list[JsonObject]) -> Iterator[list[JsonObject]]:
    """Runs of messages that fit into a request."""
    batch: list[JsonObject] = []
    chars = 0
    for message in messages:
        size = len(json.dumps(message, ensure_ascii=False))
        if batch and (len(batch) == MESSAGES or chars + size > CHARS):
            yield batch
            batch, chars = [], 0
        batch.append(message)
        chars += size
    if batch:
        yield batch


def _waited(api: Api, sent: list[Sent], how: Ingest) -> list[Sent]:
    """The same with their jobs as they ended, or as they are when the time is up."""
    console = err()
    columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
    hidden = how.as_json or not console.is_terminal
    waited = []
    with Progress(*columns, console=console, transient=True, disable=hidden) as steps:
        bar = steps.add_task("learning", total=sum(len(one.job_ids) for one in sent) or 1)
        for one in sent:
            ended = tuple(_ended(api, job_id, how, steps, bar) for job_id in one.job_ids)
            waited.append(replace(one, jobs=ended))
    return waited


def _ended(api: Api, job_id: str, how: Ingest, steps: Progress, bar: TaskID) -> Job:
    """A job as it ended; the bar moves with its turns."""
    before = steps.tasks[0].completed

    def watch(job: Job) -> None:
        waits = "" if job.ended else why(job)
        steps.update(bar, description=f"learning ({waits})" if waits else "learning")
        turns = max(1, job.last_turn - job.first_turn + 1)
        share = 1.0 if job.ended else min(1.0, job.counts.turns / turns)
        steps.update(bar, completed=before + share)

    looked = calls.finished(api.url, how.whose, job_id, seconds=how.timeout, watch=watch)
    return api.run(looked)


def _told(sent: list[Sent], how: Ingest, *, failed: bool = False) -> int:
    if how.as_json:
        print_json({"conversations": [_raw(one) for one in sent]})
    else:
        for one in sent:
            _print(one, how)
        for told in _reasons(sent):
            note(told)
    late = how.wait and any(not job.ended for one in sent for job in one.jobs)
    if late and not how.as_json:
        note("Not all is done yet; it goes on by itself: `hindwise jobs list` tells how far it is.")
    bad = any(job.state in BAD for one in sent for job in one.jobs)
    return FAILED if failed or bad or late else OK


def _raw(one: Sent) -> JsonObject:
    said = one.taken.raw()
    return {
        **said,
        "added": one.added,
        "job_ids": [*one.job_ids],
        "jobs": [job.raw() for job in one.jobs],
    }


def _print(one: Sent, how: Ingest) -> None:
    taken = one.taken
    words = [taken.conversation_id, f"{one.added} new of {taken.messages} messages"]
    if not how.wait:
        words += [f"job {job_id}" for job_id in one.job_ids]
    for state in dict.fromkeys(job.state for job in one.jobs):
        reasons = sorted({job.reason for job in one.jobs if job.state == state and job.reason})
        words.append(f"{state}{' (' + ', '.join(reasons) + ')' if reasons else ''}")
    line(DOT.join(words))
    if told := summary([job.counts for job in one.jobs]):
        line(f"  {told}" if one.added else f"  nothing new; before: {told}")


def _reasons(sent: list[Sent]) -> list[str]:
    """Why something is not learnt, or not yet, each once."""
    kept = [f"{code}: {SAID.get(code, code)}" for one in sent if (code := one.taken.verbatim)]
    noticed = [each for one in sent for each in one.noticed]
    return [*dict.fromkeys([*noticed, *explained(job for one in sent for job in one.jobs), *kept])]


def summary(counts: list[Counts], *, calls_too: bool = True) -> str:
    """What jobs did, in words; empty where they did nothing."""
    refused = sum(sum(one.refused.values()) for one in counts)
    named = {
        "learnt": sum(one.created for one in counts),
        "known already": sum(one.duplicates for one in counts),
        "held for review": sum(one.held for one in counts),
        "refused": refused,
    }
    calls_made = sum(one.llm_calls for one in counts) if calls_too else 0
    said = [f"{number} {word}" for word, number in named.items() if number]
    return ", ".join([*said, *([f"model calls: {calls_made}"] if calls_made else [])])
