"""What is refused says which field, and what to do instead."""

import pytest

ADA = {"user_id": "ada"}


def refused(reply, field):
    assert (reply.status, reply.error["details"]["field"]) == (400, field), reply.body
    return reply.error["message"]


def test_a_key_without_working_memory_is_not_ignored(world, client):
    query = {**ADA, "task_id": "t", "key": "k"}
    message = refused(client.send("GET", "/v1/memories", query=query), "key")
    assert "needs kind=working" in message
    assert client.send("GET", "/v1/memories", query={**query, "kind": "working"}).status == 200


@pytest.mark.parametrize("kind", ["working", ["episodic", "working"], {"eq": "working"}])
def test_working_memory_is_not_searched_but_said_where_it_is_read(world, client, kind):
    body = {**ADA, "query": "a", "filters": {"kind": kind}}
    for path in ("/v1/search", "/v1/context"):
        message = refused(client.send("POST", path, body), "filters.kind")
        assert "GET /v1/memories?kind=working&task_id=" in message
    for harmless in ({"not": {"kind": "working"}}, {"kind": {"ne": "working"}}):
        assert client.send("POST", "/v1/search", {**body, "filters": harmless}).status == 200


def test_an_attribute_of_nothing_names_what_is_missing(world, client):
    for kind in ({}, {"kind": "semantic"}, {"type": "fact"}):
        body = {**ADA, "content": "Lives in Oslo", "attribute": "x", **kind}
        message = refused(client.send("POST", "/v1/memories", body), "subject")
        assert message.startswith("subject: is missing; attribute needs it")
    batch = {**ADA, "items": [{"content": "a", "attribute": "x"}]}
    [one] = client.send("POST", "/v1/memories", batch).body["results"]
    assert one["error"]["details"]["field"] == "items.0.subject"


def test_a_subject_may_stand_alone(client):
    body = {**ADA, "content": "Ada is an engineer", "subject": "ada"}
    reply = client.send("POST", "/v1/memories", body)
    assert (reply.status, reply.body["kind"]) == (201, "semantic")


@pytest.mark.parametrize(
    ("path", "wrong", "meant"),
    [
        ("/v1/search", "topk", "top_k"),
        ("/v1/search", "topK", "top_k"),
        ("/v1/search", "k", "top_k"),
        ("/v1/search", "filter", "filters"),
        ("/v1/search", "q", "query"),
        ("/v1/context", "max_token", "max_tokens"),
        ("/v1/memories", "contents", "content"),
        ("/v1/memories", "session", "session_id"),
        ("/v1/search", "frobnicate", None),
    ],
)
def test_a_misspelt_field_gets_the_nearest_name(world, client, path, wrong, meant):
    body = {**ADA, "content" if path == "/v1/memories" else "query": "a", wrong: "a"}
    message = refused(client.send("POST", path, body), wrong)
    hint = f", did you mean {meant}?" if meant else ""
    assert message == f"{wrong}: is not a known field{hint}"


def test_many_unknown_fields_are_counted_not_all_judged(world, client):
    body = {**ADA, "query": "a", **{f"quer{number}": 1 for number in range(500)}}
    message = refused(client.send("POST", "/v1/search", body), "quer0")
    assert message.count("did you mean query?") == 5
    assert message.endswith("; and 495 more")


@pytest.mark.parametrize(
    ("method", "path", "body", "field"),
    [
        ("POST", "/v1/memories", {"content": ""}, "content"),
        ("POST", "/v1/memories", {"content": "a", "session_id": ""}, "session_id"),
        ("POST", "/v1/search", {"query": "a", "agent_id": ""}, "agent_id"),
    ],
)
def test_an_empty_text_is_said_to_be_empty(world, client, method, path, body, field):
    message = refused(client.send(method, path, {**ADA, **body}), field)
    assert message == f"{field}: must not be empty"


@pytest.mark.parametrize(
    ("field", "limit"),
    [("tags.0", 256), ("entities.0", 256), ("scene", 256), ("speaker", 256), ("task_id", 64),
     ("domain", 64), ("event_type", 32), ("summary", 2_000), ("external_id", 256)],
)  # fmt: skip
def test_the_length_of_a_text_is_counted_in_characters(world, client, field, limit):
    name = field.removesuffix(".0")
    said = "词" * (limit + 1) if name != "external_id" else "x" * (limit + 1)
    body = {**ADA, "content": "a", name: said if name == field else [said]}
    message = refused(client.send("POST", "/v1/memories", body), field)
    assert message == f"{field}: String must have at most {limit} characters"
    fits = said[1:] if name == field else [said[1:]]
    assert client.send("POST", "/v1/memories", {**body, name: fits}).status == 201
    empty = "" if name == field else [""]
    message = refused(client.send("POST", "/v1/memories", {**body, name: empty}), field)
    assert message == f"{field}: must not be empty"


@pytest.mark.parametrize(
    ("path", "body", "message"),
    [
        ("/v1/forget", {"ids": []}, "ids: must hold at least 1"),
        ("/v1/forget", {"ids": [1]}, "ids.0: must be a text"),
        ("/v1/forget", {"ids": ["x"] * 101}, "ids: must hold at most 100"),
        ("/v1/forget", {"all": "yes"}, "all: must be true or false"),
        ("/v1/forget", {"ids": "x"}, "ids: must be a list"),
        (
            "/v1/forget",
            {"all": True, "reason": "She asked"},
            "reason: must be a code like user-request, of at most 64 of a-z, 0-9, _, . and -",
        ),
    ],
)
def test_what_is_wrong_is_said_in_words_of_the_api(world, client, path, body, message):
    assert refused(client.send("POST", path, {**ADA, **body}), message.split(":")[0]) == message


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("DELETE", "/v1/memories/{id}"),
        ("GET", "/v1/jobs/{id}"),
        ("GET", "/v1/forgets/{id}"),
    ],
)
def test_a_parameter_that_a_call_does_not_know_stops_it(world, client, method, path):
    memory_id = client.send("POST", "/v1/memories", {**ADA, "content": "a"}).body["id"]
    at = path.format(id=memory_id)
    refused(client.send(method, at, query={**ADA, "dry_run": "true"}), "dry_run")
    assert client.send("GET", f"/v1/memories/{memory_id}", query=ADA).status == 200
