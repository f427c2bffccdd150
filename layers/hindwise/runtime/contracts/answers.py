"""What search, context, diagnosis and history answer."""

from datetime import datetime

from hindwise.domain.changes import AuditEntry
from hindwise.domain.memory import LongTermMemory
from hindwise.runtime.contracts.views import memory_view, page_view
from hindwise.runtime.strict_json import JsonObject
from hindwise.usecases.context import Context
from hindwise.usecases.diagnose import Diagnosis
from hindwise.usecases.entities import Entity
from hindwise.usecases.inspect import Bucket, History
from hindwise.usecases.search import Found, Hit


def found_view(found: Found, now: datetime, *, recall_id: str) -> JsonObject:
    """The answer to a search; `degraded` is explained by `reasons`."""
    view: JsonObject = {
        "results": [hit_view(hit, now) for hit in found.hits],
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


def hit_view(hit: Hit, now: datetime) -> JsonObject:
    """One result: the memory, its score and why it is here; a cosine where one was computed."""
    view = {**memory_view(hit.memory, now), "score": hit.score}
    if hit.cosine is not None:
        view["cosine"] = round(hit.cosine, 6)
    return {**view, "why": hit.why.model_dump(mode="json", exclude_none=True)}


def _state(answer: Found | Context) -> JsonObject:
    return {
        "degraded": bool(answer.degraded),
        "reasons": list(answer.degraded),
        "lag": answer.lag,
        "skipped": list(answer.skipped),
    }


def context_view(context: Context, *, recall_id: str) -> JsonObject:
    """A context block, what it holds and what was left out."""
    block: JsonObject = context.block.model_dump(mode="json")
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
        "audit": [audit_view(entry) for entry in history.audit],
    }


def audit_view(entry: AuditEntry) -> JsonObject:
    """One change: who, when, what was decided; no content and no digests."""
    shown: JsonObject = entry.model_dump(
        mode="json", exclude={"previous", "digest", "memory_id", "origin"}, exclude_none=True
    )
    return {**shown, "origin": entry.origin.label}


def timeline_view(buckets: tuple[Bucket, ...], complete: bool) -> JsonObject:
    """The buckets of a timeline, and whether they are all."""
    return {"buckets": [bucket.model_dump() for bucket in buckets], "complete": complete}
