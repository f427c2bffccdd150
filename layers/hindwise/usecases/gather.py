"""Gather and rank candidates: own writes first, then the arms, then the turns beside the best.

The backlog is read before the index is asked, so that a write is in one of the two whatever happens
in between. What the index says of a memory with an open change row is replaced by what the record
says.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from operator import attrgetter, mul

from pydantic import JsonValue

from hindwise.domain.analysis import asked_words, identifiers
from hindwise.domain.document import Candidate, Vector
from hindwise.domain.memory import Episode, LongTermMemory, Memory, WorkingMemory
from hindwise.domain.ports import Ask, Nominations
from hindwise.domain.projection import document_of
from hindwise.domain.query import Condition, Filter, Operator, Query
from hindwise.domain.ranking import Asked, Fusion, Ranked, rank, trusted
from hindwise.domain.scope import Origin, Scope
from hindwise.domain.text import speaks
from hindwise.domain.timewords import read
from hindwise.errors import Unavailable
from hindwise.usecases.engine import Engine
from hindwise.usecases.rejecting import rejected_by

OWN_WRITES = 100
EMBED_PENDING = 32
PER_ARM = 100
FEW_RECENT = 20


@dataclass(slots=True)
class Gathered:
    """Candidates in order; `reasons` say what was down, `lag` that not every own write could be
    looked at.

    `withheld` are ids of what was not ranked for its origin, and the rank that each would have had.
    """

    asked: Asked
    ranked: Sequence[Ranked] = ()
    reasons: list[str] = field(default_factory=list)
    lag: bool = False
    coverage: float | None = None
    skipped: tuple[str, ...] = ()
    dropped: dict[str, int] = field(default_factory=dict)
    withheld: dict[str, int] = field(default_factory=dict)


def asked_of(query: Query) -> Asked:
    """Analyse the text of a query."""
    return Asked(
        text=query.text,
        terms=tuple(asked_words(query.text)),
        exact=tuple(identifiers(query.text)),
        time=read(query.text, query.now),
        now=query.now,
        fading=query.fading,
    )


def timed(query: Query) -> Query:
    """The query, whose view also shows what held on the days of the past that it names."""
    during = asked_of(query).during
    if during is None or query.view.as_of is not None:
        return query
    view = query.view.model_copy(update={"during": during})
    return query.model_copy(update={"view": view})


def ask_of(query: Query, asked: Asked, now: datetime) -> Ask:
    """What the arms are asked."""
    return Ask(
        terms=asked.terms,
        exact=asked.exact,
        filter=query.filter,
        view=query.view,
        now=now,
        per_arm=PER_ARM,
        recent=PER_ARM if _time_counts(query, asked) else FEW_RECENT,
    )


def _time_counts(query: Query, asked: Asked) -> bool:
    """Whether what is new can be wanted for being new; else a few of it are enough."""
    return query.mode == "weighted" or asked.time.latest or asked.time.newest


def gather(scope: Scope, query: Query, *, engine: Engine, now: datetime) -> Gathered:
    """Collect and rank; raises Unavailable where neither the index nor its fallback answers."""
    asked, engine = asked_of(query), engine.within(scope)
    result = Gathered(asked=asked)
    backlog = engine.store.backlog(scope, OWN_WRITES)
    result.lag = backlog.more
    vector = _query_vector(query, engine, result)
    nominated = _nominated(scope, ask_of(query, asked, now), vector, engine=engine, result=result)
    own = [change.memory_id for change in backlog.changes]
    candidates, pending = _with_own_writes(scope, nominated, own, engine=engine)
    most = EMBED_PENDING if query.min_score is None else OWN_WRITES
    _score_own(pending[:most], vector, engine=engine, result=result)
    kept, below = _kept(candidates, query, now, result)
    if below:
        everything = rank([*kept, *below], asked, mode=query.mode, weights=query.weights)
        ids = {one.document.id for one in below}
        ranked = ((one.candidate.document.id, one.rank) for one in everything)
        result.withheld = {one: place for one, place in ranked if one in ids}
    fusion = Fusion(asked, mode=query.mode, weights=query.weights)
    fusion.add(kept)
    result.ranked = ranking = fusion.ranking()
    if query.mode == "context" and (places := fusion.missing(ranking)):
        found = _beside(scope, places, query, engine=engine, result=result)
        have = {one.document.id for one in kept}
        more = [one for one in found if _joins(one, have, query, now)]
        if more:
            fusion.add(more)
            result.ranked = fusion.ranking()
    return result


def _query_vector(query: Query, engine: Engine, result: Gathered) -> Vector | None:
    if not speaks(query.text):
        return None
    try:
        return engine.embedder.query(query.text)
    except Unavailable:
        result.reasons.append("embedder")
        return None


def _nominated(
    scope: Scope, ask: Ask, vector: Vector | None, *, engine: Engine, result: Gathered
) -> Sequence[Candidate]:
    """What the arms return; where reported memories may have filled them, the trusted ones too.

    However much somebody writes, it cannot keep what the owner said from being looked at.
    """
    found = nominate(scope, ask, vector, engine=engine, result=result).candidates
    if len(found) < ask.per_arm or all(trusted(one.document.facets.origin) for one in found):
        return found
    ask = ask.model_copy(update={"filter": vouched_for(ask.filter, Origin.AGENT)})
    more = nominate(scope, ask, vector, engine=engine, result=result).candidates
    have = {one.document.id for one in found}
    return [*found, *(one for one in more if one.document.id not in have)]


def vouched_for(wanted: Filter, least: Origin) -> Filter:
    """A filter that lets through no origin below the `least`."""
    labels: list[JsonValue] = [one.label for one in Origin if one >= least]
    condition = Condition(field="origin", op=Operator.IN, value=labels)
    return wanted.model_copy(update={"all_of": (*wanted.all_of, condition)})


def nominate(
    scope: Scope, ask: Ask, vector: Vector | None, *, engine: Engine, result: Gathered
) -> Nominations:
    """Ask the index, or its fallback where it is down, and note what the answer lacks."""
    nominated, down = engine.nominate(scope, ask, vector)
    result.reasons += (*down, *nominated.degraded)
    result.coverage = nominated.coverage
    result.skipped = nominated.skipped
    return nominated


def _with_own_writes(
    scope: Scope,
    nominated: Sequence[Candidate],
    own: Sequence[str],
    *,
    engine: Engine,
) -> tuple[list[Candidate], list[tuple[Candidate, str]]]:
    """Put what the records of open change rows say in the place of what the index says.

    Gives all candidates, and the replaced ones with their texts to embed.
    """
    if not own:
        return list(nominated), []
    records = engine.store.get(scope, tuple(dict.fromkeys(own)))
    by_id = {one.document.id: one for one in nominated}
    pending: list[tuple[Candidate, str]] = []
    for memory_id in own:
        record = records.get(memory_id)
        known = by_id.get(memory_id)
        if record is None or isinstance(record, WorkingMemory):
            by_id.pop(memory_id, None)
        elif known is None or known.document.version < record.version:
            before = _before(record, records.values())
            document, text = document_of(record, before, engine.embedder.id)
            by_id[memory_id] = Candidate(document=document, pending=True)
            pending.append((by_id[memory_id], text))
    return list(by_id.values()), pending


def _before(record: LongTermMemory, others: Iterable[Memory]) -> LongTermMemory | None:
    """The turn before, if that is an own write as well; for the moment the turn alone will do."""
    if not isinstance(record, Episode) or not record.seq:
        return None
    place = (record.session_id, record.seq - 1)
    turns = (other for other in others if isinstance(other, Episode))
    there = (turn for turn in turns if (turn.session_id, turn.seq) == place)
    return max(there, key=attrgetter("id"), default=None)


def _score_own(
    pending: Sequence[tuple[Candidate, str]],
    vector: Vector | None,
    *,
    engine: Engine,
    result: Gathered,
) -> None:
    """Give the newest own writes their cosine; the embedder remembers them between searches."""
    if vector is None or not pending:
        return
    try:
        made = engine.embedder.documents([text for _, text in pending])
    except Unavailable:
        result.reasons.append("embedder")
        return
    for (candidate, _), own in zip(pending, made, strict=True):
        candidate.cosine = None if own is None else sum(map(mul, own, vector))


def _kept(
    candidates: Sequence[Candidate], query: Query, now: datetime, result: Gathered
) -> tuple[list[Candidate], list[Candidate]]:
    """What the view and the filter let through, by the index's facets; and what only its origin
    keeps out.

    Counts what each rule dropped.
    """
    kept, below = list[Candidate](), list[Candidate]()
    for one in candidates:
        rule = rejected_by(one.document.facets, query, now)
        if rule is None and _under(one, query, result):
            rule = "min_score"
        if rule is None:
            kept.append(one)
            continue
        if rule == "origin":
            below.append(one)
        result.dropped[rule] = result.dropped.get(rule, 0) + 1
    return kept, below


def _under(candidate: Candidate, query: Query, result: Gathered) -> bool:
    if query.min_score is None or "embedder" in result.reasons:
        return False
    return candidate.cosine is None or candidate.cosine < query.min_score


def _beside(
    scope: Scope,
    places: Sequence[tuple[str, int]],
    query: Query,
    *,
    engine: Engine,
    result: Gathered,
) -> list[Candidate]:
    """One more round: the turns beside the best that no arm returned."""
    index = engine.fallback if "index" in result.reasons and engine.fallback else engine.index
    try:
        return index.beside(scope, places)
    except Unavailable:
        result.reasons.append("index")
        return []


def _joins(candidate: Candidate, have: set[str], query: Query, now: datetime) -> bool:
    """Whether a turn beside may be ranked with the `have`; without a cosine, no `min_score`."""
    if query.min_score is not None or candidate.document.id in have:
        return False
    return rejected_by(candidate.document.facets, query, now) is None
