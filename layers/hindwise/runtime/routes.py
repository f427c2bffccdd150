"""Every route of the API, once: the router, openapi.json and the template's test read this table.

Order matters where a template could swallow another: the longer one comes first.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from urllib.parse import unquote

from hindwise.domain.scope import Role
from hindwise.runtime.strict_json import MAX_BYTES


@dataclass(frozen=True)
class Route:
    """One call of the API and the function that answers it; without `role` no key is needed.

    Its body has at most `body_bytes` of UTF-8. One that `asks` has a query, which its handler
    reads; any other that reads takes none but `user_id`.
    """

    method: str
    path: str
    operation: str
    function: str
    summary: str
    role: Role | None = Role.READER
    statuses: tuple[int, ...] = field(default=(200,))
    body_bytes: int = MAX_BYTES
    asks: bool = False

    @property
    def key(self) -> str:
        """The gateway's name for the route, e.g. `GET /v1/memories/{id}`."""
        return f"{self.method} {self.path}"

    @property
    def plain(self) -> bool:
        """Tell whether it takes no query but `user_id`; a body says what others do not take."""
        return self.role is not None and self.method in ("GET", "DELETE") and not self.asks

    @property
    def parameters(self) -> list[str]:
        """The names in the path."""
        return re.findall(r"{(\w+)}", self.path)

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """Matches the path; a parameter may hold anything, also a decoded slash."""
        pieces = re.split(r"{(\w+)}", self.path)
        return re.compile(
            "".join(f"(?P<{p}>.+)" if i % 2 else re.escape(p) for i, p in enumerate(pieces)),
            re.DOTALL,
        )


