"""`hindwise keys`: what a key may hold, and which table is meant."""

import json
import os
from collections.abc import Iterator
from pathlib import Path

import boto3
import pytest
from moto import mock_aws
from typer.testing import Result

from hindwise.cli.keys import Ceiling, Rights, principal_for
from hindwise.cli.stage import TABLE
from hindwise.domain.scope import Origin, Role
from hindwise.errors import Invalid
from hindwise.runtime.credentials import digest
from tests.expanded import parsed
from tests.ministack import create_table
from tests.unit.cli.stub import Stub


def test_a_key_says_whom_it_may_act_for() -> None:
    rights = Rights(role=Role.READER, user=["张曼婷", "ann", "ann"], ceiling=Ceiling.AGENT)
    made = principal_for("agent-7", "acme", rights)
    assert (made.name, made.tenant, made.role) == ("agent-7", "acme", Role.READER)
    assert (made.users, made.ceiling) == (("张曼婷", "ann"), Origin.AGENT)
    assert principal_for("agent-7", "acme", Rights()).users == ("*",)


@pytest.mark.parametrize(
    ("name", "tenant", "users"),
    [
        ("", "acme", None),
        ("a\x1b[31m", "acme", None),
        ("x" * 65, "acme", None),
        ("agent", "Acme Inc", None),
        ("agent", "acme", [""]),
        ("agent", "acme", ["a\nb"]),
        ("agent", "acme", ["e\u0301"]),
        ("agent", "acme", ["x" * 257]),
    ],
)
def test_names_that_no_request_can_match_are_refused(
    name: str, tenant: str, users: list[str] | None
) -> None:
    with pytest.raises(Invalid):
        principal_for(name, tenant, Rights(user=users))


def test_every_origin_can_be_a_ceiling() -> None:
    assert {one.value for one in Ceiling} == {one.label for one in Origin}


def test_without_a_local_server_it_is_said_what_to_do(stub: Stub, tmp_path: Path) -> None:
    for words in ("list", "create x", "revoke x"):
        result = stub.run("keys", *words.split(), HINDWISE_DATA=str(tmp_path), MEMORY_TABLE="")
        assert result.exit_code == 1
        assert "set STAGE and MEMORY_TABLE" in result.stderr
    broken = tmp_path / "run" / "emulator.json"
    broken.parent.mkdir()
    broken.write_text(json.dumps(["no port"]))
    result = stub.run("keys", "list", HINDWISE_DATA=str(tmp_path), MEMORY_TABLE="")
    assert "no local server runs" in result.stderr


def test_a_table_on_aws_needs_a_tenant(stub: Stub) -> None:
    result = stub.run("keys", "list", MEMORY_TABLE="hindwise-dev-memories-v1", STAGE="dev")
    assert result.exit_code == 2
    assert "say which tenant" in result.stderr


ELSEWHERE = {
    "AWS_ENDPOINT_URL": "",
    "AWS_DEFAULT_REGION": "eu-central-1",
    "AWS_EC2_METADATA_DISABLED": "true",
    "AWS_SHARED_CREDENTIALS_FILE": os.devnull,
    "AWS_CONFIG_FILE": os.devnull,
    "MEMORY_TABLE": "",
    "STAGE": "",
}


@pytest.fixture
def emulated_stage() -> Iterator[str]:
    """The table of stage `dev`, on an AWS in this process."""
    with mock_aws():
        table = TABLE.format(stage="dev")
        create_table(boto3.client("dynamodb", "eu-central-1"), table)
        yield table


def keys(stub: Stub, *words: str, **env: str) -> Result:
    return stub.run("keys", *words, **ELSEWHERE, **env)


def test_a_stage_needs_nothing_but_its_name_and_credentials(
    stub: Stub, emulated_stage: str
) -> None:
    whose = ("--stage", "dev", "--tenant", "acme", "--json")
    env = {"AWS_ACCESS_KEY_ID": "a", "AWS_SECRET_ACCESS_KEY": "b"}
    made = keys(stub, "create", "agent-7", *whose, **env)
    assert made.exit_code == 0, made.stderr
    created = json.loads(made.stdout)
    assert created["key"].startswith("hw_dev_")
    listed = json.loads(keys(stub, "list", *whose, **env).stdout)["keys"]
    assert [one["id"] for one in listed] == [created["id"]]
    assert keys(stub, "revoke", created["id"], *whose, **env).exit_code == 0
    items = boto3.client("dynamodb", "eu-central-1").scan(TableName=emulated_stage)["Items"]
    assert [item["pk"]["S"] for item in items] == [f"KEY#{digest(created['key'])}"]


def test_a_stage_that_is_not_there_and_missing_credentials_are_named(
    stub: Stub, emulated_stage: str
) -> None:
    env = {"AWS_ACCESS_KEY_ID": "a", "AWS_SECRET_ACCESS_KEY": "b"}
    result = keys(stub, "create", "x", "--stage", "prod", "--tenant", "acme", **env)
    assert result.exit_code == 1
    assert "no such table in this account and region" in result.stderr
    none = {"AWS_ACCESS_KEY_ID": "", "AWS_SECRET_ACCESS_KEY": ""}
    result = keys(stub, "create", "x", "--stage", "dev", "--tenant", "acme", **none)
    assert result.exit_code == 1
    assert "no AWS credentials" in result.stderr


def test_a_stage_needs_a_tenant_and_local_means_the_laptop(stub: Stub, tmp_path: Path) -> None:
    assert keys(stub, "list", "--stage", "dev").exit_code == 2
    result = keys(stub, "list", "--stage", "local", HINDWISE_DATA=str(tmp_path))
    assert "no local server runs" in result.stderr


def test_the_table_has_the_name_that_the_template_gives() -> None:
    assert parsed("template.yaml")["Resources"]["MemoryTable"]["Properties"]["TableName"] == {
        "Fn::Sub": TABLE.format(stage="${Stage}")
    }
