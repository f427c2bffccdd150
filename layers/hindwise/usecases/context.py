"""Build the context block of a turn.

Standing background for the system prompt, and what bears on this query.
"""

from datetime import datetime

from pydantic import Field

from hindwise.domain.analysis import speaks_chinese
from hindwise.domain.base import Model
from hindwise.domain.call import Call
from hindwise.domain.confidence import effective
from hindwise.domain.context import CHINESE, ENGLISH, Block, Candidate, Entry, fill
from hindwise.domain.fading import Tier, tier
from hindwise.domain.memory import (
    Episode,
    LongTermMemory,
    Mark,
    SemanticMemory,
    Status,
    Type,
    WorkingMemory,
)
from hindwise.domain.query import Condition, Filter, Operator, Query
from hindwise.domain.ranking import trusted
from hindwise.domain.scope import Origin
from hindwise.domain.trust_rules import TrustRules
from hindwise.domain.visibility import state
from hindwise.usecases.engine import Engine
from hindwise.usecases.hits import Hit
from hindwise.usecases.learning import Learning
from hindwise.usecases.listing import Listed, listing
from hindwise.usecases.rejecting import rejected_by
from hindwise.usecases.rewriting import Rewriting
from hindwise.usecases.search import Found, search

IMPORTANT = 0.7
NEAR = 0.55
"""What share of the best cosine is near enough to be shown beside turns."""
LOOKED_AT = 3
"""How many results are looked at for each that may be shown: shares pass over some."""
DONE_AMONG = 7
"""So many of the newest important memories may be to-dos that are done, or wait for a review."""
STANDING = Origin.AGENT
"""The least origin of what is shown unasked, turn after turn."""
DOUBTS = ("instruction.", "danger.", "lesson", "opinion", "consensus")
GROUPS = {Type.TODO: "todo", Type.DECISION: "decision"}


class ContextAsk(Model):
    """What is wanted: up to `background` standing memories and `history` for the query, in
    `max_tokens`.
    """

    query: Query
    max_tokens: int = 2_000
    background: int = 3
    history: int = 5


class Context(Model):
    """The block, and what the two readings behind it said of themselves."""

    block: Block
    degraded: tuple[str, ...] = ()
    lag: bool = False
    skipped: tuple[str, ...] = ()
    rewrite: Rewriting | None = None
    left_out_reasons: dict[str, int] = Field(default_factory=dict)


def context(
    ask: ContextAsk,
    *,
    call: Call,
    engine: Engine,
    learning: Learning | None = None,
    rules: TrustRules | None = None,
) -> Context:
    """Choose, fill and render; the background does not depend on the query and is not repeated.

    What is below the origin that the query names, or else the `rules`, is not shown, and cannot
    move what is.
    """
    query = ask.query
    if query.min_origin is None:
        floor = Origin.of((rules or TrustRules()).context_floor)
        query = query.model_copy(update={"min_origin": floor})
        ask = ask.model_copy(update={"query": query})
    background = _background(ask, call, engine)
    kept = [one for one in background.records if _stands(one, call.now) and _hot(one, query)]
    standing = kept[: ask.background]
    top_k = min(100, LOOKED_AT * ask.history + len(standing))
    deeper = query.model_copy(update={"top_k": top_k})
    found = search(deeper, call=call, engine=engine, learning=learning)
    known = {memory.id for memory in standing}
    related = _with_something_known(
        [hit for hit in found.hits if hit.memory.id not in known], ask.history
    )
    noted = {hit.memory.id: _note(hit) for hit in found.hits}
    candidates = [
        *(_candidate(one, query, background=True) for one in standing),
        *(_candidate(one, query, background=False, note=noted[one.id]) for one in related),
    ]
    words = CHINESE if speaks_chinese(query.text) else ENGLISH
    block = fill(candidates, max_tokens=ask.max_tokens, words=words, limit=ask.history)
    withheld = _withheld(found, ask, call=call, engine=engine)
    reasons = {"room": len(block.left_out), "origin": len(withheld)}
    return Context(
        block=block.model_copy(update={"left_out": (*block.left_out, *withheld)}),
        degraded=tuple(dict.fromkeys([*found.degraded, *background.degraded])),
        lag=found.lag or background.lag,
        skipped=found.skipped,
        rewrite=found.rewrite,
        left_out_reasons={reason: count for reason, count in reasons.items() if count},
    )


