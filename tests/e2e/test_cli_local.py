"""The command line against the local server that `hindwise dev` starts: real parts all the way."""

import math
import shlex
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from hindwise.client.api import Api
from tests.readme import COMMANDS, calls
from tests.terminal import Terminal, start, stop, terminal_in

ROOT = Path(__file__).parents[2]
SAMPLE = ROOT / "samples" / "memorybank_cn.jsonl"
PROJECT_SECONDS = 30
TURNS, USERS = 238, ("张曼婷", "王峰", "张志强")
pytestmark = pytest.mark.ministack


@pytest.fixture(scope="module")
def terminal(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Terminal]:
    """A running server with the sample in it."""
    made = terminal_in(tmp_path_factory.mktemp("cli"))
    server = start(made)
    try:
        done = made.run("import", str(SAMPLE), "--zone", "+08:00", "--user-from-id")
        assert (done.returncode, done.stdout) == (0, f"{TURNS} stored, 0 known already\n")
        projected(made)
        yield made
    finally:
        stop(server)


def projected(terminal: Terminal) -> None:
    """Wait until everything is projected, so that meaning can be searched."""
    key = (terminal.data / "key").read_text().strip()
    deadline = time.monotonic() + PROJECT_SECONDS
    with Api(terminal.url, key) as api:
        while any(api.stats(user).waiting for user in USERS):
            assert time.monotonic() < deadline, "the sample was not projected"
            time.sleep(0.2)


def texts(found: Any) -> list[str]:
    return [hit["content"] for hit in found["results"]]


def test_importing_again_stores_nothing_twice(terminal: Terminal) -> None:
    answer = terminal.said("import", str(SAMPLE), "--zone", "Asia/Shanghai", "--user-from-id")
    assert answer == {
        "stored": 0,
        "changed": 0,
        "known": TURNS,
        "held": 0,
        "redacted": 0,
        "refused": [],
    }


def test_without_a_zone_nothing_is_imported(terminal: Terminal) -> None:
    answer = terminal.said("import", str(SAMPLE), "--user", "nobody", code=1)
    assert (answer["stored"], len(answer["refused"])) == (0, 3)
    assert "--zone" in answer["refused"][0]["message"]


@pytest.mark.parametrize(
    ("question", "wanted"),
    [("我在绿禾公园看到了什么景色？", "樱花"), ("What did I see in the park?", "樱花")],
)
def test_a_memory_is_found_in_either_language(
    terminal: Terminal, question: str, wanted: str
) -> None:
    found = terminal.said("recall", question, "--user", "张曼婷")
    assert any(wanted in text for text in texts(found))


def test_a_date_is_read_and_each_part_adds_to_the_score(terminal: Terminal) -> None:
    asked = ("recall", "我5月2日去博物馆看了什么展览？", "--user", "张曼婷", "--why")
    found = terminal.said(*asked, "--now", "2023-05-08T09:00:00+08:00")
    first, best = [one["event_time"] for one in found["results"][:2]], found["results"][0]
    assert "2023-05-02T20:01:00+08:00" in first
    assert best["why"]["time_words"][0]["days"]["first"] == "2023-05-02"
    for hit in found["results"]:
        parts = math.fsum(part["contribution"] for part in hit["why"]["parts"])
        assert math.isclose(parts, hit["score"], abs_tol=1e-9)
    shown = terminal.run(*asked, "--now", "2023-05-08T09:00:00+08:00").stdout
    assert "5月2日 = 2023-05-02" in shown
    assert f"score {best['score']:.3f} = " in shown


def test_one_user_never_sees_another(terminal: Terminal) -> None:
    mine = terminal.said("recall", "绿禾公园", "--user", "张曼婷")["results"][0]["id"]
    assert "绿禾公园" not in " ".join(texts(terminal.said("recall", "绿禾公园", "--user", "王峰")))
    assert terminal.run("show", mine, "--user", "王峰").returncode == 3
    assert terminal.run("show", mine, "--user", "张曼婷").returncode == 0


def test_a_newer_value_takes_the_place_of_the_older(terminal: Terminal) -> None:
    slot = ("--subject", "me", "--attribute", "seat", "--user", "ann")
    old = terminal.said("remember", "I prefer window seats", "--type", "preference", *slot)
    new = terminal.said("remember", "我现在喜欢靠过道的座位", "--type", "preference", *slot)
    assert new["superseded"] == [old["id"]]
    assert texts(terminal.said("recall", "which seat", "--user", "ann")) == [
        "我现在喜欢靠过道的座位"
    ]
    history = terminal.said("show", new["id"], "--user", "ann")
    assert [one["id"] for one in history["predecessors"]] == [old["id"]]


def test_a_prompt_gets_a_block_within_its_budget(terminal: Terminal) -> None:
    block = terminal.said("context", "她喜欢什么电影", "--user", "张曼婷", "--max-tokens", "200")
    assert 0 < block["tokens"] <= 200
    assert block["included"]
    nobody = terminal.run("context", "电影", "--user", "nobody")
    assert (nobody.returncode, nobody.stdout) == (3, "")


