"""Runs `sam deploy` on what `make build` made, against the emulated AWS."""

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

from infra.local.emulator import ROOT

SAM = ROOT / ".venv-sam" / "bin" / "sam"
TEMPLATE = ROOT / ".aws-sam" / "build" / "template.yaml"
CAPABILITIES = ("CAPABILITY_IAM", "CAPABILITY_AUTO_EXPAND")


class DeployFailed(RuntimeError):
    """`sam deploy` gave up; the message is what it said."""


def deploy(stack: str, parameters: Mapping[str, str], aws: Mapping[str, str], home: Path) -> None:
    """Make or update the stack; `aws` are the variables that lead to the emulator.

    Raises DeployFailed.
    """
    if not TEMPLATE.exists() or not SAM.exists():
        raise DeployFailed("there is nothing to deploy: run `make build`")
    done = subprocess.run(
        [
            SAM, "deploy", "--template-file", TEMPLATE, "--stack-name", stack,
            "--resolve-s3", "--capabilities", *CAPABILITIES,
            "--no-confirm-changeset", "--no-fail-on-empty-changeset", "--no-progressbar",
            "--parameter-overrides", *(f"{name}={value}" for name, value in parameters.items()),
        ],
        cwd=ROOT,
        env={"PATH": os.defpath, "HOME": str(home), "SAM_CLI_TELEMETRY": "0", **aws},
        text=True,
        capture_output=True,
        check=False,
    )  # fmt: skip
    if done.returncode:
        raise DeployFailed(f"{done.stdout[-4000:]}\n{done.stderr[-4000:]}")
