"""The calls that forget many, and what they answer, for both kinds of `Api`.

begun = api.ask(forgetting.forget("ann", {"filters": {"task_id": "t"}}, key=str(uuid4())))
receipt = api.run(forgetting.completed(api.url, "ann", begun.id))
"""

from collections.abc import Callable
from urllib.parse import quote

from pydantic import AwareDatetime, Field

from hindwise.client.answers import Answer, JsonObject
from hindwise.client.wire import Call, Steps, looked

PAUSES = (0.5, 3.0)


class Along(Answer):
    """A memory that goes along with another one, and why: turn, echo or learnt."""

    id: str
    of: str
    why: str


class Preview(Answer):
    """What would be forgotten; `complete` is False where not all memories were looked at."""

    matched: int
    complete: bool
    by_kind: dict[str, int] = Field(default_factory=dict)
    ids: tuple[str, ...] = ()
    along: tuple[Along, ...] = ()
    counts: dict[str, int] = Field(default_factory=dict)


class Receipt(Answer):
    """How far a forgetting is: `counts` there was, `left` the last look still found."""

    id: str
    kind: str
    state: str
    by: str
    reason: str = ""
    of: str = ""
    ids: tuple[str, ...] = ()
    requested_at: AwareDatetime
    finished_at: AwareDatetime | None = None
    counts: dict[str, int] = Field(default_factory=dict)
    left: dict[str, int] = Field(default_factory=dict)

    @property
    def complete(self) -> bool:
        """Tell whether nothing is found any more."""
        return self.state == "complete"


class Receipts(Answer):
    """A page of receipts, newest first; only `next` of None ends it."""

    results: tuple[Receipt, ...]
    next: str | None = None


def preview(user: str, wanted: JsonObject) -> Call[Preview]:
    """Ask what would be forgotten; `wanted` has `all`, `filters`, `ids` or `query`."""
    body: JsonObject = {**wanted, "user_id": user, "dry_run": True}
    return Call(Preview, "POST", "/v1/forget", body=body)


def forget(user: str, wanted: JsonObject, *, key: str) -> Call[Receipt]:
    """Begin to forget; `wanted` has `all`, `filters` or `ids`, and may have a `reason`."""
    body: JsonObject = {**wanted, "user_id": user, "dry_run": False}
    return Call(Receipt, "POST", "/v1/forget", body=body, key=key)


def receipt(user: str, receipt_id: str) -> Call[Receipt]:
    """Ask how far a forgetting is."""
    path = f"/v1/forgets/{quote(receipt_id, safe='')}"
    return Call(Receipt, "GET", path, params={"user_id": user})


def receipts(user: str, *, limit: int = 50, cursor: str | None = None) -> Call[Receipts]:
    """List receipts, newest first."""
    params: dict[str, str | list[str]] = {"user_id": user, "limit": str(limit)}
    if cursor is not None:
        params["cursor"] = cursor
    return Call(Receipts, "GET", "/v1/forgets", params=params)


def completed(
    url: str,
    user: str,
    receipt_id: str,
    *,
    seconds: float = 600.0,
    watch: Callable[[Receipt], None] = lambda receipt: None,
) -> Steps[Receipt]:
    """Look at a receipt until it is complete, or for so many seconds; `watch` is told each look."""

    def over(found: Receipt) -> bool:
        watch(found)
        return found.complete

    return looked(receipt(user, receipt_id), url, over, pauses=PAUSES, seconds=seconds)
