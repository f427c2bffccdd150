"""`hindwise export`, and `import` of what it wrote: whole files, their users, what is kept out."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.unit.cli.stub import Asked, Stub

LINES = [f'{{"line":"memory","id":"{number}","content":"第 {number} 条"}}' for number in range(3)]


@pytest.fixture
def exporting(stub: Stub) -> Stub:
    """An API with three lines, in two pages."""
    stub.says("GET /v1/export", {"lines": LINES[:2], "next": "more"})
    stub.says("GET /v1/export", {"lines": LINES[2:], "next": None})
    return stub


def taken(asked: Asked) -> tuple[int, Any]:
    """Answer as the API does: the second memory was forgotten, the third cannot be."""
    results = []
    for index, text in enumerate(asked.body["lines"]):
        number = int(json.loads(text)["id"])
        one: dict[str, Any] = {"index": index, "status": ["created", "forgotten", "failed"][number]}
        if number == 2:
            one["error"] = {"code": "invalid", "message": "seq: must be whole", "details": {}}
        results.append(one)
    return 200, {"results": results}


def test_a_file_says_what_it_is_and_that_it_is_whole(exporting: Stub, tmp_path: Path) -> None:
    file = tmp_path / "ada.jsonl"
    result = exporting.run("export", str(file), "--user", "ada")
    assert (result.exit_code, result.stdout) == (0, f"3 lines in {file}\n")
    first, *lines, last = file.read_text().splitlines()
    said = json.loads(first)
    assert (said["format"], said["version"], said["user_id"]) == ("hindwise-export", 1, "ada")
    assert lines == LINES
    assert json.loads(last) == {"line": "end", "lines": 3}
    assert [one.query.get("cursor") for one in exporting.asked] == [None, ["more"]]
    assert file.stat().st_mode & 0o077 == 0
    assert [path.name for path in tmp_path.iterdir()] == ["ada.jsonl"]


def test_without_a_file_all_goes_to_standard_output(exporting: Stub) -> None:
    result = exporting.run("export")
    assert result.exit_code == 0
    assert result.stdout.splitlines()[1:-1] == LINES


def test_a_file_of_before_stays_until_a_new_one_is_whole(stub: Stub, tmp_path: Path) -> None:
    file = tmp_path / "ada.jsonl"
    file.write_text("before")
    stub.says("GET /v1/export", {"lines": LINES, "next": "more"})
    error = {"error": {"code": "forbidden", "message": "no", "details": {}}}
    stub.says("GET /v1/export", error, status=403)
    assert stub.run("export", str(file)).exit_code == 1
    assert file.read_text() == "before"
    assert [path.name for path in tmp_path.iterdir()] == ["ada.jsonl"]
    assert stub.run("export", str(tmp_path / "none" / "x")).exit_code == 2


def test_a_file_is_taken_in_for_the_user_that_it_names(exporting: Stub, tmp_path: Path) -> None:
    file = tmp_path / "ada.jsonl"
    exporting.run("export", str(file), "--user", "ada")
    exporting.says("POST /v1/import", taken)
    result = exporting.run("import", str(file))
    assert result.exit_code == 1
    assert result.stdout == "1 stored, 0 known already, 1 stay forgotten, 1 kept out\n"
    assert "line 4: seq: must be whole" in result.stderr
    assert exporting.asked[-1].body == {"user_id": "ada", "lines": LINES}
    exporting.run("import", str(file), "--user", "bo")
    assert exporting.asked[-1].body["user_id"] == "bo"
    said = json.loads(exporting.run("import", "-", "--json", stdin=file.read_bytes()).stdout)
    assert (said["stored"], said["forgotten"], said["whole"]) == (1, 1, True)
    assert said["refused"] == [{"line": 4, "message": "seq: must be whole"}]


def test_a_file_that_was_cut_short_is_told(stub: Stub, tmp_path: Path) -> None:
    file = tmp_path / "ada.jsonl"
    header = {"line": "export", "format": "hindwise-export", "version": 1, "user_id": "ada"}
    file.write_text("\n".join([json.dumps(header), LINES[0]]) + "\n")
    stub.says("POST /v1/import", taken)
    result = stub.run("import", str(file))
    assert result.exit_code == 1 and "before it is whole" in result.stderr
    file.write_text(json.dumps({**header, "version": 2}) + "\n")
    assert stub.run("import", str(file)).exit_code == 2


def test_a_line_that_no_request_takes_is_kept_out_alone(stub: Stub, tmp_path: Path) -> None:
    def answer(asked: Asked) -> tuple[int, Any]:
        if any('"id":"1"' in text for text in asked.body["lines"]):
            return 413, {"error": {"code": "too_large", "message": "over", "details": {}}}
        results = [
            {"index": index, "status": "known"} for index, _ in enumerate(asked.body["lines"])
        ]
        return 200, {"results": results}

    file = tmp_path / "ada.jsonl"
    header = {"line": "export", "format": "hindwise-export", "version": 1, "user_id": "ada"}
    end = json.dumps({"line": "end", "lines": 3})
    file.write_text("\n".join([json.dumps(header), *LINES, end]) + "\n")
    stub.says("POST /v1/import", answer)
    result = stub.run("import", str(file))
    assert result.stdout == "0 stored, 2 known already, 1 kept out\n"
    assert "line 3: " in result.stderr


def test_a_table_that_is_down_says_how_to_go_on(exporting: Stub, tmp_path: Path) -> None:
    file = tmp_path / "ada.jsonl"
    exporting.run("export", str(file))
    error = {"error": {"code": "unauthorized", "message": "no", "details": {}}}
    exporting.says("POST /v1/import", error, status=401)
    result = exporting.run("import", str(file))
    assert result.exit_code == 1 and "Run the same command again" in result.stderr
