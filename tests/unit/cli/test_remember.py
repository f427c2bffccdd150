"""`hindwise remember`, and what every command does with settings and errors."""

import json
import os
import subprocess
import sys
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
        ({"created": False}, "known already: NEW"),
        ({"created": False, "changed": True}, "updated NEW"),
        ({"superseded": ["OLD"]}, "remembered NEW, in place of OLD"),
        ({"contested": True}, "contested: a surer value stands"),
        ({"status": "quarantined"}, "held NEW\n"),
    ],
)
def test_what_became_of_it_is_said(stub: Stub, answer: dict[str, Any], words: str) -> None:
    stub.says("POST /v1/memories", {**WRITTEN, **answer})
    done = stub.run("remember", "x")
    assert words in done.stdout
    assert ("hindwise review show NEW" in done.stderr) == words.startswith("held")


def test_a_refusal_is_the_apis_message_with_its_field(stub: Stub) -> None:
    problem = {"code": "invalid", "message": "must not be blank", "details": {"field": "content"}}
    stub.says("POST /v1/memories", {"error": problem}, status=400)
    result = stub.run("remember", " ")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == "TEXT: must not be blank\n"
    as_json = stub.run("remember", " ", "--json")
    assert (as_json.exit_code, as_json.stdout) == (2, "")
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
    ours = {"error": {"code": "unauthorized", "message": "no API key that is known"}}
    stub.says("POST /v1/search", ours, status=401)
    none = stub.run("recall", "x", HINDWISE_KEY="", HINDWISE_DATA=str(tmp_path))
    assert "There is no key" in none.stderr
    assert "authorization" not in stub.asked[0].headers
    for _ in range(2):
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
    here = config.ClientSettings(hindwise_url="http://127.0.0.1:8788", hindwise_data=str(tmp_path))
    assert config.key_of(here) == "hw_local_kept"
    for url in ("https://api.example.com", "http://127.0.0.1.example.com", "http://10.0.0.1"):
        assert config.key_of(here.model_copy(update={"hindwise_url": url})) == ""


def test_a_key_that_is_none_is_refused_before_it_is_sent(stub: Stub) -> None:
    result = stub.run("recall", "x", HINDWISE_KEY="密钥")
    assert result.exit_code == 1
    assert "the key holds characters that no key has" in result.stderr
    assert stub.asked == []


def data_of_a_server(folder: Path, url: str, pid: int) -> None:
    (folder / "key").write_text("hw_local_kept\n")
    (folder / "run").mkdir(exist_ok=True)
    (folder / "run" / "server.json").write_text(json.dumps({"url": url, "pid": pid}))


def test_the_local_servers_address_is_found_with_its_key(stub: Stub, tmp_path: Path) -> None:
    stub.says("POST /v1/search", found(hit()))
    data_of_a_server(tmp_path, stub.url, os.getpid())
    here = {"HINDWISE_URL": "", "HINDWISE_KEY": "", "HINDWISE_DATA": str(tmp_path)}
    assert stub.run("recall", "x", **here).exit_code == 0
    assert stub.asked[0].headers["authorization"] == "Bearer hw_local_kept"


@pytest.mark.parametrize("kept", ["", "[]", '{"url": "http://127.0.0.1:1", "pid": 1e400}'])
def test_without_a_server_of_its_own_a_folders_key_goes_nowhere(tmp_path: Path, kept: str) -> None:
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    data_of_a_server(tmp_path, "http://127.0.0.1:8788", ended.pid)
    here = config.ClientSettings(hindwise_data=str(tmp_path))
    assert (config.address(here), config.key_of(here)) == (config.USUAL_URL, "")
    (tmp_path / "run" / "server.json").write_text(kept)
    assert (config.address(here), config.key_of(here)) == (config.USUAL_URL, "")


def test_a_folder_cannot_send_its_key_to_another_machine(tmp_path: Path) -> None:
    data_of_a_server(tmp_path, "http://10.0.0.1:8787", os.getpid())
    here = config.ClientSettings(hindwise_data=str(tmp_path))
    assert (config.address(here), config.key_of(here)) == (config.USUAL_URL, "")


def test_a_strangers_server_at_the_usual_port_is_said_to_be_one(
    stub: Stub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(config, "USUAL_URL", stub.url)
    stub.says("POST /v1/search", {"message": "Unauthorized"}, status=401)
    (tmp_path / "key").write_text("hw_local_kept\n")
    here = {"HINDWISE_URL": "", "HINDWISE_KEY": "", "HINDWISE_DATA": str(tmp_path)}
    result = stub.run("recall", "x", **here)
    assert result.exit_code == 1
    assert "authorization" not in stub.asked[0].headers
    assert f"is not the server of {tmp_path}, of which none runs" in result.stderr


@pytest.mark.parametrize("url", ["127.0.0.1:8787", "http://[::1", "ftp://x", "http://x:port"])
def test_a_malformed_address_is_said_by_its_name(stub: Stub, url: str) -> None:
    for words in (("recall", "x"), ("doctor",)):
        result = stub.run(*words, HINDWISE_URL=url)
        assert result.exit_code == 1
        assert f"HINDWISE_URL is {url!r}; it must be like http://127.0.0.1:8787" in result.stderr


def test_an_empty_user_is_an_unset_variable_and_not_me(stub: Stub) -> None:
    for words in (("remember", "x"), ("recall", "x"), ("show", "ID"), ("doctor",)):
        result = stub.run(*words, "--user", "")
        assert result.exit_code == 2
        assert "--user" in result.stderr and "must not be empty" in result.stderr
    assert stub.asked == []


@pytest.mark.parametrize(
    ("given", "needed"), [("--attribute", "--subject"), ("--subject", "--attribute")]
)
def test_half_a_slot_says_which_half_is_missing(stub: Stub, given: str, needed: str) -> None:
    result = stub.run("remember", "hi", given, "foo")
    assert result.exit_code == 2
    assert given in result.stderr and f"needs {needed}" in result.stderr
    assert stub.asked == []


@pytest.mark.parametrize(
    ("message", "shown"),
    [
        ("event_time: must be a time", "--at: must be a time"),
        (
            "content: must not be empty; tags.0: is wrong",
            "TEXT: must not be empty; --tag: is wrong",
        ),
        ("filters.kind: must be one", "--filter kind: must be one"),
        ("top_k: must be 1: not more", "--top-k: must be 1: not more"),
        ("frobs: is not known", "frobs: is not known"),
    ],
)
def test_a_refusal_names_what_was_typed(stub: Stub, message: str, shown: str) -> None:
    problem = {"code": "invalid", "message": message, "details": {"field": message.split(":")[0]}}
    stub.says("POST /v1/memories", {"error": problem}, status=400)
    result = stub.run("remember", "x")
    assert (result.exit_code, result.stderr) == (2, shown + "\n")


def test_a_text_that_begins_with_a_dash_gets_a_hint(stub: Stub) -> None:
    stub.says("POST /v1/memories", WRITTEN)
    for dashed in ("-5 degrees", "-5", "-x is unknown"):
        result = stub.run("remember", dashed)
        assert result.exit_code == 2
        assert f"-- '{dashed}'" in result.stderr
        assert stub.run("remember", "--", dashed).exit_code == 0
        assert stub.asked[-1].body["content"] == dashed
    assert " -- " not in stub.run("remember", "x", "--valu", "3").stderr
    assert " -- " not in stub.run("remember").stderr
