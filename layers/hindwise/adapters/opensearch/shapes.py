"""What is said to a node and what it answers: JSON objects, and the named parts of them."""

from collections.abc import Mapping, Sequence
from typing import Any

Json = dict[str, Any]
"""A body or an answer."""
Clause = Json
"""A part of a query."""
Hit = Mapping[str, Any]
"""What a search found: `fields`, `_index`, and `_score` or `sort`."""
After = Sequence[Any] | None
"""The `sort` of the last hit of a page: where the next one begins."""
