"""The schemas of what the calls about the audit answer, and what their properties mean."""

from typing import cast

from hindwise.domain.audit_faults import Wrong
from hindwise.domain.scope import Origin
from hindwise.runtime.contracts.shapes import COUNT, TEXT, TEXTS, closed, listed
from hindwise.runtime.strict_json import JsonObject

_TEXT_OR_NULL: JsonObject = {"type": ["string", "null"]}
_TIME: JsonObject = {"type": "string", "format": "date-time"}

PARAMETERS = {
    "memory_id": "The changes of this memory, for whoever may read it; else the role reviewer is "
    "needed",
    "day": "A day in UTC, like 2026-01-15; without user_id the rows of all users",
    "since": "The first day of a user's rows; 90 days before `until` where it is left out",
    "until": "The last day of a user's rows, with which the list begins; tomorrow where it is left "
    "out",
}
"""What is said of parameters."""
HERE = {
    ("AuditCheck", "checked"): "How many rows or records were looked at in this piece",
    ("AuditCheck", "digest"): "Of a day: absent (not made yet), whole or broken; null for a user",
    ("AuditCheck", "faults"): "What is wrong; none means that nothing was found in this piece",
    ("AuditCheck", "late"): "Sound rows that no digest names yet: they came after it was made",
    ("AuditFault", "chain"): "Whose rows: a memory's, or those of `conversation-` and a hash",
    ("AuditFault", "wrong"): "altered, missing, inserted, unlisted (not under its day), head (the "
    "record does not end in its last row) or digest",
    ("AuditRow", "call"): "The operation that was asked for",
    ("AuditRow", "rules"): "Ids of the rules that decided",
    ("Me", "limits"): "What the tenant may ask for; 0 is no limit",
    ("Recall", "call"): "search or context",
    ("Recall", "expires"): "When it is gone",
    ("AuditRow", "code"): "Of what was refused: the code of the error",
    (
        "AuditRow",
        "memory_id",
    ): "The memory, or `conversation-` and a hash; null where there is none",
    ("AuditRow", "user_id"): "Whose; `~` and a keyed hash where the key was not allowed that user",
    ("AuditRow", "version"): "The version that the change made",
    ("AuditTrail", "results"): "Who changed what, newest first; no content",
    ("AuditFault", "id"): "The row, or the digest's name; empty where a row is gone from an end",
    ("Recall", "query"): "The question; null where its row was altered, or the secret has rotated",
    ("Recall", "results"): "What was given back, in its order",
    ("Recall", "degraded"): "What was down",
    ("Recall", "user_id"): "Whose memories",
    ("Recalls", "results"): "What was recalled, newest first; 7 days of it",
}


def auditing() -> dict[str, JsonObject]:
    """The answers by their names."""
    row: dict[str, JsonObject] = {
        "id": TEXT, "at": _TIME, "actor": TEXT, "decision": TEXT, "rules": TEXTS,
        "user_id": _TEXT_OR_NULL, "memory_id": _TEXT_OR_NULL, "version": COUNT,
        "origin": {"enum": [origin.label for origin in Origin]}, "call": TEXT, "code": TEXT,
    }  # fmt: skip
    optional = ("at", "actor", "rules", "version", "origin", "call", "code")
    fault: dict[str, JsonObject] = {
        "wrong": {"enum": [*map(str, Wrong)]}, "id": TEXT, "chain": TEXT,
    }  # fmt: skip
    digests: list[str | None] = ["absent", "whole", "broken", None]
    checked: dict[str, JsonObject] = {
        "checked": COUNT, "faults": listed("AuditFault"), "late": COUNT,
        "digest": cast(JsonObject, {"enum": digests}), "next": _TEXT_OR_NULL,
    }  # fmt: skip
    place: dict[str, JsonObject] = {
        "id": TEXT, "rank": COUNT, "arms": {"type": "object", "additionalProperties": COUNT},
        "score": {"type": ["number", "null"]},
    }  # fmt: skip
    recall: dict[str, JsonObject] = {
        "id": TEXT, "at": _TIME, "actor": TEXT, "call": TEXT, "user_id": TEXT,
        "query": _TEXT_OR_NULL, "results": listed("RecallPlace"), "degraded": TEXTS,
        "expires": _TIME,
    }  # fmt: skip
    return {
        "AuditRow": closed(row, optional=optional),
        "AuditTrail": closed({"results": listed("AuditRow"), "next": _TEXT_OR_NULL}),
        "AuditFault": closed(fault),
        "AuditCheck": closed(checked),
        "RecallPlace": closed(place),
        "Recall": closed(recall),
        "Recalls": closed({"results": listed("Recall"), "next": _TEXT_OR_NULL}),
    }
