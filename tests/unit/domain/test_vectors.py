"""What counts as a vector."""

import math
from array import array

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hindwise.domain.vectors import UnusableVector, checked, cosine, packed, unpacked

SOME = st.lists(st.floats(-1e6, 1e6, width=32), min_size=8, max_size=8)


@pytest.mark.parametrize(
    ("values", "word"),
    [
        ([0.0, 0.0], "zero"),
        ([1e-7, 0.0], "zero"),
        ([1e-30, 1e-30], "zero"),
        ([math.nan, 1.0], "NaN"),
        ([math.inf, 1.0], "NaN"),
        ([-math.inf, math.inf], "NaN"),
        ([1e39, 1.0], "NaN"),
        ([1.0], "1 values instead of 2"),
        ([1.0, 2.0, 3.0], "3 values instead of 2"),
        ([], "0 values instead of 2"),
        (["1", "2"], "not a number"),
        ([None, 1.0], "not a number"),
    ],
)
def test_what_is_no_vector_is_refused_with_its_reason(values, word):
    with pytest.raises(UnusableVector, match=word):
        checked(values, 2)


def test_a_vector_is_brought_to_unit_length_and_keeps_its_direction():
    vector = checked([3, 4], 2)
    assert isinstance(vector, array)
    assert memoryview(vector).format == "f"
    assert vector.tolist() == pytest.approx([0.6, 0.8])


@pytest.mark.parametrize("scale", [2e-6, 1.0, 1e30])
def test_the_length_does_not_matter(scale):
    assert checked([scale, 0.0], 2).tolist() == [1.0, 0.0]


@given(SOME)
def test_every_vector_that_passes_has_unit_length(values):
    try:
        vector = checked(values, 8)
    except UnusableVector:
        assert math.dist(values, [0] * 8) < 1.1e-6
    else:
        assert math.dist(vector, [0] * 8) == pytest.approx(1, abs=1e-6)


@given(SOME, SOME)
def test_cosine_is_symmetric_bounded_and_blind_to_length(one, other):
    try:
        a, b = checked(one, 8), checked(other, 8)
    except UnusableVector:
        return
    assert -1 <= cosine(a, b) <= 1
    assert cosine(a, b) == cosine(b, a)
    assert cosine(a, b) == pytest.approx(cosine([3 * x for x in a], b), abs=1e-6)


def test_cosine_of_known_directions():
    assert cosine([1, 0], [0, 2]) == 0
    assert cosine([1, 0], [5, 0]) == 1
    assert cosine([1, 0], [-5, 0]) == -1
    assert cosine([1, 0], [1, 1]) == pytest.approx(math.sqrt(0.5))


@pytest.mark.parametrize(
    ("one", "other"), [([1, 0], [1, 0, 0]), ([0, 0], [1, 0]), ([1], [math.nan])]
)
def test_what_has_no_direction_in_common_does_not_compare(one, other):
    with pytest.raises(UnusableVector):
        cosine(one, other)


@given(SOME)
def test_half_precision_keeps_the_direction(values):
    try:
        vector = checked(values, 8)
    except UnusableVector:
        return
    data = packed(vector)
    assert len(data) == 16
    assert cosine(unpacked(data, 8), vector) > 0.9999


def test_bytes_of_another_size_are_refused():
    with pytest.raises(UnusableVector, match="5 bytes"):
        unpacked(b"12345", 3)
