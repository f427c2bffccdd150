"""`python -m infra.local.dev`: Hindwise on a laptop, until Ctrl-C.

The emulated AWS is a process of its own and saves what it holds when it is stopped cleanly; this
process holds the handlers, the pumps and the HTTP server.
"""

import argparse
import fcntl
import importlib
import json
import logging
import os
import shlex
import signal
import sys
import threading
import time
from collections.abc import Sequence
from contextlib import ExitStack, suppress
from datetime import datetime
from pathlib import Path
from typing import IO, TextIO

from hindwise.errors import Misconfigured
from hindwise.settings import EmbedderSettings, SearchSettings, require
from infra.local import functions, keys, pumps, search_node, stack, template
from infra.local.emulator import ROOT, Emulator, EmulatorFailed
from infra.local.gateway import Gateway, Server
from infra.local.search_node import NodeFailed, SearchNode

STAGE = "local"
PARAMETERS = {"Stage": STAGE, "SearchCoverage": "200000"}
"""A process that lives on can hold more of a scope than a Lambda container."""
OVERRIDES = ("EMBEDDER", "EMBEDDING_MODEL", "EMBEDDING_DIMENSIONS", "OPENAI_API_KEY",
             "OPENAI_BASE_URL", "SEARCH_COVERAGE", "SEARCH_BACKEND",
             "OPENSEARCH_ENDPOINT")  # fmt: skip
"""What may be set in the calling shell, as with `sam local --env-vars`."""
UNSTARTED = "http://127.0.0.1:9200"
"""Stands for the endpoint of a node that is yet to be started, where variables are checked."""
DEFAULT_PORT = 8787
LOOK_SECONDS = 1.0
"""How often it is looked whether the emulated AWS and OpenSearch still run."""
FAILURES = (EmulatorFailed, stack.StackFailed, NodeFailed, Misconfigured, OSError)
HELLO = """\
Hindwise answers on {url}   (started in {seconds:.1f} s, data in {data})
search: {search}
key: {key}   (kept in {file})

  curl -s {url}/v1/memories -H "Authorization: Bearer {key}" \\
    -H 'content-type: application/json' \\
    -d '{{"user_id": "me", "kind": "episodic", "content": "We moved the release to Thursday."}}'
  curl -s {url}/v1/search -H "Authorization: Bearer {key}" \\
    -H 'content-type: application/json' -d '{{"user_id": "me", "query": "when is the release?"}}'

or, in a second terminal in {root}:

{typed}
Ctrl-C stops it and saves. A kill of the emulated AWS loses what was accepted since this start.
"""
LOST = """\
the emulated AWS ended by itself; {log} may say why
lost: everything that was accepted since this start ({began:%Y-%m-%d %H:%M:%S})
kept: what an earlier clean stop has saved in {data}"""
NODE_LOST = """\
OpenSearch ended by itself; {log} may say why
until this server is started again, searches do without it and say `degraded`; no memory is lost"""


class Dev:
    """A running Hindwise: `start` it, then `stop` it; `url` is where it answers."""

    def __init__(self, data: Path, port: int, *, opensearch: bool = False) -> None:
        self.node = SearchNode(data / "opensearch")
        self._told = data / "run" / "index-told"
        self._index = ""
        self.search = ""
        self.url = f"http://127.0.0.1:{port}"
        self.key = ""
        self.key_file = data / "key"
        self._address = data / "run" / "server.json"
        self._data, self._port, self._opensearch = data, port, opensearch
        self._emulator = Emulator(data)
        self._pumps: list[pumps.Pump] = []
        self._server: Server | None = None
        self._functions: functions.Functions | None = None

    def start(self) -> None:
        """Start everything.

        Raises EmulatorFailed, StackFailed, NodeFailed, Misconfigured for a variable, OSError for a
        taken port.
        """
        given = overrides(opensearch=self._opensearch)
        system = template.read(ROOT / "template.yaml")
        self._functions = functions.Functions(system)
        self._server = Server(self._port, Gateway(system, self._functions))
        self._emulator.start()
        functions.isolate(self._emulator.endpoint)
        if self._emulator.had_state and not stack.exists():
            self._emulator.abandon()
            raise EmulatorFailed(
                f"the state in {self._data / 'aws'} could not be read and is left as it is; "
                f"{self._data / 'emulator.log'} says why"
            )
        self._find(given)
        outputs = stack.settle(system.stack, PARAMETERS)
        functions.environ(system, outputs, given)
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
        said = {"url": self.url, "pid": os.getpid(), "search": searched(given)}
        self._address.write_text(json.dumps(said))

    def _find(self, given: dict[str, str]) -> None:
        """See to the index that answers searches; adds where it is to the functions' variables.

        Only the one that the last start used, and that was told of all that was saved and nothing
        else, is kept: another is dropped, and fills itself again.
        """
        self.search = "in the functions, over the table"
        told = self._told.read_text() if self._told.exists() else ""
        self._told.unlink(missing_ok=True)
        if given.get("SEARCH_BACKEND") == "opensearch":
            self._index = given.get("OPENSEARCH_ENDPOINT") or "its own node"
            endpoint = given.get("OPENSEARCH_ENDPOINT") or self.node.start()
            if not search_node.answers(endpoint):
                raise NodeFailed(f"OPENSEARCH_ENDPOINT: nothing answers at {endpoint}")
            given["OPENSEARCH_ENDPOINT"] = endpoint
            self.search = f"OpenSearch at {endpoint}"
            if told != self._index:
                search_node.drop(endpoint, f"hindwise-{STAGE}-*")

    @property
    def lost(self) -> bool:
        """Tell whether the emulated AWS, and with it what it held, is gone."""
        return self._emulator.ended

    def stop(self) -> bool:
        """Refuse new requests, finish what is under way, drain the pumps, save the state.

        Tells whether it was saved.
        """
        if self.key:
            self._address.unlink(missing_ok=True)
        if self._server is not None:
            if self._pumps:
                self._server.shutdown()
            self._server.server_close()
        if self._functions is not None:
            self._functions.quiesce(0 if self.lost else 10)
        for pump in self._pumps:
            pump.stopping.set()
        for pump in self._pumps:
            pump.join(0 if self.lost else pumps.DRAIN_SECONDS + 5)
        self.node.stop()
        saved = self._emulator.stop()
        if saved and self._index:
            self._told.write_text(self._index)
        return saved


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


