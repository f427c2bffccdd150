"""No JSON and no query string causes a 5xx."""

import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hindwise.domain.scope import Role
from hindwise.runtime.contracts.search import SearchRequest
from hindwise.runtime.wiring import use_wiring
from tests.builders import principal
from tests.integration.http_client import Client, World, segment

ADA = {"user_id": "ada"}
ID = "01ARZ3NDEKTSV4RRFFQ69G5FAV"
MUST_SAY = {
    "/v1/memories": {"content": "fine"},
    "/v1/search": {"query": "fine"},
    "/v1/context": {"query": "fine"},
    "/v1/diagnose": {"query": "fine", "memory_id": ID},
    "/v1/tasks/t/close": {},
    "/v1/conversations": {"messages": [{"role": "user", "content": "fine"}]},
    "/v1/conversations/c/messages": {"messages": "fine"},
    f"/v1/jobs/{ID}/retry": {},
    f"/v1/jobs/{ID}/dismiss": {},
    "/v1/queues/extract/redrive": {},
}
POSTS = sorted(MUST_SAY)
SCALARS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.integers(10**18, 10**60)
    | st.floats()
    | st.text(max_size=6)
    | st.sampled_from(
        [
            "2026-01-15T10:30:00Z",
            "fact",
            "episodic",
            "working",
            ID,
            "ada",
            "user",
            "assistant",
            "tool",
            "system",
            "text",
            "tool_result",
        ]
    )
)
NAMES = st.sampled_from(
    sorted({"content", "kind", "importance", "confidence", "origin", "entities", "tags", "metadata",
            "external_id", "event_time", "valid_from", "valid_until", "task_id", "event_type",
            "seq", "speaker", "tool_results", "summary", "outcome", "alternatives", "key",
            "evidence_ids", "source", "type", "subject", "cardinality", "messages",
            *SearchRequest.model_fields, "memory_id", "items", "reason",
            "text", "run_id", "limit", "attribute", "value", "review_at", "expected_outcome",
            "ttl_seconds", "done_at", "marks", "max_tokens", "background", "history", "turns",
            "chain",
            "keyword", "not", "gte", "in", "option", "result", "role", "name", "at", "parts",
            "tool_calls", "tool_call_id", "infer", "end", "id", "conversation_id", "session_id",
            "participants", "intent", "timestamp"})
)  # fmt: skip
VALUES = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(NAMES | st.text(max_size=4), inner, max_size=4)
    ),
    max_leaves=8,
)
BODIES = st.dictionaries(NAMES | st.text(max_size=4), VALUES, max_size=6)


@pytest.fixture(scope="module")
def shared():
    with pytest.MonkeyPatch.context() as patch, use_wiring(World()) as world:
        patch.setenv("POWERTOOLS_METRICS_DISABLED", "true")
        yield world


@settings(
    max_examples=250,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(body=BODIES, patch=st.booleans(), path=st.sampled_from(POSTS))
def test_no_json_causes_a_fault(shared, body, patch, path):
    client = Client(principal(role=Role.ADMIN))
    full = {**ADA, **MUST_SAY.get(path, {}), **body}
    method, where = ("PATCH", f"/v1/memories/{ID}") if patch else ("POST", path)
    reply = client.send(method, where, raw=json.dumps(full))
    assert reply.status < 500, reply.body
    if reply.status >= 400:
        assert set(reply.error) == {"code", "message", "details"}


MESSAGES = st.lists(
    st.dictionaries(
        st.sampled_from(["role", "content", "name", "at", "tool_calls", "time", "id"])
        | st.text(max_size=3),
        VALUES,
        max_size=5,
    )
    | st.fixed_dictionaries(
        {"role": st.sampled_from(["user", "assistant", "tool", "system", "developer", "human"]),
         "content": VALUES},
        optional={"name": SCALARS, "at": SCALARS, "tool_calls": VALUES},
    )
    | VALUES,
    max_size=4,
)  # fmt: skip


@settings(
    max_examples=250,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(
    MESSAGES,
    st.sampled_from(["/v1/memories", "/v1/conversations", "/v1/conversations/fuzz/messages"]),
)
def test_no_messages_cause_a_fault_and_what_is_taken_in_can_be_read(shared, messages, path):
    client = Client()
    raw = json.dumps({**ADA, "messages": messages})
    reply = client.send("POST", path, raw=raw)
    assert reply.status in (202, 400, 413), reply.body
    if reply.status == 202:
        told = segment(reply.body["conversation_id"])
        page = client.send("GET", f"/v1/conversations/{told}", query={**ADA, "limit": 100})
        assert page.status == 200
        assert page.body["message_count"] == reply.body["messages"]


@settings(
    max_examples=150,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(
    st.dictionaries(
        st.sampled_from(["limit", "cursor", "filters", "kind", "tags", "task_id", "key", "as_of",
                         "known_at", "event_from", "include", "by", "step", "scene",
                         "min_importance", "state", "conversation_id"])
        | st.text(max_size=4),
        st.text(max_size=8) | st.lists(st.text(max_size=3), max_size=3),
        max_size=4,
    ),
    st.sampled_from(["/v1/memories", "/v1/timeline", "/v1/stats", "/v1/me", "/v1/health",
                     "/v1/entities/ada", "/v1/jobs", "/v1/queues", "/v1/conversations/fuzz",
                     f"/v1/jobs/{ID}"]),
)  # fmt: skip
def test_no_query_string_causes_a_fault(shared, query, path):
    clean = {name: value for name, value in query.items() if _sendable(name) and _sendable(value)}
    assert Client().send("GET", path, query={**ADA, **clean}).status < 500


def _sendable(value):
    return not any("\ud800" <= char <= "\udfff" for part in value for char in part)
