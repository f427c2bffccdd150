"""The vectors of a scope as one float32 matrix, searched exactly.

Up to a hundred thousand memories one matrix product is as fast as a graph and misses nothing.
"""

from array import array

import numpy as np
from numpy.typing import NDArray

from hindwise.adapters.embedded.best import Rows
from hindwise.domain.document import Vector
from hindwise.domain.vectors import SMALLEST_NORM

_SPARSE = 4
"""Where fewer than one row in this many is asked for, only those are multiplied."""


def flaw_of(vector: Vector, dimensions: int) -> str | None:
    """Say what makes a vector unusable: its size, a value that is not finite, or no direction."""
    if len(vector) != dimensions:
        return f"a vector has {len(vector)} values instead of {dimensions}"
    values = np.frombuffer(vector, np.float32)
    norm = float(np.sqrt(np.dot(values, values)))
    if not np.isfinite(norm):
        return "a vector holds NaN or an infinite value"
    return "a vector is zero" if norm < SMALLEST_NORM else None


def unit(vector: Vector) -> NDArray[np.float32]:
    """A vector without a flaw at length one."""
    values = np.frombuffer(vector, np.float32)
    return np.asarray(values / np.sqrt(np.dot(values, values)))


class Vectors:
    """One unit vector a row, or none."""

    def __init__(self, dimensions: int) -> None:
        self._matrix = np.zeros((16, dimensions), np.float32)
        self._present = np.zeros(16, np.bool_)

    def set(self, row: int, vector: Vector | None) -> None:
        """Keep the vector of a row, scaled to unit length; it must have no flaw."""
        if row >= len(self._matrix):
            self._grow(max(row + 1, len(self._matrix) * 2))
        self._present[row] = vector is not None
        if vector is not None:
            self._matrix[row] = unit(vector)

    def has(self, row: int) -> bool:
        """Tell whether a row has a vector."""
        return bool(self._present[row])

    def get(self, row: int) -> Vector | None:
        """The vector of a row at unit length, if it has one."""
        return array("f", self._matrix[row].tobytes()) if self._present[row] else None

    def cosines(
        self, vector: Vector, rows: Rows, *, count: int
    ) -> tuple[Rows, NDArray[np.float32]]:
        """The cosine to each of `rows` that has a vector; `count` rows exist."""
        query = unit(vector)
        rows = rows[self._present[rows]]
        if len(rows) * _SPARSE < count:
            return rows, self._matrix[rows] @ query
        return rows, (self._matrix[:count] @ query)[rows]

    def _grow(self, room: int) -> None:
        matrix = np.zeros((room, self._matrix.shape[1]), np.float32)
        matrix[: len(self._matrix)] = self._matrix
        present = np.zeros(room, np.bool_)
        present[: len(self._present)] = self._present
        self._matrix, self._present = matrix, present
