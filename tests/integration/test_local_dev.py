"""The dev server as a person starts it: a process, real handlers, state that stays."""

import json
import os
import re
import signal
import socket
import stat
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from infra.local.emulator import free_port

pytestmark = pytest.mark.ministack

ROOT = Path(__file__).parents[2]
HOST = {
    "AWS_PROFILE": "production",
    "AWS_ACCESS_KEY_ID": "host",
    "AWS_SESSION_TOKEN": "host",
    "AWS_ENDPOINT_URL": "http://127.0.0.1:9",
    "AWS_DEFAULT_REGION": "eu-west-1",
    "EMBEDDER": "hashed",
}


class Dev:
    """One run of `python -m infra.local.dev`."""

    def __init__(self, data: Path, port: int, **env: str) -> None:
        self.url = f"http://127.0.0.1:{port}"
        self.data = data
        self.key_file = data / "key"
        self.process = subprocess.Popen(
            [sys.executable, "-m", "infra.local.dev", "--port", str(port), "--data", str(data)],
            cwd=ROOT,
            env={"PATH": os.environ["PATH"], **HOST, **env},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def greeting(self) -> str:
        assert self.process.stdout is not None
        lines = []
        for line in self.process.stdout:
            lines.append(line)
            if line.startswith("Ctrl-C"):
                break
        else:
            assert self.process.stderr is not None
            raise AssertionError(self.process.stderr.read())
        return "".join(lines)

    def ask(self, path: str, body: dict[str, Any] | None = None) -> Any:
        request = urllib.request.Request(
            self.url + path,
            data=None if body is None else json.dumps(body).encode(),
            headers={
                "authorization": f"Bearer {self.key_file.read_text().strip()}",
                "content-type": "application/json",
            },
        )
        with urllib.request.urlopen(request, timeout=20) as answer:
            return json.loads(answer.read())

    def found(self, query: str) -> list[str]:
        results = self.ask("/v1/search", {"user_id": "me", "query": query})["results"]
        return [each["content"] for each in results]

    def remember(self, content: str) -> str:
        body = {"user_id": "me", "kind": "episodic", "content": content}
        return str(self.ask("/v1/memories", body)["id"])

    def stop(self, number: signal.Signals = signal.SIGTERM) -> tuple[int, str, str]:
        self.process.send_signal(number)
        out, err = self.process.communicate(timeout=60)
        return self.process.returncode, out, err


@pytest.fixture
def run() -> Iterator[Callable[..., Dev]]:
    started: list[Dev] = []

    def start(data: Path, port: int | None = None, **env: str) -> Dev:
        started.append(Dev(data, port or free_port(), **env))
        return started[-1]

    yield start
    for dev in started:
        if dev.process.poll() is None:
            dev.stop()
        dev.process.communicate()


def test_second_run_finds_the_memories_of_the_first(
    run: Callable[..., Dev], tmp_path: Path
) -> None:
    first = run(tmp_path)
    greeting = first.greeting()
    key = first.key_file.read_text().strip()
    assert re.fullmatch(r"hw_local_[\w-]{43}", key) and key in greeting and "curl" in greeting
    assert "loses what was accepted" in greeting
    assert f"export HINDWISE_DATA={tmp_path}" in greeting
    assert f"export HINDWISE_URL={first.url}" in greeting
    address = tmp_path / "run" / "server.json"
    assert json.loads(address.read_text()) == {"url": first.url, "pid": first.process.pid}
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
