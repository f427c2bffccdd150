"""`python -m infra.local.search_node`: a real OpenSearch node with k-NN on this machine.

A node is known by its process id, which it says itself, and not by its port: the launcher silently
goes to the next port where it finds its own taken, and what answers there may be another's node.
"""

import argparse
import fcntl
import json
import os
import random
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Sequence
from contextlib import suppress
from http.client import HTTPException
from pathlib import Path
from typing import IO, Any
from urllib.error import HTTPError

from infra.local.emulator import running

SCRIPT = Path(__file__).parent / "opensearch" / "run.sh"
PORTS = range(9200, 9300)
TRIES = 4
"""So many ports are tried, where others start nodes at the same moment."""
START_SECONDS = 180
STOP_SECONDS = 60
CANNOT = 2
"""Exit code of run.sh where no node can run here; its last line says why."""
NO_ANSWER = (OSError, HTTPException, ValueError)
"""What a call raises where nothing answers, or something else than OpenSearch."""
HELLO = """\
OpenSearch {version} with k-NN answers on {endpoint}   (started in {seconds:.1f} s, data in {home})

  curl -s '{endpoint}/_cat/indices?v'
  make dev OPENSEARCH_ENDPOINT={endpoint}

Ctrl-C stops it; its data stays.
"""


class NodeFailed(RuntimeError):
    """The node does not run; the message says what to do."""


class SearchNode:
    """An OpenSearch node with its files below `home`; `port` 0 takes a free one and keeps it.

    `heap` is its memory as Java writes it (`512m`); by default OPENSEARCH_HEAP, else 512 MB.
    """

    def __init__(self, home: Path, port: int = 0, *, heap: str = "") -> None:
        self.home = home.resolve()
        self.port = port
        self.log = self.home / "node.log"
        self._env = {**os.environ, **({"OPENSEARCH_HEAP": heap} if heap else {})}
        self._held: IO[str] | None = None
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def endpoint(self) -> str:
        """Where it answers, once it was started."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def pid(self) -> int | None:
        """Its process, while it runs."""
        return None if self._process is None or self.ended else self._process.pid

    @property
    def ended(self) -> bool:
        """Tell whether it was started and no longer runs, whoever ended it."""
        return self._process is not None and self._process.poll() is not None

    def start(self) -> str:
        """Start it, wait until it is healthy, and return its endpoint.

        One that ended or was killed starts again on its data and port. A node that a killed
        process left running on the data is stopped first. Raises NodeFailed.
        """
        if self.pid is not None:
            raise NodeFailed(f"this node runs already: {self.endpoint}")
        self.take_home()
        try:
            self.stop_left()
            for port in [self.port] if self.port else free_ports(TRIES):
                if self._comes_up(port):
                    self.port = port
                    return self.endpoint
            raise NodeFailed(f"port {port} of 127.0.0.1 is taken: choose another, 9200 to 9299")
        except BaseException:
            self.kill()
            self._release()
            raise

    def stop(self) -> bool:
        """Stop it, and tell whether it had run until then and has ended in time."""
        clean = self.pid is not None and end(self.pid)
        self.kill()
        self._release()
        return clean

    def kill(self) -> None:
        """End it at once, as a crash would."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()

    def _comes_up(self, port: int) -> bool:
        """Run it; tells whether it came up, or has found its port taken; else raises NodeFailed."""
        if port in PORTS and not free(port):
            return False
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(
                ["bash", SCRIPT, self.home, str(port)],
                env=self._env,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        ours, deadline = self._process.pid, time.monotonic() + START_SECONDS
        while not self.ended and time.monotonic() < deadline:
            found = process_at(port)
            if found == ours and healthy(port):
                return True
            if found not in (None, ours):
                break
            time.sleep(0.1)
        self.kill()
        if self._process.returncode == CANNOT:
            raise NodeFailed(self.log.read_text(errors="replace").splitlines()[-1])
        if free(port):
            raise NodeFailed(f"OpenSearch does not start on {self.home}; see {self.log}")
        return False

    def take_home(self) -> None:
        """Keep other processes off the home until `stop`; raises NodeFailed where one has it."""
        if self._held is not None:
            return
        self.home.mkdir(parents=True, exist_ok=True)
        held = (self.home / "lock").open("w")
        try:
            fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            held.close()
            raise NodeFailed(
                f"another process runs OpenSearch on {self.home}: stop that one, or use it with "
                f"OPENSEARCH_ENDPOINT=http://127.0.0.1:{self._noted()[1]}"
            ) from error
        self._held = held

    def _release(self) -> None:
        if self._held is not None:
            self._held.close()
            self._held = None

    def _noted(self) -> tuple[int, int]:
        """Process and port of the last start, as run.sh noted them; zeros where none did."""
        try:
            pid, port = (self.home / "node.pid").read_text().split()
            return int(pid), int(port)
        except (OSError, ValueError):
            return 0, 0

    def stop_left(self) -> None:
        """Stop the node that a killed process has left running on this home."""
        pid, _ = self._noted()
        if pid and running(pid) and f"-basePath {self.home} " in command_of(pid) and not end(pid):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)


