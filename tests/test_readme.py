"""What the pages show must work: commands parse, bodies are accepted, paths and variables exist."""

import re
import shlex
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

import pytest
import typer
from typer.main import get_command

from hindwise import settings
from hindwise.cli.app import app
from hindwise.cli.config import ClientSettings
from hindwise.cli.lines import entries, parsed, zone_of
from hindwise.domain.scope import Principal, Role
from hindwise.runtime.contracts.conversations import conversation_of
from hindwise.runtime.contracts.memories import draft_of, edit_of
from hindwise.runtime.contracts.search import context_of, query_of
from hindwise.runtime.routes import ROUTES, find
from tests.readme import COMMANDS, INLINE, PAGES, README, ROOT, calls

FOLDERS = ("functions/", "layers/", "infra/", "tests/", "bench/", "samples/", "docs/")
NOW = datetime(2026, 1, 1, tzinfo=UTC)
ANN = Principal(tenant="local", name="laptop", role=Role.WRITER)


def parse(command: str) -> None:
    """Let Typer parse a command line, to the last subcommand, without running it."""
    words = shlex.split(command, comments=True)[1:]
    current, name = get_command(app), "hindwise"
    context = current.make_context(name, words)
    while hasattr(current, "resolve_command"):
        rest = [*context._protected_args, *context.args]
        found, current, rest = current.resolve_command(context, rest)
        assert current is not None, found
        with suppress(typer.Exit):  # of --help
            context = current.make_context(found, rest, parent=context)


@pytest.mark.parametrize("command", [*COMMANDS, *INLINE])
def test_commands_parse(command: str) -> None:
    words = shlex.split(command)
    if command in INLINE and len(words) == 2:
        assert words[1] in get_command(app).commands
    else:
        parse(command)


def test_there_are_commands_and_a_wrong_one_does_not_parse() -> None:
    assert len(COMMANDS) >= 8
    assert len(INLINE) >= 8
    for wrong in ("hindwise remembr x", "hindwise recall x --no-such-option", "hindwise show"):
        with pytest.raises((typer.BadParameter, Exception), match=r"(?i)no such|missing"):
            parse(wrong)


def test_curl_bodies_are_accepted() -> None:
    accept = {
        "writeMemories": draft_of,
        "converse": conversation_of,
        "editMemory": edit_of,
        "search": lambda body: query_of(body, principal=ANN, now=NOW),
        "context": lambda body: context_of(body, principal=ANN, now=NOW),
    }
    shown = []
    for method, path, body, _ in calls():
        route, _ = find(ROUTES, {}, method, path.split("?")[0], encoded=True) or (None, {})
        assert route is not None, f"{method} {path}"
        if body:
            assert body.pop("user_id") == "ann"
            assert accept[route.operation](body)
        shown.append(route.operation)
    assert {*shown} == {*accept, "readConversation", "readHistory", "forgetMemory"}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_paths_exist(page: Path) -> None:
    text = page.read_text()
    named = {name for name in re.findall(r"`([\w./-]+)`", text) if name.startswith(FOLDERS)}
    linked = {name for name in re.findall(r"\]\(([^)]+)\)", text) if "://" not in name}
    files = set(re.findall(r"`([\w-]+\.(?:yaml|md|jsonl|LICENSE))`", text))
    for name in named | files:
        assert (ROOT / name).exists() or (page.parent / name).exists(), name
    for name in linked:
        assert (page.parent / name).exists(), name


def test_make_targets_exist() -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    named = {
        name
        for page in PAGES
        for name in re.findall(r"(?:^|`)make ([a-z-]+)", page.read_text(), re.MULTILINE)
    }
    assert named
    assert named <= targets


def test_every_function_is_invoked_with_its_event() -> None:
    for path in (ROOT / "functions").glob("*/app.py"):
        name = path.parent.name
        event = f"tests/events/{name}.json"
        assert f"`sam local invoke {name.capitalize()}Function --event {event}`" in README
        assert f"`make invoke FUNCTION={name}`" in README
        assert (ROOT / event).exists()


def test_every_variable_is_explained_and_every_explained_one_exists() -> None:
    groups = [
        group
        for group in vars(settings).values()
        if isinstance(group, type) and issubclass(group, settings.Settings)
    ]
    read = {name.upper() for group in [*groups, ClientSettings] for name in group.model_fields}
    explained = set()
    for row in re.findall(r"^\| (`[A-Z].*?) \|", README, re.MULTILINE):
        explained |= set(re.findall(r"`([A-Z_]+)`", row))
    assert explained == read


def test_the_sample_is_what_the_pages_say() -> None:
    raw = (ROOT / "samples/memorybank_cn.jsonl").read_bytes()
    said = [parsed(line) for line in raw.splitlines()]
    turns = [
        entry
        for number, one in enumerate(said, 1)
        for entry in entries(number, one or {}, zone_of("+08:00"))
    ]
    assert f"{len(turns)} stored" in README
    assert f"{len(turns)} turns" in (ROOT / "samples/README.md").read_text()
    assert {entry.conversation for entry in turns} == {"张曼婷", "王峰", "张志强"}
