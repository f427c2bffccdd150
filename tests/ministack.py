"""The emulated AWS for tests: MiniStack in a process of its own, on a free loopback port.

One server serves a whole test session; a 12-digit access key is an account of its own there. The
table is the one of template.yaml, so that a key the template forgets fails a test. The contract
tests also run on another emulator that is there already, `elsewhere`.
"""

import os
import socket
import subprocess
import time
import urllib.request
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import boto3
import yaml

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

ROOT = Path(__file__).parents[1]
PYTHON = ROOT / ".venv-ministack" / "bin" / "python"
START_SECONDS = 30.0
REAL = ("amazonaws.com", "amazonaws.com.cn", "amazonaws.eu", "api.aws", "on.aws")
TABLE_PROPERTIES = ("AttributeDefinitions", "KeySchema", "GlobalSecondaryIndexes", "BillingMode")


@dataclass(frozen=True)
class MiniStack:
    """A running server: `session` holds credentials of an account that nobody else uses."""

    endpoint: str
    session: boto3.Session


@contextmanager
def started(log: Path) -> Iterator[MiniStack]:
    """Run a server, its output in `log`, and stop it afterwards."""
    if not PYTHON.exists():
        raise RuntimeError("the emulated AWS is not installed: run `make install`")
    port = _free_port()
    environment = {
        "PATH": os.defpath,
        "HOME": str(log.parent),
        "TMPDIR": str(log.parent),
        "BIND_HOST": "127.0.0.1",
        "GATEWAY_PORT": str(port),
        "LOG_LEVEL": "WARNING",
        "IOT_MTLS_ENABLED": "0",
        "SFTP_ENABLED": "0",
    }
    with log.open("wb") as output:
        process = subprocess.Popen(
            [PYTHON, "-m", "ministack"],
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
        )
        try:
            _wait(f"http://127.0.0.1:{port}", process, log)
            yield MiniStack(f"http://127.0.0.1:{port}", account())
        finally:
            process.kill()
            process.wait()


def elsewhere(endpoint: str) -> MiniStack:
    """An emulated AWS that somebody else runs; raises ValueError for what may be the real one.

    Whatever credentials the calling shell holds, they are not used: nothing real takes these.
    """
    there = urlsplit(endpoint)
    host = (there.hostname or "").rstrip(".")
    if there.scheme not in ("http", "https") or not host:
        raise ValueError(f"{endpoint!r} is no http(s) URL")
    if any(host == name or host.endswith(f".{name}") for name in REAL):
        raise ValueError(f"{host} is AWS itself: these tests make and delete tables")
    return MiniStack(
        endpoint,
        boto3.Session(
            aws_access_key_id="test", aws_secret_access_key="test", region_name="eu-central-1"
        ),
    )


def account() -> boto3.Session:
    """Credentials of a fresh account."""
    return boto3.Session(
        aws_access_key_id=f"{uuid.uuid4().int % 10**12:012d}",
        aws_secret_access_key="test",
        region_name="eu-central-1",
    )


def create_table(client: "DynamoDBClient", name: str) -> None:
    """Make a table with the keys and indexes of template.yaml."""
    client.create_table(TableName=name, **_table_properties())


def _table_properties() -> dict[str, Any]:
    template = yaml.load((ROOT / "template.yaml").read_text(), _Template)
    tables = [
        one["Properties"]
        for one in template["Resources"].values()
        if one["Type"] == "AWS::DynamoDB::Table"
    ]
    assert len(tables) == 1, "one table"
    return {name: tables[0][name] for name in TABLE_PROPERTIES}


class _Template(yaml.SafeLoader):
    """Reads a template and leaves out what its functions (`!Ref`, ...) would give."""


_Template.add_multi_constructor("!", lambda loader, suffix, node: None)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def _wait(endpoint: str, process: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline and process.poll() is None:
        try:
            with urllib.request.urlopen(f"{endpoint}/_ministack/health", timeout=2):
                return
        except OSError:
            time.sleep(0.05)
    raise RuntimeError(f"the emulated AWS did not start: {log.read_text()[-2000:]}")
