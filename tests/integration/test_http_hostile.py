"""Whatever is sent: 4xx naming the field, nothing stored, never a 5xx."""

import json

import pytest

from hindwise.runtime.strict_json import MAX_BYTES
from tests.integration.http_client import call

ADA = {"user_id": "ada"}
ID = "01ARZ3NDEKTSV4RRFFQ69G5FAV"
MUST_SAY = {
    "/v1/memories": {"content": "fine"},
    "/v1/search": {"query": "fine"},
    "/v1/context": {"query": "fine"},
    "/v1/diagnose": {"query": "fine", "memory_id": ID},
    "/v1/tasks/t/close": {},
    "/v1/conversations": {"messages": "fine"},
    "/v1/conversations/c/messages": {"messages": "fine"},
    f"/v1/jobs/{ID}/retry": {},
    f"/v1/jobs/{ID}/dismiss": {},
}
POSTS = [*MUST_SAY]


def stored(client):
    return client.send("GET", "/v1/memories", query=ADA).body["results"]


@pytest.mark.parametrize("path", POSTS)
@pytest.mark.parametrize(
    ("raw", "status"),
    [
        (None, 400),
        ("", 400),
        ("not json", 400),
        ("[]", 400),
        ("null", 400),
        ('"text"', 400),
        ("{", 400),
        ('{"user_id":"ada","user_id":"bob"}', 400),
        ('{"user_id":"ada","x":NaN}', 400),
        ('{"user_id":"ada","x":' + "[" * 50_000, 400),
        ('{"user_id":"ada","x":"' + "a" * MAX_BYTES + '"}', 413),
        (b"\xff\xfe{}", 400),
        (b'{"user_id":"ada","x":"\xc3\x28"}', 400),
    ],
)
def test_bodies_that_are_no_object(client, path, raw, status):
    reply = client.send("POST", path, raw=raw)
    assert reply.status == status
    assert reply.error["details"]["field"]
    assert stored(client) == []


@pytest.mark.parametrize("path", POSTS)
def test_unknown_fields_are_named_on_every_call(client, path):
    reply = client.send("POST", path, {**ADA, **MUST_SAY[path], "frobnicate": "s3cret"})
    assert reply.status == 400
    assert reply.error["details"]["field"] == "frobnicate"
    assert "s3cret" not in json.dumps(reply.body)
    assert stored(client) == []


@pytest.mark.parametrize("path", POSTS)
@pytest.mark.parametrize("user", [None, "", 5, ["ada"], {"a": 1}, "a\x00b", "e\u0301", "x" * 257])
def test_no_user_no_call(client, path, user):
    body = {**MUST_SAY[path], **({} if user is None else {"user_id": user})}
    reply = client.send("POST", path, body)
    assert (reply.status, reply.error["details"]["field"]) == (400, "user_id")


WRONG = {
    "content": [5, None, True, [], {}, "", "   ", "\n", "nul \x00", "a\u202eb", "\u200b\u200ba",
                "x" * 20_001, "a\U000e0041\U000e0042", "half \ud800"],
    "kind": ["event", 5, ["episodic"], "EPISODIC"],
    "importance": ["0.5", True, -0.1, 1.1, [0.5], 10**200],
    "confidence": ["high", False, 2],
    "origin": ["system", "OWNER", 5],
    "agent_id": ["", 5, "x" * 257],
    "entities": ["ada", [5], ["x" * 257], ["x"] * 65, [""]],
    "tags": ["work", {"a": 1}, [["a"]], ["a\x00"]],
    "scene": ["", 5],
    "metadata": ["x", [], [1], {"k": "x" * 8_200}, {"k\x00": 1}, {"k": "\u202e"}],
    "external_id": ["", 5, "x" * 257],
    "event_time": ["2026-01-15T10:30:00", "2026-01-15", "15/01/2026 25:99", 1768473000,
                   "1768473000", "now", "", True, "0001-01-01T00:00:00+14:00",
                   "9999-12-31T23:59:59-23:59", "2026-01-15T10:30:00+99:00"],
    "valid_from": ["yesterday"],
    "valid_until": [5],
    "task_id": ["", 5, "x" * 65],
    "event_type": ["x" * 33],
    "session_id": [5, ""],
    "seq": [-1, "1", 1.5, 10**30, True],
    "speaker": ["", "x" * 257],
    "tool_results": ["x", {}, ["x" * 100_001], ["\x00"]],
    "summary": ["", "x" * 2_001],
    "outcome": ["success", {"result": "meh"}, {"result": "success", "extra": 1}],
    "alternatives": ["x", [{}], [{"option": 5}]],
    "evidence_ids": ["x", [5], ["../x"]],
    "source": ["x", {"author": 5}, {"url": "x"}, {"author": "a\u202eb"}],
    "type": ["thing", 5],
    "subject": ["", 5],
    "cardinality": ["two"],
    "key": ["", 5],
    "messages": [[{"role": "user", "content": "hi"}]],
    "id": [ID],
    "status": ["active"],
    "version": [1],
    "tenant": ["other"],
    "principal": ["admin"],
}  # fmt: skip


@pytest.mark.parametrize(
    ("field", "value"), [(field, value) for field, values in WRONG.items() for value in values]
)
def test_wrong_fields_of_a_memory_are_named(client, field, value):
    reply = client.send("POST", "/v1/memories", {**ADA, "content": "fine", field: value})
    assert 400 <= reply.status < 500, reply.body
    assert reply.error["details"]["field"].split(".")[0] in (field, "task_id", "subject", "content")
    assert len(json.dumps(reply.body)) < 1_500
    assert stored(client) == []


