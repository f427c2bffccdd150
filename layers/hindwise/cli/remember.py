"""`hindwise remember`: one memory from the command line."""

import json
import uuid
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Annotated

import typer

from hindwise.cli.admitted import told
from hindwise.cli.config import connect
from hindwise.cli.options import OK, Asking, command, said
from hindwise.cli.words import line, note, print_json
from hindwise.client.answers import JsonObject, Written

Text = Annotated[
    str, typer.Argument(metavar="TEXT", help="What to remember; `-` reads it from standard input.")
]


@dataclass(frozen=True)
class Fields(Asking):
    """A memory's fields; what is not given is left to the server."""

    kind: Annotated[
        str | None,
        typer.Option(help="episodic (happened), semantic (known) or working (scratch)."),
    ] = None
    type: Annotated[
        str | None, typer.Option(help="fact, preference, decision, todo or pattern.")
    ] = None
    subject: Annotated[
        str | None, typer.Option(help="Who or what it is about; with --attribute.")
    ] = None
    attribute: Annotated[
        str | None, typer.Option(help="With --subject: one current value, the newest.")
    ] = None
    value: Annotated[str | None, typer.Option(help="The attribute's value.")] = None
    tag: Annotated[list[str] | None, typer.Option(metavar="NAME", help="A label; repeatable.")] = (
        None
    )
    entity: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="A name in it; repeatable.")
    ] = None
    importance: Annotated[float | None, typer.Option(help="0 to 1; default 0.5.")] = None
    confidence: Annotated[float | None, typer.Option(help="0 to 1.")] = None
    at: Annotated[
        str | None,
        typer.Option(help="When it happened, with zone: 2026-01-15T18:30:00+08:00."),
    ] = None
    session: Annotated[str | None, typer.Option(help="The conversation it was said in.")] = None
    speaker: Annotated[str | None, typer.Option(help="Who said it.")] = None
    task: Annotated[str | None, typer.Option(help="The task it belongs to.")] = None
    key: Annotated[str | None, typer.Option(help="The slot of a working memory.")] = None
    domain: Annotated[str | None, typer.Option(help="The area it belongs to.")] = None
    scene: Annotated[str | None, typer.Option(help="Where it holds, e.g. work.")] = None
    metadata: Annotated[str | None, typer.Option(help="More, as a JSON object.")] = None
    external_id: Annotated[
        str | None, typer.Option(help="Your own id; writing it again edits the memory.")
    ] = None


NAMES = {
    "at": "event_time",
    "session": "session_id",
    "task": "task_id",
    "tag": "tags",
    "entity": "entities",
}
"""The options that the API calls otherwise."""
NOT_SENT = {"as_json", "user", "metadata"}


@command
def remember(text: Text, given: Fields) -> int:
    """Remember something: what happened, or what is known."""
    _check_slot(given)
    body: JsonObject = {"content": said(text), **_named(given)}
    with connect() as api:
        written = api.write(given.whose, body, key=f"remember-{uuid.uuid4()}")
    if given.as_json:
        print_json(written.raw())
    else:
        line(_told(written))
        for each in told([written.admission]):
            note(each)
        if written.status == "quarantined":
            note("Nothing recalls it before a reviewer has decided:")
            note(f"hindwise review show {written.id} --user {given.whose}")
    return OK


def _check_slot(given: Fields) -> None:
    """A slot is a subject with an attribute; either alone names nothing that can be current."""
    if given.attribute is not None and given.subject is None:
        raise typer.BadParameter("needs --subject: whose it is", param_hint="--attribute")
    if given.subject is not None and given.attribute is None:
        message = "needs --attribute: what of it this tells (a mere name is an --entity)"
        raise typer.BadParameter(message, param_hint="--subject")


def _named(given: Fields) -> JsonObject:
    values = {one.name: getattr(given, one.name) for one in fields(given)}
    named: JsonObject = {
        NAMES.get(name, name): value
        for name, value in values.items()
        if name not in NOT_SENT and value not in (None, [])
    }
    if given.metadata is not None:
        named["metadata"] = json_object(given.metadata, "--metadata")
    return named


def json_object(text: str, option: str) -> JsonObject:
    """The JSON object that an option holds; `@FILE` reads it from a file."""
    try:
        if text.startswith("@"):
            text = Path(text[1:]).read_text(encoding="utf-8")
        value = json.loads(text)
    except (OSError, ValueError, RecursionError) as error:
        raise typer.BadParameter(f"{error}", param_hint=option) from error
    if not isinstance(value, dict):
        raise typer.BadParameter('must be a JSON object, like {"a": 1}', param_hint=option)
    return value


def _told(written: Written) -> str:
    if written.status == "quarantined":
        return f"held {written.id}"
    if not written.created and not written.changed:
        return f"known already: {written.id}"
    told = f"remembered {written.id}" if written.created else f"updated {written.id}"
    if written.superseded:
        told += f", in place of {', '.join(written.superseded)}"
    if written.contested:
        told += ", contested: a surer value stands"
    return told
