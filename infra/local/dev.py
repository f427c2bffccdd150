"""`python -m infra.local.dev`: Hindwise on a laptop, until Ctrl-C.

The emulated AWS is a process of its own and saves what it holds when it is stopped cleanly; this
process holds the handlers, the pumps and the HTTP server.
"""

import argparse
import fcntl
import logging
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
from infra.local.emulator import ROOT, EmulatorFailed
from infra.local.runner import Dev
from infra.local.search_node import NodeFailed
from infra.local.stack import StackFailed

DEFAULT_PORT = 8787
LOOK_SECONDS = 1.0
"""How often it is looked whether the emulated AWS and OpenSearch still run."""
FAILURES = (EmulatorFailed, StackFailed, NodeFailed, Misconfigured, OSError)
HELLO = """\
Hindwise answers on {url}   (started in {seconds:.1f} s, data in {data})
search: {search}
learning: {model}
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
    hello |= {"search": dev.search, "model": dev.model}
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
