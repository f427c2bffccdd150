"""What callers were told, and so may rely on: kept beside the service, never read from it.

Every text that is written carries a tag of its own, which names its scope and nothing else does.
"""

import re
from collections import defaultdict
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from hindwise.domain.scope import Scope

TAG = re.compile(r"zq(?P<tenant>[a-z]+)x(?P<user>[a-z]+)x\d+")


def words_of(whose: Scope) -> str:
    """How every tag of a scope begins."""
    return f"zq{whose.tenant}x{whose.user}x"


@dataclass
class Told:
    """A call that may be made again: with its key it is the same call, for a day from `at` on."""

    at: datetime
    whose: Scope
    method: str
    path: str
    body: dict[str, Any]
    by: str
    key: str
    tags: tuple[str, ...]
    ids: tuple[str | None, ...] | None = None


@dataclass
class Promises:
    """`accepted` are ids that an answer named; `doomed` those that somebody asked to forget."""

    accepted: dict[Scope, dict[str, str]] = field(default_factory=lambda: defaultdict(dict))
    doomed: dict[Scope, set[str]] = field(default_factory=lambda: defaultdict(set))
    forgotten: dict[Scope, set[str]] = field(default_factory=lambda: defaultdict(set))
    tags: dict[Scope, list[str]] = field(default_factory=lambda: defaultdict(list))
    erased: dict[Scope, set[str]] = field(default_factory=lambda: defaultdict(set))
    turns: dict[Scope, dict[str, str]] = field(default_factory=lambda: defaultdict(dict))
    receipts: dict[Scope, set[str]] = field(default_factory=lambda: defaultdict(set))
    calls: list[Told] = field(default_factory=list)

    def tag(self, whose: Scope) -> str:
        """A word that nobody has used yet."""
        number = sum(map(len, self.tags.values()))
        made = f"{words_of(whose)}{number}"
        self.tags[whose].append(made)
        return made

    def told(self, call: Told, ids: tuple[str | None, ...]) -> None:
        """A call was answered with these ids, None for what failed; again, with the same."""
        before = call.ids or (None,) * len(ids)
        agree = all(old is None or new in (None, old) for old, new in zip(before, ids, strict=True))
        assert agree, f"told {before}, and now {ids}"
        call.ids = tuple(old or new for old, new in zip(before, ids, strict=True))
        for one, tag in zip(call.ids, call.tags, strict=True):
            if one is not None:
                self.accepted[call.whose].setdefault(one, tag)

    def again(self, number: int, now: datetime) -> Told | None:
        """One of the calls whose keys are still known."""
        near = timedelta(hours=10)
        self.calls = [one for one in self.calls if -near < now - one.at < near]
        return self.calls[number % len(self.calls)] if self.calls else None

    def all_doomed(self, whose: Scope) -> None:
        """Somebody asked to forget all of a user: what was said so far may go at any time."""
        self.doomed[whose] |= {*self.accepted[whose]}
        self.turns[whose].clear()

    def all_forgotten(self, whose: Scope) -> None:
        """And was told that it is."""
        self.forgotten[whose] |= {*self.accepted[whose]}
        self.erased[whose] |= {*self.tags[whose]}
        self.calls = [one for one in self.calls if one.whose != whose]


def foreign(text: str, whose: Scope) -> set[str]:
    """The tags in a text that are another scope's."""
    found = TAG.finditer(text)
    return {one[0] for one in found if (one["tenant"], one["user"]) != (whose.tenant, whose.user)}
