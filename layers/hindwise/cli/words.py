"""How answers look on a terminal: tables, one-line facts, errors with what to do about them.

Memories are data: their text reaches the terminal without its control characters and is never read
as markup.
"""

import json
import re
import sys
from collections.abc import Mapping
from datetime import datetime

from pydantic import JsonValue
from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from hindwise.cli.config import (
    address,
    client_settings,
    data_folder,
    in_checkout,
    key_of,
    served_at,
)
from hindwise.client.answers import Memory
from hindwise.client.errors import Answered, ClientError, NotHindwise, Unreachable
from hindwise.errors import HindwiseError

_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")
_FIELD = re.compile(r"(^|; )([a-z_]+(?:\.[\w.-]+)?):")
DOT = " · "
TYPED = {
    "content": "TEXT", "query": "QUERY", "event_time": "--at", "session_id": "--session",
    "task_id": "--task", "tags": "--tag", "entities": "--entity", "filters": "--filter",
    "top_k": "--top-k", "max_tokens": "--max-tokens", "as_of": "--as-of", "user_id": "--user",
    "external_id": "--external-id",
}  # fmt: skip
"""What the fields of the API are called on the command line, where it is not `--` and the name."""
SAME = frozenset({
    "kind", "type", "subject", "attribute", "value", "importance", "confidence", "speaker", "key",
    "domain", "scene", "metadata", "mode", "include", "now", "background", "history",
})  # fmt: skip


def out() -> Console:
    """The console for answers; made anew, so that it is the terminal of this moment."""
    return Console(highlight=False, soft_wrap=False)


def err() -> Console:
    """The console for everything that is not the answer."""
    return Console(stderr=True, highlight=False, soft_wrap=True)


def plain(text: str, style: str = "") -> Text:
    """Text as data: no markup, no control characters."""
    return Text(_CONTROL.sub("\N{REPLACEMENT CHARACTER}", text), style=style)


def line(text: str, style: str = "") -> None:
    """Print one line of an answer, never cut."""
    out().print(plain(text, style), soft_wrap=True)


def note(text: str, style: str = "dim") -> None:
    """Say something beside the answer."""
    err().print(plain(text, style))


def print_json(value: Mapping[str, JsonValue]) -> None:
    """Print an answer as JSON, one document, readable."""
    sys.stdout.write(json.dumps(value, ensure_ascii=False, indent=2) + "\n")


def table(*columns: str) -> Table:
    """A table without a frame; its last column takes what room there is."""
    made = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False)
    for name in columns[:-1]:
        made.add_column(name, no_wrap=True)
    made.add_column(columns[-1], overflow="fold", ratio=1)
    return made


def counted(count: int, one: str, many: str = "") -> str:
    """A count with its noun: `1 memory`, `2 memories`, by default with an `s` for many."""
    return f"{count} {one if count == 1 else many or f'{one}s'}"


def memories(count: int) -> str:
    """How many memories."""
    return counted(count, "memory", "memories")


def when(moment: datetime) -> str:
    """A moment to the minute, in the zone it was given with."""
    zone = moment.strftime("%z")
    shown = "" if zone in ("+0000", "") else f" {zone[:3]}:{zone[3:]}"
    return f"{moment:%Y-%m-%d %H:%M}{shown or ' UTC'}"


def age(days: float) -> str:
    """How long ago, in the largest unit that says something."""
    if days < 1:
        return "today" if days * 24 < 1 else f"{days * 24:.0f} h"
    if days < 60:
        return f"{days:.0f} d"
    return f"{days / 30.44:.0f} months" if days < 730 else f"{days / 365.25:.1f} years"


def kind_of(memory: Memory) -> str:
    """What a memory is: the type of what is known, the kind of all else."""
    return memory.type or memory.kind


def marked(memory: Memory) -> str:
    """The state of a memory, where it is not simply active."""
    return "" if memory.status == "active" else f"({memory.status}) "


def complain(error: ClientError | HindwiseError, *, as_json: bool) -> None:
    """Say what went wrong, at which field, and what to do about it."""
    if as_json:
        details = getattr(error, "details", {})
        envelope = {"code": error.code, "message": str(error), "details": details}
        sys.stderr.write(json.dumps({"error": envelope}, ensure_ascii=False, default=str) + "\n")
        return
    note(message_of(error), "red")
    if advice := advice_for(error):
        note(advice)


def missing(error: Answered, user: str, *, as_json: bool) -> None:
    """Say that something is not there, and for whom it was looked: the usual cause."""
    complain(error, as_json=as_json)
    if not as_json:
        note(f"It was looked for among those of the user {user}; --user names another.")


def message_of(error: ClientError | HindwiseError) -> str:
    """The error's words, with what was typed in place of the API's fields."""
    if not isinstance(error, Answered) or error.status != 400:
        return str(error)
    text, field = str(error), error.field
    if field and field not in text:
        text = f"{field}: {text}"
    return _FIELD.sub(lambda found: f"{found[1]}{typed(found[2])}:", text)


def typed(field: str) -> str:
    """What a field of the API is called on the command line: `--at`, `TEXT`, `--filter kind`."""
    name, _, below = field.partition(".")
    word = TYPED.get(name, f"--{name}" if name in SAME else name)
    return f"{word} {below}" if below and not below.isdigit() else word


def advice_for(error: ClientError | HindwiseError) -> str:
    """What to do next; empty where the message says it all."""
    settings = client_settings()
    if isinstance(error, Unreachable):
        start = "hindwise dev" if in_checkout() else "`make dev` in a checkout of Hindwise"
        return f"Start the server with {start}, or set HINDWISE_URL to where it is."
    if isinstance(error, NotHindwise):
        return f"Set HINDWISE_URL to where Hindwise is, in place of {address(settings)}."
    if isinstance(error, Answered) and (error.status, str(error)) == (404, "Not Found"):
        return f"{address(settings)} does not know this call; is HINDWISE_URL right?"
    if isinstance(error, Answered) and error.status in (401, 403) and error.code != "invalid":
        if not key_of(settings):
            if not settings.hindwise_url and served_at(settings) is None:
                return (
                    f"{address(settings)} is not the server of {data_folder(settings)}, of which "
                    "none runs: start it, or set HINDWISE_URL and HINDWISE_KEY for this one."
                )
            return "There is no key: set HINDWISE_KEY (`hindwise keys create NAME` makes one)."
        if error.status == 401 or str(error) == "Forbidden":
            return (
                "The key is unknown or revoked: check HINDWISE_KEY, or make one with "
                "`hindwise keys create NAME`."
            )
        return (
            "HINDWISE_KEY sets another key; whoever may open the table makes one with "
            "`hindwise keys create NAME`, --role and --user saying what it may do."
        )
    return ""
