"""Records as the API shows them.

Internal fields (claims, audit head, what a value outdates, the stored status behind `expired`) stay
inside; times keep the offset they were given with. What every memory has a state of (`ALWAYS`) is
null where there is nothing; other fields without a value are left out.
"""

from collections.abc import Sequence
from datetime import datetime

from pydantic import JsonValue

from hindwise.domain.admission import Admission, Decision
from hindwise.domain.confidence import effective
from hindwise.domain.memory import Memory, Status, WorkingMemory
from hindwise.domain.visibility import state
from hindwise.errors import HindwiseError, Transient
from hindwise.runtime.http import Answer, envelope
from hindwise.runtime.request import Request
from hindwise.runtime.strict_json import JsonObject
from hindwise.runtime.wiring import wiring
from hindwise.usecases.once import Item
from hindwise.usecases.withheld import told_to
from hindwise.usecases.written import Written

ALWAYS = ("last_access_at", "superseded_by", "valid_from", "valid_until")
_INTERNAL = {"claims", "audit_head", "status", "origin", "outdates", "held"}
_RARE = {
    "alternatives", "evidence_ids", "flags", "marks", "supersedes", "tool_results", "verdicts",
}  # fmt: skip


def memory_view(memory: Memory, now: datetime) -> JsonObject:
    """A memory as the API shows it at `now`: state computed, origin as its word."""
    shown: JsonObject = memory.model_dump(mode="json", exclude=_INTERNAL, exclude_none=True)
    shown = {name: value for name, value in shown.items() if value or name not in _RARE}
    shown = dict.fromkeys(ALWAYS) | shown
    shown["status"] = state(memory, now).value
    shown["origin"] = memory.origin.label
    if memory.status is Status.ARCHIVED:
        shown["restore"] = f"/v1/memories/{memory.id}/restore"
    if not isinstance(memory, WorkingMemory):
        shown["effective_confidence"] = round(effective(memory, now, wiring().rules.fading), 6)
    return shown


def written_view(written: Written, request: Request) -> JsonObject:
    """What became of one memory; `settled` says whether neighbours have been compared.

    `changed` is by this call: a memory that says the same already is left as it is. What a memory
    that is held says is told to reviewers only.
    """
    memory, now = written.memory, request.now
    updated = written.outcome == "updated" and memory is not None and memory.updated_at == now
    view: JsonObject = {
        "id": written.id,
        "created": written.outcome == "created",
        "duplicate": written.outcome == "duplicate",
        "changed": written.outcome == "created" or updated,
        "superseded": list(written.superseded),
        "contested": written.contested,
        "status": state(memory, now).value if memory else "forgotten",
    }
    if memory is not None:
        view |= {
            "kind": memory.kind.value,
            "version": memory.version,
            "settled": memory.settled,
            "memory": memory_view(told_to(memory, request.principal), now),
        }
    if written.admission.findings:
        view["admission"] = admission_view(written.admission)
    return view


def admission_view(admission: Admission) -> JsonObject:
    """What was decided, by which rules, and in which fields; never what was found there."""
    findings: list[JsonValue] = [one.model_dump(mode="json") for one in admission.findings]
    rules: list[JsonValue] = [*admission.rules]
    return {"decision": admission.decision.value, "rules": rules, "findings": findings}


def written_status(written: Written) -> int:
    """201 for what is new, 202 for what is held for a person, 200 for what stood already."""
    if held(written):
        return 202
    return 201 if written.outcome == "created" else 200


def edited_status(written: Written) -> int:
    """200 for a new version, 202 for an edit that is held for a person."""
    return 202 if held(written) else 200


def held(written: Written) -> bool:
    """Tell whether what was written waits for a reviewer, or did when it was first answered."""
    first = written.outcome == "created" and written.admission.decision is Decision.QUARANTINE
    return first or (written.memory is not None and written.memory.status is Status.QUARANTINED)


def item_view(item: Item, request: Request) -> JsonObject:
    """One result of a batch, at its index."""
    if item.written is None:
        error = item.error or HindwiseError("internal error")
        return {"index": item.index, "status": "failed", "error": envelope(error)}
    return {"index": item.index, **written_view(item.written, request)}


def batch_status(items: list[Item]) -> int:
    """201 if all are stored, 207 if some are; else the status that the errors share, 400 where they
    differ, or that of one that may pass when tried again.
    """
    failed = [item.error for item in items if item.error is not None]
    if len(failed) < len(items):
        return 207 if failed else 201
    passing = {error.status for error in failed if isinstance(error, Transient)}
    statuses = passing or {error.status for error in failed}
    return max(statuses) if passing or len(statuses) == 1 else 400


def batch_answer(items: list[Item], request: Request) -> Answer:
    """The results of a batch in the order of its items."""
    results = [item_view(item, request) for item in items]
    failed = sum(item.error is not None for item in items)
    waiting = sum(item.written is not None and held(item.written) for item in items)
    body = {
        "results": results, "stored": len(items) - failed, "held": waiting, "failed": failed,
    }  # fmt: skip
    status = batch_status(items)
    waits = [item.error.retry_after for item in items if isinstance(item.error, Transient)]
    headers = {"retry-after": str(max(waits))} if waits and status >= 400 else {}
    return Answer(body, status, headers)


def page_view(memories: Sequence[Memory], cursor: str | None, now: datetime) -> JsonObject:
    """A page of a list; only `next: null` ends it."""
    return {"results": [memory_view(memory, now) for memory in memories], "next": cursor}
