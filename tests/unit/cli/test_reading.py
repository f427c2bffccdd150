"""`recall`, `show` and `context`: what is asked, what is shown, and which exit code it has."""

import json
import math
import re
from typing import Any

import pytest

from tests.unit.cli.stub import Asked, Stub, found, hit, memory

BLOCK = {
    "text": '<memories note="x">\n- 2023-05-02 episode 0.5 丝绸\n</memories>',
    "background": "",
    "history": "",
    "tokens": 20,
    "max_tokens": 100,
    "tokenizer": "t",
    "included": ["A"],
    "left_out": ["B", "C"],
    "recall_id": "R",
    "degraded": False,
    "reasons": [],
    "lag": False,
}


def test_recall_asks_with_the_moment_and_zone_of_who_asks(stub: Stub) -> None:
    stub.says("POST /v1/search", found(hit()))
    result = stub.run("recall", "看了什么展览", "--user", "张曼婷", "-k", "3", "--mode", "rrf")
    assert result.exit_code == 0
    [asked] = stub.asked
    assert asked.headers["authorization"] == "Bearer hw_test_key"
    assert re.search(r"[+-]\d\d:\d\d$", asked.body.pop("now"))
    assert asked.body == {
        "user_id": "张曼婷",
        "query": "看了什么展览",
        "top_k": 3,
        "mode": "rrf",
        "explain": False,
    }


def test_recall_hands_filters_and_views_on(stub: Stub) -> None:
    stub.says("POST /v1/search", found(hit()))
    wanted = {"kind": "semantic", "tags_any": ["工作"]}
    moment = "2026-01-01T00:00:00+08:00"
    stub.run(
        *("recall", "-", "--filter", json.dumps(wanted), "--include", "superseded"),
        *("--now", moment, "--as-of", moment),
        stdin="a question\n",
    )
    body = stub.asked[0].body
    assert (body["query"], body["filters"], body["include"]) == (
        "a question",
        wanted,
        ["superseded"],
    )
    assert (body["now"], body["as_of"]) == (moment, moment)


def test_recall_shows_a_table_of_even_width(stub: Stub) -> None:
    hits = [hit(speaker="用户"), hit(speaker="Ann", content="[bold]no markup[/bold]\x1b[31m red")]
    stub.says("POST /v1/search", found(*hits))
    shown = stub.run("recall", "x").stdout
    assert "我们看了丝绸展览" in shown
    assert "[bold]no markup[/bold]" in shown
    assert "\x1b" not in shown
    starts = {_width(row[: row.index(text)]) for row, text in _rows(shown)}
    assert len(starts) == 1


def _rows(shown: str) -> list[tuple[str, str]]:
    texts = ("我们看了", "[bold]")
    return [(row, text) for row in shown.splitlines() for text in texts if text in row]


def _width(text: str) -> int:
    return sum(2 if ord(char) > 0x2E80 else 1 for char in text)


def test_why_gives_every_reason_and_parts_that_sum_to_the_score(stub: Stub) -> None:
    stub.says("POST /v1/search", found(hit()))
    shown = stub.run("recall", "5月2日看了什么展览", "--why").stdout
    assert stub.asked[0].body["explain"] is True
    for words in (
        "1. 我们看了丝绸展览",
        "rank 1",
        "age 2.5 years",
        "2023-05-02 20:01 +08:00",
        "confidence 0.72",
        "keyword #2",
        "matched: 展览",
        "5月2日 = 2023-05-02",
        "evidence: 01J0000000000000000000000E",
        "supersedes: 01J0000000000000000000000S",
    ):
        assert words in shown
    total, parts = re.search(r"score ([\d.]+) = (.*)", shown).groups()  # type: ignore[union-attr]
    assert math.isclose(
        float(total), math.fsum(float(one) for one in re.findall(r"[+-][\d.]+", parts))
    )


@pytest.mark.parametrize(
    ("answer", "code"),
    [
        (found(hit()), 0),
        (found(), 3),
        (found(hit(), degraded=True, reasons=["embedder"]), 4),
        (found(degraded=True, reasons=["index"]), 4),
    ],
)
def test_exit_codes_of_a_search(stub: Stub, answer: Any, code: int) -> None:
    stub.says("POST /v1/search", answer)
    for arguments in (("recall", "x"), ("recall", "x", "--json")):
        result = stub.run(*arguments)
        assert result.exit_code == code
        assert all(reason in result.stderr for reason in answer["reasons"])


