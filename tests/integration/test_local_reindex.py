"""`hindwise reindex` on a laptop: the local server's table, index and embedder."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.local_dev import ROOT, Dev

pytestmark = [pytest.mark.ministack, pytest.mark.opensearch]
HINDWISE = (sys.executable, "-c", "from hindwise.cli.app import main; main()")
QUERY = {"user_id": "me", "query": "who has the keys?"}


def reindex(data: Path, *options: str) -> subprocess.CompletedProcess[str]:
    """The command as a person types it, whatever else their shell has set."""
    env = {"PATH": os.environ["PATH"], "HINDWISE_DATA": str(data), "EMBEDDER": "use"}
    command = [*HINDWISE, "reindex", *options]
    return subprocess.run(
        command, env=env, cwd=ROOT, capture_output=True, text=True, check=False, timeout=120
    )


def whole(dev: Dev) -> list[str]:
    """What the index answers, once it does."""
    deadline = time.monotonic() + 120
    while (answer := dev.ask("/v1/search", QUERY))["degraded"]:
        assert time.monotonic() < deadline, answer
        time.sleep(0.5)
    return [each["content"] for each in answer["results"]]


def indexes(endpoint: str) -> dict[str, Any]:
    found: dict[str, Any] = httpx.get(f"{endpoint}/hindwise-local-hashed-*", timeout=30).json()
    return found


def test_the_index_is_built_anew_while_the_server_runs(
    run: Callable[..., Dev], tmp_path: Path, opensearch: str
) -> None:
    for left in indexes(opensearch):
        httpx.delete(f"{opensearch}/{left}", timeout=30)
    dev = run(tmp_path, None, "--opensearch", OPENSEARCH_ENDPOINT=opensearch, OPENAI_API_KEY="k")
    dev.greeting()
    said = (tmp_path / "run" / "server.json").read_text()
    assert "OPENAI_API_KEY" not in said
    for n in range(3):
        dev.remember(f"The keys are with Ana {n}.")
    assert len(whole(dev)) == 3
    [before] = indexes(opensearch)
    done = reindex(tmp_path, "--shards", "2", "--json")
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout) == {"written": 3, "refused": 0}
    [(after, made)] = indexes(opensearch).items()
    assert after > before and made["settings"]["index"]["number_of_shards"] == "2"
    assert len(whole(dev)) == 3
    done = reindex(tmp_path)
    assert done.returncode == 0
    assert done.stdout.startswith("3 documents are in the new index")

    httpx.delete(f"{opensearch}/{next(iter(indexes(opensearch)))}", timeout=30)
    done = reindex(tmp_path, "--json")
    assert done.returncode == 1
    assert json.loads(done.stderr)["error"]["code"] == "conflict"
    dev.stop()


def test_a_server_that_searches_its_table_has_no_index(
    run: Callable[..., Dev], tmp_path: Path
) -> None:
    dev = run(tmp_path)
    dev.greeting()
    done = reindex(tmp_path)
    assert done.returncode == 1 and "the table needs no index" in done.stderr
    dev.stop()
