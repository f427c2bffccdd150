"""Bodies of POST and PATCH /v1/memories as domain drafts and edits."""

from collections.abc import Sequence

from pydantic import JsonValue

from hindwise.domain.drafts import (
    AnyDraft,
    Edit,
    EpisodeDraft,
    SemanticDraft,
    ShortId,
    WorkingDraft,
)
from hindwise.domain.memory import Kind
from hindwise.errors import HindwiseError, Invalid, TooLarge
from hindwise.runtime.contracts.checking import Contract, checked, joined, renamed
from hindwise.runtime.strict_json import JsonObject, shown

MAX_ITEMS = 100
ALIASES = {"text": "content", "run_id": "session_id"}
NO_MESSAGES = "a conversation stands alone, it is no item of a batch"
DRAFTS: dict[Kind, type[AnyDraft]] = {
    Kind.EPISODIC: EpisodeDraft,
    Kind.SEMANTIC: SemanticDraft,
    Kind.WORKING: WorkingDraft,
}


def draft_of(fields: JsonObject, *, at: str = "") -> AnyDraft:
    """The draft that a body describes; raises Invalid naming every wrong field below `at`."""
    if "messages" in fields:
        field = joined(at, "messages")
        raise Invalid(f"{field}: {NO_MESSAGES}", field=field)
    named = renamed(fields, ALIASES, at=at)
    kind = _kind(named, at)
    if kind is Kind.SEMANTIC or named.get("kind") is None:
        _check_slot(named, at)
    return checked(DRAFTS[kind], {**named, "kind": kind.value}, at=at)


def _check_slot(fields: JsonObject, at: str) -> None:
    """Refuse an attribute of nothing; a subject may stand alone."""
    attribute = fields.get("attribute")
    if attribute and isinstance(attribute, str) and fields.get("subject") is None:
        field = joined(at, "subject")
        needs = f"{joined(at, 'attribute')} needs it, the two name a slot"
        raise Invalid(f"{field}: is missing; {needs}", field=field)


def _kind(fields: JsonObject, at: str) -> Kind:
    """The kind that is named, or that the fields speak of."""
    given = fields.get("kind")
    if given is not None:
        try:
            return Kind(str(given))
        except ValueError:
            field = joined(at, "kind")
            message = f"{field}: must be 'working', 'episodic' or 'semantic'"
            raise Invalid(message, field=field) from None
    if "type" in fields or "subject" in fields:
        return Kind.SEMANTIC
    return Kind.WORKING if "key" in fields else Kind.EPISODIC


def is_conversation(fields: JsonObject) -> bool:
    """Tell whether a body is a conversation."""
    return "messages" in fields and "items" not in fields


def is_batch(fields: JsonObject) -> bool:
    """Tell whether a body is a batch."""
    return "items" in fields


def drafts_of(fields: JsonObject) -> Sequence[AnyDraft | HindwiseError]:
    """A draft or its error for each item, in order.

    Raises Invalid for an empty or malformed list and TooLarge for more than 100 items.
    """
    if others := sorted(fields.keys() - {"items"}):
        names = ", ".join(shown(name) for name in others[:5])
        raise Invalid(f"{names}: is not a known field beside items", field=shown(others[0]))
    items = fields["items"]
    if not isinstance(items, list) or not items:
        raise Invalid(f"items: must be a list of 1 to {MAX_ITEMS} memories", field="items")
    if len(items) > MAX_ITEMS:
        message = f"items: at most {MAX_ITEMS} memories at a time"
        raise TooLarge(message, details={"field": "items", "limit": MAX_ITEMS})
    return [_item(item, f"items.{index}") for index, item in enumerate(items)]


def _item(item: JsonValue, at: str) -> AnyDraft | HindwiseError:
    try:
        if isinstance(item, str):
            return draft_of({"content": item}, at=at)
        if isinstance(item, dict):
            return draft_of(item, at=at)
        raise Invalid(f"{at}: must be an object or a string", field=at)
    except HindwiseError as error:
        return error


def edit_of(fields: JsonObject) -> Edit:
    """The edit that a body describes; raises Invalid naming every wrong field, or none to edit."""
    edit = checked(Edit, renamed(fields, {"text": "content"}))
    if not edit.model_fields_set - {"reason"}:
        raise Invalid("the body names no field to change", field="body")
    if {"done", "done_at"} <= edit.model_fields_set:
        raise Invalid("done: say either this or done_at", field="done")
    return edit


class CloseRequest(Contract):
    """POST /v1/tasks/{task_id}/close has nothing to say but the user."""


class _Task(Contract):
    task_id: ShortId


def task_id_of(given: str, fields: JsonObject) -> str:
    """The task of a path; raises Invalid naming `task_id`, or an unknown field of the body."""
    checked(CloseRequest, fields)
    return checked(_Task, {"task_id": given}).task_id
