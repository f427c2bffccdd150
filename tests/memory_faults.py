"""What tests let fail in the fakes: calls, races, and records that cannot be read."""

from collections.abc import Sequence

from hindwise.domain import changes as c
from hindwise.errors import Unavailable, Unreadable


class Faults:
    """Counts calls and lets the next ones fail; `unreadable` are ids whose records are broken."""

    def __init__(self) -> None:
        self.backend_calls = 0
        self.keys_read = 0
        self.unreadable: set[str] = set()
        self._failing: list[str | None] = []
        self._racing: list[type[c.Action] | None] = []

    def fail_next(self, times: int = 1, *, on: str | None = None) -> None:
        """Let the next calls (of the method `on`) raise Unavailable, having done nothing."""
        self._failing += [on] * times

    def race_next(self, times: int = 1, *, on: type[c.Action] | None = None) -> None:
        """Let the next commits (with an action of the kind `on`) raise Raced."""
        self._racing += [on] * times

    def called(self, method: str, keys: int = 0) -> None:
        """Count a call, and fail it if it is its turn."""
        self.backend_calls += 1
        self.keys_read += keys
        for wanted in self._failing:
            if wanted in (None, method):
                self._failing.remove(wanted)
                raise Unavailable(f"{method}: let down by the test")

    def read(self, one: str) -> None:
        """Fail to read what is broken."""
        if one in self.unreadable:
            raise Unreadable("broken by the test")

    def raced(self, actions: Sequence[c.Action]) -> None:
        """Lose a race if it is the turn of one of these actions."""
        for kind in self._racing:
            lost = tuple(one for one in actions if kind is None or isinstance(one, kind))
            if lost:
                self._racing.remove(kind)
                raise c.Raced(lost)
