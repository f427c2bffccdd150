"""What a usable vector is: the right size, finite, not zero, of unit length.

`checked` is the one gate through which every vector passes, whoever made it. It looks at a single
number: the sum of squares is NaN or infinite as soon as one value is. Standard library only, so
that the domain needs no numpy; a float32 array hands its memory to numpy without a copy.
"""

import math
import struct
from array import array
from collections.abc import Iterable, Sequence

from hindwise.domain.document import Vector

SMALLEST_NORM = 1e-6
"""Below this a vector has no direction; a search node scores such a one `Infinity` (measured)."""


class UnusableVector(ValueError):
    """What was meant to be a vector is zero, not finite, of the wrong size, or not numbers."""


def checked(values: Iterable[float], dimensions: int) -> Vector:
    """The float32 vector of unit length along `values`; raises UnusableVector."""
    try:
        vector = array("f", values)
    except (TypeError, OverflowError) as error:
        raise UnusableVector("a vector holds something that is not a number") from error
    if len(vector) != dimensions:
        raise UnusableVector(f"a vector has {len(vector)} values instead of {dimensions}")
    norm = math.sqrt(math.sumprod(vector, vector))
    if not math.isfinite(norm):
        raise UnusableVector("a vector holds NaN or an infinite value")
    if norm < SMALLEST_NORM:
        raise UnusableVector("a vector is zero")
    return array("f", [value / norm for value in vector])


def cosine(one: Sequence[float], other: Sequence[float]) -> float:
    """The cosine of two vectors of one size, -1..1; raises UnusableVector where there is none."""
    if len(one) != len(other):
        raise UnusableVector(f"vectors of {len(one)} and {len(other)} values do not compare")
    norms = math.sqrt(math.sumprod(one, one) * math.sumprod(other, other))
    if not SMALLEST_NORM**2 <= norms < math.inf:
        raise UnusableVector("a vector without direction does not compare")
    return max(-1.0, min(1.0, math.sumprod(one, other) / norms))


def packed(vector: Sequence[float]) -> bytes:
    """Two bytes a value: IEEE 754 half precision, little endian."""
    return struct.pack(f"<{len(vector)}e", *vector)


def unpacked(data: bytes, dimensions: int) -> Vector:
    """The unit vector that `packed` wrote, within 0.1 % a value; raises UnusableVector."""
    if len(data) != 2 * dimensions:
        raise UnusableVector(f"{len(data)} bytes do not hold {dimensions} half-precision values")
    return checked(struct.unpack(f"<{dimensions}e", data), dimensions)
