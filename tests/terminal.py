"""A person's terminal: the command line, against a local server started by it."""

import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from typer.testing import CliRunner

from hindwise.cli.app import app

HINDWISE = (sys.executable, "-c", "from hindwise.cli.app import main; main()")
START_SECONDS = 60


class Done(NamedTuple):
    """How a command ended, and what it printed."""

    returncode: int
    stdout: str
    stderr: str


@dataclass(frozen=True)
class Terminal:
    """Runs commands as a person would: settings in the environment, nothing else."""

    url: str
    data: Path

    def env(self) -> dict[str, str]:
        kept = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
        return {**kept, "HINDWISE_URL": self.url, "HINDWISE_DATA": str(self.data), "COLUMNS": "90"}

    def run(self, *words: str, **env: str) -> Done:
        """Run a command; `keys` in a process of its own, because it changes its environment."""
        if words[0] != "keys":
            result = CliRunner().invoke(app, words, env={**self.env(), "HINDWISE_KEY": "", **env})
            return Done(result.exit_code, result.stdout, result.stderr)
        done = subprocess.run(
            [*HINDWISE, *words],
            env={**self.env(), **env},
            capture_output=True,
            text=True,
            check=False,
        )
        return Done(done.returncode, done.stdout, done.stderr)

    def said(self, *words: str, code: int = 0) -> Any:
        """The answer of a command as JSON."""
        done = self.run(*words, "--json")
        assert done.returncode == code, done.stderr
        return json.loads(done.stdout)


def start(terminal: Terminal) -> subprocess.Popen[str]:
    port = terminal.url.rsplit(":", 1)[1]
    server = subprocess.Popen(
        [*HINDWISE, "dev", "--port", port],
        env=terminal.env(),
        cwd=terminal.data.parent,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline and server.poll() is None:
        try:
            urllib.request.urlopen(f"{terminal.url}/v1/health", timeout=5).close()
        except OSError:
            time.sleep(0.1)
        else:
            return server
    server.kill()
    raise AssertionError(server.communicate()[0])


def stop(server: subprocess.Popen[str]) -> tuple[int, str]:
    server.send_signal(signal.SIGINT)
    output, _ = server.communicate(timeout=120)
    return server.returncode, output


def terminal_in(folder: Path) -> Terminal:
    """A terminal of a server that is not started yet, at a port that is free."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    return Terminal(f"http://127.0.0.1:{port}", folder / "data")
