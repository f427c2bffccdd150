"""A stage's own parts, for the commands that work on them and not through the API.

On AWS a stage names its table, and one's own credentials open it; without a stage it is the table
of STAGE and MEMORY_TABLE, or of the local server that runs on the data folder.
"""

import json
import os
from pathlib import Path

from hindwise.cli.config import client_settings, data_folder, environment, only_local_aws
from hindwise.errors import Misconfigured
from hindwise.runtime.wiring import Wiring
from hindwise.settings import Settings, require

LOCAL_STAGE = "local"
TABLE = "hindwise-{stage}-memories-v1"
"""What template.yaml calls a stage's table."""


def is_local(stage: str) -> bool:
    """Tell whether the local server's table is meant: by its name, or because no other is named."""
    return stage == LOCAL_STAGE or not _environment(stage).get("MEMORY_TABLE")


def opened(stage: str, *needs: type[Settings]) -> Wiring:
    """The parts of a stage, "" for that of the environment.

    Raises Misconfigured where no local server runs, or naming all that is missing of `needs`.
    For a local one this process loses its AWS settings: nothing reaches an account.
    """
    if is_local(stage):
        folder = data_folder(client_settings())
        only_local_aws(_aws(folder))
        env = {**environment(), **_said(folder, "search"), **_said(folder, "kept")}
    else:
        env = _environment(stage)
    require(env, *needs)
    return Wiring(env)


def _environment(stage: str) -> dict[str, str]:
    named = {"STAGE": stage, "MEMORY_TABLE": TABLE.format(stage=stage)}
    return environment() | (named if stage else {})


def _aws(folder: Path) -> dict[str, str]:
    """What the local server's functions have in their environment, for its table."""
    try:
        port = int(json.loads((folder / "run" / "emulator.json").read_text())["port"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise Misconfigured(
            f"no local server runs on {folder} (start it with `hindwise dev`); "
            "for a table on AWS say --stage, or set STAGE and MEMORY_TABLE"
        ) from error
    return {
        "STAGE": LOCAL_STAGE,
        "MEMORY_TABLE": TABLE.format(stage=LOCAL_STAGE),
        "AWS_ENDPOINT_URL": f"http://127.0.0.1:{port}",
        "AWS_ACCESS_KEY_ID": "local",
        "AWS_SECRET_ACCESS_KEY": "local",
        "AWS_DEFAULT_REGION": "us-east-1",
        "AWS_REGION": "us-east-1",
        "AWS_EC2_METADATA_DISABLED": "true",
        "AWS_SHARED_CREDENTIALS_FILE": os.devnull,
        "AWS_CONFIG_FILE": os.devnull,
    }


def _said(folder: Path, part: str) -> dict[str, str]:
    """Variables of a part of the local server, as it says itself; empty where it does not."""
    try:
        said = json.loads((folder / "run" / "server.json").read_text("utf-8"))[part]
        return {str(name): str(value) for name, value in said.items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return {}
