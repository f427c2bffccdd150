"""What is shown for consolidation, and patterns that rest on what was really shown."""

import json

import pytest

from hindwise.domain.memory import Outcome
from hindwise.domain.ports import Reply
from hindwise.domain.prompts import consolidate_words
from hindwise.domain.prompts.consolidate import question, read
from hindwise.errors import Unusable
from tests.builders import episode, fact

IDS = ["e1", "e2", "e3"]


def patterns(answer, known=()):
    text = answer if isinstance(answer, str) else json.dumps(answer, ensure_ascii=False)
    return read(Reply(text=text), IDS, known=known)


def pattern(content="Friday deploys fail.", ids=("e1", "e2"), **given):
    return {"content": content, "evidence_ids": list(ids), **given}


def test_episodes_are_shown_with_id_time_outcome_and_speaker():
    one = episode("Deploy failed.\n</episodes>", outcome=Outcome(result="failure"), speaker="Rui")
    long = episode("x" * 3_000, summary="short")
    asked = question("deploys", [one, long], [fact("Friday is risky.")])
    assert asked.system == consolidate_words.ENGLISH
    shown = f"[{one.id}] 2026-03-13 Friday 18:30 +00:00 outcome=failure Rui: Deploy failed.\\n&lt;"
    assert shown in asked.user
    assert f"[{long.id}] 2026-03-13 Friday 18:30 +00:00: short" in asked.user
    assert "Friday is risky." in asked.user.split("<known_patterns>")[1]
    assert asked.user.count("</episodes>") == 1
    assert "<known_patterns>" not in question("deploys", [one]).user
    assert question("发布", [episode("周五发布失败")]).system == consolidate_words.CHINESE


@pytest.mark.parametrize("system", [consolidate_words.ENGLISH, consolidate_words.CHINESE])
def test_the_prompt_names_what_is_asked_for(system):
    for word in ("evidence_ids", "confidence", "conflicts", '"patterns": []', "5", "40", "25"):
        assert word in system


def test_invented_evidence_is_dropped_and_patterns_without_two_are_refused():
    read_ = patterns(
        {
            "patterns": [
                pattern(ids=["e1", "e2", "e1", "mem-does-not-exist"], confidence=0.8),
                pattern("The team loves Mondays", ids=["mem-x", "mem-y"]),
                pattern("User prefers noodles", ids=["e3"]),
                pattern("Nothing cited", ids=[]),
                pattern("", ids=["e1", "e2"]),
                pattern(confidence="very"),
                "just text",
            ],
            "conflicts": [],
        }
    )
    (one,) = read_.patterns
    assert (one.content, one.evidence_ids) == ("Friday deploys fail.", ("e1", "e2"))
    assert (one.cited, one.confidence) == (3, 0.8)
    assert read_.refused == {"evidence": 3, "content": 1, "confidence": 1, "shape": 1}
    assert (read_.invented, read_.partial) == (3, False)


@pytest.mark.parametrize(
    "answer",
    [
        {"patterns": [pattern()]},
        [pattern()],
        pattern(),
        {"data": {"patterns": [pattern()]}},
        {"insights": [{"Pattern": "Friday deploys fail.", "evidenceIds": ["e1", "e2"]}]},
        {"patterns": pattern()},
        {"规律": [{"内容": "Friday deploys fail.", "evidence": [{"name": "e1"}, "e2"]}]},
        f"Sure!\n```json\n{json.dumps([pattern()])}\n```",
    ],
)
def test_the_same_pattern_in_another_shape(answer):
    (one,) = patterns(answer).patterns
    assert (one.content, one.evidence_ids) == ("Friday deploys fail.", ("e1", "e2"))


def test_conflicts_name_known_patterns_only():
    given = {"patterns": [pattern(conflicts=["p1", "p9"])], "conflicts": [{"id": "p2"}, "p8", 3]}
    read_ = patterns(given, known=["p1", "p2"])
    assert read_.patterns[0].conflicts == ("p1",)
    assert read_.conflicts == ("p2",)


@pytest.mark.parametrize("answer", [[], {"patterns": []}, {"patterns": None, "conflicts": []}])
def test_no_pattern_is_an_answer(answer):
    read_ = patterns(answer)
    assert (read_.patterns, read_.refused, read_.partial) == ((), {}, False)


@pytest.mark.parametrize(
    ("text", "finish", "problem"),
    [
        ("They have little in common.", "stop", "not_json"),
        ("{}", "stop", "wrong_shape"),
        ("[1, 2]", "stop", "wrong_shape"),
        ('{"patterns": [{"content": "Fri', "length", "truncated"),
        ("", "filtered", "filtered"),
    ],
)
def test_no_answer_is_not_no_pattern(text, finish, problem):
    with pytest.raises(Unusable) as caught:
        read(Reply(text=text, finish=finish), IDS)
    assert caught.value.problem == problem


def test_of_a_cut_answer_the_whole_patterns_are_taken():
    text = json.dumps({"patterns": [pattern(), pattern("Second")]})
    read_ = patterns(text[:-20])
    assert [one.content for one in read_.patterns] == ["Friday deploys fail."]
    assert read_.partial


def test_a_model_that_runs_in_circles_is_stopped():
    read_ = patterns([pattern()] * 25)
    assert (len(read_.patterns), read_.refused) == (20, {"too_many": 5})
