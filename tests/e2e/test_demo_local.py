"""The README's first conversation, on the laptop's server with its rules for a language model."""

import re
import subprocess
import sys
from collections.abc import Iterator

import pytest

from tests.readme import ROOT
from tests.terminal import Terminal, start, stop, terminal_in

MOVING = "samples/moving.jsonl"
MARCH = "2026-03-15T00:00:00+08:00"
pytestmark = pytest.mark.ministack


@pytest.fixture(scope="module")
def terminal(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Terminal]:
    made = terminal_in(tmp_path_factory.mktemp("demo"))
    server = start(made)
    try:
        yield made
    finally:
        stop(server)


def best(terminal: Terminal, *words: str) -> tuple[str, str]:
    [hit] = terminal.said("recall", *words, "--top-k", "1")["results"]
    return hit["content"], hit["status"]


def test_a_move_is_learnt_and_what_held_before_is_kept(terminal: Terminal) -> None:
    done = terminal.run("ingest", MOVING)
    assert (done.returncode, done.stdout.count("succeeded")) == (0, 2)
    now = ("The user lives in Shanghai.", "active")
    before = ("用户住在北京", "superseded")
    assert best(terminal, "Where do I live?") == now
    assert best(terminal, "我住在哪里？") == now
    turn = terminal.said("recall", "我住在哪里？", "--top-k", "2")["results"][1]
    assert (turn["kind"], len(turn["why"]["outdated_by"])) == ("episodic", 1)
    assert best(terminal, "我三月住在哪里？", "--now", "2026-06-01T09:00:00+08:00") == before
    assert best(terminal, "Where do I live?", "--as-of", MARCH) == before
    found = terminal.said("recall", "Where do I live?", "--as-of", MARCH, "--top-k", "1")
    shown = terminal.run("show", found["results"][0]["id"])
    assert "我住在北京，在五道口上班。" in shown.stdout


def test_the_same_file_teaches_nothing_twice(terminal: Terminal) -> None:
    terminal.run("ingest", MOVING)
    again = terminal.run("ingest", MOVING)
    assert again.returncode == 0
    assert [line for line in again.stdout.splitlines() if " 0 new of " in line] == [
        "moving-1 · 0 new of 4 messages · succeeded",
        "moving-2 · 0 new of 2 messages · succeeded",
    ]
    found = terminal.said("recall", "live", "--filter", '{"kind": "semantic"}')["results"]
    assert len(found) == len({hit["content"] for hit in found}) == 3


def test_python_does_the_same(terminal: Terminal) -> None:
    page = (ROOT / "docs" / "recipes.md").read_text()
    (shown,) = re.findall(r"^```python\n(.*?)^```", page, re.DOTALL | re.MULTILINE)
    typed = shown.replace("http://127.0.0.1:8787", terminal.url)
    typed = typed.replace(".hindwise/key", str(terminal.data / "key"))
    done = subprocess.run(
        [sys.executable, "-c", typed], capture_output=True, text=True, check=False, timeout=120
    )
    assert done.returncode == 0, done.stderr
    assert "succeeded" in done.stdout and "用户住在成都 0.9" in done.stdout
    assert "我住在成都。" in done.stdout
