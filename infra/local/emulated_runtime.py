"""Runs one built function as Lambda does: AWS's runtime emulator and its runtime client for Python.

The emulator ships with the SAM CLI, the client and the SDK stand in `.venv-runtime`. The function
sees `/var/task` and `/opt` (its layers laid over one another in the template's order) in a mount
namespace of its own, without Docker; where the system allows no such namespace it runs from the
build's folders instead, and `private` says so. It starts at the first invoke, as on Lambda.
"""

import json
import os
import platform
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

from infra.local.built import Package
from infra.local.emulator import ROOT, free_port
from infra.local.functions import REGION

RUNTIME = ROOT / ".venv-runtime"
EMULATORS = ROOT / ".venv-sam" / "lib"
SCRIPT = Path(__file__).with_name("lambda-paths.sh")
WORK = ROOT / "build" / "runtime"
MACHINES = {"x86_64": "x86_64", "aarch64": "arm64"}
NAMESPACES = ("--mount", "--propagation", "private", "--pid", "--fork", "--kill-child")
START_SECONDS = 30.0
INVOKE = "2015-03-31/functions/function/invocations"
MARGIN_SECONDS = 60.0
"""How long an answer may take beyond the function's own limit: INIT, on a busy machine."""


class RuntimeFailed(RuntimeError):
    """The runtime emulator cannot run; the message says what to do."""


