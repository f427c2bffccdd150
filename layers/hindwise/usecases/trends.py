"""Say once what a month's cold episodes were about.

Who finds one of them due archives its whole group first: a trend is made of all of it or not at
all. The window of a month is read by id, for an id begins with when it was made.
"""

from collections.abc import Iterator
from datetime import datetime

from hindwise.domain.base import Model
from hindwise.domain.changes import Action, Create, Edge, Raced, Stands
from hindwise.domain.fading import LIVE, Fate, Sweep, fate, since
from hindwise.domain.ids import ulid
from hindwise.domain.memory import Episode, LongTermMemory, Mark, Status, millis
from hindwise.domain.trends import (
    Group,
    Quote,
    group_of,
    quote_of,
    trend_from,
    weightiest,
)
from hindwise.errors import Unavailable
from hindwise.usecases.archive import held
from hindwise.usecases.fade import Fading, fade, put_off
from hindwise.usecases.ledger import Ledger

PAGE = 500
LINKS = 80
"""Links in one commit."""


def members(group: Group, *, ledger: Ledger) -> Iterator[Episode]:
    """The episodes of a group, in whatever state, newest first."""
    first = ulid(millis(group.begin), bytes(10))
    after: str | None = ulid(millis(group.end), bytes(10))
    while after is not None and after > first:
        page = ledger.store.page(ledger.call.scope, after=after, examine=PAGE)
        for one in page.memories:
            if isinstance(one, Episode) and group_of(one) == group:
                yield one
        after = page.after


class Compressed(Model):
    """What came of a group: its trend's id if it was made, and what was archived for it."""

    made: str | None = None
    archived: tuple[str, ...] = ()


def compress(episode: Episode, *, ledger: Ledger, fading: Fading, until: datetime) -> Compressed:
    """Archive what is cold of an episode's group, and make its trend if that is all of it.

    Nothing is made of a group that is too small, of which something may still cool, or for which
    there is no time until `until`: it is due again then. Raises Unavailable.
    """
    group = group_of(episode)
    archived: list[str] = []
    for one in list(members(group, ledger=ledger)):
        if fate(one, ledger.call.now, fading.rules) is not Fate.COLD:
            continue
        if fading.clock() >= until:
            return Compressed(archived=tuple(archived))
        if fade(one.id, Sweep.TIERS, ledger=ledger, fading=fading).fate is Fate.COLD:
            archived.append(one.id)
    found = list(members(group, ledger=ledger))
    stubs = [one for one in found if _cold(one)]
    cools = [when for one in found if (when := _cools_at(one, fading)) is not None]
    made = None
    if not cools and len(stubs) >= fading.rules.trend_least:
        made = _made(group, stubs, ledger=ledger, fading=fading)
    for one in stubs:
        put_off(one, max(cools, default=None), ledger=ledger)
    return Compressed(made=made, archived=tuple(archived))


def _cools_at(memory: Episode, fading: Fading) -> datetime | None:
    """When a memory of a group will be cold, if nobody ever asks for it; None where it will not."""
    if memory.status not in LIVE or memory.access_count or Mark.PINNED in memory.marks:
        return None
    return since(memory) + fading.rules.cold_after


def _cold(memory: LongTermMemory) -> bool:
    return (
        memory.status is Status.ARCHIVED
        and memory.archive is not None
        and memory.archive.why == "cold"
    )


def _made(group: Group, stubs: list[Episode], *, ledger: Ledger, fading: Fading) -> str | None:
    """Store the trend of a group unless there is one, or was one that has been forgotten.

    Raises Unavailable where one of those that it quotes was forgotten meanwhile.
    """
    if ledger.read(group.trend_id) is not None:
        return None
    quotes = [
        quote
        for one in weightiest(stubs)
        if (quote := _quoted(one, ledger=ledger, fading=fading)) is not None
    ]
    trend = trend_from(group, stubs, quotes, now=ledger.call.now)
    links = [Edge(source=one, kind="evidence", dependant=trend.id) for one in trend.evidence_ids]
    for start in range(0, len(links), LINKS):
        ledger.commit(links[start : start + LINKS])
    trend, row = ledger.recorded(trend, "compressed")
    actions: list[Action] = [Create(memory=trend), row]
    actions += [Stands(memory_id=one.memory_id) for one in quotes]
    try:
        ledger.commit(actions)
    except Raced as raced:
        if raced.on(Stands):
            raise Unavailable("what was to be quoted was just forgotten; try again") from raced
        return None
    return trend.id


def _quoted(stub: Episode, *, ledger: Ledger, fading: Fading) -> Quote | None:
    """What is quoted of an archived episode; nothing where its object cannot be read."""
    found = held(stub, scope=ledger.call.scope, blobs=fading.blobs)
    if found is None or not isinstance(found.memory, Episode):
        return None
    return quote_of(found.memory)