def test_keys_allow_what_they_say_until_they_are_revoked(terminal: Terminal) -> None:
    made = terminal.said("keys", "create", "agent-7", "--role", "reader", "--user", "王峰")
    secret = {"HINDWISE_KEY": made["key"]}
    assert terminal.run("recall", "公园", "--user", "王峰", **secret).returncode == 0
    other = terminal.run("recall", "公园", "--user", "张曼婷", **secret)
    assert other.returncode == 1
    assert "does not allow this user_id" in other.stderr
    writing = terminal.run("remember", "x", "--user", "王峰", **secret)
    assert "role writer" in writing.stderr
    listed = terminal.run("keys", "list")
    assert made["id"] in listed.stdout
    assert made["key"] not in listed.stdout + listed.stderr
    assert terminal.said("keys", "revoke", made["id"])["revoked"] is True
    assert terminal.said("keys", "revoke", made["id"], code=3)["revoked"] is False
    assert f"{made['id']} was revoked already" in terminal.run("keys", "revoke", made["id"]).stderr
    assert "there is no key nobody" in terminal.run("keys", "revoke", "nobody").stderr


def test_an_unknown_key_is_refused(terminal: Terminal) -> None:
    done = terminal.run("recall", "x", HINDWISE_KEY="hw_local_" + "x" * 43)
    assert done.returncode == 1
    assert "unknown or revoked" in done.stderr


def test_the_doctor_finds_a_healthy_server_healthy(terminal: Terminal) -> None:
    assert terminal.said("doctor", "--user", "张曼婷") == {"ok": True, "findings": []}
    [empty] = terminal.said("doctor", "--user", "nobody")["findings"]
    assert empty["what"] == "nothing is remembered for the user nobody"


def test_what_the_api_refuses_is_said_in_its_words(terminal: Terminal) -> None:
    done = terminal.run("remember", "x", "--at", "2026-01-15T18:30:00")
    assert done.returncode == 2
    assert "--at: must be a time with its zone" in done.stderr


@pytest.mark.parametrize(
    ("words", "named"),
    [
        (("recall", "x", "--top-k", "0"), "--top-k: "),
        (("recall", "x", "--mode", "foo"), "--mode: "),
        (("recall", "x", "--now", "garbage"), "--now: "),
        (("recall", "x", "--filter", '{"kind": "foo"}'), "--filter kind: "),
        (("remember", "x", "--kind", "foo"), "--kind: "),
        (("remember", ""), "TEXT: must not be empty"),
    ],
)
def test_what_was_typed_wrong_is_wrong_usage(
    terminal: Terminal, words: tuple[str, ...], named: str
) -> None:
    done = terminal.run(*words)
    assert done.returncode == 2
    assert done.stderr.startswith(named), done.stderr


def test_what_is_forgotten_is_gone(terminal: Terminal) -> None:
    made = terminal.said("remember", "The spare key is under the mat.", "--user", "ann")
    assert terminal.said("forget", made["id"], "--yes", "--user", "ann")["status"] == "forgotten"
    assert terminal.run("show", made["id"], "--user", "ann").returncode == 3


def test_what_the_readme_types_works(terminal: Terminal) -> None:
    typed = [shlex.split(one)[1:] for one in COMMANDS if not {"keys", "--stage"} & {*one.split()}]
    assert len(typed) >= 7
    for words in typed:
        assert terminal.run(*words).returncode == 0, words


def test_what_the_readme_sends_works(terminal: Terminal) -> None:
    key = (terminal.data / "key").read_text().strip()
    memory_id, statuses = "", []
    for call in calls():
        headers = {"authorization": f"Bearer {key}"}
        headers |= {"idempotency-key": call.key} if call.key else {}
        url = terminal.url + call.path.replace("$ID", memory_id)
        answer = httpx.request(call.method, url, json=call.body or None, headers=headers)
        assert answer.is_success, (call, answer.text)
        statuses.append(answer.status_code)
        if call.path == "/v1/search":
            best = answer.json()["results"][0]
            memory_id = best["id"]
            assert "deploy" in best["content"] or call.body["query"] == "seat"
    assert len(statuses) >= 7
    gone = terminal.run("show", memory_id, "--user", "ann")
    assert gone.returncode == 3


def test_a_second_start_finds_what_the_first_one_kept(tmp_path: Path) -> None:
    terminal = terminal_in(tmp_path)
    server = start(terminal)
    remembered = terminal.said("remember", "The door code is 4711.")
    code, output = stop(server)
    assert (code, "saved" in output) == (0, True)
    down = terminal.run("recall", "door code")
    assert (down.returncode, "hindwise dev" in down.stderr) == (1, True)
    assert "no local server runs" in terminal.run("keys", "list").stderr
    server = start(terminal)
    try:
        [hit] = terminal.said("recall", "door code")["results"]
        assert hit["id"] == remembered["id"]
    finally:
        stop(server)