def test_json_is_what_the_api_said(stub: Stub) -> None:
    answer = found(hit(later={"unknown": [1, None]}), another=1.5)
    stub.says("POST /v1/search", answer)
    assert json.loads(stub.run("recall", "x", "--json").stdout) == answer


def test_show_tells_the_whole_history(stub: Stub) -> None:
    known = memory(kind="semantic", type="preference", attribute="seat", tags=["travel"])
    other = memory(id="OLD", content="window", status="superseded")
    history = {
        "memory": known,
        "versions": [memory(content="first words")],
        "predecessors": [other],
        "successors": [],
        "evidence": [memory(id="EVIDENCE")],
        "dependants": [],
        "audit": [
            {
                "id": "A",
                "version": 1,
                "actor": "laptop",
                "origin": "owner",
                "decision": "created",
                "rules": [],
                "at": known["created_at"],
            }
        ],
    }
    stub.says("GET /v1/memories/X", known)
    stub.says("GET /v1/memories/X/history", history)
    shown = stub.run("show", "X", "--user", "Ann Lee").stdout
    assert stub.asked[0].query == {"user_id": ["Ann Lee"]}
    for words in (
        "attribute: seat",
        "tags: travel",
        "first words",
        "OLD",
        "EVIDENCE",
        "created by",
    ):
        assert words in shown
    assert json.loads(stub.run("show", "X", "--json").stdout) == history


def test_show_of_a_scratch_value_has_no_history(stub: Stub) -> None:
    stub.says("GET /v1/memories/W1", memory(id="W1", kind="working", key="plan"))
    result = stub.run("show", "W1")
    assert result.exit_code == 0
    assert "key: plan" in result.stdout


def test_show_of_a_missing_one_is_nothing_found(stub: Stub) -> None:
    error = {"code": "not_found", "message": "there is no memory X", "details": {}}
    stub.says("GET /v1/memories/X", {"error": error}, status=404)
    result = stub.run("show", "X")
    assert result.exit_code == 3 and result.stderr.startswith("there is no memory X\n")
    assert "of the user me" in result.stderr


def test_an_id_is_a_name_and_not_a_path(stub: Stub) -> None:
    def at(asked: Asked) -> tuple[int, Any]:
        return 404, {"message": asked.path}

    stub.says("GET /v1/memories/..%2Fstats%3F", at)
    assert "..%2Fstats%3F" in stub.run("show", "../stats?").stderr


def test_context_prints_the_block_and_says_what_was_left_out(stub: Stub) -> None:
    stub.says("POST /v1/context", BLOCK)
    result = stub.run("context", "展览", "--max-tokens", "100")
    assert (result.exit_code, result.stdout) == (0, BLOCK["text"] + "\n")
    assert "20 of 100 tokens, memories: 1, left out for want of room: 2" in result.stderr
    assert stub.asked[0].body["max_tokens"] == 100


def test_context_says_what_was_left_out_for_its_origin(stub: Stub) -> None:
    stub.says("POST /v1/context", {**BLOCK, "left_out_reasons": {"room": 1, "origin": 1}})
    result = stub.run("context", "展览", "--min-origin", "document")
    assert "left out for want of room: 1, left out for their origin (--min-origin" in result.stderr
    assert stub.asked[0].body["min_origin"] == "document"


def test_an_empty_block_is_nothing_found(stub: Stub) -> None:
    stub.says("POST /v1/context", {**BLOCK, "text": "", "included": [], "left_out": []})
    result = stub.run("context", "展览")
    assert (result.exit_code, result.stdout) == (3, "")


def test_what_is_not_the_own_word_is_labelled(stub: Stub) -> None:
    said = {"agent": "", "owner": "", "tool": " [tool]", "other_agent": " [other agent]"}
    for origin, label in said.items():
        stub.says("POST /v1/search", found(hit(content="Short words", origin=origin)))
        for more in ((), ("--why",)):
            rows = stub.run("recall", "x", *more).stdout.splitlines()
            [row] = [row.rstrip() for row in rows if "Short words" in row]
            assert row.endswith(f"Short words{label}")
        stub.answers.clear()
