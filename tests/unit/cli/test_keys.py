"""`hindwise keys`: what a key may hold, and which table is meant."""

import json
from pathlib import Path

import pytest

from hindwise.cli.keys import Ceiling, Rights, principal_for
from hindwise.domain.scope import Origin, Role
from hindwise.errors import Invalid
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
