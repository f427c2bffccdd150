"""Finding over HTTP: filters, modes, and what the answers say of themselves."""

import pytest

from hindwise.domain.scope import Role
from tests.builders import principal
from tests.integration.http_client import Client

ADA = {"user_id": "ada"}


@pytest.fixture
def notes(world, client):
    """Four notes, and their ids by number."""
    items = [
        {"content": "invoice note 1", "tags": ["homework"],
         "metadata": {"priority": 1, "category": "sales"}},
        {"content": "invoice note 3", "tags": ["work"],
         "metadata": {"priority": 3, "category": "billing"}, "agent_id": "planner"},
        {"content": "invoice note 5", "tags": ["work", "AI"], "importance": 0.9,
         "metadata": {"priority": 5, "category": "billing"}},
        {"content": "invoice note 7", "tags": ["mail"], "run_id": "s7",
         "metadata": {"priority": 7, "category": "sales"}},
    ]  # fmt: skip
    reply = client.send("POST", "/v1/memories", {**ADA, "items": items})
    assert reply.status == 201
    numbers = (1, 3, 5, 7)
    return {result["id"]: n for result, n in zip(reply.body["results"], numbers, strict=True)}


def search(client, **body):
    reply = client.send("POST", "/v1/search", {**ADA, **body})
    assert reply.status == 200, reply.body
    return reply.body


@pytest.mark.parametrize("projected", [False, True])
@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        ({"category": "billing"}, {3, 5}),
        ({"priority": {"gte": 3, "lt": 7}}, {3, 5}),
        ({"category": {"in": ["billing", "legal"]}}, {3, 5}),
        ({"tags_any": ["work"]}, {3, 5}),
        ({"tags_all": ["work", "AI"]}, {5}),
        ({"tags_any": ["AI"]}, {5}),
        ({"tags": "work"}, {3, 5}),
        ({"no_such_key": "x"}, set()),
        ({"not": {"category": "billing"}}, {1, 7}),
        ({"min_importance": 0.8}, {5}),
        ({"agent_id": "planner"}, {3}),
        ({"run_id": "s7"}, {7}),
        ({"kind": "semantic"}, set()),
        ({"metadata": {"priority": 7}}, {7}),
        ({"min_confidence": 0.9}, set()),
        ({"min_confidence": 0.5}, {1, 3, 5, 7}),
        ({"status": "superseded"}, set()),
        ({"event_to": "2026-01-01T00:00:00Z"}, set()),
    ],
)
def test_every_filter_is_applied(world, client, notes, filters, expected, projected):
    if projected:
        world.project()
    by_text = search(client, query="invoice", filters=filters)
    assert {notes[hit["id"]] for hit in by_text["results"]} == expected
    by_filter = search(client, filters=filters)
    assert {notes[hit["id"]] for hit in by_filter["results"]} == expected


def test_lists_apply_the_same_filters(client, notes):
    import json

    for query, expected in (
        ({"filters": json.dumps({"category": "billing"})}, {3, 5}),
        ({"tags_any": ["AI", "mail"]}, {5, 7}),
        ({"min_importance": "0.8"}, {5}),
        ({"run_id": "s7"}, {7}),
        ({"kind": "semantic"}, set()),
    ):
        reply = client.send("GET", "/v1/memories", query={**ADA, **query})
        assert {notes[memory["id"]] for memory in reply.body["results"]} == expected


def test_a_result_says_why(world, client, notes):
    world.project()
    found = search(client, query="invoice note 5", explain=True)
    first = found["results"][0]
    assert first["content"].startswith("invoice note")
    assert first["why"]["rank"] == 1
    total = sum(part["contribution"] for part in first["why"]["parts"])
    assert total == pytest.approx(first["score"])
    assert (found["degraded"], found["reasons"], found["lag"]) == (False, [], False)
    assert len(found["recall_id"]) == 26
    assert found["recall_id"] != search(client, query="invoice")["recall_id"]


@pytest.mark.parametrize(
    "body",
    [
        {"query_text": "invoice", "limit": 2},
        {"query": "invoice", "top_k": 2, "mode": "rrf"},
        {"query": "invoice", "top_k": 2, "mode": "weighted", "preset": "timely"},
        {"query": "invoice", "top_k": 2, "mode": "weighted", "weights": {"keyword": 1}},
        {"query": "invoice", "top_k": 2, "mode": "score", "now": "2026-03-14T08:00:00+08:00"},
        {"query": "invoice", "top_k": 2, "time_range_hours": 24},
    ],
)
def test_spellings_and_modes(client, notes, body):
    assert len(search(client, **body)["results"]) == 2


def test_the_scene_shows_its_own_and_what_has_none(client):
    for scene in ("work", "home", None):
        label = {} if scene is None else {"scene": scene}
        body = {**ADA, "content": f"scene {scene}", **label}
        assert client.send("POST", "/v1/memories", body).status == 201
    for given in ({"scene": "work"}, {"filters": {"scene": "work"}}):
        contents = {hit["content"] for hit in search(client, query="scene", **given)["results"]}
        assert contents == {"scene work", "scene None"}
    exact = search(client, query="scene", filters={"scene": {"eq": "work"}})["results"]
    assert [hit["content"] for hit in exact] == ["scene work"]


