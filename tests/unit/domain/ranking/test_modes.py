"""The other modes, with the figures that were promised for them."""

from datetime import timedelta

import pytest

from hindwise.domain.memory import Type
from hindwise.domain.query import PRESETS, Weights
from hindwise.domain.ranking import Pool, fuse, rank, recency
from hindwise.domain.ranking.fusion import weigh
from hindwise.domain.ranking.result import Columns
from hindwise.errors import Invalid
from tests.builders import NOW, episode, fact
from tests.unit.domain.ranking.made import asked, candidate, ids, parts_of

HOUR = timedelta(hours=1)


def weighted(weights):
    columns = Columns(2)
    weigh(columns, weights, keyword=[0.9, 0.1], vector=[0.2, 0.9], time=[0.5, 0.4])
    return columns.sums()


@pytest.mark.parametrize(
    ("weights", "expected"),
    [
        (PRESETS["default"], [0.5, 0.51]),
        (PRESETS["timely"], [0.525, 0.45]),
        (PRESETS["semantic"], [0.43, 0.59]),
        (Weights(keyword=1, vector=0, time=0), [0.9, 0.1]),
    ],
)
def test_weighted_gives_the_promised_figures(weights, expected):
    """DES-43."""
    assert weighted(weights) == pytest.approx(expected)


def test_weights_that_are_all_zero_are_refused_by_name():
    """DES-43."""
    none = Weights.model_construct(keyword=0.0, vector=0.0, time=0.0)
    with pytest.raises(Invalid, match="weights") as caught:
        rank([candidate(fact())], asked("tea"), mode="weighted", weights=none)
    assert caught.value.details["field"] == "weights"


def rrf_lists(k):
    names = {name: fact(name) for name in "甲乙丙丁戊"}
    keyword, vector = (
        {"甲": 9.0, "丁": 5.0, "乙": 1.0},
        {"乙": 0.9, "丙": 0.8, "戊": 0.7, "甲": 0.6},
    )
    items = [
        candidate(memory, keyword=keyword.get(name), cosine=vector.get(name))
        for name, memory in names.items()
    ]
    ranked = fuse(Pool(items), asked("x"), mode="rrf", rrf_k=k)
    by_id = {memory.id: name for name, memory in names.items()}
    return {by_id[one.candidate.document.id]: one for one in ranked}


def test_rrf_gives_the_promised_figures():
    """DES-22: 丙 and 丁 tie, at the same time of event; the higher id comes first."""
    ranked = rrf_lists(60)
    scores = {name: round(one.score, 6) for name, one in ranked.items()}
    assert scores == {
        "乙": 0.032266,
        "甲": 0.032018,
        "丁": 0.016129,
        "丙": 0.016129,
        "戊": 0.015873,
    }
    assert list(ranked) == ["乙", "甲", "丁", "丙", "戊"]
    assert ranked["乙"].ranks == {"keyword": 3, "vector": 1}


def test_only_ranks_matter_to_rrf():
    """DES-22."""
    one, other = fact(), fact()
    for scale in (1.0, 1e6):
        items = [
            candidate(one, keyword=2 * scale, cosine=0.1),
            candidate(other, keyword=1 * scale, cosine=0.9 / scale),
        ]
        ranked = fuse(Pool(items), asked("x"), mode="rrf")
        expected = {one.id: 1 / 11 + 1 / 12, other.id: 1 / 11 + 1 / 12}
        if scale > 1:
            expected = {one.id: 2 / 11, other.id: 2 / 12}
        assert {i.candidate.document.id: i.score for i in ranked} == pytest.approx(expected)


def test_recency_gives_the_promised_figures():
    """DES-44: half-lives of ln 2 / λ."""
    first = fact(importance=0.9, last_access_at=NOW - 200 * HOUR)
    second = fact(importance=0.5, last_access_at=NOW - 2 * HOUR)
    for rate, expected in ((0.01, (0.1218, 0.4901)), (0.0001, (0.8822, 0.4999))):
        half_life = HOUR * 0.6931471805599453 / rate
        found = [recency(one, NOW, half_life) for one in (first, second)]
        assert found == pytest.approx(expected, abs=5e-5)


def test_a_future_access_is_no_better_than_one_of_now():
    """DES-44."""
    assert recency(fact(importance=0.7, last_access_at=NOW + HOUR), NOW) == 0.7


def test_never_accessed_counts_from_the_event():
    week_old = fact(importance=0.8, at=NOW - timedelta(days=7))
    assert recency(week_old, NOW) == pytest.approx(0.4)


def test_what_is_announced_was_news_when_it_was_announced():
    told = fact(importance=0.8, at=NOW + 90 * 24 * HOUR, created_at=NOW - timedelta(days=7))
    assert recency(told, NOW) == pytest.approx(0.4)


def test_weighted_takes_the_newest_where_words_and_meaning_agree():
    old = candidate(episode("tea", at=NOW - 60 * 24 * HOUR), cosine=0.5)
    new = candidate(episode("tea", at=NOW - HOUR), cosine=0.5)
    ranked = rank([old, new], asked("tea"), mode="weighted")
    assert ids(ranked)[0] == new.document.id
    assert ranked[0].ranks["recent"] == 1


def test_ages_that_no_longer_matter_are_not_stretched_to_a_difference():
    ancient = [candidate(fact(at=NOW - timedelta(days=days))) for days in (900, 1800)]
    ranked = rank(ancient, asked("x"), mode="weighted")
    assert ranked[0].score == pytest.approx(ranked[1].score, abs=1e-6)


def test_score_is_similarity_times_confidence_times_decay():
    year_old = episode("tea", confidence=0.6, at=NOW - timedelta(days=365), created_at=NOW)
    ranked = rank([candidate(year_old, cosine=0.5)], asked("x"), mode="score")[0]
    assert ranked.score == pytest.approx(0.5 * 0.6 * 0.5)
    assert parts_of(ranked)["decay"].value == pytest.approx(0.5)


def test_score_takes_a_keyword_hit_where_it_is_the_better_similarity():
    hit = candidate(fact("green tea"), cosine=0.2)
    ranked = rank([hit], asked("tea"), mode="score")[0]
    assert ranked.score == pytest.approx(1.0 * 0.8)


def test_hits_slow_decay_up_to_a_factor_of_two():
    def scored(hits):
        year_old = episode(at=NOW - timedelta(days=365), created_at=NOW, access_count=hits)
        return rank([candidate(year_old, cosine=1.0)], asked("x"), mode="score")[0].score

    assert scored(0) < scored(5) < scored(20) == scored(20_000)
    assert scored(20) == pytest.approx(0.8 * 0.5**0.5)


def test_a_preference_of_long_ago_scores_as_one_of_today():
    old = fact(type=Type.PREFERENCE, at=NOW - timedelta(days=4000), created_at=NOW)
    assert rank([candidate(old, cosine=0.5)], asked("x"), mode="score")[0].score == 0.4
