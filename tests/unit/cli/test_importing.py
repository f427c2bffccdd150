"""`hindwise import`: batches, retries, culprits, and that nothing is hidden."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.unit.cli.stub import Asked, Stub


def stored(asked: Asked) -> tuple[int, Any]:
    """Answer as the API does: an item that says `bad` is refused, all others are stored."""
    results = []
    for index, item in enumerate(asked.body["items"]):
        if item["content"] == "bad":
            message = f"items.{index}.content: must not be bad"
            error = {"code": "invalid", "message": message, "details": {}}
            results.append({"index": index, "status": "failed", "error": error})
        else:
            results.append({"index": index, "id": "M", "created": True, "status": "active"})
    failed = sum("error" in one for one in results)
    body = {"results": results, "stored": len(results) - failed, "failed": failed}
    return (207 if failed else 201), body


def lines(tmp_path: Path, *said: Any) -> str:
    file = tmp_path / "memories.jsonl"
    texts = [one if isinstance(one, str) else json.dumps(one) for one in said]
    file.write_text("\n".join(texts) + "\n")
    return str(file)


def test_all_goes_in_batches_of_a_hundred_with_a_key_each(stub: Stub, tmp_path: Path) -> None:
    stub.says("POST /v1/memories", stored)
    file = lines(tmp_path, *({"content": f"memory {number}"} for number in range(250)))
    result = stub.run("import", file)
    assert (result.exit_code, result.stdout) == (0, "250 stored, 0 known already\n")
    assert [len(one.body["items"]) for one in stub.asked] == [100, 100, 50]
    assert len({one.headers["idempotency-key"] for one in stub.asked}) == 3
    assert all(one.body["user_id"] == "me" for one in stub.asked)


def test_long_memories_go_in_smaller_requests(stub: Stub, tmp_path: Path) -> None:
    stub.says("POST /v1/memories", stored)
    file = lines(tmp_path, *({"content": f"{number}" + "忆" * 19_000} for number in range(7)))
    assert stub.run("import", file).exit_code == 0
    sizes = [len(json.dumps(one.body, ensure_ascii=False).encode()) for one in stub.asked]
    assert max(sizes) < 256 * 1024


def test_bad_lines_are_named_and_kept_out(stub: Stub, tmp_path: Path) -> None:
    stub.says("POST /v1/memories", stored)
    file = lines(tmp_path, {"content": "good"}, "{", "", {"content": "bad"}, {"content": "fine"})
    result = stub.run("import", file)
    assert result.exit_code == 1
    assert "2 stored, 0 known already, 2 kept out" in result.stdout
    assert "line 2: is not JSON" in result.stderr
    assert "line 4: content: must not be bad" in result.stderr


def test_a_batch_that_is_refused_whole_is_halved_to_the_culprit(stub: Stub, tmp_path: Path) -> None:
    def deep(asked: Asked) -> tuple[int, Any]:
        if any(item["content"] == "deep" for item in asked.body["items"]):
            error = {"code": "invalid", "message": "nested deeper than 16", "details": {}}
            return 400, {"error": error}
        return stored(asked)

    stub.says("POST /v1/memories", deep)
    said = [{"content": "deep" if number == 5 else f"{number}"} for number in range(20)]
    result = stub.run("import", lines(tmp_path, *said), "--json")
    assert result.exit_code == 1
    answer = json.loads(result.stdout)
    assert answer == {
        "stored": 19,
        "changed": 0,
        "known": 0,
        "redacted": 0,
        "held": 0,
        "refused": [{"line": 6, "message": "nested deeper than 16"}],
    }


def test_a_batch_that_is_all_refused_is_an_answer(stub: Stub, tmp_path: Path) -> None:
    stub.says("POST /v1/memories", lambda asked: (400, stored(asked)[1]))
    result = stub.run("import", lines(tmp_path, {"content": "bad"}))
    assert result.exit_code == 1
    assert "line 1: content: must not be bad" in result.stderr


def test_text_that_is_no_unicode_is_kept_out(stub: Stub, tmp_path: Path) -> None:
    stub.says("POST /v1/memories", stored)
    result = stub.run("import", lines(tmp_path, r'{"content": "\ud800"}', {"content": "fine"}))
    assert "line 1: the text is not valid Unicode" in result.stderr
    assert "1 stored" in result.stdout


def test_a_busy_server_is_waited_for_with_the_same_key(stub: Stub, tmp_path: Path) -> None:
    busy = {"error": {"code": "unavailable", "message": "later", "details": {}}}
    stub.says("POST /v1/memories", busy, status=503, headers={"retry-after": "0"})
    stub.says("POST /v1/memories", stored)
    result = stub.run("import", lines(tmp_path, {"content": "fine"}))
    assert result.stdout == "1 stored, 0 known already\n"
    assert len({one.headers["idempotency-key"] for one in stub.asked}) == 1


def test_an_import_that_is_stopped_says_how_to_go_on(stub: Stub, tmp_path: Path) -> None:
    refusal = {"error": {"code": "forbidden", "message": "the role is reader", "details": {}}}
    stub.says("POST /v1/memories", stored)
    stub.says("POST /v1/memories", refusal, status=403)
    file = lines(tmp_path, *({"content": f"{number}"} for number in range(150)))
    result = stub.run("import", file)
    assert result.exit_code == 1
    assert "the role is reader" in result.stderr
    assert "Run the same command again" in result.stderr
    assert "100 were stored before it stopped" in result.stderr
    assert "100 stored" in result.stdout


def test_each_conversation_may_belong_to_the_user_it_names(stub: Stub, tmp_path: Path) -> None:
    stub.says("POST /v1/memories", stored)
    turn = {"id": "0U", "text": "你好", "time": "2023-04-27T20:00:00+08:00"}
    said = [{"id": name, "turns": [turn]} for name in ("张曼婷", "王峰")]
    said.append({"id": "x", "user_id": "李雪", "turns": [turn]})
    file = lines(tmp_path, *said)
    assert stub.run("import", file, "--user-from-id").exit_code == 0
    assert [one.body["user_id"] for one in stub.asked] == ["张曼婷", "王峰", "李雪"]


def test_a_line_of_another_user_is_not_given_to_this_one(stub: Stub, tmp_path: Path) -> None:
    stub.says("POST /v1/memories", stored)
    said = [{"content": "mine"}, {"content": "hers", "user_id": "her"}]
    result = stub.run("import", lines(tmp_path, *said), "--user", "me")
    assert result.exit_code == 1
    assert "line 2: user_id: is not me" in result.stderr
    assert [item["content"] for item in stub.asked[0].body["items"]] == ["mine"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [(["no-such-file.jsonl"], "no-such-file.jsonl"), (["x", "--zone", "Mars"], "Mars")],
)
def test_wrong_usage_is_exit_code_2(stub: Stub, arguments: list[str], words: str) -> None:
    result = stub.run("import", *arguments)
    assert result.exit_code == 2
    assert words in result.stderr
    assert stub.asked == []


def test_standard_input_is_a_file_too(stub: Stub) -> None:
    stub.says("POST /v1/memories", stored)
    text = '{"content": "一"}\n{"content": "二"}\n'
    assert stub.run("import", "-", stdin=text).stdout.startswith("2 stored")


def test_refusals_are_in_the_order_of_the_lines(stub: Stub, tmp_path: Path) -> None:
    stub.says("POST /v1/memories", stored)
    file = lines(tmp_path, {"content": "bad"}, "[]", {"content": "bad"}, "{", {"content": "bad"})
    result = stub.run("import", file)
    named = [line.split(":")[0] for line in result.stderr.splitlines() if line.startswith("line")]
    assert named == [f"line {number}" for number in range(1, 6)]
    refused = json.loads(stub.run("import", file, "--json").stdout)["refused"]
    assert [one["line"] for one in refused] == [1, 2, 3, 4, 5]


def test_a_file_that_is_no_json_is_said_once_with_the_shape(stub: Stub, tmp_path: Path) -> None:
    stub.says("POST /v1/memories", stored)
    file = lines(tmp_path, *("some prose" for _ in range(25)), {"content": "bad"})
    result = stub.run("import", file)
    assert result.stderr.count("is not JSON") == 3
    assert "… and 22 more lines are not JSON" in result.stderr
    assert "line 26: content: must not be bad" in result.stderr
    assert "hindwise import --help" in result.stderr
    assert "0 stored, 0 known already, 26 kept out" in result.stdout
    help_text = stub.run("import", "--help").stdout
    assert '{"content": ' in help_text and '"turns": [' in help_text


def test_what_was_changed_is_not_counted_as_known(stub: Stub, tmp_path: Path) -> None:
    states = [{"created": True, "changed": True}, {"changed": True}, {"duplicate": True}]
    results = [{"index": n, "id": "M", "status": "active", **one} for n, one in enumerate(states)]
    stub.says("POST /v1/memories", {"results": results, "stored": 3, "failed": 0})
    file = lines(tmp_path, *({"content": f"{number}"} for number in range(3)))
    assert stub.run("import", file).stdout == "1 stored, 1 changed, 1 known already\n"
    counts = json.loads(stub.run("import", file, "--json").stdout)
    assert (counts["stored"], counts["changed"], counts["known"]) == (1, 1, 1)


def test_a_server_lost_midway_says_what_was_stored(stub: Stub, tmp_path: Path) -> None:
    broken = b"<html>"
    stub.says("POST /v1/memories", stored)
    stub.says("POST /v1/memories", broken, status=502)
    file = lines(tmp_path, *({"content": f"{number}"} for number in range(150)))
    result = stub.run("import", file)
    assert result.exit_code == 1
    assert "100 were stored before it stopped. Run the same command again" in result.stderr


def test_an_empty_file_is_nothing_found(stub: Stub, tmp_path: Path) -> None:
    assert stub.run("import", lines(tmp_path, "")).exit_code == 3


def test_lines_before_the_given_one_are_skipped(stub: Stub, tmp_path: Path) -> None:
    stub.says("POST /v1/memories", stored)
    file = lines(tmp_path, "{broken", {"content": "kept"})
    assert stub.run("import", file, "--from-line", "2").exit_code == 0
