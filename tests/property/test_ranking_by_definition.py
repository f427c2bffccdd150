"""However the ranking saves work, it says what its definition says."""

import copy
import math
from datetime import timedelta
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hindwise.domain.ranking import Fusion, missing_places, rank
from hindwise.domain.ranking.result import best_first
from tests.builders import NOW, episode
from tests.property.ranking_by_definition import order
from tests.property.ranking_cases import MODES, candidates, questions
from tests.unit.domain.ranking.made import asked as question
from tests.unit.domain.ranking.made import candidate

cosines = st.none() | st.just(math.nan) | st.floats(-1, 1)
many = st.lists(candidates(cosines), max_size=16, unique_by=lambda one: one.document.id)


def said(ranking):
    return [(one.candidate.document.id, one.score) for one in ranking]


def agree(one, other):
    """The same scores; the same order but for scores that rounding may part."""
    mine, theirs = dict(one), dict(other)
    assert mine == pytest.approx(theirs, abs=1e-9)
    near = [abs(a - b) for (_, a), (_, b) in pairwise(one)]
    if all(gap == 0 or gap > 1e-8 for gap in near):
        assert [name for name, _ in one] == [name for name, _ in other]


@pytest.mark.parametrize("mode", MODES)
@settings(max_examples=60)
@given(items=many, asked=questions())
def test_a_ranking_is_what_its_definition_says(mode, items, asked):
    agree(said(rank(items, asked, mode=mode)), order(items, asked, mode))


@pytest.mark.parametrize("mode", MODES)
@settings(max_examples=40)
@given(items=many, asked=questions(), first=st.integers(0, 16))
def test_candidates_that_come_later_are_ranked_as_if_they_had_come_at_once(
    mode, items, asked, first
):
    fusion = Fusion(asked, mode=mode)
    fusion.add(items[:first])
    early = fusion.ranking()
    before = said(early)
    assert fusion.missing(early) == missing_places(items[:first], early)
    fusion.add(items[first:])
    late = fusion.ranking()
    assert said(late) == said(rank(copy.deepcopy(items), asked, mode=mode))
    assert said(early) == before


@given(
    steps=st.lists(st.integers(0, 12), max_size=12), days=st.lists(st.integers(0, 2), min_size=12)
)
def test_close_scores_are_ordered_by_what_they_round_to(steps, days):
    """Steps of a quarter of the last digit that counts, so that runs of close scores form."""
    scores = [0.25 + step * 0.25e-9 for step in steps]
    items = [
        candidate(episode(at=NOW - timedelta(days=day)))
        for day, _ in zip(days, steps, strict=False)
    ]

    def key(place):
        facets = items[place].document.facets
        return round(scores[place], 9), facets.event_time.timestamp(), facets.id

    assert best_first(scores, items) == sorted(range(len(steps)), key=key, reverse=True)


def test_a_long_conversation_is_ranked_as_defined():
    """More candidates than the arms list, so that most of them score nothing by themselves."""
    texts = (
        "we drank tea in Kyoto",
        "what for?",
        "the garden was quiet",
        "昨天喝茶了",
        "tea, again",
    )
    turns = [
        candidate(
            episode(f"{texts[n % 5]} {n}", session_id=f"s{n // 40}", seq=n % 40, at=NOW),
            cosine=((n * 37) % 101) / 101,
        )
        for n in range(240)
    ]
    asked = question("Where did we drink tea last time?")
    agree(said(rank(turns, asked)), order(turns, asked, "context"))
