"""Speed rows over HTTP: the laptop's server in a process of its own, on the emulated AWS.

Wall is what the client sees; CPU, calls and keys are the handler's, as the server tells them.
"""

import json
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from itertools import islice
from typing import Any

from bench.over_http import Remote
from bench.rows import ROOT
from bench.scenes import bodies, questions
from bench.timing import Sample, resident_mb

TOP_K = 10
STOP_SECONDS = 60
Row = dict[str, Any]


@contextmanager
def started(memories: int, scopes: int) -> Iterator[tuple[Remote, int, float]]:
    """A loaded server: a client of it, its process id, and the seconds that loading took."""
    command = [sys.executable, "-m", "bench.local_server"]
    command += ["--memories", str(memories), "--scopes", str(scopes)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            said = json.loads(process.stdout.readline() or "{}")
            if not said:
                raise RuntimeError("the local server did not start; see above")
            with closing(Remote(said["url"], said["key"])) as remote:
                yield remote, process.pid, said["loaded_s"]
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(STOP_SECONDS)


class Client:
    """Asks one server and keeps what each call cost."""

    def __init__(self, remote: Remote, scopes: int) -> None:
        self._remote = remote
        self._scopes = scopes
        self._users = random.Random(7)
        self._questions = questions()

    def asked(self, path: str, n: int) -> Sample:
        """`n` searches or contexts of random users."""
        sample = Sample()
        for text in islice(self._questions, n):
            body: dict[str, object] = {"query": text}
            body["user_id"] = f"u{self._users.randrange(self._scopes)}"
            if path == "/v1/search":
                body["top_k"] = TOP_K
            self._timed(sample, path, body)
        return sample

    def written(self, n: int) -> Sample:
        """`n` memories, one a call."""
        sample = Sample()
        for body in bodies(n, self._scopes):
            self._timed(sample, "/v1/memories", body)
        return sample

    def fill(self) -> None:
        """Search each scope once."""
        for user in range(self._scopes):
            body: dict[str, object] = {"user_id": f"u{user}", "query": "warm"}
            self._timed(Sample(), "/v1/search", body)

    def _timed(self, sample: Sample, path: str, body: dict[str, object]) -> None:
        text = json.dumps(body, ensure_ascii=False)
        began = time.perf_counter()
        reply = self._remote.sent(path, text)
        sample.wall.append(1000 * (time.perf_counter() - began))
        if reply.status >= 300 or reply.body.get("degraded"):
            raise RuntimeError(f"{reply.status}: {str(reply.body)[:500]}")
        headers = self._remote.headers
        sample.cpu.append(float(headers["x-handler-cpu-ms"]))
        sample.calls.append(int(headers["x-backend-calls"]))
        sample.keys.append(int(headers["x-keys-read"]))
        sample.batches.append(int(headers["x-batch-gets"]))


def rows(embedder: str, sizes: list[tuple[int, int]], n: int) -> Iterator[Row]:
    """Rows of each (memories, scopes), each on a server of its own."""
    for memories, scopes in sizes:
        with started(memories, scopes) as (remote, pid, seconds):
            same: Row = {"path": "http", "backend": "embedded", "embedder": embedder}
            same |= {"memories": memories, "scopes": scopes}
            client = Client(remote, scopes)
            first = client.asked("/v1/search", 1 if scopes == 1 else n)
            yield _row("search", same, first, pid, state="first", loaded_s=seconds)
            client.fill()
            client.asked("/v1/search", 5)
            yield _row("search", same, client.asked("/v1/search", n), pid, state="held")
            yield _row("context", same, client.asked("/v1/context", n), pid, state="held")
            yield _row("write", same, client.written(n), pid)
            if scopes == 1:
                after = client.asked("/v1/search", n // 2)
                yield _row("search", same, after, pid, state="just written")


def _row(what: str, same: Row, sample: Sample, pid: int, **more: Any) -> Row:
    return {"what": what, **same, **sample.figures(), "rss_mb": resident_mb(pid), **more}
