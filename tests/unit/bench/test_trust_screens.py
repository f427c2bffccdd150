"""The screens' rows of `make bench-trust`, on the sample that is kept here."""

from pathlib import Path

import pytest

from bench.trust_encodings import ENCODINGS
from bench.trust_screens import acts, cases, held, rows, wilson

DATA = Path(__file__).parents[2] / "data" / "trust"
ATTACKS = [case["text"] for case in cases(DATA)["hostile"][::3]]


def test_intervals_hold_the_share() -> None:
    assert wilson(0, 0) == (0.0, 1.0)
    assert wilson(0, 100) == (0.0, 0.037)
    assert wilson(50, 100) == (0.4038, 0.5962)


@pytest.mark.parametrize("name", ENCODINGS)
def test_a_disguise_changes_little(name: str) -> None:
    plain = [text for text in ATTACKS if held(text)]
    same = [held(ENCODINGS[name](text)) for text in plain]
    assert sum(same) / len(same) >= 0.95


def test_rows_of_the_sample(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bench.trust_screens.ENCODINGS", {"rot13": ENCODINGS["rot13"]})
    told = rows(DATA)
    of = {(row["what"], row.get("set"), row.get("language")): row for row in told}
    assert of["lookalike_hit", None, None]["share"] == 0
    assert of["owner_quarantined", None, None]["share"] == 0
    for language in ("en", "zh"):
        caught = of["caught", "hostile", language]
        honest = of["honest_quarantined", "honest", language]
        assert caught["share"] >= 0.9 > caught["action_words_share"]
        assert honest["share"] <= 0.05 < honest["action_words_share"]
        assert caught["low"] <= caught["share"] <= caught["high"]
    assert of["encodings", None, None]["same_verdict_share"] >= 0.95


def test_action_words_stand_anywhere() -> None:
    assert acts("Please DELETE it")
    assert acts("请删除")
    assert not acts("I like tea")
