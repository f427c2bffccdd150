"""`hindwise remember`, and what every command does with settings and errors."""

import json
from pathlib import Path
from typing import Any

import pytest

from hindwise.cli import config
from tests.unit.cli.stub import Stub, found, hit

WRITTEN = {
    "id": "NEW",
    "created": True,
    "duplicate": False,
    "superseded": [],
    "contested": False,
    "status": "active",
}


def test_options_become_the_fields_of_the_api(stub: Stub) -> None:
    stub.says("POST /v1/memories", WRITTEN, status=201)
    result = stub.run(
        *("remember", "喜欢靠窗的座位", "--kind", "semantic", "--type", "preference"),
        *("--subject", "me", "--attribute", "seat", "--value", "window", "--tag", "旅行"),
        *("--tag", "travel", "--importance", "0.7", "--at", "2026-01-15T18:30:00+08:00"),
        *("--session", "s1", "--task", "t1", "--metadata", '{"n": 1}', "--user", "ann"),
    )
    assert (result.exit_code, result.stdout) == (0, "remembered NEW\n")
    assert stub.asked[0].body == {
        "user_id": "ann",
        "content": "喜欢靠窗的座位",
        "kind": "semantic",
        "type": "preference",
        "subject": "me",
        "attribute": "seat",
        "value": "window",
        "tags": ["旅行", "travel"],
        "importance": 0.7,
        "event_time": "2026-01-15T18:30:00+08:00",
        "session_id": "s1",
        "task_id": "t1",
        "metadata": {"n": 1},
    }


def test_what_is_not_said_is_left_to_the_server(stub: Stub) -> None:
    stub.says("POST /v1/memories", WRITTEN, status=201)
    stub.run("remember", "-", stdin="two\nlines\n".encode("utf-8-sig"))
    assert stub.asked[0].body == {"user_id": "me", "content": "two\nlines"}


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        ({"created": False, "duplicate": True}, "known already: NEW"),
        ({"created": False}, "updated NEW"),
        ({"superseded": ["OLD"]}, "remembered NEW, in place of OLD"),
        ({"contested": True}, "contested: a surer value stands"),
    ],
)
def test_what_became_of_it_is_said(stub: Stub, answer: dict[str, Any], words: str) -> None:
    stub.says("POST /v1/memories", {**WRITTEN, **answer})
    assert words in stub.run("remember", "x").stdout


def test_a_refusal_is_the_apis_message_with_its_field(stub: Stub) -> None:
    problem = {"code": "invalid", "message": "must not be blank", "details": {"field": "content"}}
    stub.says("POST /v1/memories", {"error": problem}, status=400)
    result = stub.run("remember", " ")
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr == "must not be blank (field: content)\n"
    as_json = stub.run("remember", " ", "--json")
    assert (as_json.exit_code, as_json.stdout) == (1, "")
    assert json.loads(as_json.stderr) == {"error": problem}


def test_metadata_must_be_an_object(stub: Stub, tmp_path: Path) -> None:
    for wrong in ("[1]", "{", "@no-such-file"):
        assert stub.run("remember", "x", "--metadata", wrong).exit_code == 2
    file = tmp_path / "metadata.json"
    file.write_text('{"a": "甲"}')
    stub.says("POST /v1/memories", WRITTEN)
    stub.run("remember", "x", "--metadata", f"@{file}")
    assert stub.asked[-1].body["metadata"] == {"a": "甲"}


def test_a_server_that_is_down_is_said_with_how_to_start_it(stub: Stub) -> None:
    result = stub.run("recall", "x", HINDWISE_URL="http://127.0.0.1:1")
    assert result.exit_code == 1
    assert "nothing answers at http://127.0.0.1:1" in result.stderr
    assert "hindwise dev" in result.stderr
    assert "Traceback" not in result.stderr


@pytest.mark.parametrize("body", [b"<html>hello</html>", {"results": "many"}])
def test_another_service_is_not_taken_for_hindwise(stub: Stub, body: Any) -> None:
    stub.says("POST /v1/search", body)
    result = stub.run("recall", "x")
    assert result.exit_code == 1
    assert "not as Hindwise does" in result.stderr


def test_a_missing_and_an_unknown_key_are_told_apart(stub: Stub, tmp_path: Path) -> None:
    stub.says("POST /v1/search", {"message": "Unauthorized"}, status=401)
    stub.says("POST /v1/search", {"message": "Forbidden"}, status=403)
    none = stub.run("recall", "x", HINDWISE_KEY="", HINDWISE_DATA=str(tmp_path))
    assert "There is no key" in none.stderr
    assert "authorization" not in stub.asked[0].headers
    assert "unknown or revoked" in stub.run("recall", "x").stderr


def test_the_local_servers_key_is_found_from_any_folder_below(
    stub: Stub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stub.says("POST /v1/search", found(hit()))
    data, below = tmp_path / ".hindwise", tmp_path / "a" / "b"
    data.mkdir()
    below.mkdir(parents=True)
    (data / "key").write_text("hw_local_kept\n")
    monkeypatch.chdir(below)
    stub.run("recall", "x", HINDWISE_KEY="", HINDWISE_DATA="")
    assert stub.asked[0].headers["authorization"] == "Bearer hw_local_kept"


def test_the_local_servers_key_never_leaves_this_machine(tmp_path: Path) -> None:
    (tmp_path / "key").write_text("hw_local_kept\n")
    here = config.ClientSettings(hindwise_data=str(tmp_path))
    assert config.key_of(here) == "hw_local_kept"
    for url in ("https://api.example.com", "http://127.0.0.1.example.com", "http://10.0.0.1"):
        assert config.key_of(here.model_copy(update={"hindwise_url": url})) == ""


def test_a_key_that_is_none_is_refused_before_it_is_sent(stub: Stub) -> None:
    result = stub.run("recall", "x", HINDWISE_KEY="密钥")
    assert result.exit_code == 1
    assert "the key holds characters that no key has" in result.stderr
    assert stub.asked == []