@pytest.mark.parametrize("asked", [{"scene": "work"}, {"filters": {"scene": "work"}}])
def test_a_scene_alone_lists_what_it_shows(world, client, asked):
    items = [{"content": f"a note for {scene}", "scene": scene} for scene in ("work", "home")]
    items.append({"content": "a note for any"})
    assert client.send("POST", "/v1/memories", {**ADA, "items": items}).status == 201
    for _ in range(2):
        shown = {hit["content"] for hit in search(client, **asked)["results"]}
        assert shown == {"a note for work", "a note for any"}
        world.project()
    assert client.send("POST", "/v1/search", {**ADA, "filters": {}}).status == 400


def test_superseded_values_show_when_they_are_asked_for(world, client):
    slot = {"subject": "ada", "attribute": "city", "cardinality": "one"}
    for city in ("Oslo", "Rome"):
        body = {**ADA, "content": f"Lives in {city}", "value": city, **slot}
        assert client.send("POST", "/v1/memories", body).status == 201
        world.clock.forward(days=1)
    world.project()

    def cities(**given):
        hits = search(client, query="lives in", **given)["results"]
        return {hit["content"][9:]: hit["status"] for hit in hits}

    assert cities() == {"Rome": "active"}
    assert cities(include=["superseded"]) == {"Rome": "active", "Oslo": "superseded"}
    assert cities(filters={"status": "superseded"}) == {"Oslo": "superseded"}
    assert set(cities(as_of="2026-03-13T20:00:00Z")) == {"Oslo"}


def test_quarantined_is_for_reviewers(world, client):
    assert client.send("POST", "/v1/search", {**ADA, "query": "a", "include": ["quarantined"]}
                       ).status == 403  # fmt: skip
    reviewer = Client(principal(role=Role.REVIEWER))
    body = {**ADA, "query": "a", "include": ["quarantined"]}
    assert reviewer.send("POST", "/v1/search", body).status == 200
    listed = client.send("GET", "/v1/memories", query={**ADA, "status": "quarantined"})
    assert listed.status == 403


def test_neighbouring_turns_come_along(world, client):
    items = [{"content": f"turn {n} {'budget' if n == 2 else 'talk'}", "session_id": "s"}
             for n in range(5)]  # fmt: skip
    client.send("POST", "/v1/memories", {**ADA, "items": items})
    world.project()
    for asked in ({"turns": 1}, 1):
        found = search(client, query="budget", top_k=1, expand=asked)
        assert [hit["seq"] for hit in found["results"]] == [3]
        assert [turn["seq"] for turn in found["turns"]] == [2, 4]
    assert search(client, query="budget", top_k=1, expand=0)["turns"] == []


def test_searching_counts_and_listing_by_id_does_not(world, client, notes):
    search(client, query="invoice", top_k=1)
    client.send("GET", "/v1/memories", query=ADA)
    assert sum(len(touches) for _, touches in world.access.sent) == 1


def test_a_block_within_its_budget(client, notes):
    body = {**ADA, "query": "invoice", "max_tokens": 100}
    block = client.send("POST", "/v1/context", body).body
    assert block["tokens"] <= block["max_tokens"] == 100
    assert block["included"]
    assert "invoice note" in block["text"]
    assert client.send("POST", "/v1/context", {**ADA, "query": " "}).status == 400


@pytest.mark.parametrize("room", [1, 3, 20])
def test_a_budget_too_small_for_anything_is_an_empty_block(client, notes, room):
    body = {**ADA, "query": "invoice", "max_tokens": room}
    reply = client.send("POST", "/v1/context", body)
    assert (reply.status, reply.body["text"], reply.body["tokens"]) == (200, "", 0)
    assert len(reply.body["left_out"]) == len(notes)
    for wrong in (0, -1):
        reply = client.send("POST", "/v1/context", {**body, "max_tokens": wrong})
        assert (reply.status, reply.error["details"]["field"]) == (400, "max_tokens")


def test_a_diagnosis_names_the_step(client, notes):
    memory_id = next(iter(notes))
    body = {**ADA, "query": "invoice", "memory_id": memory_id, "filters": {"category": "billing"}}
    steps = client.send("POST", "/v1/diagnose", body).body
    filtered = next(step for step in steps["steps"] if step["step"] == "filtered")
    assert not filtered["ok"]
    assert "category" in filtered["seen"]


def test_an_index_that_is_down_is_no_empty_answer(world, client, notes):
    world.store.faults.fail_next(20)
    reply = client.send("POST", "/v1/search", {**ADA, "query": "invoice"})
    assert reply.status == 503
    assert reply.headers["retry-after"] == "1"
    assert reply.error["code"] == "unavailable"
