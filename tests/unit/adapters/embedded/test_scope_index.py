import math
from datetime import timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hindwise.adapters.embedded.lexicon import rounded_length
from hindwise.adapters.embedded.scope_index import ScopeIndex
from hindwise.domain.memory import Status
from hindwise.domain.query import Condition, Filter, Operator, View
from hindwise.domain.visibility import passes, visible
from tests.contract.search_documents import (
    DIMENSIONS,
    EAST,
    NORTH,
    NOW,
    arms,
    ask,
    document,
    episode,
    fact,
    name,
    vector,
)

VECTORS = [EAST, NORTH, vector(1, 1, 0, 0), None]
WORDS = ["tea", "cake", "不吃辣", "v2.1.3", "tea tea milk"]


class Found:
    """Nominations of one scope, in the shape that `arms` reads."""

    def __init__(self, index, asked, along=EAST):
        self.candidates = index.nominate(asked, along)


def state(index):
    """Everything a caller can see of an index."""
    found = Found(index, ask("tea 辣 v2.1.3"))
    scores = {
        one.document.id: [round(x, 9) if x is not None else None for x in (one.keyword, one.cosine)]
        for one in found.candidates
    }
    beside = [one.document.id for one in index.beside([("s", 1), ("s", 2)])]
    return arms(found), scores, index.listing(ask(), limit=50), sorted(beside), index.versions()


def written(number, version):
    """The one content that this version of this memory has; every third version is a tombstone."""
    if version % 3 == 0:
        return None
    pick = (number * 7 + version) % len(WORDS)
    memory = episode(
        number,
        WORDS[pick],
        version=version,
        importance=(number + version) % 4 / 4,
        session_id="s",
        seq=number,
    )
    return document(memory, VECTORS[pick % len(VECTORS)])


def write(index, number, version):
    made = written(number, version)
    if made is None:
        index.bury(name(number), version)
    else:
        assert index.put(made) is None


