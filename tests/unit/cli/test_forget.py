"""`hindwise forget`: asks first, says what is gone, and what is not there."""

import json

from tests.unit.cli.stub import Stub, memory

ID = "01J00000000000000000000001"
GONE = {"id": ID, "kind": "episodic", "status": "forgotten"}


def test_what_is_to_go_is_shown_and_asked_about(stub: Stub) -> None:
    stub.says(f"GET /v1/memories/{ID}", memory())
    stub.says(f"DELETE /v1/memories/{ID}", GONE)
    no = stub.run("forget", ID, "--user", "ann", stdin="n\n")
    assert no.exit_code == 1 and "forgotten" not in no.stdout
    assert "我们看了丝绸展览" in no.stderr
    assert [one.method for one in stub.asked] == ["GET"]
    yes = stub.run("forget", ID, "--user", "ann", stdin="y\n")
    assert yes.exit_code == 0 and yes.stdout.endswith(f"forgotten {ID}\n")
    assert (stub.asked[-1].method, stub.asked[-1].query) == ("DELETE", {"user_id": ["ann"]})


def test_nobody_there_to_answer_is_a_no(stub: Stub) -> None:
    stub.says(f"GET /v1/memories/{ID}", memory())
    assert stub.run("forget", ID, stdin="").exit_code == 1
    assert [one.method for one in stub.asked] == ["GET"]


def test_a_script_says_yes_beforehand_and_reads_json(stub: Stub) -> None:
    stub.says(f"DELETE /v1/memories/{ID}", GONE)
    done = stub.run("forget", ID, "--yes", "--json")
    assert (done.exit_code, json.loads(done.stdout)) == (0, GONE)
    assert [one.method for one in stub.asked] == ["DELETE"]


def test_what_is_not_there_is_nothing_found(stub: Stub) -> None:
    missing = {"error": {"code": "not_found", "message": f"there is no memory {ID}", "details": {}}}
    stub.says(f"DELETE /v1/memories/{ID}", missing, status=404)
    done = stub.run("forget", ID, "--yes")
    assert done.exit_code == 3 and done.stderr.startswith(f"there is no memory {ID}\n")


AT = "2026-03-13T18:30:00Z"
PREVIEW = {
    "dry_run": True, "matched": 2, "complete": True, "by_kind": {"episodic": 2}, "ids": ["A", "B"],
    "along": [{"id": "C", "of": "A", "why": "turn"}], "counts": {},
}  # fmt: skip
RECEIPT = {
    "id": "R", "kind": "filter", "state": "accepted", "by": "me", "reason": "", "of": "", "ids": [],
    "requested_at": AT, "finished_at": None, "counts": {}, "left": {},
}  # fmt: skip
DONE = {**RECEIPT, "state": "complete", "counts": {"memories": 2}, "finished_at": AT}


def begins(stub: Stub) -> None:
    stub.says("POST /v1/forget", PREVIEW)
    stub.says("POST /v1/forget", RECEIPT, status=202)
    stub.says("GET /v1/forgets/R", DONE)


def test_many_are_shown_asked_about_and_waited_for(stub: Stub) -> None:
    begins(stub)
    done = stub.run("forget", "--filter", '{"task_id": "t"}', stdin="y\n")
    assert done.exit_code == 0 and "2 memories" in done.stderr and "C goes along" in done.stderr
    assert "complete R" in done.stdout and "2 memories" in done.stdout
    dry, real = (one.body for one in stub.asked[:2])
    assert (dry["dry_run"], real["dry_run"]) == (True, False)
    assert dry["filters"] == real["filters"] == {"task_id": "t"}


def test_a_no_forgets_nothing_of_many(stub: Stub) -> None:
    begins(stub)
    assert stub.run("forget", "--all", stdin="n\n").exit_code == 1
    assert [one.body["dry_run"] for one in stub.asked] == [True]


def test_words_name_memories_that_then_go_by_their_ids(stub: Stub) -> None:
    begins(stub)
    done = stub.run("forget", "--query", "door code", "--yes", "--json")
    assert (done.exit_code, json.loads(done.stdout)) == (0, DONE)
    assert stub.asked[0].body["query"] == "door code"
    assert stub.asked[1].body["ids"] == ["A", "B"] and "query" not in stub.asked[1].body


def test_what_lets_nothing_through_is_nothing_found(stub: Stub) -> None:
    stub.says("POST /v1/forget", {**PREVIEW, "matched": 0, "ids": [], "along": []})
    assert stub.run("forget", "A", "B", "--yes").exit_code == 3
    assert stub.run("forget", "A", "B", "--yes", "--json").exit_code == 3
    assert all(one.body["dry_run"] for one in stub.asked)


def test_what_is_meant_is_said_in_one_way(stub: Stub) -> None:
    for wrong in ([], ["A", "--all"], ["--all", "--query", "x"], ["--filter", "[1]"]):
        assert stub.run("forget", *wrong).exit_code == 2
    assert stub.asked == []


def test_receipts_are_listed_and_shown(stub: Stub) -> None:
    stub.says("GET /v1/forgets", {"results": [RECEIPT, DONE], "next": None})
    stub.says("GET /v1/forgets/R", RECEIPT)
    assert "R" in stub.run("forgets", "list").stdout
    assert json.loads(stub.run("forgets", "list", "--json").stdout)["next"] is None
    assert "accepted R" in stub.run("forgets", "show", "R").stdout


def test_a_dry_run_forgets_nothing_and_asks_nobody(stub: Stub) -> None:
    stub.says("POST /v1/forget", PREVIEW)
    told = stub.run("forget", "A", "--dry-run")
    assert told.exit_code == 0 and "C goes along" in told.stderr
    assert json.loads(stub.run("forget", "--all", "--dry-run", "--json").stdout) == PREVIEW
    assert [one.body["dry_run"] for one in stub.asked] == [True, True]


def test_a_dry_run_that_finds_nothing_says_so(stub: Stub) -> None:
    stub.says("POST /v1/forget", {**PREVIEW, "matched": 0, "ids": []})
    told = stub.run("forget", "--query", "nothing", "--dry-run")
    assert told.exit_code == 3 and "nothing of that kind" in told.stderr


def test_json_without_anybody_to_ask_says_what_is_missing(stub: Stub) -> None:
    for what in (ID, "--all"):
        done = stub.run("forget", what, "--json", stdin="")
        assert done.exit_code == 2 and "--yes" in done.stderr and "Aborted" not in done.stderr
    assert stub.asked == []


def test_one_of_a_thing_is_said_as_one(stub: Stub) -> None:
    stub.says("POST /v1/forget", {**PREVIEW, "matched": 1, "ids": ["A"], "along": []})
    assert stub.run("forget", "--query", "x", "--dry-run").stderr.startswith("1 memory ")
    stub.says(
        "GET /v1/forgets", {"results": [{**RECEIPT, "counts": {"memories": 1}}], "next": None}
    )
    assert stub.run("forgets", "list").stdout.endswith("1 memory\n")


def test_receipts_are_not_applied_without_their_bucket_and_the_secret(stub: Stub) -> None:
    env = {"STAGE": "dev", "MEMORY_TABLE": "t", "SECRET_ARN": "", "MEMORY_BUCKET": ""}
    done = stub.run("receipts", "apply", "--tenant", "main", **env)
    assert done.exit_code == 1 and "Value error" not in done.stderr
    assert "MEMORY_BUCKET" in done.stderr and "SECRET_ARN or SECRET_FILE" in done.stderr
