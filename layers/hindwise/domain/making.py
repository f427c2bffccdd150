"""From a draft to a record: every default in one place."""

from collections.abc import Mapping
from datetime import datetime, timedelta

from pydantic import JsonValue

from hindwise.domain.analysis import language
from hindwise.domain.call import Call
from hindwise.domain.drafts import AnyDraft, Edit, EpisodeDraft, SemanticDraft, WorkingDraft
from hindwise.domain.ids import working_id
from hindwise.domain.memory import (
    Cardinality,
    Episode,
    LongTermMemory,
    Mark,
    Memory,
    SemanticMemory,
    Status,
    Type,
    WorkingMemory,
)
from hindwise.domain.scope import Origin
from hindwise.domain.text import first_sentences

SUMMARISE_OVER = 500
SUMMARY_CHARS = 240
REVIEW_AFTER = timedelta(days=90)
COMPARED = frozenset(
    {"content", "type", "subject", "attribute", "value", "cardinality", "scene", "event_time"}
)
"""What a comparison with neighbours goes by: whoever changes it must be compared again."""


def made(
    draft: EpisodeDraft | SemanticDraft,
    memory_id: str,
    *,
    call: Call,
    lineage: tuple[Memory, ...] = (),
) -> LongTermMemory:
    """The record that a draft becomes.

    Its origin is never above the credential's ceiling nor above its lineage.
    """
    said = _said(draft, memory_id, call, lineage)
    if isinstance(draft, EpisodeDraft):
        summary = draft.summary or summary_of(draft.content)
        return Episode.model_validate(said | {"summary": summary})
    return SemanticMemory.model_validate(
        said | _semantic_defaults(draft, call.now) | {"settled": False}
    )


def made_working(draft: WorkingDraft, *, call: Call) -> WorkingMemory:
    """The scratch value that a draft becomes; its id follows from task and key."""
    said = _said(draft, working_id(draft.task_id, draft.key), call, ())
    expires = call.now + timedelta(seconds=draft.ttl_seconds)
    return WorkingMemory.model_validate(said | {"expires_at": expires})


def _said(
    draft: AnyDraft, memory_id: str, call: Call, lineage: tuple[Memory, ...]
) -> dict[str, object]:
    said: dict[str, object] = draft.model_dump(exclude={"ttl_seconds", "origin"}, exclude_none=True)
    return said | {
        "id": memory_id,
        "source": draft.source,
        "principal": call.principal.name,
        "origin": origin_of(draft, call, lineage),
        "event_time": draft.event_time or call.now,
        "created_at": call.now,
        "updated_at": call.now,
        "language": language(draft.content),
    }


def origin_of(draft: AnyDraft, call: Call, lineage: tuple[Memory, ...] = ()) -> Origin:
    """Whose word a draft is: at most the credential's ceiling, and what it rests on."""
    asked = Origin.of(draft.origin) if draft.origin else call.principal.ceiling
    return min(asked, call.principal.ceiling, *(memory.origin for memory in lineage))


def summary_of(content: str) -> str | None:
    """The first sentences of a long text, None for a short one."""
    return first_sentences(content, SUMMARY_CHARS) if len(content) > SUMMARISE_OVER else None


def _semantic_defaults(draft: SemanticDraft, now: datetime) -> dict[str, object]:
    defaults: dict[str, object] = {}
    if draft.cardinality is None and draft.subject and draft.attribute:
        defaults["cardinality"] = Cardinality.ONE
    if draft.review_at is None and draft.type is Type.DECISION:
        defaults["review_at"] = now + REVIEW_AFTER
    return defaults


def merged(
    before: Mapping[str, JsonValue], change: Mapping[str, JsonValue]
) -> dict[str, JsonValue]:
    """The metadata after a change: a null in the change removes its key, and only that."""
    kept = {key: value for key, value in before.items() if key not in change}
    return kept | {key: value for key, value in change.items() if value is not None}


def edited(before: LongTermMemory, edit: Edit, *, now: datetime) -> LongTermMemory:
    """The next version of a record under an edit.

    Raises KeyError naming a field that its kind does not have.
    """
    changes = {name: getattr(edit, name) for name in edit.model_fields_set if name != "reason"}
    if edit.done is not None and isinstance(before, SemanticMemory):
        del changes["done"]
        changes["done_at"] = (before.done_at or now) if edit.done else None
    for name in changes:
        if name not in type(before).model_fields:
            raise KeyError(name)
    if edit.metadata is not None:
        changes["metadata"] = merged(before.metadata, edit.metadata)
    if edit.content is not None:
        changes["language"] = language(edit.content)
        if isinstance(before, Episode) and edit.summary is None:
            changes["summary"] = summary_of(edit.content)
    if edit.event_time is not None and before.valid_from == before.event_time:
        changes.setdefault("valid_from", edit.event_time)
    if edit.marks is not None:
        changes |= _marked(before, edit.marks)
    back = changes.get("status") is Status.ACTIVE is not before.status
    if "outcome" in changes:
        changes["outcome_at"] = now if edit.outcome else None
    if isinstance(before, SemanticMemory) and (back or COMPARED.intersection(changes)):
        changes["settled"] = False
    changes |= {"version": before.version + 1, "updated_at": now, "change_reason": edit.reason}
    return before.model_copy(update=changes)


def _marked(before: LongTermMemory, marks: frozenset[Mark]) -> dict[str, object]:
    """Marks, and the state that follows.

    A wrong memory is rejected, an obsolete one sinks, without either it is active; but one that was
    superseded stays so, whatever becomes of its successor, and no mark puts back into use what is
    held for a reviewer.
    """
    status = before.status
    held = before.held or status is Status.QUARANTINED
    if Mark.WRONG in marks:
        status = Status.REJECTED
    elif held and status is Status.REJECTED:
        status = Status.QUARANTINED
    elif before.superseded_by is not None and status is Status.REJECTED:
        status = Status.SUPERSEDED
    elif Mark.OBSOLETE in marks and status in (Status.ACTIVE, Status.REJECTED):
        status = Status.OBSOLETE
    elif status in (Status.OBSOLETE, Status.REJECTED) and Mark.OBSOLETE not in marks:
        status = Status.ACTIVE
    return {"marks": tuple(sorted(marks)), "status": status, "held": held}