def test_the_refused_value_is_not_echoed(client):
    secret = "sk-s3cret-value"
    for body in (
        {"content": "a", "importance": secret},
        {"content": "a", "event_time": secret},
        {"content": "a", "origin": secret},
        {"content": "a", "metadata": secret},
        {"content": f"{secret}\x00"},
        {"content": "a", "evidence_ids": [f"{secret}!"]},
        {"content": "a", "kind": secret},
    ):
        reply = client.send("POST", "/v1/memories", {**ADA, **body})
        assert reply.status == 400
        assert secret not in json.dumps(reply.body)


def test_one_message_names_several_fields(client):
    body = {**ADA, "content": "", "importance": 7, "tags": "x"}
    message = client.send("POST", "/v1/memories", body).error["message"]
    assert all(name in message for name in ("content", "importance", "tags"))


SEARCH_WRONG = {
    "query": [5, None, [], "x" * 8_001, "a\x00", "half \ud800", "", "   "],
    "top_k": [0, 101, -1, "10", 1.5, True, 10**40],
    "mode": ["magic", 5],
    "weights": ["timely", {"keyword": -1}, {"keyword": 0}, {"bm25": 1}, {}, {"keyword": "1"}],
    "preset": ["fast", 5],
    "filters": ["x", [], {"domian": "x"}, {"priority": {"frobnicate": 1}}, {"min_confidence": "x"}],
    "as_of": ["2026-01-15T10:30:00", 5],
    "known_at": ["x"],
    "now": ["2026-01-15T10:30:00", 1768473000],
    "scene": ["", 5],
    "include": ["superseded", ["gone"], ["forgotten"], ["rejected"], [5]],
    "min_score": ["0.5", 2, -2],
    "min_confidence": [2, "x"],
    "explain": ["yes", 1],
    "expand": [
        11,
        -1,
        True,
        "2",
        1.5,
        [],
        {"turns": 11},
        {"turns": True},
        {"entities": 5},
        {"x": 1},
    ],
    "time_range_hours": [0, -1, "1", 10**9],
    "agent_id": ["", 5],
    "limit": [0],
}


@pytest.mark.parametrize(
    ("field", "value"),
    [(field, value) for field, values in SEARCH_WRONG.items() for value in values],
)
def test_wrong_fields_of_a_search_are_named(client, field, value):
    reply = client.send("POST", "/v1/search", {**ADA, "query": "fine", field: value})
    assert reply.status == 400, reply.body
    named = reply.error["details"]["field"].split(".")[0]
    assert named in (field, {"limit": "top_k"}.get(field))


@pytest.mark.parametrize(
    "query",
    ["C++ AND (", "owner:/ravi", '"unbalanced', "foo && bar || !baz", "*", "a/b", "~", "[1 TO",
     "\\", '{"match_all":{}}', "plain OR 1=1", "?", "的", "🦔", "x" * 8_000, "a " * 3_000],
)  # fmt: skip
def test_query_syntax_is_text(client, query):
    client.send("POST", "/v1/memories", {**ADA, "content": "C++ build notes of /ravi"})
    reply = client.send("POST", "/v1/search", {**ADA, "query": query})
    assert reply.status == 200, reply.body


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ({"limit": "0"}, "limit"),
        ({"limit": "101"}, "limit"),
        ({"limit": "ten"}, "limit"),
        ({"limit": "9" * 5_000}, "limit"),
        ({"limit": ["1", "2"]}, "limit"),
        ({"cursor": "x"}, "cursor"),
        ({"cursor": ["a", "b"]}, "cursor"),
        ({"frobnicate": "1"}, "frobnicate"),
        ({"kind": "event"}, "kind"),
        ({"filters": "{"}, "filters"),
        ({"filters": '{"domian":"x"}'}, "domian"),
        ({"filters": '{"kind":"semantic"}', "kind": "semantic"}, "kind"),
        ({"min_importance": "high"}, "min_importance"),
        ({"min_importance": "nan"}, "min_importance"),
        ({"min_confidence": "0.5"}, "min_confidence"),
        ({"event_from": "2026-01-15T10:00:00"}, "event_from"),
        ({"include": "gone"}, "include"),
        ({"domain": "a\x00b"}, "domain"),
        ({"kind": "working", "task_id": ""}, "task_id"),
        ({"kind": "working", "task_id": "t", "limit": "5"}, "limit"),
    ],
)
def test_wrong_parameters_of_a_list_are_named(client, query, field):
    reply = client.send("GET", "/v1/memories", query={**ADA, **query})
    assert reply.status == 400, reply.body
    assert field in reply.error["details"]["field"]


@pytest.mark.parametrize("raw", ["user_id=%ff", "&".join(f"a{n}=1" for n in range(200))])
def test_query_strings_that_are_none(client, raw):
    event = client.event("GET", "/v1/memories", None, {})
    event["rawQueryString"] = raw
    assert call("inspect", event).status == 400


@pytest.mark.parametrize("memory_id", ["x", "..%2F..", "%00", "%ff", "a" * 5_000, ID.lower()])
def test_malformed_ids_look_like_missing_ones(client, memory_id):
    path = f"/v1/memories/{memory_id}"
    missing = client.send("GET", f"/v1/memories/{ID}", query=ADA)
    for reply in (
        client.send("GET", path, query=ADA),
        client.send("GET", f"{path}/history", query=ADA),
        client.send("DELETE", path, query=ADA),
        client.send("PATCH", path, {**ADA, "reason": "r", "content": "x"}),
    ):
        assert reply.status == missing.status == 404
        assert reply.error.keys() == missing.error.keys()
