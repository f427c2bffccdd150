"""Search: gather, rank, verify, explain.

The index only nominates; text and truth come from the table.
"""

from collections.abc import Sequence
from datetime import datetime

from pydantic import Field

from hindwise.domain.base import Model
from hindwise.domain.call import Call
from hindwise.domain.changes import Touch
from hindwise.domain.confidence import effective
from hindwise.domain.fading import tier
from hindwise.domain.memory import Episode, LongTermMemory
from hindwise.domain.query import Query
from hindwise.domain.ranking import Part, Ranked, among_memories, trusted, yielded_to
from hindwise.usecases import reranking
from hindwise.usecases.engine import Engine
from hindwise.usecases.expand import expansion
from hindwise.usecases.gather import Gathered
from hindwise.usecases.hits import Hit, Why
from hindwise.usecases.learning import Learning
from hindwise.usecases.lineage import read
from hindwise.usecases.listing import listing
from hindwise.usecases.reranking import reranked
from hindwise.usecases.rewriting import SKIPPED, Rewriting, gather_both
from hindwise.usecases.verify import Verified, verify


class Found(Model):
    """The answer to a search.

    `degraded` names what was down (`embedder`, `index`); `lag` says that there are more unprojected
    own writes than were looked at; `exhausted` that no further record could be had; `coverage` is
    the share of the scope that was looked at. `withheld` are ids of what is not shown for its
    origin, and the rank that each would have had.
    """

    hits: tuple[Hit, ...]
    degraded: tuple[str, ...] = ()
    lag: bool = False
    exhausted: bool = False
    coverage: float | None = None
    skipped: tuple[str, ...] = ()
    candidates: int = 0
    dropped: dict[str, int] | None = None
    withheld: dict[str, int] = Field(default_factory=dict)
    turns: tuple[Episode, ...] = ()
    rewrite: Rewriting | None = None


def search(query: Query, *, call: Call, engine: Engine, learning: Learning | None = None) -> Found:
    """Find what a query asks for, or list by its filter where it has no text; counts as access.

    Raises Unavailable only where neither the index nor its fallback answers. `learning` has the
    model that may rewrite the question, and the settings of what is done unasked.
    """
    if query.text.strip():
        found = _by_text(query, call, engine, learning)
    else:
        found = _by_filter(query, call, engine)
    found = _labelled(found, call, engine)
    _count(found, call, engine)
    return _expanded(found, query, call, engine) if query.expand.any else found


def _by_text(query: Query, call: Call, engine: Engine, learning: Learning | None) -> Found:
    both = gather_both(query, call=call, engine=engine, learning=learning)
    gathered, query = both.gathered, both.query
    rerank = reranking.asked_for(query, learning)
    deeper = query.model_copy(update={"top_k": reranking.depth(query)}) if rerank else query
    checked = verify(call.scope, gathered.ranked, deeper, engine=engine, now=call.now)
    skipped = [*gathered.skipped, *([SKIPPED] if both.rewriting and both.rewriting.reason else [])]
    hits = tuple(
        Hit(
            memory=record,
            score=item.score + checked.lifted.get(record.id, 0.0),
            cosine=item.candidate.cosine,
            why=_why((rank, item, record), gathered, checked, query=query),
            ranks=item.ranks,
        )
        for rank, (item, record) in enumerate(checked.hits, 1)
    )
    hits = _by_authority(hits, gathered.asked.terms, query.view.during)
    if rerank:
        hits, done = reranked(hits, query, engine=engine)
        skipped += [] if done else [reranking.SKIPPED]
    dropped = {**gathered.dropped}
    for rule, count in checked.dropped.items():
        dropped[rule] = dropped.get(rule, 0) + count
    return Found(
        hits=hits,
        degraded=tuple(dict.fromkeys(gathered.reasons)),
        lag=gathered.lag,
        exhausted=checked.exhausted and len(hits) < query.top_k,
        coverage=gathered.coverage,
        skipped=tuple(skipped),
        candidates=len(gathered.ranked),
        dropped=dropped if query.explain else None,
        withheld=gathered.withheld,
        rewrite=both.rewriting,
    )


