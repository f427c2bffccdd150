"""What holds after every step, whatever was done and whatever befell it."""

from collections import Counter
from dataclasses import dataclass, field
from datetime import timedelta

from hindwise.domain.audit import unbroken
from hindwise.domain.fence import hidden
from hindwise.domain.memory import (
    Episode,
    LongTermMemory,
    SemanticMemory,
    Status,
    Type,
    place_of,
)
from hindwise.domain.scope import Scope
from hindwise.domain.supersession import slot_key
from hindwise.domain.visibility import withheld
from tests.fakes import FixedSeal
from tests.machine.promises import Promises, foreign
from tests.memory_store import Home, World

SEAL = FixedSeal()
CHOSEN = frozenset({"chosen", "corrected", "released", "reviewed"})
"""Decisions of a person, whose word stands above any origin."""


@dataclass
class Seen:
    """The records after the step before, and every id that has ever been gone."""

    records: dict[tuple[Scope, str], LongTermMemory] = field(default_factory=dict)
    gone: set[tuple[Scope, str]] = field(default_factory=set)


def check(world: World, promises: Promises, before: Seen) -> Seen:
    """Check every scope; returns what is there now."""
    after = Seen(gone={*before.gone})
    for whose, home in world.homes.items():
        standing = {
            one: memory for one, memory in home.memories.items() if not hidden(one, home.fence)
        }
        after.records |= {(whose, one): memory for one, memory in standing.items()}
        after.gone |= {(whose, one) for one in home.tombstones}
        after.gone |= {(whose, one) for one in home.memories if one not in standing}
        _nothing_is_lost(whose, home, standing, promises, before)
        _nothing_comes_back(whose, standing, promises, before)
        _nothing_is_stored_twice(standing, promises.tags[whose])
        _one_value_a_slot(home, standing)
        _links_agree(standing)
        changed = [
            memory for one, memory in standing.items() if before.records.get((whose, one)) != memory
        ]
        for memory in changed:
            assert not foreign(memory.model_dump_json(), whose), memory
            _authority_stands(memory, standing, home)
            _chain_is_whole(memory, home)
    return after


def _nothing_is_lost(
    whose: Scope, home: Home, standing: dict[str, LongTermMemory], promises: Promises, before: Seen
) -> None:
    """What was accepted is there, was asked to be forgotten, or was purged by rule."""
    named = {one for receipt in home.receipts.values() for one in receipt.ids}
    for one, tag in promises.accepted[whose].items():
        if one in standing or one in promises.doomed[whose] or one in named:
            continue
        was = before.records.get((whose, one))
        if was is None and (whose, one) in before.gone:
            continue
        assert was is not None and _purgeable(was, home), f"{one} ({tag}) is lost, it was {was}"


def _purgeable(memory: LongTermMemory, home: Home) -> bool:
    """Nobody saw it, it matters little, and it is older than a week; or it went along."""
    decided = {row.decision for row in home.audits.get(memory.id, ())}
    if "forgotten" in decided:
        return True
    young = memory.access_count or memory.importance >= 0.3 or not isinstance(memory, Episode)
    return "purged" in decided and not young


def _nothing_comes_back(
    whose: Scope, standing: dict[str, LongTermMemory], promises: Promises, before: Seen
) -> None:
    back = [one for one in standing if (whose, one) in before.gone]
    assert not back, f"forgotten and back: {back}"
    told = promises.forgotten[whose] & standing.keys()
    assert not told, f"said to be forgotten, and still there: {told}"


def _nothing_is_stored_twice(standing: dict[str, LongTermMemory], tags: list[str]) -> None:
    """A text is one memory of each kind; a turn and an external id name one.

    What is withheld has given up its external id: whoever writes under it makes another memory,
    and only one of both is ever let in.
    """
    plain = [one for one in standing.values() if one.status is not Status.ARCHIVED and _said(one)]
    turns = Counter(place for one in plain if (place := place_of(one)) is not None)
    named = Counter(one.external_id for one in plain if one.external_id and not withheld(one))
    texts = Counter((one.kind, one.content) for one in plain if one.status is Status.ACTIVE)
    for counted in (turns, named, texts):
        twice = [key for key, times in counted.items() if times > 1]
        assert not twice, f"stored twice: {twice}"


def _said(memory: LongTermMemory) -> bool:
    return not (isinstance(memory, SemanticMemory) and memory.type is Type.PATTERN)


def _one_value_a_slot(home: Home, standing: dict[str, LongTermMemory]) -> None:
    """What is current is held: an active value that has begun and is not over holds its slot."""
    values: Counter[str] = Counter()
    now = max((one.updated_at for one in standing.values()), default=None)
    for memory in standing.values():
        key = slot_key(memory)
        if key is None or memory.status is not Status.ACTIVE or now is None:
            continue
        over = memory.valid_until is not None and memory.valid_until <= now + timedelta(days=1)
        values[key] += not over
    for key, times in values.items():
        assert times <= 1, f"{times} current values of {key}"
    for key, slot in home.slots.items():
        holder = standing.get(slot.holder or "")
        if holder is not None:
            assert slot_key(holder) == key, f"{holder.id} holds a slot that is not its own"


def _links_agree(standing: dict[str, LongTermMemory]) -> None:
    for memory in standing.values():
        newer = standing.get(memory.superseded_by or "")
        if newer is not None:
            assert memory.id in newer.supersedes, f"{newer.id} does not know {memory.id}"
        for one in memory.supersedes:
            older = standing.get(one)
            if older is not None:
                assert older.superseded_by == memory.id, f"{one} does not know {memory.id}"
        if memory.status is Status.SUPERSEDED:
            assert memory.superseded_by is not None, f"{memory.id} is superseded by nobody"


def _authority_stands(
    memory: LongTermMemory, standing: dict[str, LongTermMemory], home: Home
) -> None:
    newer = standing.get(memory.superseded_by or "")
    if newer is None or newer.origin >= memory.origin:
        return
    decided = {row.decision for row in home.audits.get(newer.id, ())}
    assert decided & CHOSEN, f"{newer.origin} supersedes {memory.origin}"


def _chain_is_whole(memory: LongTermMemory, home: Home) -> None:
    rows = sorted(home.audits.get(memory.id, ()), key=lambda row: (row.version, row.id))
    assert rows and unbroken(rows, memory.audit_head, SEAL), f"the chain of {memory.id} is broken"
