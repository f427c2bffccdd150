"""`recall` with what stands beside results, and in other words; `show` with the words."""

from tests.unit.cli.stub import Stub, found, hit, memory


def test_recall_hands_on_what_is_wanted_beside(stub: Stub) -> None:
    stub.says("POST /v1/search", found(hit()))
    moment = "2026-01-01T00:00:00+08:00"
    result = stub.run(
        *("recall", "q", "--turns", "2", "--chain", "--entities", "--known-at", moment),
        *("--scene", "work", "--rewrite"),
    )
    assert result.exit_code == 0
    body = stub.asked[0].body
    assert body["expand"] == {"turns": 2, "chain": True, "entities": True}
    assert (body["known_at"], body["scene"], body["rewrite"]) == (moment, "work", True)
    stub.run("recall", "q", "--no-rewrite")
    assert stub.asked[1].body["rewrite"] is False and "expand" not in stub.asked[1].body


def test_what_stands_beside_is_shown_in_order(stub: Stub) -> None:
    whole = memory(id="EV", content="一年八千块", speaker="小杨")
    expanded = {
        "turns": ["T1", "HIT", "T2"],
        "chain": [
            {"part": "evidence", "id": "EV", "memory": whole},
            {"part": "decision", "id": "HIT"},
            {"part": "outcome", "outcome": {"result": "success", "note": "省了一个月"}},
        ],
        "entities": [{"name": "Kafka", "count": 7, "memories": [{"id": "EV"}]}],
        "cut": ["entities"],
    }
    turns = [memory(id="T1", content="before"), memory(id="T2", content="after")]
    best = hit(id="HIT", content="买现成的", expanded=expanded)
    other = hit(id="O", content="other", expanded={"turns": [], "chain_of": "HIT", "cut": []})
    stub.says("POST /v1/search", found(best, other, turns=turns))
    shown = stub.run("recall", "q", "--chain", "--turns", "1").stdout
    lines = [
        "before", "买现成的", "after", "evidence: 2023-05-02  小杨: 一年八千块",
        "decision: 2023-05-02  买现成的", "outcome: success (省了一个月)", "Kafka: 7 more",
        "小杨: 一年八千块", "there is more: entities", "in the chain of HIT",
    ]  # fmt: skip
    places, at = [], shown.index("beside it")
    for one in lines:
        at = shown.index(one, at) + 1
        places.append(at)
    assert places == sorted(places)
    assert "evidence: 2023-05-02" in stub.run("recall", "q", "--chain", "--why").stdout


def test_other_words_are_told(stub: Stub) -> None:
    stub.says("POST /v1/search", found(hit(), rewrite={"query": "去西安的火车"}))
    assert "also asked as: 去西安的火车" in stub.run("recall", "q", "--why").stdout


def test_it_says_why_there_are_no_other_words(stub: Stub) -> None:
    other = found(hit(), rewrite={"reason": "budget"}, skipped=["rewrite"])
    stub.says("POST /v1/search", other)
    result = stub.run("recall", "q", "--rewrite")
    assert result.exit_code == 0 and "Not put in other words: budget." in result.stderr


def test_a_weakened_result_names_what_it_yielded_to(stub: Stub) -> None:
    stub.says("POST /v1/search", found(hit(why={"yielded_to": ["NEWER"]})))
    assert "weakened by: NEWER" in stub.run("recall", "q", "--why").stdout


def test_show_leads_back_to_the_words(stub: Stub) -> None:
    said = {
        "conversation_id": "trip", "first": 3, "last": 4, "readable": True,
        "turns": [
            {"turn": 3, "number": 4, "role": "user", "text": "我搬到上海了", "redacted": False},
            {"turn": 4, "number": 5, "role": "assistant", "text": "", "redacted": True},
        ],
    }  # fmt: skip
    broken = {"conversation_id": "lost", "first": 1, "last": 1, "readable": False, "turns": []}
    history = {
        "memory": memory(id="X"), "source_turns": [said, broken],
        "compared": [memory(id="DOUBT", status="contested")],
    }  # fmt: skip
    stub.says("GET /v1/memories/X", memory(id="X"))
    stub.says("GET /v1/memories/X/history", history)
    shown = stub.run("show", "X").stdout
    for words in (
        "said in trip", "3  user: 我搬到上海了", "4  assistant: (redacted)",
        "said in lost", "cannot be read", "was compared with", "DOUBT",
    ):  # fmt: skip
        assert words in shown
