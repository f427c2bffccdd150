"""`python -m infra.local.dev`: Hindwise on a laptop, until Ctrl-C.

The emulated AWS is a process of its own and saves what it holds when it is stopped cleanly; this
process holds the handlers, the pumps and the HTTP server.
"""

import argparse
import fcntl
import importlib
import logging
import os
import signal
import sys
import threading
import time
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import IO

from infra.local import functions, keys, pumps, stack, template
from infra.local.emulator import ROOT, Emulator, EmulatorFailed
from infra.local.gateway import Gateway, Server

STAGE = "local"
PARAMETERS = {"Stage": STAGE, "SearchCoverage": "200000"}
"""A process that lives on can hold more of a scope than a Lambda container."""
OVERRIDES = ("EMBEDDER", "EMBEDDING_MODEL", "EMBEDDING_DIMENSIONS", "OPENAI_API_KEY",
             "OPENAI_BASE_URL", "SEARCH_COVERAGE")  # fmt: skip
"""What may be set in the calling shell, as with `sam local --env-vars`."""
HELLO = """\
Hindwise answers on {url}   (started in {seconds:.1f} s, data in {data})
key: {key}   (kept in {file})

  curl -s {url}/v1/memories -H "Authorization: Bearer {key}" \\
    -H 'content-type: application/json' \\
    -d '{{"user_id": "me", "kind": "episodic", "content": "We moved the release to Thursday."}}'
  curl -s {url}/v1/search -H "Authorization: Bearer {key}" \\
    -H 'content-type: application/json' -d '{{"user_id": "me", "query": "when is the release?"}}'

Ctrl-C stops it and saves. A kill of the emulated AWS loses what was accepted since this start.
"""


class Dev:
    """A running Hindwise: `start` it, then `stop` it; `url` is where it answers."""

    def __init__(self, data: Path, port: int) -> None:
        self.url = f"http://127.0.0.1:{port}"
        self.key = ""
        self.key_file = data / "key"
        self._data, self._port = data, port
        self._emulator = Emulator(data)
        self._pumps: list[pumps.Pump] = []
        self._server: Server | None = None
        self._functions: functions.Functions | None = None

    def start(self) -> None:
        """Start everything; raises EmulatorFailed, StackFailed, or OSError for a taken port."""
        system = template.read(ROOT / "template.yaml")
        self._functions = functions.Functions(system)
        self._server = Server(self._port, Gateway(system, self._functions))
        overrides = {name: os.environ[name] for name in OVERRIDES if os.environ.get(name)}
        self._emulator.start()
        functions.isolate(self._emulator.endpoint)
        if self._emulator.had_state and not stack.exists():
            self._emulator.abandon()
            raise EmulatorFailed(
                f"the state in {self._data / 'aws'} could not be read and is left as it is; "
                f"{self._data / 'emulator.log'} says why"
            )
        outputs = stack.settle(system.stack, PARAMETERS)
        functions.environ(system, outputs, overrides)
        self._functions.load()
        wiring = importlib.import_module("hindwise.runtime.wiring").wiring()
        self.key = keys.local_key(self.key_file, wiring.keys, stage=STAGE)
        self._pumps = [
            *(pumps.StreamPump(each, outputs, self._functions) for each in system.streams),
            *(pumps.QueuePump(each, outputs, self._functions) for each in system.queues),
            *(pumps.SchedulePump(each, self._functions) for each in system.schedules),
        ]
        for pump in self._pumps:
            pump.start()
        threading.Thread(target=self._server.serve_forever, args=(0.1,), daemon=True).start()

    def stop(self) -> None:
        """Refuse new requests, finish what is under way, drain the pumps, save the state."""
        if self._server is not None:
            if self._pumps:
                self._server.shutdown()
            self._server.server_close()
        if self._functions is not None:
            self._functions.quiesce(10)
        for pump in self._pumps:
            pump.stopping.set()
        for pump in self._pumps:
            pump.join(pumps.DRAIN_SECONDS + 5)
        self._emulator.stop()


def lock(data: Path) -> IO[str] | None:
    """Hold the data folder for this process; None where another one has it."""
    held = (data / "lock").open("w")
    try:
        fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        held.close()
        return None
    return held


def complaint(error: Exception, port: int) -> str:
    """What a person can do about a start that failed."""
    if isinstance(error, OSError):
        return (
            f"cannot listen on 127.0.0.1:{port} ({error.strerror}); choose another: make dev PORT="
        )
    return str(error)


def main(arguments: Sequence[str] | None = None) -> int:
    """Serve until Ctrl-C or SIGTERM; 0 after a clean stop, 1 where it could not start."""
    parser = argparse.ArgumentParser(prog="hindwise dev", description=__doc__)
    parser.add_argument("--port", type=int, default=8787)
    parser.add_argument("--data", type=Path, default=Path(".hindwise"))
    options = parser.parse_args(arguments)
    logging.basicConfig(level=logging.WARNING, format="%(levelname)s %(name)s: %(message)s")
    began = time.monotonic()
    data: Path = options.data.resolve()
    data.mkdir(mode=0o700, parents=True, exist_ok=True)
    asked = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda *_: asked.set())
    with ExitStack() as cleanup:
        held = lock(data)
        if held is None:
            print(f"another dev server uses {data}; stop it or say DATA=", file=sys.stderr)
            return 1
        cleanup.enter_context(held)
        dev = Dev(data, options.port)
        cleanup.callback(dev.stop)
        try:
            dev.start()
        except (EmulatorFailed, stack.StackFailed, OSError) as error:
            print(complaint(error, options.port), file=sys.stderr)
            return 1
        seconds = time.monotonic() - began
        print(
            HELLO.format(
                url=dev.url, seconds=seconds, data=options.data, key=dev.key, file=dev.key_file
            ),
            flush=True,
        )
        asked.wait()
        print("stopping: finishing what is under way, then saving", flush=True)
    print("saved", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
