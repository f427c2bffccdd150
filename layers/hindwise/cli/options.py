"""How a command is declared: options in frozen groups, exit codes returned, errors in words.

Typer knows one parameter an option; a group keeps a command of fifteen options readable, and
`command` spreads it into what Typer wants. It is also the outermost edge: no traceback leaves it.
"""

import inspect
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields, is_dataclass
from functools import wraps
from typing import Annotated, Any, get_type_hints

import typer

from hindwise.cli.config import client_settings
from hindwise.cli.words import complain
from hindwise.client.errors import Answered, ClientError
from hindwise.errors import HindwiseError, Invalid

OK, FAILED, USAGE, NOTHING, DEGRADED = range(5)
"""Exit codes: answered; failed; wrong usage; nothing found; answered, but not by all parts."""


@dataclass(frozen=True)
class Output:
    """What every command takes."""

    as_json: Annotated[
        bool, typer.Option("--json", help="Print the answer as JSON, errors too.")
    ] = False


@dataclass(frozen=True)
class Asking(Output):
    """What every command takes that is about one user's memories."""

    user: Annotated[
        str | None, typer.Option(help="Whose memories; default: HINDWISE_USER, else `me`.")
    ] = None

    @property
    def whose(self) -> str:
        """The user that is meant; an empty name is wrong usage, not this machine's user."""
        if self.user is None:
            return client_settings().hindwise_user
        if not self.user.strip():
            message = "must not be empty; is a variable of the shell unset?"
            raise typer.BadParameter(message, param_hint="--user")
        return self.user


def command(act: Callable[..., int]) -> Callable[..., None]:
    """Make a function that takes groups of options, and returns an exit code, a Typer command."""
    hints = get_type_hints(act, include_extras=True)
    given = inspect.signature(act).parameters.values()
    groups = {one.name: hints[one.name] for one in given if is_dataclass(hints[one.name])}
    plain = [one.replace(annotation=hints[one.name]) for one in given if one.name not in groups]
    spread = [one for group in groups.values() for one in _parameters(group)]

    @wraps(act)
    def run(**values: Any) -> None:
        grouped = {
            name: group(**{one.name: values.pop(one.name) for one in fields(group)})
            for name, group in groups.items()
        }
        as_json = any(isinstance(one, Output) and one.as_json for one in grouped.values())
        try:
            code = act(**values, **grouped)
        except (ClientError, HindwiseError) as error:
            complain(error, as_json=as_json)
            code = USAGE if _of_usage(error) else FAILED
        raise typer.Exit(code)

    signature = inspect.Signature([*plain, *spread])
    run.__signature__ = signature  # type: ignore[attr-defined]
    run.__annotations__ = {one.name: one.annotation for one in signature.parameters.values()}
    return run


def _of_usage(error: ClientError | HindwiseError) -> bool:
    """Tell whether what was typed is to blame."""
    return isinstance(error, Invalid) or (isinstance(error, Answered) and error.status == 400)


def _parameters(group: type) -> Iterator[inspect.Parameter]:
    hints = get_type_hints(group, include_extras=True)
    for one in fields(group):
        yield inspect.Parameter(
            one.name,
            inspect.Parameter.KEYWORD_ONLY,
            default=one.default,
            annotation=hints[one.name],
        )


def said(text: str) -> str:
    """The text of an argument; `-` reads it from standard input."""
    if text != "-":
        return text
    try:
        return sys.stdin.buffer.read().decode("utf-8-sig").rstrip("\r\n")
    except UnicodeDecodeError as error:
        raise typer.BadParameter("standard input is not UTF-8") from error
