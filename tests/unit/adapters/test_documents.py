"""A vector in a row, with numpy and without it."""

import sys
from array import array

import pytest

from hindwise.adapters.dynamodb.documents import packed, unpacked


def test_a_vector_reads_the_same_where_no_numpy_ships(monkeypatch: pytest.MonkeyPatch) -> None:
    data = packed(array("f", [0.1, -0.25, 1.0, 0.0, 6e-8]))
    with_numpy = unpacked(data)
    monkeypatch.setitem(sys.modules, "numpy", None)
    assert unpacked(data) == with_numpy == array("f", [0.0999755859375, -0.25, 1, 0, 2**-24])
