"""`hindwise review`: what waits for a person, and what that person says of it."""

import uuid
from dataclasses import dataclass
from typing import Annotated

import typer

from hindwise.cli.config import connect
from hindwise.cli.lookup import shown
from hindwise.cli.options import NOTHING, OK, Asking, command, said
from hindwise.cli.show import show
from hindwise.cli.words import DOT, line, note, print_json
from hindwise.client import reviews
from hindwise.client.answers import JsonObject
from hindwise.client.api import Api
from hindwise.client.reviews import Review, Reviewed

review = typer.Typer(help="See what waits for a person, and decide about it.", no_args_is_help=True)
Id = Annotated[str, typer.Argument(metavar="ID", help="A memory's id, as `review list` shows it.")]
Words = Annotated[str, typer.Argument(metavar="TEXT", help="What it is to say; - reads it.")]


@dataclass(frozen=True)
class Which(Asking):
    """Which reviews are listed."""

    all_users: Annotated[
        bool, typer.Option("--all", help="Of all users that the key may act for.")
    ] = False
    kind: Annotated[
        list[str] | None,
        typer.Option(
            metavar="KIND",
            help="Only quarantined, contested, periodic, consensus or decision; repeatable.",
        ),
    ] = None
    limit: Annotated[int, typer.Option(help="How many, 1 to 100.", min=1, max=100)] = 20


@dataclass(frozen=True)
class Because(Asking):
    """Why it is decided so."""

    reason: Annotated[
        str | None, typer.Option(metavar="TEXT", help="Why; kept with the version.")
    ] = None


@review.command("list")
@command
def listed(which: Which) -> int:
    """List what waits, the newest memories first."""
    user = None if which.all_users else which.whose
    kinds = tuple(which.kind or ())
    with connect() as api:
        page = api.ask(reviews.waiting(user, kinds=kinds, limit=which.limit))
    if which.as_json:
        print_json(page.raw())
    elif page.results:
        for one in page.results:
            line(one.memory.content, "bold")
            line(DOT.join([one.memory.id, one.user_id, f"from {one.memory.origin}", *_why(one)]))
        note("To decide: `hindwise review approve ID`, `reject ID` or `edit ID TEXT`.")
    else:
        whose = "" if user is None else f" among the memories of {user}; --all looks at all users"
        note(f"Nothing waits for a reviewer{whose}.")
    if page.next is not None and not which.as_json:
        note("There are more: narrow with --kind, or decide about these first.")
    return OK if page.results else NOTHING


def _why(one: Review) -> list[str]:
    """Why it waits: the list's reason, rules, what it stands against, how often it was recalled."""
    recalled = one.memory.raw().get("access_count")
    told = [", ".join(one.kinds), ", ".join(one.rules)]
    told += [f"against {other.id}" for other in one.against]
    return [*filter(None, told), *([f"recalled {recalled} times"] if recalled else [])]


review.command("show")(show)


@review.command("approve")
@command
def approve(memory_id: Id, because: Because) -> int:
    """Let it stand; a contested value becomes the current one."""
    return _decided(memory_id, "approve", because, as_seen=True)


@review.command("reject")
@command
def reject(memory_id: Id, because: Because) -> int:
    """Hide it for good; what rests on it is told."""
    return _decided(memory_id, "reject", because)


@review.command("edit")
@command
def edit(memory_id: Id, text: Words, because: Because) -> int:
    """Let it stand with other words."""
    return _decided(memory_id, "edit", because, content=said(text))


@review.command("reopen")
@command
def reopen(memory_id: Id, because: Because) -> int:
    """Take it out of use until somebody decides again."""
    return _decided(memory_id, "reopen", because)


def _decided(
    memory_id: str,
    action: str,
    because: Because,
    *,
    content: str | None = None,
    as_seen: bool = False,
) -> int:
    """Decide about a memory; `as_seen`, only if it is as it was read a moment before."""
    key = f"review-{uuid.uuid4()}"
    told: JsonObject = {"action": action}
    if because.reason is not None:
        told["reason"] = because.reason
    if content is not None:
        told["content"] = content

    def ask(api: Api) -> Reviewed:
        version = api.read(because.whose, memory_id).version if as_seen else None
        return api.ask(reviews.decide(because.whose, memory_id, told, key=key, version=version))

    return shown(ask, _print, because)


def _print(done: Reviewed) -> None:
    line(done.memory.content, "bold")
    line(DOT.join([done.id, done.status, f"version {done.version}"]))
    if done.status == "contested":
        note("A value of higher authority, or a surer one, keeps the place: see `review list`.")
