"""Whatever the candidates: scores are finite sums of their parts, and the order is fixed."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hindwise.domain.memory import Status
from hindwise.domain.query import Weights
from hindwise.domain.ranking import missing_places, rank, without_near_duplicates
from hindwise.domain.visibility import held
from tests.property.ranking_cases import MODES, questions, several, shares


@pytest.mark.parametrize("mode", MODES)
@settings(max_examples=40)
@given(items=several, asked=questions())
def test_a_score_is_finite_and_the_sum_of_its_parts(mode, items, asked):
    ranked = rank(items, asked, mode=mode)
    assert len(ranked) == len(items)
    for one in ranked:
        assert math.isfinite(one.score)
        assert math.fsum(p.contribution for p in one.parts) == pytest.approx(one.score, abs=1e-9)


@pytest.mark.parametrize("mode", MODES)
@settings(max_examples=40)
@given(items=several, asked=questions(), order=st.randoms(use_true_random=False))
def test_the_order_of_the_candidates_does_not_matter(mode, items, asked, order):
    first = [(one.candidate.document.id, one.score) for one in rank(items, asked, mode=mode)]
    shuffled = list(items)
    order.shuffle(shuffled)
    again = [(one.candidate.document.id, one.score) for one in rank(shuffled, asked, mode=mode)]
    assert [one for one, _ in first] == [one for one, _ in again]
    assert [score for _, score in first] == pytest.approx([score for _, score in again])


@pytest.mark.parametrize("mode", MODES)
@settings(max_examples=40)
@given(items=several, asked=questions())
def test_better_comes_first_and_ranks_count_from_one(mode, items, asked):
    ranked = rank(items, asked, mode=mode)
    assert [one.rank for one in ranked] == list(range(1, len(items) + 1))
    scores = [round(one.score, 9) for one in ranked]
    assert scores == sorted(scores, reverse=True)


@settings(max_examples=40)
@given(items=several, asked=questions())
def test_a_weakened_record_is_never_before_its_holder(items, asked):
    """But one that was superseded and held on the days that are asked for is the answer."""
    ranked = rank(items, asked)
    at = {one.candidate.document.id: one for one in ranked}
    for one in ranked:
        memory = one.candidate.document.facets
        holder = at.get(memory.superseded_by or "")
        if memory.status is Status.SUPERSEDED and asked.during and held(memory, asked.during):
            continue
        if holder and holder.candidate.document.facets.event_time > memory.event_time:
            assert holder.rank < one.rank


@settings(max_examples=40)
@given(items=several, asked=questions())
def test_missing_places_are_no_candidates_and_named_once(items, asked):
    places = missing_places(items, rank(items, asked))
    have = {(i.document.facets.session_id, getattr(i.document.facets, "seq", None)) for i in items}
    assert len(set(places)) == len(places)
    assert not set(places) & have


@settings(max_examples=40)
@given(items=several, asked=questions(), limit=st.integers(0, 5))
def test_the_diversity_cut_keeps_the_order(items, asked, limit):
    ranked = rank(items, asked)
    kept = without_near_duplicates(ranked, limit=limit)
    assert len(kept) <= limit
    assert [one.rank for one in kept] == sorted(one.rank for one in kept)


@settings(max_examples=40)
@given(
    items=several,
    asked=questions(),
    weights=st.builds(Weights, keyword=shares, vector=shares, time=st.floats(0.01, 1)),
)
def test_a_weighted_score_is_at_most_the_weights(items, asked, weights):
    most = weights.keyword + weights.vector + weights.time
    for one in rank(items, asked, mode="weighted", weights=weights):
        assert one.score <= most + 1e-9