def process_at(port: int) -> int | None:
    """The process id of the OpenSearch node that answers there."""
    try:
        found = ask(f"http://127.0.0.1:{port}/_nodes/_local/process")["nodes"]
        return next(int(node["process"]["id"]) for node in found.values())
    except (*NO_ANSWER, KeyError, StopIteration):
        return None


def healthy(port: int) -> bool:
    """Tell whether the node there has all its primary shards."""
    try:
        path = "_cluster/health?wait_for_status=yellow&timeout=1s"
        return not ask(f"http://127.0.0.1:{port}/{path}")["timed_out"]
    except (*NO_ANSWER, KeyError):
        return False


def drop(endpoint: str, indexes: str) -> None:
    """Remove indexes; raises OSError."""
    request = urllib.request.Request(f"{endpoint}/{indexes}", method="DELETE")
    with urllib.request.urlopen(request, timeout=30):
        pass


def answers(endpoint: str) -> bool:
    """Tell whether a server answers there, and be it that it asks for credentials."""
    try:
        with urllib.request.urlopen(endpoint, timeout=5):
            return True
    except HTTPError:
        return True
    except NO_ANSWER:
        return False


def ask(url: str) -> dict[str, Any]:
    """GET a JSON object; raises one of NO_ANSWER."""
    with urllib.request.urlopen(url, timeout=5) as answer:
        found = json.loads(answer.read())
    if not isinstance(found, dict):
        raise ValueError(f"{url} answers with no JSON object")
    return found


def end(pid: int) -> bool:
    """Ask a process to end, also one that is frozen, and tell whether it did within a minute."""
    for number in (signal.SIGTERM, signal.SIGCONT):
        with suppress(ProcessLookupError):
            os.kill(pid, number)
    deadline = time.monotonic() + STOP_SECONDS
    while running(pid) and time.monotonic() < deadline:
        time.sleep(0.05)
    return not running(pid)


def command_of(pid: int) -> str:
    """The command line of a process, blanks between its words; empty where there is none."""
    if Path("/proc/self").exists():
        with suppress(OSError):
            return Path(f"/proc/{pid}/cmdline").read_text(errors="replace").replace("\0", " ")
        return ""
    listed = ["ps", "-ww", "-o", "args=", "-p", str(pid)]
    return subprocess.run(listed, capture_output=True, text=True, check=False).stdout


def free(port: int) -> bool:
    """Tell whether nothing holds a port of the loopback interface."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except (OSError, OverflowError):
            return False
    return True


def free_ports(most: int) -> list[int]:
    """Some ports that a node can take, in random order, because others may look too."""
    found = [port for port in PORTS if free(port)]
    if not found:
        raise NodeFailed("all ports from 9200 to 9299 are taken: stop some of what listens there")
    return random.sample(found, min(most, len(found)))


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a node until Ctrl-C or SIGTERM: 0 after a clean stop, 1 where it fails or ends."""
    parser = argparse.ArgumentParser(prog="make opensearch", description=__doc__)
    parser.add_argument("--port", type=int, default=PORTS[0])
    parser.add_argument("--home", type=Path, default=Path(".hindwise/opensearch"))
    options = parser.parse_args(arguments)
    asked = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda *_: asked.set())
    node, began = SearchNode(options.home, options.port), time.monotonic()
    try:
        node.start()
        version = ask(node.endpoint)["version"]["number"]
    except (NodeFailed, *NO_ANSWER) as error:
        print(error, file=sys.stderr)
        return 1
    seconds = time.monotonic() - began
    said = {"version": version, "endpoint": node.endpoint, "home": node.home}
    print(HELLO.format(seconds=seconds, **said), flush=True)
    while not asked.wait(1) and not node.ended:
        pass
    if node.stop():
        return 0
    print(f"OpenSearch ended by itself; {node.log} may say why", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
