"""`hindwise receipts apply` on a laptop: the local server's table, secret and receipts."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.local_dev import ROOT, Dev

pytestmark = pytest.mark.ministack
APPLY = "from hindwise.cli.app import main; main()"


def test_receipts_are_applied_again_to_what_the_server_keeps(
    run: Callable[..., Dev], tmp_path: Path
) -> None:
    dev = run(tmp_path)
    dev.greeting()
    memory = dev.remember("The keys are with Ana.")
    wanted = {"user_id": "me", "ids": [memory], "dry_run": False}
    receipt = dev.ask("/v1/forget", wanted)["id"]
    deadline = time.monotonic() + 30
    while dev.ask(f"/v1/forgets/{receipt}?user_id=me")["state"] != "complete":
        assert time.monotonic() < deadline, "the forgetting did not end"
        time.sleep(0.2)
    env = {"PATH": os.environ["PATH"], "HINDWISE_DATA": str(tmp_path), "SECRET_FILE": "elsewhere"}
    done = subprocess.run(
        [sys.executable, "-c", APPLY, "receipts", "apply", "--json"],
        env=env, cwd=ROOT, capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    told = json.loads(done.stdout)
    assert (told["receipts"], told["memories"], told["unreadable"]) == (1, 0, 0)
    dev.stop()