@settings(max_examples=80, deadline=None)
@given(
    st.lists(st.tuples(st.integers(1, 6), st.integers(1, 7)), min_size=1, max_size=25),
    st.randoms(use_true_random=False),
)
def test_order_and_repetition_of_writes_make_no_difference(writes, random):
    one, other = ScopeIndex(DIMENSIONS), ScopeIndex(DIMENSIONS)
    for number, version in sorted(set(writes)):
        write(one, number, version)
    again = writes + random.sample(writes, len(writes) // 2)
    random.shuffle(again)
    for number, version in again:
        write(other, number, version)
    assert state(one) == state(other)


moments = st.sampled_from([NOW + timedelta(hours=h) for h in (-900, -30, -1, 0, 1, 30)])
facets = st.fixed_dictionaries(
    {
        "status": st.sampled_from(list(Status)),
        "valid_from": st.none() | moments,
        "valid_until": st.none() | moments,
        "event_time": moments,
        "created_at": moments,
        "importance": st.sampled_from([0.0, 0.3, 1.0]),
        "tags": st.lists(st.sampled_from(["a", "b"]), max_size=2).map(tuple),
        "scene": st.sampled_from([None, "work"]),
        "metadata": st.dictionaries(
            st.just("m"), st.sampled_from([1, True, 1.0, "a", None, ["a", "b"], [], {"x": 1}])
        ),
    }
)
values = st.sampled_from(
    ["a", "b", 1, True, None, 0.3, "work", "active", "expired", "semantic", "unknown", NOW]
)
conditions = st.builds(
    Condition,
    field=st.sampled_from(
        ["status", "tags", "metadata.m", "metadata.other", "importance", "event_time", "kind"]
    )
    | st.sampled_from(
        ["scene", "origin", "speaker", "type", "conversation_id", "created_at", "evidence_ids"]
    ),
    op=st.sampled_from(list(Operator)),
    value=values | st.lists(values.filter(lambda value: value is not NOW), max_size=2),
)
filters = st.builds(
    Filter,
    all_of=st.lists(conditions, max_size=2).map(tuple),
    none_of=st.lists(conditions, max_size=1).map(tuple),
)
views = st.builds(
    View,
    include=st.frozensets(st.sampled_from(list(Status)), max_size=2),
    as_of=st.none() | moments,
    known_at=st.none() | moments,
    scene=st.sampled_from([None, "work", "home"]),
)


@settings(max_examples=300, deadline=None)
@given(st.lists(st.tuples(st.booleans(), facets), max_size=8), filters, views)
def test_filtering_in_the_arms_is_filtering_afterwards(given_facets, wanted, view):
    index = ScopeIndex(DIMENSIONS)
    memories = [
        (fact if semantic else episode)(number, **fields)
        for number, (semantic, fields) in enumerate(given_facets)
    ]
    index.listing(ask(filter=wanted), limit=1)
    for memory in memories:
        index.put(document(memory))
    expected = {
        int(memory.id)
        for memory in memories
        if visible(memory, view, NOW) and passes(memory, wanted, now=NOW)
    }
    asked = ask("something", filter=wanted, view=view)
    found = arms(Found(index, asked))
    assert set(found["recent"]) == set(found["cosine"]) == set(found["keyword"]) == expected
    assert {int(one) for one in index.listing(asked, limit=100)} == expected


def test_keyword_scores_are_lucenes():
    index = ScopeIndex(DIMENSIONS)
    for number, text in enumerate(["tea tea", "tea cake", "cake shop"], 1):
        index.put(document(episode(number, text)))
    scores = {
        int(one.document.id): one.keyword for one in index.nominate(ask("tea tea shop"), None)
    }
    mean = 15 / 3
    idf_tea, idf_shop = math.log(1 + 1.5 / 2.5), math.log(1 + 2.5 / 1.5)
    norm = 0.9 * (1 - 0.4 + 0.4 * 5 / mean)
    assert scores[1] == pytest.approx(2 * 1.9 * idf_tea * 2 / (2 + norm))
    assert scores[2] == pytest.approx(2 * 1.9 * idf_tea / (1 + norm))
    assert scores[3] == pytest.approx(1.9 * idf_shop / (1 + norm))


@pytest.mark.parametrize(
    ("places", "kept"),
    [(0, 0), (1, 1), (24, 24), (39, 39), (40, 40), (41, 40), (43, 42), (100, 96), (1000, 984)],
)
def test_lengths_are_rounded_down_to_one_byte(places, kept):
    assert rounded_length(places) == kept


def test_replacing_often_leaves_an_index_like_a_new_one():
    used, new = ScopeIndex(DIMENSIONS), ScopeIndex(DIMENSIONS)
    for version in range(1, 2_500):
        used.put(document(episode(1, f"word{version} tea", version=version, session_id="s", seq=1)))
    used.put(document(episode(2, "tea 不吃辣", session_id="s", seq=2), NORTH))
    new.put(document(episode(1, "word2499 tea", version=2_499, session_id="s", seq=1)))
    new.put(document(episode(2, "tea 不吃辣", session_id="s", seq=2), NORTH))
    assert state(used) == state(new)
    assert Found(used, ask("word7")).candidates[0].keyword is None


def test_equal_scores_are_ordered_newest_first():
    index = ScopeIndex(DIMENSIONS)
    for number in (5, 1, 9, 3, 7):
        index.put(document(episode(number, "tea")))
    assert arms(Found(index, ask("tea", per_arm=3))) == {
        "keyword": [9, 7, 5],
        "cosine": [9, 7, 5],
        "recent": [9, 7, 5],
    }
    assert [int(one) for one in index.listing(ask(), limit=2)] == [9, 7]


def test_a_late_filter_still_reaches_what_scores_low():
    index = ScopeIndex(DIMENSIONS)
    for number in range(500):
        index.put(document(episode(number, "tea", speaker="Ann" if number < 3 else "Bob")))
    none_of = (Condition(field="speaker", value="Bob"),)
    found = arms(Found(index, ask("tea", filter=Filter(none_of=none_of), per_arm=5)))
    assert found["keyword"] == found["cosine"] == found["recent"] == [2, 1, 0]


def test_an_unchanged_document_is_not_taken_twice():
    index = ScopeIndex(DIMENSIONS)
    made = document(episode(1, "tea"), None)
    assert index.put(made) is None and index.put(made) is None
    index.put(document(episode(1, "tea"), EAST))
    assert arms(Found(index, ask("tea")))["cosine"] == [1]


def test_vectors_survive_a_rebuild_at_unit_length():
    index = ScopeIndex(DIMENSIONS)
    index.put(document(episode(1), vector(3, 4, 0, 0)))
    for version in range(1, 1_200):
        index.put(document(episode(2, version=version), None))
    found = {int(one.document.id): one.cosine for one in index.nominate(ask(), EAST)}
    assert found == {1: pytest.approx(0.6), 2: None}
