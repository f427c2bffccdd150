"""What search, context, diagnosis and history answer."""

from datetime import datetime

from pydantic import JsonValue

from hindwise.domain.changes import AuditEntry
from hindwise.domain.memory import LongTermMemory
from hindwise.runtime.contracts.views import memory_view, page_view
from hindwise.runtime.strict_json import JsonObject
from hindwise.usecases.chains import Link
from hindwise.usecases.context import Context
from hindwise.usecases.diagnose import Diagnosis
from hindwise.usecases.entities import Entity
from hindwise.usecases.expand import Around
from hindwise.usecases.history import History, SourceTurns
from hindwise.usecases.hits import Hit
from hindwise.usecases.inspect import Bucket
from hindwise.usecases.search import Found


def found_view(found: Found, now: datetime, *, recall_id: str) -> JsonObject:
    """The answer to a search; `degraded` is explained by `reasons`."""
    told = {hit.memory.id for hit in found.hits} | {turn.id for turn in found.turns}
    view: JsonObject = {
        "results": [hit_view(hit, now, told=told) for hit in found.hits],
        "recall_id": recall_id,
        **_state(found),
        "exhausted": found.exhausted,
        "candidates": found.candidates,
        "turns": [memory_view(turn, now) for turn in found.turns],
    }
    if found.coverage is not None:
        view["coverage"] = found.coverage
    if found.dropped is not None:
        view["dropped"] = dict(found.dropped)
    return view


def hit_view(hit: Hit, now: datetime, *, told: set[str]) -> JsonObject:
    """One result: the memory, its score and why it is here; a cosine where one was computed.

    Whole memories beside it are only those that are not `told` yet, and are told with it.
    """
    view = {**memory_view(hit.memory, now), "score": hit.score}
    if hit.cosine is not None:
        view["cosine"] = round(hit.cosine, 6)
    if hit.around is not None:
        view["expanded"] = _around_view(hit.around, now, told)
    return {**view, "why": hit.why.model_dump(mode="json", exclude_none=True)}


def _around_view(around: Around, now: datetime, told: set[str]) -> JsonObject:
    """What stands beside a result."""
    names: list[JsonValue] = [
        {
            "name": one.name,
            "count": one.count,
            "memories": [_once(memory, now, told) for memory in one.memories],
        }
        for one in around.entities
    ]
    links: list[JsonValue] = [_link_view(link, now, told) for link in around.chain]
    view: JsonObject = {"turns": list(around.turns), "entities": names, "chain": links}
    if around.chain_of is not None:
        view["chain_of"] = around.chain_of
    return {**view, "cut": list(around.cut)}


def _link_view(link: Link, now: datetime, told: set[str]) -> JsonObject:
    if link.memory is not None:
        return {"part": link.part, **_once(link.memory, now, told)}
    return link.model_dump(mode="json", exclude_none=True)


def _once(memory: LongTermMemory, now: datetime, told: set[str]) -> JsonObject:
    """A memory by its id; whole only where it is told for the first time."""
    view: JsonObject = {"id": memory.id}
    if memory.id not in told:
        told.add(memory.id)
        view["memory"] = memory_view(memory, now)
    return view


def _state(answer: Found | Context) -> JsonObject:
    state: JsonObject = {
        "degraded": bool(answer.degraded),
        "reasons": list(answer.degraded),
        "lag": answer.lag,
        "skipped": list(answer.skipped),
    }
    if answer.rewrite is not None:
        state["rewrite"] = answer.rewrite.model_dump(exclude_none=True)
    return state


def context_view(context: Context, *, recall_id: str) -> JsonObject:
    """A context block, what it holds and what was left out."""
    block: JsonObject = context.block.model_dump(mode="json")
    block["left_out_reasons"] = dict(context.left_out_reasons)
    return {**block, "recall_id": recall_id, **_state(context)}


def entity_view(entity: Entity, cursor: str | None, now: datetime) -> JsonObject:
    """What is known of a name; `cursor` continues the page."""
    return {
        "name": entity.name,
        **page_view(entity.memories, cursor, now),
        "mentions": entity.mentions,
        "neighbours": [one.model_dump() for one in entity.neighbours],
        "complete": entity.complete,
        "degraded": bool(entity.degraded),
        "reasons": list(entity.degraded),
        "lag": entity.lag,
    }


def diagnosis_view(diagnosis: Diagnosis) -> JsonObject:
    """The steps of a diagnosis."""
    view: JsonObject = diagnosis.model_dump(mode="json")
    return view


def history_view(history: History, now: datetime) -> JsonObject:
    """A memory's history; chains are given from the nearest on."""

    def views(memories: tuple[LongTermMemory, ...]) -> list[JsonObject]:
        return [memory_view(memory, now) for memory in memories]

    return {
        "memory": memory_view(history.current, now),
        "versions": views(history.versions),  # type: ignore[dict-item]
        "predecessors": views(history.predecessors),  # type: ignore[dict-item]
        "successors": views(history.successors),  # type: ignore[dict-item]
        "evidence": views(history.evidence),  # type: ignore[dict-item]
        "dependants": views(history.dependants),  # type: ignore[dict-item]
        "compared": views(history.compared),  # type: ignore[dict-item]
        "source_turns": [_said_view(one) for one in history.source_turns],
        "audit": [audit_view(entry) for entry in history.audit],
        "cut": list(history.cut),
    }


def _said_view(said: SourceTurns) -> JsonObject:
    """Turns as they were said, by their numbers."""
    shown = {"turn", "number", "role", "name", "text", "at", "redacted"}
    turns: list[JsonValue] = [
        one.model_dump(mode="json", include=shown, exclude_none=True) for one in said.turns
    ]
    return {**said.model_dump(mode="json", exclude={"turns"}), "turns": turns}


def audit_view(entry: AuditEntry) -> JsonObject:
    """One change: who, when, what was decided; no content and no digests."""
    shown: JsonObject = entry.model_dump(
        mode="json", exclude={"previous", "digest", "memory_id", "origin"}, exclude_none=True
    )
    return {**shown, "origin": entry.origin.label}


def timeline_view(buckets: tuple[Bucket, ...], complete: bool) -> JsonObject:
    """The buckets of a timeline, and whether they are all."""
    return {"buckets": [bucket.model_dump() for bucket in buckets], "complete": complete}
