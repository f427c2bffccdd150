"""What stands beside results: turns, memories that name the same things, and chains.

It is read from the table and seen by the same view as the results, and it changes neither which
results there are nor their order. The better a result, the sooner it is served: what is not served
any more is named.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from hindwise.domain.base import Model
from hindwise.domain.call import Call
from hindwise.domain.entities import names_of
from hindwise.domain.memory import Episode, LongTermMemory, SemanticMemory, Status, Type
from hindwise.domain.query import Condition, Filter, Operator, Query
from hindwise.domain.visibility import visible
from hindwise.usecases.chains import Link, chain
from hindwise.usecases.engine import Engine
from hindwise.usecases.known import as_known
from hindwise.usecases.lineage import read
from hindwise.usecases.listing import listing

EXPANDED = 20
"""Best results whose chains and names are looked up."""
SOURCES = 5
"""Turns of what a result rests on beside which others are looked up."""
NAMES = 20
"""Different names that are looked up for one answer."""
LISTED = 100
"""Newest memories with one of those names that are looked at."""
LINKED = 5
"""Memories that are given for one name."""


class Mention(Model):
    """A name in a result, how many other memories name it too, and the newest of them."""

    name: str
    count: int
    memories: tuple[LongTermMemory, ...]


class Around(Model):
    """What stands beside one result.

    `turns` are ids by place, its own, or those it rests on, among them. A `chain` is given once,
    with the best result that is part of it; the others say whose it is. `cut` names what is not
    whole.
    """

    turns: tuple[str, ...] = ()
    entities: tuple[Mention, ...] = ()
    chain: tuple[Link, ...] = ()
    chain_of: str | None = None
    cut: tuple[str, ...] = ()


@dataclass(slots=True)
class Expansion:
    """What stands beside each result, by its id; `turns` are those that are no results."""

    around: dict[str, Around]
    turns: tuple[Episode, ...] = ()
    degraded: tuple[str, ...] = ()


@dataclass(slots=True)
class _Work:
    query: Query
    call: Call
    engine: Engine
    results: dict[str, LongTermMemory]
    turns: dict[str, list[str]] = field(default_factory=dict)
    cut: dict[str, list[str]] = field(default_factory=dict)


def expansion(
    results: Sequence[LongTermMemory], query: Query, *, call: Call, engine: Engine
) -> Expansion:
    """Look up what `query.expand` asks for beside the results, given best first."""
    work = _Work(query, call, engine, {one.id: one for one in results})
    wanted = query.expand
    turns = _turns(work) if wanted.turns else ()
    chains = _chains(work) if wanted.chain else {}
    names, degraded = _names(work) if wanted.entities else ({}, ())
    around = {}
    for one in work.results:
        links, owner = chains.get(one, ((), None))
        around[one] = Around(
            turns=tuple(work.turns.get(one, ())),
            entities=names.get(one, ()),
            chain=links,
            chain_of=owner,
            cut=tuple(work.cut.get(one, ())),
        )
    return Expansion(around, turns, degraded)


def _turns(work: _Work) -> tuple[Episode, ...]:
    """Note which turns stand beside each result; give those that are none, by session and place."""
    sources = _sources(work)
    for record in work.results.values():
        said = [record] if isinstance(record, Episode) else sources.get(record.id, [])
        spans = _spans(said, work.query.expand.turns)
        near = [
            turn.memory_id
            for session, first, last in spans
            for turn in work.engine.store.turns(work.call.scope, session, first=first, last=last)
        ]
        if spans:
            work.turns[record.id] = near
    wanted = dict.fromkeys(one for ids in work.turns.values() for one in ids)
    beside = [one for one in wanted if one not in work.results]
    records = read(beside, call=work.call, store=work.engine.store)
    shown = {one.id: one for one in _seen(records, work) if isinstance(one, Episode)}
    for memory_id, ids in work.turns.items():
        work.turns[memory_id] = [one for one in ids if one in shown or one in work.results]
    return tuple(
        sorted(shown.values(), key=lambda turn: (turn.session_id or "", turn.seq or 0, turn.id))
    )


def _sources(work: _Work) -> dict[str, list[Episode]]:
    """The turns that each of the best semantic results rests on, the last where they are many."""
    resting = {
        one.id: one.evidence_ids[-SOURCES:]
        for one in [*work.results.values()][:EXPANDED]
        if isinstance(one, SemanticMemory)
    }
    wanted = dict.fromkeys(one for ids in resting.values() for one in ids)
    records = _seen(read([*wanted], call=work.call, store=work.engine.store), work)
    told = {one.id: one for one in records if isinstance(one, Episode)}
    return {key: [told[one] for one in ids if one in told] for key, ids in resting.items()}


def _spans(turns: Iterable[Episode], near: int) -> list[tuple[str, int, int]]:
    """Session, first and last place of what stands within `near` of these turns, each once."""
    places = sorted(
        (one.session_id, one.seq) for one in turns if one.session_id and one.seq is not None
    )
    spans: list[tuple[str, int, int]] = []
    for session, place in places:
        first, last = max(0, place - near), place + near
        if spans and spans[-1][0] == session and first <= spans[-1][2] + 1:
            first = spans.pop()[1]
        spans.append((session, first, last))
    return spans


def _seen(records: Iterable[LongTermMemory], work: _Work) -> list[LongTermMemory]:
    view, call = work.query.view, work.call
    then = as_known(records, view, scope=call.scope, store=work.engine.store)
    return [one for one in then if visible(one, view, call.now)]


def _chains(work: _Work) -> dict[str, tuple[tuple[Link, ...], str | None]]:
    """The chain of each result, or the id of a better one that has it."""
    found: dict[str, tuple[tuple[Link, ...], str | None]] = {}
    member_of: dict[str, str] = {}
    for rank, record in enumerate(work.results.values()):
        if record.id in member_of:
            found[record.id] = ((), member_of[record.id])
            continue
        if rank >= EXPANDED:
            work.cut.setdefault(record.id, []).append("chain")
            continue
        links, whole = chain(
            _centre(record, work), work.query.view, call=work.call, store=work.engine.store
        )
        found[record.id] = (links, None)
        for link in links:
            if link.memory is not None:
                member_of.setdefault(link.memory.id, record.id)
        if not whole:
            work.cut.setdefault(record.id, []).append("chain")
    return found


def _centre(record: LongTermMemory, work: _Work) -> LongTermMemory:
    """The decision that a turn is evidence of, the current one where there are several."""
    if not isinstance(record, Episode):
        return record
    ids = work.engine.store.dependants(work.call.scope, record.id)[-LISTED:]
    resting = [
        one
        for one in read(ids, call=work.call, store=work.engine.store)
        if isinstance(one, SemanticMemory) and one.type is Type.DECISION
    ]
    seen = _seen(resting, work)
    return max(seen, key=lambda one: (one.status is Status.ACTIVE, one.id), default=record)


def _names(work: _Work) -> tuple[dict[str, tuple[Mention, ...]], tuple[str, ...]]:
    """Other memories that name what the best results name, found in one listing."""
    named = {one.id: names_of(one) for one in [*work.results.values()][:EXPANDED]}
    every = dict.fromkeys(key for names in named.values() for key in names)
    keys = [*every][:NAMES]
    for memory_id in [*work.results][EXPANDED:]:
        work.cut.setdefault(memory_id, []).append("entities")
    if not keys:
        return {}, ()
    holding = Condition(field="names", op=Operator.IN, value=[*keys])
    query = Query(
        filter=Filter(all_of=(holding,)),
        view=work.query.view,
        top_k=LISTED,
        now=work.query.now,
        fading=work.query.fading,
    )
    listed = listing(query, call=work.call, engine=work.engine, newest=True)
    by_name: dict[str, list[LongTermMemory]] = {key: [] for key in keys}
    for one in listed.records:
        for key in names_of(one).keys() & by_name.keys():
            by_name[key].append(one)
    whole = len(listed.records) < LISTED
    mentions = {}
    for memory_id, names in named.items():
        if names and not (whole and names.keys() <= by_name.keys()):
            work.cut.setdefault(memory_id, []).append("entities")
        mentions[memory_id] = tuple(
            _mention(name, by_name[key], memory_id) for key, name in names.items() if key in by_name
        )
    return mentions, listed.degraded


def _mention(name: str, holding: Sequence[LongTermMemory], memory_id: str) -> Mention:
    others = [one for one in holding if one.id != memory_id]
    return Mention(name=name, count=len(others), memories=tuple(others[:LINKED]))
