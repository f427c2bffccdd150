"""Fields as words: equal and ordered as the values are."""

from itertools import pairwise

import pytest

from hindwise.adapters.opensearch.facts import KEPT, beyond, fact, facts_of, head, known, reach
from tests import builders

ORDERED = [-(2.0**1000), -3, -2.5, -1e-300, 0, 5e-324, 1, 1.5, 2, 10, 2**53 - 1, 1e300]


def test_numbers_sort_as_numbers() -> None:
    words = [fact("metadata.n", one) for one in ORDERED[1:-1]]
    assert all(a is not None and b is not None and a < b for a, b in pairwise(words))


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        (1, 1.0, True),
        (0, -0.0, True),
        (1, True, False),
        (0, False, False),
        (1, "1", False),
        (None, "", False),
        ("a", "A", False),
        ("x" * 300, "x" * 300, True),
        ("x" * 300, "x" * 301, False),
    ],
)
def test_facts_are_equal_where_values_are(one: object, other: object, same: bool) -> None:
    assert (fact("metadata.k", one) == fact("metadata.k", other)) is same


@pytest.mark.parametrize("value", [2**53, -(2**60), 2.0**70, [1], {"a": 1}, 10**400])
def test_what_cannot_be_told_apart_is_not_looked_for(value: object) -> None:
    assert fact("metadata.k", value) is None


def test_a_record_has_a_fact_for_each_field_it_has() -> None:
    memory = builders.episode(
        tags=("a", "b"), speaker="Ann", metadata={"n": 2, "deep": {"x": 1}, "none": [], "两": "值"}
    )
    found = facts_of(memory)
    assert {fact("tags", "a"), fact("tags", "b"), fact("speaker", "Ann")} <= set(found)
    assert {fact("metadata.n", 2), fact("metadata.两", "值"), fact("task_id", None)} <= set(found)
    for name in ("metadata.deep", "metadata.none", "entities"):
        assert any(one.startswith(head(name)) for one in found), "it is there, whatever it is"
    assert not any(one.startswith(head("subject")) for one in found), "an episode has none"
    assert len(found) == len(set(found))


def test_no_fact_is_longer_than_the_node_takes() -> None:
    memory = builders.fact(value="值" * 2_000, metadata={"k": "字" * 2_000})
    assert max(len(one.encode()) for one in facts_of(memory)) < 32_766


def test_a_text_has_a_place_among_texts_alone() -> None:
    found = reach("speaker", "Bob")
    text, number = fact("speaker", "Bobby"), fact("speaker", 5)
    assert found is not None and found.exact and text is not None and number is not None
    assert found.first <= found.place < text < found.end
    assert not found.first <= number < found.end
    cut = reach("value", "w" * (KEPT + 1))
    longer = fact("value", "w" * (KEPT + 1))
    assert cut is not None and not cut.exact and longer is not None
    assert cut.place < longer < beyond(cut.place)


def test_only_numbers_and_texts_have_an_order() -> None:
    assert reach("metadata.k", True) is None and reach("metadata.k", None) is None
    assert reach("metadata.k", [1]) is None
    vast = reach("metadata.k", 2**60)
    assert vast is not None and not vast.exact


def test_which_fields_are_facts() -> None:
    assert known("tags") and known("metadata.anything")
    assert not known("importance") and not known("event_time")