class EmulatedRuntime:
    """One function under the runtime emulator; what it prints goes to `log`."""

    def __init__(self, package: Package, variables: Mapping[str, str], log: Path) -> None:
        self._package, self._variables, self.log = package, variables, log
        self._process: subprocess.Popen[bytes] | None = None
        self._port = free_port()
        WORK.mkdir(parents=True, exist_ok=True)
        self._work = Path(tempfile.mkdtemp(prefix=f"{package.name}-", dir=WORK))
        self._mounts = Path(tempfile.mkdtemp(prefix="hindwise-lambda-", dir="/tmp"))
        self.private = unshare() is not None

    def start(self) -> None:
        """Start the emulator, which has run nothing of the function yet; raises RuntimeFailed."""
        emulator = _emulator()
        layers = self._work / "opt"
        merge(self._package.layers, layers)
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(
                self._command(emulator, layers),
                cwd=self._package.task,
                env=self._environment(layers),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        deadline = time.monotonic() + START_SECONDS
        while self._process.poll() is None and time.monotonic() < deadline:
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", self._port)) == 0:
                    return
            time.sleep(0.02)
        raise RuntimeFailed(f"the runtime emulator did not start; see {self.log}")

    def invoke(self, event: object) -> Any:
        """What the function answers; for an exception Lambda's `errorType` and `errorMessage`."""
        request = urllib.request.Request(
            f"http://127.0.0.1:{self._port}/{INVOKE}", json.dumps(event).encode()
        )
        wait = self._package.timeout + MARGIN_SECONDS
        with urllib.request.urlopen(request, timeout=wait) as answer:
            return json.loads(answer.read() or b"null")

    def stop(self) -> None:
        """End it, and all that it started."""
        if self._process is not None:
            if not self.private and self._process.poll() is None:
                self._process.send_signal(signal.SIGTERM)  # the emulator ends the function
                time.sleep(0.2)
            self._process.kill()  # in a namespace, all of it goes with its first process
            self._process.wait()
        shutil.rmtree(self._work, ignore_errors=True)
        self._mounts.rmdir()

    def _command(self, emulator: Path, layers: Path) -> list[str | Path]:
        handler = self._package.handler
        python = RUNTIME / "bin" / "python"
        inside: list[str | Path] = [emulator, "--log-level", "info"]
        inside += ["--runtime-interface-emulator-address", f"127.0.0.1:{self._port}"]
        inside += ["--runtime-api-address", f"127.0.0.1:{free_port()}"]
        private = unshare()
        if private is None:
            return [*inside, python, "-m", "awslambdaric", handler]
        inside[0] = "/var/rapid/aws-lambda-rie"
        paths = [self._mounts, self._package.task, layers, RUNTIME, emulator, _base(), ROOT]
        runtime = ["/var/runtime/bin/python", "-m", "awslambdaric", handler]
        return [*private, "bash", SCRIPT, *paths, *inside, *runtime]

    def _environment(self, layers: Path) -> dict[str, str]:
        name = self._package.name
        task, opt = ("/var/task", "/opt") if self.private else (self._package.task, layers)
        return {
            **self._variables,
            "PATH": "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin",
            "HOME": "/tmp",
            "LANG": "en_US.UTF-8",
            "TZ": ":UTC",
            "LAMBDA_TASK_ROOT": str(task),
            "PYTHONPATH": f"{task}:{opt}/python",
            "PYTHONDONTWRITEBYTECODE": "1",
            "AWS_REGION": REGION,
            "AWS_DEFAULT_REGION": REGION,
            "AWS_ACCESS_KEY_ID": "local",
            "AWS_SECRET_ACCESS_KEY": "local",
            "AWS_EC2_METADATA_DISABLED": "true",
            "AWS_LAMBDA_FUNCTION_NAME": name,
            "AWS_LAMBDA_FUNCTION_VERSION": "$LATEST",
            "AWS_LAMBDA_FUNCTION_MEMORY_SIZE": str(self._package.memory),
            "AWS_LAMBDA_FUNCTION_TIMEOUT": str(self._package.timeout),
            "AWS_LAMBDA_INITIALIZATION_TYPE": "on-demand",
            "AWS_LAMBDA_LOG_FORMAT": "JSON",
            "AWS_LAMBDA_LOG_GROUP_NAME": f"/hindwise/local/{name}",
            "AWS_LAMBDA_LOG_STREAM_NAME": "local",
            "_HANDLER": self._package.handler,
        }


@contextmanager
def running(package: Package, variables: Mapping[str, str], log: Path) -> Iterator[EmulatedRuntime]:
    """A started function, ended afterwards; raises RuntimeFailed."""
    runtime = EmulatedRuntime(package, variables, log)
    try:
        runtime.start()
        yield runtime
    finally:
        runtime.stop()


def merge(layers: tuple[Path, ...], into: Path) -> None:
    """Lay folders over one another, the later over the earlier, by links to their files."""

    def link(source: str, target: str) -> None:
        Path(target).unlink(missing_ok=True)
        os.link(source, target)

    into.mkdir(parents=True)
    for layer in layers:
        shutil.copytree(layer, into, copy_function=link, dirs_exist_ok=True)


@cache
def unshare() -> tuple[str, ...] | None:
    """How to get namespaces of one's own here, as root or as anybody; None where it is refused."""
    for rights in ((), ("--map-root-user",)):
        command = ("unshare", *rights, *NAMESPACES)
        with tempfile.TemporaryDirectory(dir="/tmp") as folder:
            mount = [*command, "mount", "-t", "tmpfs", "tmpfs", folder]
            if (
                shutil.which("unshare")
                and not subprocess.run(mount, capture_output=True, check=False).returncode
            ):
                return command
    return None


def _emulator() -> Path:
    machine = MACHINES.get(platform.machine())
    if platform.system() != "Linux" or machine is None:
        raise RuntimeFailed("AWS's runtime emulator runs on Linux only")
    found = sorted(EMULATORS.glob(f"*/site-packages/samcli/local/rapid/aws-lambda-rie-{machine}"))
    if not found or not (RUNTIME / "bin" / "python").exists():
        raise RuntimeFailed(
            "the runtime emulator is not installed: `make invoke` and `make artifacts` do it"
        )
    return found[0]


def _base() -> Path:
    """Where the interpreter behind the environment's link is installed."""
    return (RUNTIME / "bin" / "python").resolve().parents[1]
