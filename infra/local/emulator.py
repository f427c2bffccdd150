"""Starts and stops the emulated AWS (MiniStack), which keeps its state in the data folder.

It saves at a clean stop only. One that outlived a killed runner still holds what that runner
accepted: it is stopped cleanly, so that it saves, and a new one is started.
"""

import contextlib
import json
import os
import signal
import socket
import subprocess
import time
import urllib.request
from collections.abc import Mapping
from pathlib import Path

ROOT = Path(__file__).parents[2]
PYTHON = ROOT / ".venv-ministack" / "bin" / "python"
FORMAT = 1
SAVE_SECONDS = 120
CLEAN = 0
"""Its exit code after SIGTERM, once it has saved."""


class EmulatorFailed(RuntimeError):
    """The emulator does not run, or its saved state cannot be read; the message says what to do."""


class Emulator:
    """An emulated AWS at `endpoint`, its files below `data`; `settings` are variables for it."""

    def __init__(self, data: Path, settings: Mapping[str, str] | None = None) -> None:
        self.endpoint = ""
        self._data = data
        self._settings = dict(settings or {})
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def had_state(self) -> bool:
        """Tell whether an earlier run saved its tables."""
        return (self._data / "aws" / "dynamodb.json").exists()

    def start(self) -> None:
        """Start it and wait until it answers; raises EmulatorFailed."""
        if not PYTHON.exists():
            raise EmulatorFailed("the emulated AWS is not installed: run `make install`")
        for folder in ("aws", "s3", "run"):
            (self._data / folder).mkdir(parents=True, exist_ok=True)
        self._stop_orphan()
        self._check_state()
        port = free_port()
        self.endpoint = f"http://127.0.0.1:{port}"
        with (self._data / "emulator.log").open("ab") as log:
            self._process = subprocess.Popen(
                [PYTHON, "-m", "ministack"],
                env=self.environment(port),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        self._pid_file.write_text(json.dumps({"pid": self._process.pid, "port": port}))
        self._wait()

    @property
    def ended(self) -> bool:
        """Tell whether it was started and no longer runs, whoever ended it."""
        return self._process is not None and self._process.poll() is not None

    def stop(self) -> bool:
        """Stop it, wait until it has saved its state, and tell whether it has.

        One that had ended before, or was ended while it saved, has not; one that does not end in
        time is left to the next start, which waits for it.
        """
        if self._process is None:
            return False
        alive = not self.ended
        self._process.send_signal(signal.SIGTERM)
        try:
            code = self._process.wait(timeout=SAVE_SECONDS)
        except subprocess.TimeoutExpired:
            return False
        with contextlib.suppress(ProcessLookupError):  # functions that it had just started
            os.killpg(self._process.pid, signal.SIGKILL)
        self._pid_file.unlink(missing_ok=True)
        return alive and code == CLEAN

    def abandon(self) -> None:
        """End it without saving, so that the files stay as they were."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._pid_file.unlink(missing_ok=True)

    @property
    def _pid_file(self) -> Path:
        return self._data / "run" / "emulator.json"

    def environment(self, port: int) -> dict[str, str]:
        """All the variables it runs with, which it hands on to the functions it runs."""
        return {
            "PATH": os.defpath,
            "HOME": str(self._data / "run"),
            "TMPDIR": str(self._data / "run"),
            "BIND_HOST": "127.0.0.1",
            "GATEWAY_PORT": str(port),
            "PERSIST_STATE": "1",
            "STATE_DIR": str(self._data / "aws"),
            "S3_PERSIST": "1",
            "S3_DATA_DIR": str(self._data / "s3"),
            "IOT_MTLS_ENABLED": "0",
            "SFTP_ENABLED": "0",
            "LOG_LEVEL": "WARNING",
            **self._settings,
        }

    def _wait(self) -> None:
        deadline = time.monotonic() + SAVE_SECONDS
        while time.monotonic() < deadline:
            if self._process is None or self._process.poll() is not None:
                break
            if answers(self.endpoint):
                return
            time.sleep(0.05)
        raise EmulatorFailed(f"the emulated AWS did not start; see {self._data / 'emulator.log'}")

    def _check_state(self) -> None:
        note = self._data / "format.json"
        advice = f"move {self._data} away (or delete it) to start with an empty one"
        if not note.exists():
            if self.had_state:
                raise EmulatorFailed(f"{self._data} holds state of an unknown format; {advice}")
            note.write_text(json.dumps({"format": FORMAT}))
        try:
            found = json.loads(note.read_text())["format"]
        except (ValueError, KeyError, TypeError) as error:
            raise EmulatorFailed(f"{note} cannot be read; {advice}") from error
        if found != FORMAT:
            raise EmulatorFailed(
                f"{self._data} was written in format {found}, this version reads {FORMAT}; {advice}"
            )
        for file in (self._data / "aws").glob("*.json"):
            if not _whole(file):
                raise EmulatorFailed(f"{file} is damaged; put back a copy of it, or {advice}")

    def _stop_orphan(self) -> None:
        try:
            found = json.loads(self._pid_file.read_text())
        except (OSError, ValueError):
            return
        if answers(f"http://127.0.0.1:{found['port']}"):
            with contextlib.suppress(ProcessLookupError):
                os.kill(found["pid"], signal.SIGTERM)
            deadline = time.monotonic() + SAVE_SECONDS
            while running(found["pid"]) and time.monotonic() < deadline:
                time.sleep(0.1)
        self._pid_file.unlink(missing_ok=True)


def answers(endpoint: str) -> bool:
    """Tell whether an emulator answers there."""
    try:
        with urllib.request.urlopen(f"{endpoint}/_ministack/health", timeout=2) as answer:
            return bool(answer.status == 200)
    except OSError:
        return False


def running(pid: int) -> bool:
    """Tell whether a process still runs (an ended one that nobody waited for does not)."""
    try:
        os.kill(pid, 0)
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except ProcessLookupError:
        return False
    except OSError:
        return not Path("/proc/self").exists()


def free_port() -> int:
    """A port of the loopback interface that nothing listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    return port


def _whole(file: Path) -> bool:
    """A saved file is one JSON object; reading only its ends is enough to see a cut one."""
    with file.open("rb") as content:
        first = content.read(1)
        content.seek(max(file.stat().st_size - 1, 0))
        return first == b"{" and content.read(1) == b"}"
