"""The one matcher of the screens: RE2, whose time is linear in the text whatever the pattern.

It is imported at the first screening, not with this module: most functions never screen. Its
defaults differ from `re`: no look-around, no back references, so rules say what stands around.
"""

from collections.abc import Callable, Iterator
from functools import cache
from typing import Protocol, cast


class Match(Protocol):
    """Where a pattern was found."""

    def span(self, group: int | str = 0) -> tuple[int, int]:
        """Where the group begins and ends; (-1, -1) where it took no part."""
        ...

    def group(self, group: int | str = 0) -> str:
        """What the group holds."""
        ...


class Pattern(Protocol):
    """A compiled pattern."""

    def search(self, text: str) -> Match | None:
        """The first place it is found at."""
        ...

    def finditer(self, text: str) -> Iterator[Match]:
        """All places it is found at, none overlapping."""
        ...

    def sub(self, repl: str | Callable[[Match], str], text: str) -> str:
        """The text with each place replaced."""
        ...


@cache
def compiled(pattern: str) -> Pattern:
    """A pattern of RE2's syntax, compiled once in a process."""
    import re2

    options = re2.Options()
    options.max_mem = 32 << 20
    options.log_errors = False
    return cast(Pattern, re2.compile(pattern, options))
