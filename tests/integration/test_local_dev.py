"""The dev server as a person starts it: a process, real handlers, state that stays."""

import json
import os
import re
import signal
import socket
import stat
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.local_dev import Dev

pytestmark = pytest.mark.ministack


def test_second_run_finds_the_memories_of_the_first(
    run: Callable[..., Dev], tmp_path: Path
) -> None:
    first = run(tmp_path)
    greeting = first.greeting()
    key = first.key_file.read_text().strip()
    assert re.fullmatch(r"hw_local_[\w-]{43}", key) and key in greeting and "curl" in greeting
    assert "loses what was accepted" in greeting
    assert "learning: a demo of a few rules, no language model" in greeting
    assert f"export HINDWISE_DATA={tmp_path}" in greeting
    assert f"export HINDWISE_URL={first.url}" in greeting
    address = tmp_path / "run" / "server.json"
    said = {"url": first.url, "pid": first.process.pid, "search": {"EMBEDDER": "hashed"}}
    told = json.loads(address.read_text())
    kept = told.pop("kept")
    assert told == said and kept["SECRET_ARN"] and kept["MEMORY_BUCKET"]
    assert stat.S_IMODE(first.key_file.stat().st_mode) == 0o600
    memory = first.remember("We moved the release to Thursday.")
    first.remember("我上周订的那张去成都的机票改到周五了")
    deadline = time.monotonic() + 20
    while first.ask("/v1/stats?user_id=me")["waiting"]:
        assert time.monotonic() < deadline, "the projection did not drain"
        time.sleep(0.1)
    assert first.found("when is the release?")[0] == "We moved the release to Thursday."
    code, out, _ = first.stop()
    assert code == 0 and out.endswith("saved\n")
    assert not address.exists()

    second = run(tmp_path)
    second.greeting()
    assert second.key_file.read_text().strip() == key
    assert second.ask(f"/v1/memories/{memory}?user_id=me")["content"].startswith("We moved")
    assert second.found("去成都的航班")[0].startswith("我上周订的")
    second.remember("The keys are with Ana.")
    second.stop(signal.SIGINT)


def test_killed_server_loses_nothing_while_the_emulator_lives(
    run: Callable[..., Dev], tmp_path: Path
) -> None:
    killed = run(tmp_path)
    killed.greeting()
    killed.remember("The keys are with Ana.")
    killed.stop(signal.SIGKILL)
    again = run(tmp_path)
    again.greeting()
    assert again.found("who has the keys?") == ["The keys are with Ana."]


def test_an_emulator_that_dies_ends_the_server_which_says_what_is_lost(
    run: Callable[..., Dev], tmp_path: Path
) -> None:
    dev = run(tmp_path)
    dev.greeting()
    dev.remember("The keys are with Ana.")
    emulator = json.loads((tmp_path / "run" / "emulator.json").read_text())
    os.kill(emulator["pid"], signal.SIGKILL)
    code, out, err = finished(dev)
    assert code == 1 and "saved" not in out
    assert "the emulated AWS ended by itself" in err
    assert "lost: everything that was accepted since this start" in err
    assert str(tmp_path / "emulator.log") in err and "Traceback" not in err
    assert not (tmp_path / "run" / "server.json").exists()


def test_a_terminal_that_is_closed_stops_it_and_it_saves(
    run: Callable[..., Dev], tmp_path: Path
) -> None:
    dev = run(tmp_path)
    dev.greeting()
    dev.remember("The keys are with Ana.")
    assert dev.process.stdout is not None and dev.process.stderr is not None
    dev.process.stdout.close()
    dev.process.stderr.close()
    dev.process.send_signal(signal.SIGHUP)
    dev.process.wait(timeout=60)
    assert not (tmp_path / "run" / "emulator.json").exists()
    again = run(tmp_path)
    again.greeting()
    assert again.found("who has the keys?") == ["The keys are with Ana."]


@pytest.mark.parametrize(("name", "value"), [("EMBEDDER", "nonsense"), ("SEARCH_COVERAGE", "many")])
def test_a_variable_that_is_wrong_is_named_before_anything_starts(
    run: Callable[..., Dev], tmp_path: Path, name: str, value: str
) -> None:
    code, out, err = finished(run(tmp_path, **{name: value}))
    assert (code, out) == (1, "")
    assert err.startswith(f"{name}: ") and "Traceback" not in err
    assert not (tmp_path / "emulator.log").exists()


@pytest.mark.parametrize("port", [80_000, -1])
def test_a_number_that_is_no_port_is_wrong_usage(
    run: Callable[..., Dev], tmp_path: Path, port: int
) -> None:
    code, _, err = finished(run(tmp_path, port))
    assert code == 2 and "is no port: say PORT= a number, 1 to 65535" in err


def test_taken_port_is_named(run: Callable[..., Dev], tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        code, _, err = finished(run(tmp_path, port))
    assert code == 1 and f"cannot listen on 127.0.0.1:{port}" in err and "PORT=" in err


def test_folder_belongs_to_one_server(run: Callable[..., Dev], tmp_path: Path) -> None:
    run(tmp_path).greeting()
    code, _, err = finished(run(tmp_path))
    assert code == 1 and "another dev server uses" in err


@pytest.mark.parametrize(
    ("note", "tables", "complaint"),
    [
        ('{"format": 1}', '{"__ministack_format__": 2, "payl', "is damaged"),
        ('{"format": 1}', '{"__ministack_format__": 999, "payload": {}}', "could not be read"),
        ('{"format": 99}', "{}", "was written in format 99, this version reads 1"),
        ("nonsense", "{}", "cannot be read"),
        (None, "{}", "unknown format"),
    ],
)
def test_unreadable_state_is_left_alone(
    run: Callable[..., Dev], tmp_path: Path, note: str | None, tables: str, complaint: str
) -> None:
    (tmp_path / "aws").mkdir()
    file = tmp_path / "aws" / "dynamodb.json"
    file.write_text(tables)
    if note is not None:
        (tmp_path / "format.json").write_text(note)
    code, _, err = finished(run(tmp_path))
    assert code == 1 and complaint in err and "Traceback" not in err
    assert file.read_text() == tables


def finished(dev: Dev) -> tuple[int, str, str]:
    out, err = dev.process.communicate(timeout=60)
    return dev.process.returncode, out, err
