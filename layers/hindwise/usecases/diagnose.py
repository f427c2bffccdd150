"""Why was this memory not found.

Walk the way from write to answer and name the first step that failed.
"""

from hindwise.domain.base import Model
from hindwise.domain.call import Call
from hindwise.domain.confidence import effective
from hindwise.domain.memory import LongTermMemory, WorkingMemory
from hindwise.domain.query import Filter, Query
from hindwise.domain.ranking import Ranked
from hindwise.domain.visibility import passes, state, visible
from hindwise.usecases.engine import Engine
from hindwise.usecases.gather import OWN_WRITES, Gathered
from hindwise.usecases.learning import Learning
from hindwise.usecases.rejecting import only_new
from hindwise.usecases.rewriting import Both, gather_both
from hindwise.usecases.withheld import unknown_to


class Step(Model):
    """One step of the way: `ok`, what was seen, and what to do about it."""

    step: str
    ok: bool
    seen: str
    advice: str = ""


class Diagnosis(Model):
    """The steps in order; `failed` names the first that is not ok, None where all are."""

    steps: tuple[Step, ...]
    failed: str | None
    terms: tuple[str, ...] = ()
    rank: int | None = None
    rewritten: str | None = None
    rewritten_rank: int | None = None


def diagnose(
    memory_id: str, query: Query, *, call: Call, engine: Engine, learning: Learning | None = None
) -> Diagnosis:
    """Walk written, projected, embedded, filtered, query, threshold, cut for one memory and one
    query.

    Where there is a language model, what it makes of the query is shown too, and the rank by that
    alone; it counts for the cut only where the search would be so.
    """
    record = engine.store.get(call.scope, [memory_id]).get(memory_id)
    if record is not None and unknown_to(record, call.principal):
        record = None
    if record is None or isinstance(record, WorkingMemory):
        return Diagnosis(steps=(_written(record),), failed="written")
    both = gather_both(query, call=call, engine=engine, learning=learning, unasked=True)
    used = query.rewrite or (learning is not None and learning.rules.rewrite_queries)
    gathered, query = (both.gathered if used else both.sent), both.query
    place = _place(gathered, memory_id)
    steps = (
        _written(record),
        *_projected(record, call, engine, gathered),
        _filtered(record, query, call, place=place),
        _query(both, memory_id, rewritten=bool(used)),
        _threshold(query, place.candidate.cosine if place else None, found=place is not None),
        _cut(query, place.rank if place else None, len(gathered.ranked)),
    )
    failed = next((step.step for step in steps if not step.ok), None)
    rank = place.rank if place else None
    other = _place(both.other, memory_id) if both.other else None
    return Diagnosis(
        steps=steps,
        failed=failed,
        terms=both.sent.asked.terms,
        rank=rank,
        rewritten=both.rewriting.query if both.rewriting else None,
        rewritten_rank=other.rank if other else None,
    )


def _place(gathered: Gathered, memory_id: str) -> Ranked | None:
    return next((one for one in gathered.ranked if one.candidate.document.id == memory_id), None)


def _written(record: object) -> Step:
    if record is None:
        seen = "there is no such memory for this user"
        advice = "it was refused, forgotten, or written for another user: check user_id"
        return Step(step="written", ok=False, seen=seen, advice=advice)
    if isinstance(record, WorkingMemory):
        advice = "read it with GET /v1/memories?kind=working&task_id=…"
        return Step(
            step="written", ok=False, seen="a working memory is never searched", advice=advice
        )
    return Step(step="written", ok=True, seen="the record is in the table")


def _projected(
    record: LongTermMemory, call: Call, engine: Engine, gathered: Gathered
) -> tuple[Step, Step]:
    document = engine.projections.documents(call.scope, [record.id]).get(record.id)
    backlog = engine.store.backlog(call.scope, OWN_WRITES).changes
    waiting = next((one for one in backlog if one.memory_id == record.id), None)
    current = document is not None and document.version >= record.version
    seen = f"version {document.version if document else 'none'} of {record.version}"
    if waiting is not None:
        seen += f", its change row waits (attempts: {waiting.attempts})"
    advice = "projection is stopped or behind: look at the index function and the sweeper"
    if waiting is None:
        advice = "it was written under another embedder: set that one again, or edit the memory"
    projected = Step(step="projected", ok=current, seen=seen, advice="" if current else advice)
    down = "embedder" in gathered.reasons
    has_vector = document is not None and document.vector is not None
    embedded = Step(
        step="embedded",
        ok=has_vector and not down,
        seen=f"{'a' if has_vector else 'no'} vector of {engine.embedder.id}"
        + (", the embedder does not answer" if down else ""),
        advice=""
        if has_vector and not down
        else "only keywords find it until the embedder answers and it is projected",
    )
    return projected, embedded


def _filtered(record: LongTermMemory, query: Query, call: Call, *, place: Ranked | None) -> Step:
    stopped = []
    if not visible(record, query.view, call.now):
        stopped.append(f"its state is {state(record, call.now)} or it is not valid at that time")
    stopped += [
        f"filter {one.field} {one.op} does not hold"
        for one in query.filter.all_of
        if not passes(record, Filter(all_of=(one,)), now=call.now)
    ]
    stopped += [
        f"filter not {one.field} excludes it"
        for one in query.filter.none_of
        if not passes(record, Filter(none_of=(one,)), now=call.now)
    ]
    sure = effective(record, call.now, query.fading)
    if query.min_confidence is not None and sure < query.min_confidence:
        stopped.append(f"min_confidence {query.min_confidence} is above its {sure:.3f}")
    if place is not None and only_new(place.candidate, record, query):
        stopped.append("nothing that it says is asked for, and it is not new (its tier is not hot)")
    seen = "; ".join(stopped) or "it passes every filter"
    advice = "drop or widen the named filter, or name its state in include" if stopped else ""
    return Step(step="filtered", ok=not stopped, seen=seen, advice=advice)


def _query(both: Both, memory_id: str, *, rewritten: bool) -> Step:
    """The words that are searched for; those of the other words only where the search has them."""
    asked = both.sent.asked
    searched = both.gathered.asked if rewritten else asked
    named = bool(searched.terms or searched.exact)
    seen = f"{len(asked.text)} characters; searched words: {' '.join(asked.terms) or 'none'}"
    advice = "the query holds only stop words: name the thing that is asked for"
    if both.rewriting is not None:
        seen += f"; rewritten: {both.rewriting.query or f'no ({both.rewriting.reason})'}"
    if both.other is not None and (place := _place(both.other, memory_id)):
        seen += f", which ranks it {place.rank}"
        advice += ", or ask with rewrite: true"
    return Step(step="query", ok=named, seen=seen, advice="" if named else advice)


def _threshold(query: Query, cosine: float | None, *, found: bool) -> Step:
    if query.min_score is None:
        return Step(step="threshold", ok=True, seen="no min_score")
    own = "unknown" if cosine is None else round(cosine, 3)
    seen = f"min_score {query.min_score}, its cosine {own}"
    return Step(
        step="threshold",
        ok=found,
        seen=seen,
        advice="" if found else "lower min_score or leave it out",
    )


def _cut(query: Query, rank: int | None, candidates: int) -> Step:
    ok = rank is not None and rank <= query.top_k
    seen = f"rank {rank or 'none'} of {candidates} candidates, top_k {query.top_k}"
    advice = "" if ok else "raise top_k, or ask in words nearer to the memory's"
    return Step(step="cut", ok=ok, seen=seen, advice=advice)
