"""No JSON and no query string causes a 5xx."""

import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hindwise.runtime.contracts.search import SearchRequest
from hindwise.runtime.wiring import use_wiring
from tests.integration.http_client import Client, World

ADA = {"user_id": "ada"}
ID = "01ARZ3NDEKTSV4RRFFQ69G5FAV"
MUST_SAY = {
    "/v1/memories": {"content": "fine"},
    "/v1/search": {"query": "fine"},
    "/v1/context": {"query": "fine"},
    "/v1/diagnose": {"query": "fine", "memory_id": ID},
    "/v1/tasks/t/close": {},
}
POSTS = sorted(MUST_SAY)
SCALARS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.integers(10**18, 10**60)
    | st.floats()
    | st.text(max_size=6)
    | st.sampled_from(["2026-01-15T10:30:00Z", "fact", "episodic", "working", ID, "ada"])
)
NAMES = st.sampled_from(
    sorted({"content", "kind", "importance", "confidence", "origin", "entities", "tags", "metadata",
            "external_id", "event_time", "valid_from", "valid_until", "task_id", "event_type",
            "seq", "speaker", "tool_results", "summary", "outcome", "alternatives", "key",
            "evidence_ids", "source", "type", "subject", "cardinality", "messages",
            *SearchRequest.model_fields, "memory_id", "items", "reason",
            "text", "run_id", "limit", "attribute", "value", "review_at", "expected_outcome",
            "ttl_seconds", "done_at", "marks", "max_tokens", "background", "history", "turns",
            "keyword", "not", "gte", "in", "option", "result"})
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
    max_examples=250, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(body=BODIES, patch=st.booleans(), path=st.sampled_from(POSTS))
def test_no_json_causes_a_fault(shared, body, patch, path):
    client = Client()
    full = {**ADA, **MUST_SAY.get(path, {}), **body}
    method, where = ("PATCH", f"/v1/memories/{ID}") if patch else ("POST", path)
    reply = client.send(method, where, raw=json.dumps(full))
    assert reply.status < 500, reply.body
    if reply.status >= 400:
        assert set(reply.error) == {"code", "message", "details"}


@settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    st.dictionaries(
        st.sampled_from(["limit", "cursor", "filters", "kind", "tags", "task_id", "key", "as_of",
                         "known_at", "event_from", "include", "by", "step", "scene",
                         "min_importance"])
        | st.text(max_size=4),
        st.text(max_size=8) | st.lists(st.text(max_size=3), max_size=3),
        max_size=4,
    ),
    st.sampled_from(["/v1/memories", "/v1/timeline", "/v1/stats", "/v1/me", "/v1/health",
                     "/v1/entities/ada"]),
)  # fmt: skip
def test_no_query_string_causes_a_fault(shared, query, path):
    clean = {name: value for name, value in query.items() if _sendable(name) and _sendable(value)}
    assert Client().send("GET", path, query={**ADA, **clean}).status < 500


def _sendable(value):
    return not any("\ud800" <= char <= "\udfff" for part in value for char in part)
