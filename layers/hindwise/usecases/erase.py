"""Take away all that lies behind a fence: the rows of the table, and what lies in the bucket.

What carries no id of its own time in its name, in the bucket, is old: everything that is kept there
is named after what it is of.
"""

import re
from collections.abc import Callable, Iterator
from datetime import datetime

from hindwise.domain.fence import hidden
from hindwise.domain.scope import Scope
from hindwise.usecases.forgetting import Forgetting

ROWS = 1_000
OBJECTS = 1_000
_ID = re.compile(r"(?<![0-9A-Z])[0-7][0-9A-HJKMNP-TV-Z]{25}(?![0-9A-Z])")


def counted(
    scope: Scope, fence: datetime, *, parts: Forgetting, waiting: bool = False
) -> dict[str, int]:
    """Count what there is, store by store; with `waiting`, what the index has still to drop too."""
    counts = parts.erasure.count(scope, fence)
    if not waiting:
        counts.pop("changes", None)
    objects = sum(1 for _ in _objects(scope, fence, parts))
    return {**counts, "objects": objects} if objects else counts


def erased(scope: Scope, fence: datetime, *, parts: Forgetting, over: Callable[[], bool]) -> bool:
    """Remove all of it; False where the time was up before. Raises Unavailable."""
    for store in parts.erasure.stores:
        while parts.erasure.erase(scope, fence, store, most=ROWS):
            if over():
                return False
    while names := _some(_objects(scope, fence, parts)):
        parts.learning.blobs.delete_many(scope, names)
        if over():
            return False
    return True


def _some(names: Iterator[str]) -> list[str]:
    return [name for _, name in zip(range(OBJECTS), names, strict=False)]


def _objects(scope: Scope, fence: datetime, parts: Forgetting) -> Iterator[str]:
    """The names behind the fence: of the last id in them, or of none."""
    for name in parts.learning.blobs.names(scope):
        found = _ID.findall(name)
        if not found or hidden(found[-1], fence):
            yield name
