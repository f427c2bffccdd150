"""Sizes and units as DynamoDB's developer guide gives them."""

from math import ceil

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.capacity import (
    index_writes,
    item_size,
    number_size,
    read_units,
    stored_bytes,
    value_size,
    write_units,
)

KB = 1024


def item(size, **more):
    """An item of exactly so many bytes, its other attributes among them."""
    rest = item_size(more)
    return {"x": {"S": "a" * (size - rest - 1)}, **more}


@pytest.mark.parametrize(
    ("value", "size"),
    [
        ({"S": ""}, 0),
        ({"S": "Mocca"}, 5),
        ({"S": "机票"}, 6),
        ({"N": "1"}, 2),
        ({"N": "27"}, 2),
        ({"N": "-27"}, 3),
        ({"N": "461"}, 3),
        ({"N": "0"}, 1),
        ({"N": "1000000"}, 2),
        ({"N": "0.0050"}, 2),
        ({"N": "100.5"}, 3),
        ({"N": "1764547200000000"}, 5),
        ({"B": b"\x00" * 7}, 7),
        ({"BOOL": True}, 1),
        ({"NULL": True}, 1),
        ({"L": []}, 3),
        ({"M": {}}, 3),
        ({"L": [{"S": "ab"}, {"N": "12"}]}, 3 + 1 + 2 + 1 + 2),
        ({"M": {"k": {"S": "ab"}}}, 3 + 1 + 1 + 2),
        ({"SS": ["ab", "c"]}, 3),
    ],
)
def test_size_of_a_value(value, size):
    assert value_size(value) == size


def test_names_count_as_bytes():
    assert item_size({"caféName": {"S": "Mocca"}}) == 9 + 5
    with pytest.raises(ValueError, match="X"):
        value_size({"X": 1})


def test_reads_as_in_the_guide():
    """`BatchGetItem` of 1.5 KB and 6.5 KB is 4 KB + 8 KB; a Query of both is 8 KB."""
    each = [int(1.5 * KB), int(6.5 * KB)]
    assert sum(read_units(size, consistent=True) for size in each) == 3
    assert read_units(sum(each), consistent=True) == 2
    assert read_units(int(3.5 * KB), consistent=True) == 1
    assert read_units(10 * KB, consistent=False) == 1.5
    assert read_units(0, consistent=True) == 1
    assert read_units(0, consistent=False) == 0.5


def test_writes_as_in_the_guide():
    assert write_units(None, item(KB)) == 1
    assert write_units(None, item(KB + 1)) == 2
    assert write_units(None, item(3 * KB), times=2) == 6
    assert write_units(item(3 * KB), item(500)) == 3
    assert write_units(item(2 * KB), None) == 2
    assert write_units(None, None) == 1


def test_index_writes_as_in_the_guide():
    bare = {"pk": {"S": "p"}, "sk": {"S": "s"}}
    here = {**bare, "w_pk": {"S": "DIRTY#1"}, "w_sk": {"S": "a"}}
    moved = {**here, "w_sk": {"S": "b"}}
    both = {**here, "l_pk": {"S": "L"}, "l_sk": {"S": "x"}}

    def units(before, after):
        return [(one.index, one.partition, one.units) for one in index_writes(before, after)]

    assert units(None, bare) == []
    assert units(None, here) == [("work", "DIRTY#1", 1)]
    assert units(here, {**here, "body": {"S": "new"}}) == []
    assert units(here, moved) == [("work", "DIRTY#1", 1), ("work", "DIRTY#1", 1)]
    assert units(both, None) == [("work", "DIRTY#1", 1), ("list", "L", 1)]
    assert units(here, bare) == [("work", "DIRTY#1", 1)]


def test_storage_counts_an_overhead_for_each_item_and_entry():
    bare = {"pk": {"S": "p"}, "sk": {"S": "s"}}
    here = {**bare, "w_pk": {"S": "W"}, "w_sk": {"S": "a"}}
    assert stored_bytes([bare]) == 6 + 100
    assert stored_bytes([here]) == 2 * (6 + 10 + 100)


@given(st.integers(-(10**30), 10**30))
def test_zeros_at_either_end_of_a_number_are_free(number):
    digits = str(abs(number)).strip("0")
    assert number_size(str(number)) == ceil(len(digits) / 2) + 1 + (number < 0)
    assert number_size(f"{number}.00") == number_size(str(number))
    if number > 0:
        assert number_size(f"0.000{number}") == number_size(str(number))
        assert number_size(f"{number}00") == number_size(str(number))


@given(st.integers(0, 400 * KB), st.integers(0, 400 * KB))
def test_a_query_never_takes_more_than_its_rows_one_by_one(one, other):
    together = read_units(one + other, consistent=True)
    apart = read_units(one, consistent=True) + read_units(other, consistent=True)
    assert together <= apart <= together + 2
    assert read_units(one, consistent=False) == read_units(one, consistent=True) / 2
    assert together >= (one + other) / 4096


@given(st.dictionaries(st.text(min_size=1, max_size=5), st.text(max_size=20), max_size=6))
def test_every_byte_of_an_item_is_counted_once(attributes):
    wire = {name: {"S": value} for name, value in attributes.items()}
    assert item_size(wire) == len("".join([*attributes, *attributes.values()]).encode())
    assert value_size({"M": wire}) == 3 + len(wire) + item_size(wire)
