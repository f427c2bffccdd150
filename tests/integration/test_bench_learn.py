"""`make bench-learn` at a fixed tenth: what it says of learning holds, and it would see if not."""

import json
from pathlib import Path
from typing import Any

import pytest

from bench import learn, learn_crash, learn_extract, learn_mem0, learn_queue, rows
from bench.learn_scenes import POISONED, contents, contradictions, people
from bench.oracle import Oracle
from bench.product import embedder
from hindwise.adapters.reasoners.openai import OpenAIReasoner
from hindwise.domain.memory import Status
from hindwise.domain.ports import Question

SHARE = 0.1


@pytest.fixture(autouse=True)
def variables(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("POWERTOOLS_METRICS_DISABLED", "true")
    monkeypatch.setattr(learn_mem0, "PYTHON", Path("/nothing/is/installed/here"))


def test_no_fact_is_lost_on_broken_replies_and_no_contradiction_is_left() -> None:
    whole, broken = list(learn.extract(SHARE))
    for row in (whole, broken):
        assert (row["windows"], row["facts_expected"], row["contradictions"]) == (20, 80, 20)
        assert (row["facts_lost"], row["contradictions_left"]) == (0, 0)
    assert (whole["extract_calls_per_window"], whole["broken_replies"]) == (1.0, 0)
    assert broken["broken_replies"] >= 4
    assert 1 < broken["extract_calls_per_window"] <= 1.5
    assert 300 < whole["tokens_per_window"] < broken["tokens_per_window"]


def test_nothing_is_lost_or_doubled_by_workers_that_are_killed() -> None:
    (row,) = learn.crash(SHARE)
    assert (row["runs"], row["lost"], row["duplicated"], row["unfinished"]) == (50, 0, 0, 0)
    assert row["kills"] > row["runs"]


@pytest.mark.ministack
def test_every_conversation_is_accounted_for_and_poison_holds_nobody_up() -> None:
    (row,) = learn_queue.rows(round(learn.CONVERSATIONS * SHARE), "hashed")
    assert row["conversations"] == 100 and row["accounted_share"] == 1.0
    assert (row["poison"], row["poison_isolated"], row["others_held_up"]) == (1, 1, 0)
    assert row["states"] == {"succeeded": 99, "failed": 1}
    assert row["per_s"] > 0 and 1 <= row["extract_calls_per_conversation"] < 1.1


def test_what_is_lost_or_left_standing_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    """A mind that forgets one fact and keeps what was superseded."""
    real = learn_extract.Mind.known

    def known(mind: learn_extract.Mind, user: str) -> dict[str, Status]:
        found = real(mind, user)
        found.pop("The user is learning the cello.", None)
        return dict.fromkeys(found, Status.ACTIVE)

    monkeypatch.setattr(learn_extract.Mind, "known", known)
    row = next(learn_extract.rows(1, embedder("hashed")))
    assert (row["facts_lost"], row["contradictions_left"]) == (1, 2)


def test_a_turn_that_is_stored_twice_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    def doubled(lab: Any, user: str = "ada") -> list[str]:
        return [one.content for one in lab.learnt(user)] * 2

    monkeypatch.setattr(learn_crash.Lab, "contents", doubled)
    (row,) = learn_crash.rows(1)
    assert (row["lost"], row["duplicated"]) == (0, row["facts"])


def test_the_model_breaks_as_often_as_it_is_told_in_every_way() -> None:
    scenes = [one for pair in people(1) for one in pair]
    with Oracle(scenes=scenes, breaking=2) as oracle:
        model = OpenAIReasoner(oracle.models[0], key="none", base_url=oracle.url)
        question = Question(shape="extract", system='JSON "memories"', user="")
        said = [model.ask(question) for _ in range(8)]
        model.close()
    assert [each.finish for each in said[1::2]] == ["stop", "length", "empty", "stop"]
    assert all(json.loads(each.text)["memories"] == [] for each in said[::2])


def test_people_contradict_themselves_and_poison_is_in_no_scene() -> None:
    scenes = [one for pair in people(4) for one in pair]
    assert all(POISONED not in json.dumps(one.messages()) for one in scenes)
    assert len(contradictions(scenes[2:4])) == 2 and len(contents(scenes[:2])) == 8
    for old, new in contradictions(scenes):
        assert old != new and {old, new} <= contents(scenes)


def test_the_command_writes_its_rows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(rows, "ROOT", tmp_path)
    learn.main(["--parts", "crash", "--share", "0.004"])
    (row,) = json.loads((tmp_path / "build" / "bench" / "learn.json").read_text())
    assert (row["what"], row["runs"], row["lost"], row["duplicated"]) == ("crash", 2, 0, 0)
    assert "what crash" in capsys.readouterr().out
