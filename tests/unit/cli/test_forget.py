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
