"""The rows of `bench-learn` for mem0: the same conversations, model, replies and embedder.

mem0 runs in `.venv-mem0` (`bench/requirements-mem0.txt`), which is not installed everywhere.
"""

import json
import subprocess
import tempfile
from collections.abc import Sequence
from typing import Any

from bench.learn_scenes import Said, contents, contradictions
from bench.oracle import Oracle
from bench.rows import ROOT
from hindwise.domain.ports import Embedder

PYTHON = ROOT / ".venv-mem0" / "bin" / "python"
SECONDS = 3_600


class NotInstalled(RuntimeError):
    """There is no mem0 to compare with."""


def row(scenes: Sequence[Said], embedder: Embedder, breaking: int) -> dict[str, Any]:
    """What mem0 made of the conversations; raises NotInstalled."""
    if not PYTHON.exists():
        raise NotInstalled("mem0 is not installed here: no rows of it")
    with (
        Oracle(scenes=scenes, breaking=breaking, embedder=embedder) as oracle,
        tempfile.TemporaryDirectory(prefix="hindwise-mem0-") as home,
    ):
        asked = {
            "url": oracle.url,
            "dimensions": embedder.dimensions,
            "home": home,
            "conversations": [{"user": one.user, "messages": one.messages()} for one in scenes],
        }
        found = _ran(asked, home)
        calls, tokens = oracle.calls["extract"], oracle.tokens["all"]
    known = {user: set(texts) for user, texts in found["memories"].items()}
    of_user = [(known[one.user], one) for one in scenes]
    return {
        "what": "extract",
        "system": "mem0",
        "version": found["version"],
        "windows": len(scenes),
        "broken_replies": calls // breaking if breaking else 0,
        "llm_calls_per_window": round(calls / len(scenes), 3),
        "tokens_per_window": round(tokens / len(scenes)),
        "facts_expected": sum(len(one.facts) for one in scenes),
        "facts_lost": sum(len(contents([one]) - held) for held, one in of_user),
        "contradictions": len([pair for one in scenes for pair in contradictions([one])]),
        "contradictions_left": sum(
            old in held and new in held
            for held, one in of_user
            for old, new in contradictions([one])
        ),
        "refused_to_callers": found["failed"],
    }


def _ran(asked: dict[str, Any], home: str) -> dict[str, Any]:
    done = subprocess.run(
        [PYTHON, ROOT / "bench" / "mem0_runs.py"],
        input=json.dumps(asked),
        env={"HOME": home, "TMPDIR": home, "PATH": "/usr/bin:/bin"},
        cwd=home,
        text=True,
        capture_output=True,
        timeout=SECONDS,
        check=False,
    )
    if done.returncode:
        raise RuntimeError(f"mem0 failed: {done.stderr[-2000:]}")
    read: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return read