def overrides(*, opensearch: bool = False) -> dict[str, str]:
    """What the calling shell sets for the functions; raises Misconfigured naming what is wrong.

    `opensearch`, or an endpoint, asks for OpenSearch; without an endpoint it is a node of our own.
    """
    given = {name: os.environ[name] for name in OVERRIDES if os.environ.get(name)}
    if opensearch:
        given["SEARCH_BACKEND"] = "opensearch"
    elif "OPENSEARCH_ENDPOINT" in given:
        given.setdefault("SEARCH_BACKEND", "opensearch")
    require({"OPENSEARCH_ENDPOINT": UNSTARTED, **given}, EmbedderSettings, SearchSettings)
    return given


def searched(given: dict[str, str]) -> dict[str, str]:
    """Index and embedder, for commands that work on them; without the key, which names one too."""
    named = {name: value for name, value in given.items() if name != "OPENAI_API_KEY"}
    if "OPENAI_API_KEY" in given and given.get("EMBEDDER", "auto") == "auto":
        named["EMBEDDER"] = "openai"
    return named


def port_of(text: str) -> int:
    """A port as it is typed; raises ArgumentTypeError."""
    if not text.isascii() or not text.isdigit() or not 1 <= int(text[:6]) <= 65_535:
        raise argparse.ArgumentTypeError(f"{text!r} is no port: say PORT= a number, 1 to 65535")
    return int(text)


def typed(dev: Dev, data: Path, port: int) -> str:
    """What to type for the command line: where it is, and what it cannot find by itself."""
    lines = [f'export PATH="{Path(sys.executable).parent}:$PATH"']
    if data != ROOT / ".hindwise":
        lines.append(f"export HINDWISE_DATA={shlex.quote(str(data))}")
    if port != DEFAULT_PORT:
        lines.append(f"export HINDWISE_URL={dev.url}")
    lines.append("hindwise recall 'when is the release?'")
    return "".join(f"  {line}\n" for line in lines)


def main(arguments: Sequence[str] | None = None) -> int:
    """Serve until Ctrl-C or SIGTERM.

    0 after a clean stop, 1 where it could not start or what it held is lost, 2 for wrong usage.
    """
    parser = argparse.ArgumentParser(prog="hindwise dev", description=__doc__)
    parser.add_argument("--port", type=port_of, default=DEFAULT_PORT)
    parser.add_argument("--data", type=Path, default=Path(".hindwise"))
    parser.add_argument("--opensearch", action="store_true")
    options = parser.parse_args(arguments)
    logging.basicConfig(level=logging.WARNING, format="%(levelname)s %(name)s: %(message)s")
    data: Path = options.data.resolve()
    data.mkdir(mode=0o700, parents=True, exist_ok=True)
    (data / ".gitignore").write_text("*\n")
    asked = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda *_: asked.set())
    with ExitStack() as cleanup:
        held = lock(data)
        if held is None:
            print(f"another dev server uses {data}; stop it or say DATA=", file=sys.stderr)
            return 1
        cleanup.enter_context(held)
        dev = Dev(data, options.port, opensearch=options.opensearch)
        return serve(dev, data, options.port, asked=asked)


def say(text: str, out: TextIO) -> None:
    """Print, to a terminal that may be gone: what was remembered is saved all the same."""
    with suppress(OSError):
        print(text, file=out, flush=True)


def watch(dev: Dev, asked: threading.Event) -> None:
    """Wait until a stop is asked for or the emulated AWS is gone; say once that OpenSearch is."""
    said = False
    while not asked.wait(LOOK_SECONDS) and not dev.lost:
        if dev.node.ended and not said:
            said = True
            say(NODE_LOST.format(log=dev.node.log), sys.stderr)


def serve(dev: Dev, data: Path, port: int, *, asked: threading.Event) -> int:
    """Start, wait until a stop is asked for or the emulated AWS is gone, stop."""
    began, start = datetime.now().astimezone(), time.monotonic()
    with ExitStack() as unfinished:
        unfinished.callback(dev.stop)
        try:
            dev.start()
        except FAILURES as error:
            say(complaint(error, port), sys.stderr)
            return 1
        unfinished.pop_all()
    seconds = time.monotonic() - start
    hello = {"url": dev.url, "key": dev.key, "file": dev.key_file, "root": ROOT}
    hello["search"] = dev.search
    hello["typed"] = typed(dev, data, port)
    say(HELLO.format(seconds=seconds, data=data, **hello), sys.stdout)
    watch(dev, asked)
    if not dev.lost:
        say("stopping: finishing what is under way, then saving", sys.stdout)
    if dev.stop():
        say("saved", sys.stdout)
        return 0
    say(LOST.format(began=began, data=data, log=data / "emulator.log"), sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
