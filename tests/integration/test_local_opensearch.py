"""The dev server with a real OpenSearch node: its own, one that is given, one that dies."""

import os
import re
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest

from hindwise.errors import Misconfigured
from infra.local import given
from infra.local.emulator import running
from infra.local.search_node import SearchNode
from tests.local_dev import Dev
from tests.opensearch_node import call

QUERY = {"user_id": "me", "query": "who has the keys?"}

pytestmark = [pytest.mark.ministack, pytest.mark.opensearch]


def test_own_node_finds_what_was_written_without_it_and_the_server_outlives_it(
    run: Callable[..., Dev], tmp_path: Path
) -> None:
    plain = run(tmp_path)
    assert "search: in the functions, over the table\n" in plain.greeting()
    plain.remember("The keys are with Ana.")
    assert plain.stop()[0] == 0

    first = run(tmp_path, None, "--opensearch")
    greeting = first.greeting()
    found = re.search(r"^search: OpenSearch at (http://127.0.0.1:92\d\d)$", greeting, re.MULTILINE)
    assert found is not None, greeting
    assert first.ask("/v1/me")["features"]["search_backend"] == "opensearch"
    assert whole(first) == ["The keys are with Ana."]
    assert call(found[1], "POST", "_search?size=0")["hits"]["total"]["value"] == 1

    os.kill(noted(tmp_path), signal.SIGKILL)
    assert first.process.stderr is not None
    assert first.process.stderr.readline().startswith("OpenSearch ended by itself")
    first.remember("我下周五去成都")
    answer = first.ask("/v1/search", QUERY)
    assert answer["degraded"] and "The keys are with Ana." in contents(answer)
    code, out, err = first.stop()
    assert code == 0 and out.endswith("saved\n")
    assert "OpenSearch ended" not in err, "it is said once"

    second = run(tmp_path, None, "--opensearch")
    second.greeting()
    assert running(node := noted(tmp_path))
    assert {*whole(second)} == {"The keys are with Ana.", "我下周五去成都"}
    assert second.stop()[0] == 0
    assert not running(node)
    assert (tmp_path / "run" / "index-told").read_text() == "its own node"


def test_an_index_that_was_not_told_of_all_is_dropped_and_fills_itself(
    run: Callable[..., Dev], tmp_path: Path
) -> None:
    for with_node, text in ((True, "The keys are with Ana."), (False, "The spare keys, with Bob.")):
        dev = run(tmp_path, None, *(["--opensearch"] if with_node else []))
        dev.greeting()
        dev.remember(text)
        if with_node:
            assert whole(dev) == [text]
        assert dev.stop()[0] == 0
    last = run(tmp_path, None, "--opensearch")
    last.greeting()
    assert {*whole(last)} == {"The keys are with Ana.", "The spare keys, with Bob."}
    assert last.stop()[0] == 0


def noted(data: Path) -> int:
    """The process of the node below a data folder."""
    return int((data / "opensearch" / "node.pid").read_text().split()[0])


def contents(answer: dict[str, Any]) -> list[str]:
    return [each["content"] for each in answer["results"]]


def whole(dev: Dev) -> list[str]:
    """What a search finds once nothing is missing any more."""
    deadline = time.monotonic() + 90
    while (answer := dev.ask("/v1/search", QUERY))["degraded"]:
        assert time.monotonic() < deadline, answer
        time.sleep(0.2)
    return contents(answer)


def test_a_node_that_is_given_is_used_and_left_running(
    run: Callable[..., Dev], tmp_path: Path, opensearch: str
) -> None:
    dev = run(tmp_path, None, "--opensearch", OPENSEARCH_ENDPOINT=opensearch)
    assert f"search: OpenSearch at {opensearch}\n" in dev.greeting()
    assert not (tmp_path / "opensearch").exists()
    assert dev.stop()[0] == 0
    assert httpx.get(opensearch).status_code == 200


def test_an_endpoint_where_nothing_answers_is_named(
    run: Callable[..., Dev], tmp_path: Path
) -> None:
    dev = run(tmp_path, OPENSEARCH_ENDPOINT="http://127.0.0.1:9")
    out, err = dev.process.communicate(timeout=60)
    assert (dev.process.returncode, out) == (1, "")
    assert err == "OPENSEARCH_ENDPOINT: nothing answers at http://127.0.0.1:9\n"


def test_a_node_that_cannot_run_here_is_said_and_nothing_is_left_running(
    run: Callable[..., Dev], tmp_path: Path
) -> None:
    held = SearchNode(tmp_path / "opensearch")
    held.take_home()
    dev = run(tmp_path, None, "--opensearch")
    _, err = dev.process.communicate(timeout=60)
    assert dev.process.returncode == 1
    assert "another process runs OpenSearch" in err and "Traceback" not in err
    assert not (tmp_path / "run" / "emulator.json").exists()
    held.stop()


@pytest.mark.parametrize(
    ("asked", "env", "backend"),
    [
        (False, {}, None),
        (True, {}, "opensearch"),
        (False, {"OPENSEARCH_ENDPOINT": "http://127.0.0.1:9201"}, "opensearch"),
        (False, {"SEARCH_BACKEND": "opensearch"}, "opensearch"),
        (False, {"SEARCH_BACKEND": "table", "OPENSEARCH_ENDPOINT": "http://x"}, "table"),
        (True, {"SEARCH_BACKEND": "table"}, "opensearch"),
    ],
)
def test_who_asks_for_opensearch_gets_it(
    monkeypatch: pytest.MonkeyPatch, asked: bool, env: dict[str, str], backend: str | None
) -> None:
    for name in ("SEARCH_BACKEND", "OPENSEARCH_ENDPOINT"):
        monkeypatch.delenv(name, raising=False)
    for name, value in env.items():
        monkeypatch.setenv(name, value)
    found = given.overrides(opensearch=asked)
    assert found.get("SEARCH_BACKEND") == backend
    assert found.get("OPENSEARCH_ENDPOINT") == env.get("OPENSEARCH_ENDPOINT")


def test_a_backend_that_does_not_exist_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SEARCH_BACKEND", "elastic")
    with pytest.raises(Misconfigured, match="SEARCH_BACKEND"):
        given.overrides()
