"""Which of two values of one thing comes first, whatever their words.

A weakened value comes after the one that it yielded to. Where a question names days of the past,
the value that held then comes before those that did not.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import datetime

from hindwise.domain.document import Candidate
from hindwise.domain.memory import LongTermMemory, Status
from hindwise.domain.ranking.asked import Asked
from hindwise.domain.ranking.pool import Pool
from hindwise.domain.ranking.result import PRECISION, Columns
from hindwise.domain.supersession import age, slot_key
from hindwise.domain.visibility import SHOWN, held

BEHIND = 1e-6
HOPS = 10


def weakened_by(pool: Pool, asked: Asked) -> dict[int, list[int]]:
    """The places of weakened records, and of those among the candidates that they yielded to.

    Also of superseded ones, unless they held on the days of the past that are asked for.
    """
    held = pool.each("holders", lambda one: holders(one.document.facets))
    if not any(held):
        return {}
    place = {one: i for i, one in enumerate(pool.ids())}
    exempt = _asked_for([one.document.facets for one in pool.candidates], asked)
    ages = pool.each("age", _age)
    found: defaultdict[int, list[int]] = defaultdict(list)
    for i, others in enumerate(held):
        for holder in others:
            if holder in place and ages[place[holder]] > ages[i] and i not in exempt:
                found[i].append(place[holder])
    return found


def holders(memory: LongTermMemory) -> tuple[str, ...]:
    """The records that a memory may have yielded to while it stayed visible."""
    if not memory.verdicts and memory.superseded_by is None:
        return ()
    others = [verdict.other for verdict in memory.verdicts if verdict.policy == "weaken"]
    if memory.superseded_by is not None:
        others.append(memory.superseded_by)
    return tuple(dict.fromkeys(others))


def yielded_to(memory: LongTermMemory, others: Mapping[str, LongTermMemory]) -> tuple[str, ...]:
    """The newer ones among `others` by which a visible memory was weakened."""
    if memory.status not in SHOWN:
        return ()
    named = dict.fromkeys(one.other for one in memory.verdicts if one.policy == "weaken")
    return tuple(one for one in named if one in others and age(others[one]) > age(memory))


def holders_first(records: Sequence[LongTermMemory]) -> list[LongTermMemory]:
    """The records in order, but each weakened one right after those that it yielded to."""
    order = list(records)
    if not any(one.verdicts for one in order):
        return order
    by_id = {one.id: one for one in order}
    for record in sorted(order, key=age, reverse=True):
        held_by = yielded_to(record, by_id)
        last = max((order.index(by_id[one]) for one in held_by), default=-1)
        if order.index(record) < last:
            order.remove(record)
            order.insert(last, record)
    return order


def in_order(
    records: Sequence[LongTermMemory], during: tuple[datetime, datetime] | None
) -> list[LongTermMemory]:
    """The records in order, but of two values of one thing that first which has to be.

    A weakened one comes after its holder; one that was superseded and held `during` the days asked
    for before those that did not.
    """
    order = holders_first(records)
    if during is None:
        return order
    by_id = {one.id: one for one in order}
    for record in [one for one in order if one.status is Status.SUPERSEDED and held(one, during)]:
        mine = thing(record, by_id)
        others = (
            place
            for place, one in enumerate(order)
            if not held(one, during) and thing(one, by_id) == mine
        )
        first = next(others, len(order))
        if (place := order.index(record)) > first:
            order.insert(first, order.pop(place))
    return order


def _age(candidate: Candidate) -> tuple[float, str]:
    return age(candidate.document.facets)


def _asked_for(records: Sequence[LongTermMemory], asked: Asked) -> set[int]:
    """The places of superseded records that held on the days of the past that are asked for."""
    during = asked.during
    if during is None:
        return set()
    return {
        place
        for place, one in enumerate(records)
        if one.status is Status.SUPERSEDED and held(one, during)
    }


def values_of_then(columns: Columns, pool: Pool, asked: Asked) -> None:
    """Raise a superseded value that held on the days asked for above those that did not."""
    facets = [candidate.document.facets for candidate in pool.candidates]
    during, asked_for = asked.during, _asked_for(facets, asked)
    if during is None or not asked_for:
        return
    by_id = {one.id: one for one in facets}
    groups: defaultdict[str, list[int]] = defaultdict(list)
    for place, one in enumerate(facets):
        groups[thing(one, by_id)].append(place)
    scores, added = columns.sums(), [0.0] * len(facets)
    for places in groups.values():
        others = [scores[place] for place in places if not held(facets[place], during)]
        if not others:
            continue
        least = max(others) + BEHIND
        then = asked_for.intersection(places)
        for place in sorted(then, key=lambda at: (round(scores[at], PRECISION), facets[at].id)):
            added[place] = max(0.0, least - scores[place])
            least = scores[place] + added[place] + BEHIND
    if any(added):
        columns.put("true then", [float(bool(one)) for one in added], added)


def thing(memory: LongTermMemory, by_id: Mapping[str, LongTermMemory]) -> str:
    """What a value is a value of: its slot, else the chain that it is part of."""
    return slot_key(memory) or _end(memory, by_id)


def _end(memory: LongTermMemory, by_id: Mapping[str, LongTermMemory]) -> str:
    """The last of a memory's successors that is known by name."""
    for _ in range(HOPS):
        if memory.superseded_by is None:
            break
        following = by_id.get(memory.superseded_by)
        if following is None:
            return memory.superseded_by
        memory = following
    return memory.id
