"""A real OpenSearch node for tests: one for the session, and others for tests that break theirs.

The files are below .opensearch/runs, a folder for each test process, so that the next session finds
and stops what a killed one has left running.
"""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import httpx

from infra.local.emulator import running
from infra.local.search_node import SearchNode

RUNS = Path(__file__).parents[1] / ".opensearch" / "runs"


@contextmanager
def started(name: str, *, heap: str = "512m") -> Iterator[SearchNode]:
    """Run a node on a free port, and stop it and drop its files afterwards."""
    sweep()
    home = RUNS / str(os.getpid()) / name
    node = SearchNode(home, heap=heap)
    try:
        node.start()
        yield node
    finally:
        node.stop()
        shutil.rmtree(home, ignore_errors=True)
        with suppress(OSError):
            home.parent.rmdir()


def sweep() -> None:
    """Stop the nodes of test processes that are gone, and drop their files."""
    for run in RUNS.glob("*"):
        if not running(int(run.name)):
            for home in run.iterdir():
                SearchNode(home).stop_left()
            shutil.rmtree(run, ignore_errors=True)


def call(endpoint: str, method: str, path: str, body: Any = None) -> Any:
    """A call that must succeed; its JSON."""
    answer = httpx.request(method, f"{endpoint}/{path}", json=body, timeout=60)
    assert answer.status_code in (200, 201), answer.text
    return answer.json()
