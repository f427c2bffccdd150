"""`hindwise audit`: what is asked, what is shown, and which exit code a fault gives."""

import json

from tests.unit.cli.stub import AT, Stub

ID = "01J00000000000000000000001"
ROW = {"id": ID, "at": AT, "actor": "bot", "decision": "created", "rules": [], "user_id": "ann",
       "memory_id": ID, "version": 1, "origin": "owner"}  # fmt: skip
REFUSED = {"id": ID, "at": AT, "actor": "rob", "decision": "refused", "rules": ["lesson"],
           "user_id": "~abc", "memory_id": None, "call": "writeMemories",
           "code": "refused"}  # fmt: skip
LIST, CHECK = "GET /v1/audit", "GET /v1/audit/verify"


def piece(**given):
    return {"checked": 3, "faults": [], "late": 0, "digest": None, "next": None, **given}


def test_changes_and_refusals_are_listed(stub: Stub) -> None:
    stub.says(LIST, {"results": [REFUSED, ROW], "next": None})
    done = stub.run("audit", "list", "--user", "ann")
    assert done.exit_code == 0 and "refused writeMemories" in done.stdout and "bot" in done.stdout
    assert stub.asked[0].query == {"user_id": ["ann"], "limit": ["20"]}
    stub.run("audit", "list", "--day", "2026-01-15", "--limit", "5")
    assert stub.asked[1].query == {"day": ["2026-01-15"], "limit": ["5"]}
    stub.run("audit", "list", "--memory", ID, "--user", "ann")
    assert stub.asked[2].query == {"user_id": ["ann"], "memory_id": [ID], "limit": ["20"]}


def test_nothing_changed_is_nothing_found_and_json_is_the_answer(stub: Stub) -> None:
    stub.says(LIST, {"results": [], "next": "more"})
    done = stub.run("audit", "list")
    assert done.exit_code == 3 and "Nothing was changed in the months" in done.stderr
    assert "There may be more" in done.stderr and len(stub.asked) == 12
    as_json = stub.run("audit", "list", "--json")
    assert json.loads(as_json.stdout) == {"results": [], "next": "more"}


def test_a_page_without_a_row_is_not_the_end_and_no_id_is_cut(stub: Stub) -> None:
    stub.says(LIST, {"results": [], "next": "more"})
    stub.says(LIST, {"results": [{**ROW, "actor": "a" * 60, "rules": ["lesson"]}], "next": None})
    done = stub.run("audit", "list", "--user", "ann")
    assert (done.exit_code, done.stderr) == (0, "")
    assert done.stdout.endswith(f"created · ann · {ID} · lesson\n")
    assert stub.asked[1].query == {"user_id": ["ann"], "limit": ["20"], "cursor": ["more"]}


def test_a_check_goes_on_to_the_end_and_names_each_fault(stub: Stub) -> None:
    fault = {"wrong": "altered", "id": ID, "chain": ID}
    stub.says(CHECK, piece(faults=[fault], digest="broken", next="more"))
    stub.says(CHECK, piece(late=2, digest="whole"))
    done = stub.run("audit", "verify", "--day", "2026-01-15")
    assert done.exit_code == 1
    assert f"altered {ID} {ID}" in done.stdout and "6 looked at, 1 wrong" in done.stdout
    assert "2 rows came after the digest" in done.stderr
    assert [one.query for one in stub.asked] == [
        {"day": ["2026-01-15"]},
        {"day": ["2026-01-15"], "cursor": ["more"]},
    ]


def test_what_is_whole_is_said_so(stub: Stub) -> None:
    stub.says(CHECK, piece())
    assert stub.run("audit", "verify", "--user", "ann").exit_code == 0
    assert stub.asked[0].query == {"user_id": ["ann"]}
    found = json.loads(stub.run("audit", "verify", "--json").stdout)
    assert found == {"checked": 3, "faults": [], "late": 0, "digest": None}


def test_a_day_without_a_digest_says_what_was_not_checked(stub: Stub) -> None:
    stub.says(CHECK, piece(digest="absent"))
    done = stub.run("audit", "verify", "--day", "2026-01-15")
    assert done.exit_code == 0 and "no digest yet" in done.stderr
