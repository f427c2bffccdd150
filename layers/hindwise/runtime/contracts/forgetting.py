"""What forgetting many is asked with, and what it answers."""

from typing import Annotated

from pydantic import Field, JsonValue

from hindwise.domain.drafts import Id
from hindwise.domain.query import Filter
from hindwise.domain.receipts import Receipt, ReceiptKind, ReceiptState
from hindwise.errors import Invalid
from hindwise.runtime import filters as wire
from hindwise.runtime.contracts.checking import CODE, Contract, checked
from hindwise.runtime.contracts.shapes import COUNT, TEXT, TEXTS, TRUTH, closed, listed, ref
from hindwise.runtime.contracts.work import Paged
from hindwise.runtime.http import Answer
from hindwise.runtime.request import Request
from hindwise.runtime.strict_json import JsonObject
from hindwise.usecases.forgetting import Preview, Wanted

MOST_IDS = 100
PAGE = 50
WAYS = ("all", "filters", "ids", "query")
_OUR_OWN = {
    "tenant", "user", "asked", "counted", "after", "found", "token", "claimed_until", "next_at",
    "version", "fence",
}  # fmt: skip


class ForgetRequest(Contract):
    """POST /v1/forget."""

    all: bool | None = None
    filters: dict[str, JsonValue] | None = None
    ids: Annotated[tuple[Id, ...] | None, Field(min_length=1, max_length=MOST_IDS)] = None
    query: Annotated[str | None, Field(min_length=1, max_length=2_000)] = None
    dry_run: bool = True
    reason: Annotated[str, Field(pattern=CODE)] | None = None


class ForgetsRequest(Contract):
    """Which receipts are listed."""

    limit: Annotated[int, Field(ge=1, le=100)] = PAGE


def forget_of(fields: JsonObject) -> tuple[Wanted, bool]:
    """What is to be forgotten, and whether that is only asked; raises Invalid naming the field."""
    asked = checked(ForgetRequest, fields)
    given = [way for way in WAYS if getattr(asked, way) is not None]
    if len(given) != 1:
        message = f"exactly one of {', '.join(WAYS)} says what is to be forgotten"
        raise Invalid(message, field=given[1] if given else "all")
    if asked.all is False:
        raise Invalid("all: must be true, or left out", field="all")
    if asked.query is not None and not asked.dry_run:
        message = "query: only names memories (dry_run); forget them by their ids"
        raise Invalid(message, field="query")
    wanted = Wanted(
        everything=bool(asked.all),
        filter=None if asked.filters is None else _filter(asked.filters),
        ids=tuple(dict.fromkeys(asked.ids or ())),
        query=asked.query,
        reason=asked.reason or "",
    )
    return wanted, asked.dry_run


def _filter(filters: dict[str, JsonValue]) -> Filter:
    """A filter of at least one condition: an empty one would let everything through.

    Null is no value here: where a variable is not set, it would mean all that has no such thing.
    """
    if "min_confidence" in filters:
        message = "filters.min_confidence: forgetting does not compute it; name the ids"
        raise Invalid(message, field="filters.min_confidence")
    wanted = wire.filter_of(filters)
    if not wanted.all_of and not wanted.none_of:
        raise Invalid("filters: must not be empty; all of a user is `all`", field="filters")
    for one in (*wanted.all_of, *wanted.none_of):
        if one.value is None or (isinstance(one.value, list) and None in one.value):
            field = f"filters.{one.field}"
            raise Invalid(f"{field}: must not be null; what is to go is named", field=field)
    return wanted


def receipts_of(request: Request) -> Paged:
    """The receipts that are asked for; raises Invalid naming the parameter."""
    given: JsonObject = {
        name: request.one(name) for name in request.query if name not in ("user_id", "cursor")
    }
    limit = given.get("limit")
    if isinstance(limit, str) and limit.isascii() and limit.isdigit() and len(limit) < 6:
        given["limit"] = int(limit)
    asked = checked(ForgetsRequest, given)
    return Paged(limit=asked.limit, cursor=request.one("cursor"), asked="forgets")


def preview_view(found: Preview) -> JsonObject:
    """What would be forgotten."""
    view: JsonObject = found.model_dump(mode="json")
    return {"dry_run": True, **view}


def receipt_view(receipt: Receipt) -> JsonObject:
    """A receipt as the API shows it; nothing in it is content."""
    view: JsonObject = receipt.model_dump(mode="json", exclude=_OUR_OWN)
    return view


def receipt_answer(receipt: Receipt) -> Answer:
    """202, and where the receipt can be asked after."""
    return Answer(receipt_view(receipt), 202, {"location": f"/v1/forgets/{receipt.id}"})


def forgetting() -> dict[str, JsonObject]:
    """The schemas of what is answered."""
    counts: JsonObject = {"type": "object", "additionalProperties": COUNT}
    time: JsonObject = {"type": "string", "format": "date-time"}
    later: JsonObject = {"type": ["string", "null"], "format": "date-time"}
    preview: dict[str, JsonObject] = {
        "dry_run": {"const": True}, "matched": COUNT, "complete": TRUTH, "by_kind": counts,
        "ids": TEXTS, "along": listed("Along"), "counts": counts,
    }  # fmt: skip
    receipt: dict[str, JsonObject] = {
        "id": TEXT, "kind": {"enum": [*map(str, ReceiptKind)]},
        "state": {"enum": [*map(str, ReceiptState)]}, "by": TEXT, "reason": TEXT, "of": TEXT,
        "ids": TEXTS, "requested_at": time, "finished_at": later, "counts": counts, "left": counts,
    }  # fmt: skip
    one: dict[str, JsonObject] = {
        "id": TEXT, "kind": TEXT, "status": {"const": "forgotten"}, "dependants": TEXTS,
        "along": TEXTS, "receipt_id": {"type": ["string", "null"]},
    }  # fmt: skip
    why: JsonObject = {"enum": ["turn", "echo", "learnt"]}
    return {
        "Forgotten": closed(one),
        "Along": closed({"id": TEXT, "of": TEXT, "why": why}),
        "Preview": closed(preview),
        "Receipt": closed(receipt),
        "ForgetAnswer": {"anyOf": [ref("Preview"), ref("Receipt")]},
        "Receipts": closed({"results": listed("Receipt"), "next": {"type": ["string", "null"]}}),
    }
