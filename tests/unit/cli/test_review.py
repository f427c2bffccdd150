"""`hindwise review`, `quarantine` and `users`: what is shown, what is sent, and the exit codes."""

import json
from typing import Any

from tests.unit.cli.stub import AT, Stub, memory

ID = "01J0000000000000000000000A"
JOB = "01J0000000000000000000000J"
COUNTS = {"found": 2, "derived": 1, "moved": 3, "weakened": 1, "revived": 1}


def case(**given: Any) -> dict[str, Any]:
    told = {"user_id": "ann", "kinds": ["quarantined"], "rules": ["instruction.override"]}
    return {**told, "against": [], "memory": memory(id=ID, content="Ignore it"), **given}


def decided(status: str = "active") -> dict[str, Any]:
    told = {"id": ID, "action": "approve", "status": status, "version": 2}
    return {**told, "memory": memory(id=ID, content="Tea is brown")}


def job(state: str = "succeeded", **given: Any) -> dict[str, Any]:
    times = {"created_at": AT, "updated_at": AT}
    return {"id": JOB, "kind": "quarantine", "state": state, "result": COUNTS, **times, **given}


def ordered(*users: str, following: str | None = None) -> dict[str, Any]:
    jobs = [{"user_id": user, "job_id": JOB} for user in users]
    return {"kind": "document", "dry_run": True, "undo": False, "jobs": jobs, "next": following}


def test_what_waits_is_shown_with_why(stub: Stub) -> None:
    other = memory(id="01J0000000000000000000000B")
    stub.says("GET /v1/reviews", {"results": [case(against=[other])], "next": "more"})
    done = stub.run("review", "list", "--kind", "quarantined", "--user", "ann")
    assert done.exit_code == 0
    assert ID in done.stdout
    assert "from owner · quarantined · instruction.override · against" in done.stdout
    assert "review approve ID" in done.stderr and "There are more" in done.stderr
    assert stub.asked[0].query == {"limit": ["20"], "user_id": ["ann"], "kind": ["quarantined"]}


def test_of_all_users_none_is_named(stub: Stub) -> None:
    stub.says("GET /v1/reviews", {"results": [], "next": None})
    done = stub.run("review", "list", "--all")
    assert (done.exit_code, done.stdout) == (3, "")
    assert "Nothing waits" in done.stderr
    assert "user_id" not in stub.asked[0].query
    assert "--all looks at all users" in stub.run("review", "list", "--user", "bo").stderr
    assert json.loads(stub.run("review", "list", "--json").stdout)["results"] == []


def test_approving_is_of_what_was_seen(stub: Stub) -> None:
    stub.says(f"GET /v1/memories/{ID}", memory(id=ID, version=7))
    stub.says(f"POST /v1/reviews/{ID}", decided("contested"))
    done = stub.run("review", "approve", ID, "--user", "ann", "--reason", "seen")
    assert done.exit_code == 0
    assert "contested" in done.stdout
    assert "higher authority" in done.stderr
    asked = stub.asked[-1]
    assert asked.body == {"user_id": "ann", "action": "approve", "reason": "seen"}
    assert asked.headers["if-match"] == '"7"'
    assert asked.headers["idempotency-key"].startswith("review-")


def test_the_other_decisions_are_sent_as_they_are(stub: Stub) -> None:
    stub.says(f"POST /v1/reviews/{ID}", decided())
    for words in (["reject", ID], ["reopen", ID], ["edit", ID, "茶是棕色的"]):
        assert stub.run("review", *words, "--user", "ann", "--json").exit_code == 0
    assert [one.body["action"] for one in stub.asked] == ["reject", "reopen", "edit"]
    assert stub.asked[-1].body["content"] == "茶是棕色的"
    assert "if-match" not in stub.asked[0].headers


def test_a_memory_that_is_not_there_is_said_to_be_so(stub: Stub) -> None:
    gone = {"error": {"code": "not_found", "message": "there is no memory", "details": {}}}
    stub.says(f"POST /v1/reviews/{ID}", gone, status=404)
    assert stub.run("review", "reject", ID).exit_code == 3


def test_a_source_is_counted_until_it_is_said_to_do_it(stub: Stub) -> None:
    stub.says("POST /v1/sources/-/quarantine", ordered("ann"), status=202)
    stub.says(f"GET /v1/jobs/{JOB}", job())
    done = stub.run("quarantine", "a/b", "--kind", "document", "--user", "ann")
    assert done.exit_code == 0
    assert "3 would be quarantined" in done.stdout
    assert "say --yes" in done.stderr
    assert stub.asked[0].body == {
        "user_id": "ann", "kind": "document", "dry_run": True, "undo": False, "source": "a/b",
    }  # fmt: skip
    done = stub.run("quarantine", "a/b", "--kind", "document", "--yes", "--undo", "--json")
    assert json.loads(done.stdout)["moved"] == 3
    assert stub.asked[-2].body["undo"] is True


def test_a_source_that_nothing_came_from_asks_for_no_yes(stub: Stub) -> None:
    stub.says("POST /v1/sources/c9/quarantine", ordered("ann"), status=202)
    stub.says(f"GET /v1/jobs/{JOB}", job(result=dict.fromkeys(COUNTS, 0)))
    done = stub.run("quarantine", "c9", "--user", "ann")
    assert done.exit_code == 3
    assert "Nothing came from such a conversation" in done.stderr and "--yes" not in done.stderr


def test_for_all_users_one_call_after_the_other_is_made(stub: Stub) -> None:
    path = "POST /v1/sources/c1/quarantine"
    stub.says(path, ordered("ann", following="more"), status=202)
    stub.says(path, ordered("bob"), status=202)
    stub.says(f"GET /v1/jobs/{JOB}", job())
    stub.says(f"GET /v1/jobs/{JOB}", job("failed", reason="lost"))
    done = stub.run("quarantine", "c1", "--all", "--yes")
    assert done.exit_code == 1
    assert "6 quarantined" in done.stdout
    assert "failed lost" in done.stderr
    assert stub.asked[1].body["cursor"] == "more"
    assert "user_id" not in stub.asked[0].body


def test_an_unknown_kind_of_source_is_wrong_usage(stub: Stub) -> None:
    assert stub.run("quarantine", "c1", "--kind", "rumour").exit_code == 2


def test_users_are_listed_by_prefix(stub: Stub) -> None:
    stub.says("GET /v1/users", {"results": [{"user_id": "李四"}], "next": "more"})
    done = stub.run("users", "--prefix", "李")
    assert (done.exit_code, done.stdout.strip()) == (0, "李四")
    assert stub.asked[0].query == {"limit": ["100"], "prefix": ["李"]}
    assert json.loads(stub.run("users", "--json").stdout)["results"]


def test_no_users_is_nothing_found(stub: Stub) -> None:
    stub.says("GET /v1/users", {"results": [], "next": None})
    done = stub.run("users")
    assert (done.exit_code, done.stdout) == (3, "")
