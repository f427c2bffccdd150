"""What every SearchIndex promises of its three arms."""

from datetime import UTC, datetime, timedelta

import pytest

from tests.contract.search_documents import (
    ANN,
    EAST,
    NORTH,
    NOW,
    arms,
    ask,
    document,
    episode,
    vector,
)


def test_the_keyword_arm_finds_words_whatever_their_form(at):
    at.put(ANN, [document(episode(1, "She was running")), document(episode(2, "A house"))], {})
    assert arms(at.index.nominate(ANN, ask("who runs?"), None))["keyword"] == [1]
    assert arms(at.index.nominate(ANN, ask("swims"), None))["keyword"] == []


def test_more_and_rarer_words_score_higher(at):
    texts = ["tea", "tea and rare cake", "tea with milk", "tea"]
    at.put(ANN, [document(episode(i, text)) for i, text in enumerate(texts, 1)], {})
    assert arms(at.index.nominate(ANN, ask("tea cake"), None))["keyword"][0] == 2


@pytest.mark.parametrize(
    ("query", "found"), [("辣", [1]), ("吃辣", [1]), ("火锅", [2]), ("锅辣", [])]
)
def test_chinese_is_found_by_words_and_by_single_characters(at, query, found):
    at.put(ANN, [document(episode(1, "我不吃辣")), document(episode(2, "周末吃火锅"))], {})
    assert arms(at.index.nominate(ANN, ask(query), None))["keyword"] == found


def test_identifiers_beat_their_pieces(at):
    texts = ["release 2.1.3 of v2 and v3", "we shipped v2.1.3 to many", "v2 v2 v2 1.3"]
    at.put(ANN, [document(episode(i, text)) for i, text in enumerate(texts, 1)], {})
    assert arms(at.index.nominate(ANN, ask("v2.1.3"), None))["keyword"][0] == 2


def test_the_date_can_be_searched_for(at):
    march = datetime(2024, 3, 12, tzinfo=UTC)
    given = [episode(1, "lunch", event_time=march), episode(2, "吃饭", event_time=march)]
    at.put(ANN, [document(one) for one in given], {})
    assert arms(at.index.nominate(ANN, ask("in March"), None))["keyword"] == [1]
    assert arms(at.index.nominate(ANN, ask("3月12日"), None))["keyword"][0] == 2


def test_the_vector_arm_orders_by_cosine(at):
    near, far = vector(0.9, 0.1, 0, 0), vector(-1, 0, 0, 0)
    given = [(1, NORTH), (2, far), (3, near), (4, None)]
    at.put(ANN, [document(episode(i), along) for i, along in given], {})
    found = at.index.nominate(ANN, ask(), vector(2, 0, 0, 0))
    assert arms(found)["cosine"] == [3, 1, 2]
    cosines = {int(one.document.id): one.cosine for one in found.candidates}
    assert cosines[3] == pytest.approx(0.9939, abs=1e-3)
    assert cosines[2] == pytest.approx(-1, abs=1e-3)


def test_without_a_vector_its_arm_is_not_asked(at):
    at.put(ANN, [document(episode(1))], {})
    found = at.index.nominate(ANN, ask("happened"), None)
    assert arms(found) == {"keyword": [1], "cosine": [], "recent": [1]}
    assert found.degraded == ()


@pytest.mark.parametrize("bad", [vector(0, 0, 0, 0), vector(1, 0), vector(float("nan"), 0, 0, 0)])
def test_an_unusable_vector_costs_its_arm_and_is_named(at, bad):
    at.put(ANN, [document(episode(1))], {})
    found = at.index.nominate(ANN, ask("happened"), bad)
    assert arms(found)["keyword"] == [1] and arms(found)["cosine"] == []
    assert found.degraded == ("vector",)


def test_the_recent_arm_weighs_importance_by_the_time_since_access(at):
    def aged(number, days, **fields):
        return document(episode(number, event_time=NOW - timedelta(days=days), **fields))

    at.put(
        ANN,
        [
            aged(1, 7, importance=1.0),
            aged(2, 0, importance=0.4),
            aged(3, 70, importance=0.9, last_access_at=NOW, access_count=1),
            aged(4, -30, importance=0.6, created_at=NOW),
            aged(5, 1, importance=0.0),
            aged(6, -30, importance=1.0, created_at=NOW - timedelta(days=14)),
        ],
        {},
    )
    found = at.index.nominate(ANN, ask(), None)
    assert arms(found)["recent"] == [3, 4, 1, 2, 6, 5]
    scores = {int(one.document.id): one.recent for one in found.candidates}
    assert scores[1] == pytest.approx(0.5) and scores[4] == pytest.approx(0.6)
    assert scores[6] == pytest.approx(0.25)


def test_each_arm_returns_at_most_so_many(at):
    at.put(ANN, [document(episode(i, importance=0.3)) for i in range(1, 30)], {})
    found = arms(at.index.nominate(ANN, ask("happened", per_arm=5), EAST))
    assert {arm: len(ids) for arm, ids in found.items()} == {"keyword": 5, "cosine": 5, "recent": 5}
