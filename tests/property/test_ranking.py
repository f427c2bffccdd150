"""Whatever the candidates: scores are finite sums of their parts, and the order is fixed."""

import math
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hindwise.domain.document import Candidate, Document
from hindwise.domain.memory import Episode, SemanticMemory, Status, Type
from hindwise.domain.query import Weights
from hindwise.domain.ranking import Asked, missing_places, rank, without_near_duplicates
from hindwise.domain.timewords import read

MODES = ("context", "weighted", "rrf", "score")
QUESTIONS = (
    "",
    "tea",
    "When did Ann drink tea last time, now or on 7 May?",
    "最近上次3月12日几点喝茶",
    "v2.3.1-rc.4",
)
zones = st.integers(-23, 23).map(lambda hours: timezone(timedelta(hours=hours)))
moments = st.datetimes(timezones=zones)
shares = st.floats(0, 1)
arm_scores = st.none() | st.floats(width=32) | st.floats(-1, 1)
words = st.lists(
    st.sampled_from(["tea", "ann", "茶", "喝茶", "v2.3.1", "rc", "4", "oolong"]), max_size=8
).map(" ".join)


@st.composite
def memories(draw):
    common = {
        "id": f"{draw(st.integers(0, 99)):026d}",
        "content": "",
        "importance": draw(shares),
        "confidence": draw(shares),
        "event_time": draw(moments),
        "created_at": draw(moments),
        "updated_at": datetime(2026, 1, 1, tzinfo=UTC),
        "last_access_at": draw(st.none() | moments),
        "access_count": draw(st.integers(0, 10**9)),
        "status": draw(st.sampled_from([Status.ACTIVE, Status.OBSOLETE, Status.SUPERSEDED])),
        "superseded_by": draw(st.none() | st.integers(0, 99).map("{:026d}".format)),
        "session_id": draw(st.sampled_from([None, "s", "t"])),
    }
    if draw(st.booleans()):
        return SemanticMemory(type=draw(st.sampled_from(list(Type))), **common)
    speaker = draw(st.sampled_from([None, "", " ", "Ann", "Bob (x"]))
    return Episode(seq=draw(st.none() | st.integers(0, 9)), speaker=speaker, **common)


@st.composite
def candidates(draw):
    memory = draw(memories())
    document = Document(
        id=memory.id,
        version=1,
        words=draw(words),
        exact=draw(st.sampled_from([(), ("v2.3.1-rc.4",)])),
        chars=draw(st.integers(0, 20_000)),
        flags=draw(st.integers(0, 7)),
        facets=memory,
    )
    return Candidate(document, keyword=draw(arm_scores), cosine=draw(arm_scores))


several = st.lists(candidates(), max_size=8, unique_by=lambda one: one.document.id)


@st.composite
def questions(draw):
    text, now = draw(st.sampled_from(QUESTIONS)), draw(moments)
    return Asked(
        text=text,
        terms=tuple(text.lower().split()),
        exact=("v2.3.1-rc.4",) if "rc" in text else (),
        time=read(text, now),
        now=now,
    )


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
    ranked = rank(items, asked)
    at = {one.candidate.document.id: one for one in ranked}
    for one in ranked:
        memory = one.candidate.document.facets
        holder = at.get(memory.superseded_by or "")
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