_WRITER, _REVIEWER = Role.WRITER, Role.REVIEWER
ROUTES = (
    Route("POST", "/v1/memories", "writeMemories", "write", "Remember one memory or up to 100",
          _WRITER, (200, 201, 202, 207)),
    Route("PATCH", "/v1/memories/{id}", "editMemory", "write", "Edit a memory as a new version",
          _WRITER, (200, 202)),
    Route("POST", "/v1/tasks/{task_id}/close", "closeTask", "write",
          "Drop a task's scratch values", _WRITER),
    Route("POST", "/v1/conversations/{id}/messages", "appendMessages", "write",
          "Go on with a conversation", _WRITER, (202,)),
    Route("POST", "/v1/conversations", "converse", "write",
          "Take in a conversation, as far as it has come", _WRITER, (202,)),
    Route("POST", "/v1/jobs/{id}/retry", "retryJob", "write", "Try a job again that has failed",
          _WRITER, (202,)),
    Route("POST", "/v1/jobs/{id}/dismiss", "dismissJob", "write", "Let a job go for good",
          _WRITER),
    Route("POST", "/v1/queues/{name}/redrive", "redriveQueue", "write",
          "Try again what lies among a queue's dead letters", Role.ADMIN),
    Route("POST", "/v1/consolidations", "consolidate", "consolidate",
          "Find what recurs in a domain's episodes", _WRITER, (200, 202)),
    Route("POST", "/v1/search", "search", "search", "Find memories, or list them by filter"),
    Route("POST", "/v1/context", "context", "search", "A block of memories for a prompt"),
    Route("POST", "/v1/diagnose", "diagnose", "search", "Why a memory was not recalled"),
    Route("GET", "/v1/entities/{name}", "readEntity", "search",
          "Memories that speak of a name, and the names beside it", asks=True),
    Route("GET", "/v1/memories", "listMemories", "inspect", "List memories, newest first",
          asks=True),
    Route("GET", "/v1/memories/{id}/history", "readHistory", "inspect",
          "Versions, chain, evidence and dependants of a memory"),
    Route("GET", "/v1/memories/{id}", "readMemory", "inspect", "Read one memory"),
    Route("DELETE", "/v1/memories/{id}", "forgetMemory", "forget", "Forget one memory for good",
          _WRITER),
    Route("POST", "/v1/forget", "forgetMany", "forget",
          "Forget by id, by filter, or all of a user; by default only tell what would go",
          _WRITER, (200, 202)),
    Route("GET", "/v1/forgets/{id}", "readForget", "forget", "How far a forgetting is"),
    Route("GET", "/v1/forgets", "listForgets", "forget", "List receipts, newest first",
          asks=True),
    Route("POST", "/v1/import", "importLines", "write", "Take the lines of an export in",
          Role.ADMIN, body_bytes=4 * MAX_BYTES),
    Route("GET", "/v1/export", "exportLines", "inspect",
          "All that is kept of a user, a page of lines of a file", Role.ADMIN, asks=True),
    Route("GET", "/v1/conversations/{id}", "readConversation", "inspect",
          "The messages of a conversation, and what was learnt from each turn", asks=True),
    Route("GET", "/v1/jobs/{id}", "readJob", "inspect", "How far a job is"),
    Route("GET", "/v1/jobs", "listJobs", "inspect", "List jobs, newest first", asks=True),
    Route("GET", "/v1/queues", "queues", "inspect", "How much waits in each queue", Role.ADMIN),
    Route("POST", "/v1/memories/{id}/restore", "restoreMemory", "fade",
          "Bring a memory back from the archive", _WRITER),
    Route("POST", "/v1/fading", "fade", "fade",
          "What a nightly sweep would do to a user's memories, or doing it", Role.ADMIN),
    Route("GET", "/v1/reviews", "listReviews", "review", "What waits for a reviewer, newest first",
          _REVIEWER, asks=True),
    Route("POST", "/v1/reviews/{id}", "review", "review", "Approve, reject, edit or reopen",
          _REVIEWER),
    Route("POST", "/v1/sources/{id}/quarantine", "quarantineSource", "review",
          "Quarantine all that came from a source, or put it back", _REVIEWER, (202,)),
    Route("GET", "/v1/users", "listUsers", "review", "List the users of the tenant", Role.ADMIN,
          asks=True),
    Route("GET", "/v1/audit/verify", "verifyAudit", "review",
          "Check a user's chains, or a day against its digest", Role.REVIEWER, asks=True),
    Route("GET", "/v1/audit/recalls", "readRecalls", "review",
          "What was recalled while audit mode watched", Role.REVIEWER, asks=True),
    Route("GET", "/v1/audit", "readAudit", "review",
          "Who changed what: of a memory, of a user, on a day", asks=True),
    Route("GET", "/v1/timeline", "timeline", "inspect", "Memories in buckets of time", asks=True),
    Route("GET", "/v1/stats", "stats", "inspect", "Counts by kind, status and type"),
    Route("GET", "/v1/me", "me", "inspect", "The credential's principal, and the features"),
    Route("GET", "/v1/health", "health", "inspect", "Liveness and dependency states", None),
    Route("GET", "/v1/openapi.json", "openapi", "inspect", "This contract", None),
)  # fmt: skip


def of_function(name: str) -> tuple[Route, ...]:
    """The routes that a function answers."""
    return tuple(route for route in ROUTES if route.function == name)


def find(
    routes: tuple[Route, ...], event: Mapping[str, object], method: str, path: str, *, encoded: bool
) -> tuple[Route, dict[str, str]] | None:
    """The route of a request and its decoded path parameters.

    The gateway's own match is taken where it says one; else `path` is matched, percent-decoded if
    it is still `encoded`.
    """
    given = event.get("pathParameters") or {}
    named = event.get("routeKey") or f"{method} {event.get('resource')}"
    for route in routes:
        if route.key == named and isinstance(given, dict) and {*given} >= {*route.parameters}:
            return route, {name: str(given[name]) for name in route.parameters}
    for route in routes:
        if route.method == method and (match := route.pattern.fullmatch(path)):
            return route, {
                name: unquote(value, errors="replace") if encoded else value
                for name, value in match.groupdict().items()
            }
    return None