def _by_filter(query: Query, call: Call, engine: Engine) -> Found:
    listed = listing(query, call=call, engine=engine)
    hits = tuple(
        Hit(
            memory=record,
            score=None,
            why=Why(
                rank=rank,
                age_days=_age_days(record, query),
                tier=tier(record, query.now, query.fading),
                effective_confidence=effective(record, call.now, query.fading),
                evidence_ids=record.evidence_ids,
                supersedes=record.supersedes,
            ),
        )
        for rank, record in enumerate(listed.records, 1)
    )
    hits = _by_authority(hits)
    return Found(hits=hits, degraded=listed.degraded, lag=listed.lag, candidates=len(hits))


def _by_authority(
    hits: tuple[Hit, ...],
    terms: Sequence[str] = (),
    during: tuple[datetime, datetime] | None = None,
) -> tuple[Hit, ...]:
    """The same results, each of which names those that it comes after for want of authority."""
    cosines = {hit.memory.id: hit.cosine for hit in hits if hit.cosine is not None}
    above = among_memories([hit.memory for hit in hits], terms, cosines=cosines, during=during)
    return tuple(
        hit.model_copy(
            update={"why": hit.why.model_copy(update={"comes_after": above[hit.memory.id]})}
        )
        if hit.memory.id in above
        else hit
        for hit in hits
    )


def _labelled(found: Found, call: Call, engine: Engine) -> Found:
    """The same answer, in which a weakened memory names those that it yielded to."""
    records = {hit.memory.id: hit.memory for hit in found.hits}
    verdicts = (one for record in records.values() for one in record.verdicts)
    named = dict.fromkeys(one.other for one in verdicts if one.policy == "weaken")
    if not named:
        return found
    unread = [one for one in named if one not in records]
    others = records | {one.id: one for one in read(unread, call=call, store=engine.store)}
    hits = []
    for hit in found.hits:
        why = hit.why.model_copy(update={"yielded_to": yielded_to(hit.memory, others)})
        hits.append(hit.model_copy(update={"why": why}))
    return found.model_copy(update={"hits": tuple(hits)})


def _expanded(found: Found, query: Query, call: Call, engine: Engine) -> Found:
    """The same answer, with what stands beside each result."""
    beside = expansion([hit.memory for hit in found.hits], query, call=call, engine=engine)
    hits = [hit.model_copy(update={"around": beside.around[hit.memory.id]}) for hit in found.hits]
    degraded = tuple(dict.fromkeys([*found.degraded, *beside.degraded]))
    return found.model_copy(
        update={"hits": tuple(hits), "turns": beside.turns, "degraded": degraded}
    )


def _age_days(memory: LongTermMemory, query: Query) -> float:
    return max(0.0, round((query.now - memory.event_time).total_seconds() / 86_400, 2))


def _why(
    hit: tuple[int, Ranked, LongTermMemory], gathered: Gathered, checked: Verified, *, query: Query
) -> Why:
    rank, item, record = hit
    lifted = checked.lifted.get(record.id)
    more = () if lifted is None else (Part(name="outdates", value=1.0, contribution=lifted),)
    document = item.candidate.document
    words = set(document.words.split())
    return Why(
        rank=rank,
        age_days=_age_days(record, query),
        tier=tier(record, query.now, query.fading),
        effective_confidence=round(effective(record, query.now, query.fading), 6),
        matched_terms=tuple(one for one in dict.fromkeys(gathered.asked.terms) if one in words),
        matched_identifiers=tuple(one for one in gathered.asked.exact if one in document.exact),
        time_words=gathered.asked.time.words,
        evidence_ids=record.evidence_ids,
        supersedes=record.supersedes,
        in_place_of=document.id if document.id != record.id else None,
        arms=item.ranks if query.explain else None,
        outdated_by=checked.outdated.get(record.id, ()),
        parts=(*item.parts, *more) if query.explain else None,
    )


def _count(found: Found, call: Call, engine: Engine) -> None:
    """Count the access; a caller whose word is not trusted cannot keep anything fresh."""
    if not trusted(call.principal.ceiling):
        return
    touches = [Touch(memory_id=hit.memory.id, times=1, at=call.now) for hit in found.hits]
    if touches:
        engine.access.send(call.scope, touches)
