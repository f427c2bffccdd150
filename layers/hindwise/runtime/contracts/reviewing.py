"""The schemas of what reviewers and admins are answered."""

from hindwise.domain.reviews import ReviewKind
from hindwise.domain.sources import SourceKind
from hindwise.runtime.contracts.shapes import COUNT, TEXT, TEXTS, TRUTH, closed, listed, ref
from hindwise.runtime.strict_json import JsonObject
from hindwise.usecases.review import ReviewAction

_NEXT: JsonObject = {"type": ["string", "null"]}
_KINDS: JsonObject = {"type": "array", "items": {"enum": [*map(str, ReviewKind)]}}


def reviewing() -> dict[str, JsonObject]:
    """The answers by their names."""
    case: dict[str, JsonObject] = {
        "user_id": TEXT, "kinds": _KINDS, "rules": TEXTS, "against": listed("Memory"),
        "memory": ref("Memory"),
    }  # fmt: skip
    decided: dict[str, JsonObject] = {
        "id": TEXT, "action": {"enum": [*map(str, ReviewAction)]}, "status": TEXT, "version": COUNT,
        "memory": ref("Memory"),
    }  # fmt: skip
    ordered: dict[str, JsonObject] = {
        "kind": {"enum": [*map(str, SourceKind)]}, "dry_run": TRUTH, "undo": TRUTH,
        "jobs": listed("SourceJob"), "next": _NEXT,
    }  # fmt: skip
    return {
        "Review": closed(case),
        "Reviews": closed({"results": listed("Review"), "next": _NEXT}),
        "Reviewed": closed(decided),
        "SourceOrdered": closed(ordered),
        "SourceJob": closed({"user_id": TEXT, "job_id": TEXT}),
        "User": closed({"user_id": TEXT}),
        "Users": closed({"results": listed("User"), "next": _NEXT}),
    }
