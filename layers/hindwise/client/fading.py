"""The calls about what fades, and what they answer.

told = api.ask(fading.fade("ann", "archive"))
back = api.ask(fading.restore("ann", memory_id, key=str(uuid4())))
"""

from urllib.parse import quote

from pydantic import Field

from hindwise.client.answers import Answer, JsonObject, Written
from hindwise.client.wire import Call


class Faded(Answer):
    """What a sweep did to a user's memories, or would do; `next` goes on where there was no time.

    `counts` and the first `ids` are by what became of them: purged, archived_unimportant,
    archived_done, archived_cold, trends, turned.
    """

    sweep: str
    dry_run: bool
    looked: int = 0
    kept: int = 0
    counts: dict[str, int] = Field(default_factory=dict)
    ids: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    next: str | None = None


def fade(user: str, sweep: str, *, dry_run: bool = True, cursor: str | None = None) -> Call[Faded]:
    """Ask what a sweep would do, or have it done; needs the role admin."""
    body: JsonObject = {"user_id": user, "sweep": sweep, "dry_run": dry_run}
    if cursor is not None:
        body["cursor"] = cursor
    return Call(Faded, "POST", "/v1/fading", body=body)


def restore(user: str, memory_id: str, *, key: str) -> Call[Written]:
    """Bring a memory back from the archive."""
    path = f"/v1/memories/{quote(memory_id, safe='')}/restore"
    return Call(Written, "POST", path, body={"user_id": user}, key=key)