def _withheld(found: Found, ask: ContextAsk, *, call: Call, engine: Engine) -> tuple[str, ...]:
    """What would be among the first of the history, were it not for its origin."""
    ids = [one for one, rank in found.withheld.items() if rank <= ask.history]
    there = engine.store.get(call.scope, ids) if ids else {}
    return tuple(
        one
        for one, memory in there.items()
        if not isinstance(memory, WorkingMemory)
        and rejected_by(memory, ask.query, call.now) == "origin"
    )


def _with_something_known(hits: list[Hit], limit: int) -> list[LongTermMemory]:
    """The memories in order; where only turns come first, the last place goes to what is known.

    It has to be near enough in meaning: turns that repeat the question outrank it by their words.
    """
    order = [hit.memory for hit in hits]
    if any(isinstance(one, SemanticMemory) for one in order[:limit]):
        return order
    best = max((hit.cosine for hit in hits if hit.cosine is not None), default=0.0)
    shown = {one.id for one in order[: limit - 1]}
    known = [
        hit
        for hit in hits[limit:]
        if isinstance(hit.memory, SemanticMemory)
        and (hit.cosine or 0.0) > NEAR * best
        and shown.issuperset(hit.why.comes_after)
    ]
    if known and limit:
        nearest = max(known, key=lambda hit: hit.cosine or 0.0).memory
        order.remove(nearest)
        order.insert(limit - 1, nearest)
    return order


def _background(ask: ContextAsk, call: Call, engine: Engine) -> Listed:
    """Semantic memories that somebody pinned, then the newest important ones; some more of each,
    for what is done is passed over.
    """
    if not ask.background:
        return Listed(records=())
    pinned = _standing(Condition(field="marks", value=Mark.PINNED.value), ask, call, engine)
    important = Condition(field="importance", op=Operator.GTE, value=IMPORTANT)
    newest = _standing(important, ask, call, engine)
    records = {one.id: one for one in (*pinned.records, *newest.records)}
    down = tuple(dict.fromkeys((*pinned.degraded, *newest.degraded)))
    return Listed(records=tuple(records.values()), degraded=down, lag=newest.lag)


def _standing(condition: Condition, ask: ContextAsk, call: Call, engine: Engine) -> Listed:
    """The newest semantic memories that a condition holds for."""
    semantic = Condition(field="kind", value="semantic")
    query = Query(
        filter=Filter(all_of=(semantic, condition)),
        view=ask.query.view,
        min_origin=max(ask.query.min_origin or STANDING, STANDING),
        top_k=ask.background + DONE_AMONG,
        now=ask.query.now,
        fading=ask.query.fading,
    )
    return listing(query, call=call, engine=engine, newest=True)


def _note(hit: Hit) -> str:
    """What is to be known of a result whose state says nothing."""
    if hit.why.yielded_to:
        return "(weakened)"
    return "(outdated)" if hit.why.outdated_by else ""


def _hot(memory: LongTermMemory, query: Query) -> bool:
    """Tell whether a memory is new or in use: others are found by asking for them only."""
    return tier(memory, query.now, query.fading) is Tier.HOT


def _done(memory: LongTermMemory, now: datetime) -> bool:
    """Tell whether a to-do is closed."""
    closed = memory.done_at if isinstance(memory, SemanticMemory) else None
    return closed is not None and closed <= now


def _stands(memory: LongTermMemory, now: datetime) -> bool:
    """Tell whether a memory may be shown unasked: it is not done, and nobody has doubts about it.

    Of what its owner did not say, nothing that admission or a consensus check flagged, until a
    person has reviewed it.
    """
    doubtful = any(one.startswith(DOUBTS) for one in memory.flags)
    reviewed = memory.reviewed_at is not None or memory.origin is Origin.OWNER
    return not _done(memory, now) and (reviewed or not doubtful)


def _candidate(
    memory: LongTermMemory, query: Query, *, background: bool, note: str = ""
) -> Candidate:
    now = query.now
    group, label, text, weight = "episode", "imp", memory.content, memory.importance
    if isinstance(memory, Episode):
        text = memory.summary or memory.content
        text = f"{memory.speaker}: {text}" if memory.speaker else text
    else:
        group, label = GROUPS.get(memory.type, "known"), memory.type.value
        weight = effective(memory, now, query.fading)
    if (now_state := state(memory, now)) is not Status.ACTIVE:
        label += f"({now_state.value})"
    elif _done(memory, now):
        label += "(done)"
    else:
        label += note
    if not trusted(memory.origin):
        label += f"({memory.origin.label})"
    entry = Entry(
        id=memory.id,
        day=memory.event_time.date().isoformat(),
        label=label,
        weight=weight,
        text=text,
    )
    return Candidate(entry=entry, group=group, background=background)
