"""`hindwise fade` and `hindwise restore`: what a night would do, doing it, and undoing it."""

import json
from typing import Any

import pytest

from hindwise.cli.checks import Subject, findings
from hindwise.client.api import Api
from tests.unit.cli.stub import Stub
from tests.unit.cli.test_doctor import ANSWERS

BACK = {"id": "M1", "created": False, "duplicate": False, "changed": True, "status": "active"}


def part(next: str | None = None, looked: int = 10, **counts: int) -> dict[str, Any]:
    return {
        "sweep": "archive", "dry_run": True, "looked": looked, "kept": 0,
        "counts": counts, "ids": {}, "next": next,
    }  # fmt: skip


def test_a_sweep_is_told_over_all_its_parts_and_changes_nothing(stub: Stub) -> None:
    stub.says("POST /v1/fading", part("on", 500, archived_unimportant=400, archived_done=0))
    stub.says("POST /v1/fading", part(None, 20, archived_unimportant=7))
    result = stub.run("fade", "archive", "--user", "ann")
    assert result.exit_code == 0
    assert result.stdout == "407 archived: unimportant (dry run)\n"
    assert "520 memories looked at" in result.stderr
    wanted = {"user_id": "ann", "sweep": "archive", "dry_run": True}
    assert [one.body for one in stub.asked] == [wanted, wanted | {"cursor": "on"}]


def test_now_does_it_and_json_adds_it_up(stub: Stub) -> None:
    stub.says("POST /v1/fading", part(None, 3, purged=2) | {"dry_run": False})
    result = stub.run("fade", "purge", "--now", "--json", "--user", "ann")
    told = json.loads(result.stdout)
    assert told == {"sweep": "purge", "dry_run": False, "looked": 3, "counts": {"purged": 2}}
    assert stub.asked[0].body["dry_run"] is False
    assert stub.run("fade", "purge", "--now", "--user", "ann").stdout == "2 purged\n"


def test_who_may_not_sweep_is_told_so(stub: Stub) -> None:
    error = {"error": {"code": "forbidden", "message": "needs the role admin"}}
    stub.says("POST /v1/fading", error, status=403)
    result = stub.run("fade", "purge", "--user", "ann")
    assert result.exit_code == 1 and "needs the role admin" in result.stderr


def test_a_memory_is_brought_back_once(stub: Stub) -> None:
    stub.says("POST /v1/memories/M1/restore", BACK)
    result = stub.run("restore", "M1", "--user", "ann")
    assert (result.exit_code, result.stdout) == (0, "restored M1\n")
    [asked] = stub.asked
    assert asked.body == {"user_id": "ann"}
    assert {name.lower() for name in asked.headers} >= {"idempotency-key"}
    assert json.loads(stub.run("restore", "M1", "--user", "ann", "--json").stdout) == BACK


def test_a_key_that_may_not_says_how_to_have_another(stub: Stub) -> None:
    error = {"error": {"code": "forbidden", "message": "this needs the role admin"}}
    stub.says("POST /v1/memories/M1/restore", error, status=403)
    result = stub.run("restore", "M1")
    assert result.exit_code == 1
    assert "this needs the role admin" in result.stderr and "--role" in result.stderr


def test_what_was_not_archived_is_not_said_to_be_restored(stub: Stub) -> None:
    stub.says("POST /v1/memories/M1/restore", {**BACK, "changed": False})
    result = stub.run("restore", "M1")
    assert (result.exit_code, result.stdout) == (
        0,
        "not archived: M1 is active and stays as it is\n",
    )


@pytest.mark.parametrize(("status", "code"), [(404, 3), (409, 1)])
def test_what_cannot_be_brought_back_says_why(stub: Stub, status: int, code: int) -> None:
    error = {"error": {"code": "not_found" if code == 3 else "conflict", "message": "no"}}
    stub.says("POST /v1/memories/M1/restore", error, status=status)
    assert stub.run("restore", "M1", "--user", "ann").exit_code == code


def test_doctor_counts_what_the_next_night_takes(stub: Stub) -> None:
    for call, answer in ANSWERS.items():
        stub.says(call, answer)

    def counted(asked: Any) -> tuple[int, dict[str, Any]]:
        if asked.body["sweep"] == "purge":
            return 200, part(purged=12)
        more = "on" if "cursor" not in asked.body else None
        return 200, part(more, archived_unimportant=1_500)

    stub.says("POST /v1/fading", counted)
    with Api(stub.url, "key") as api:
        [found] = [*findings(Subject(api, "ann", sleep=lambda seconds: None))]
    assert (found.level, found.what[:14]) == ("note", "3012 memories ")
    assert "archives 3000 of them and purges 12" in found.cause
    assert "hindwise fade archive" in found.next
    assert {one.body["dry_run"] for one in stub.asked if one.path == "/v1/fading"} == {True}


def test_help_says_what_each_sweep_does(stub: Stub) -> None:
    told = stub.run("fade", "--help").stdout
    for words in ("purge forgets", "archive puts away", "decay flags", "tiers archives"):
        assert words in told


def test_one_memory_is_not_one_memories(stub: Stub) -> None:
    stub.says("POST /v1/fading", part(None, 1, purged=1))
    assert "1 memory looked at" in stub.run("fade", "purge").stderr
