"""`expand` over HTTP: whole memories once, references elsewhere, and what is refused."""

import json

import pytest

ADA = {"user_id": "ada"}
QUEUE = ("自己写要两个人做一个月", "买现成的一年八千块", "那就买现成的")


def send(client, **body):
    return client.send("POST", "/v1/search", {**ADA, **body})


def decided(world, client):
    items = [{"content": text, "session_id": "s-9"} for text in QUEUE]
    turns = client.send("POST", "/v1/memories", {**ADA, "items": items}).body["results"]
    decision = {
        "content": "排队系统买现成的", "type": "decision", "entities": ["排队系统"],
        "outcome": {"result": "success", "note": "省了一个月"},
        "evidence_ids": [turn["id"] for turn in turns],
    }  # fmt: skip
    made = client.send("POST", "/v1/memories", {**ADA, **decision})
    assert made.status == 201
    world.project()
    return made.body["id"]


@pytest.mark.parametrize("mode", ["context", "rrf", "score", "weighted"])
def test_each_memory_is_whole_once_and_all_are_in_order(world, client, mode):
    decision = decided(world, client)
    expand = {"turns": 2, "chain": True, "entities": True}
    found = send(client, query="为什么买现成的", top_k=2, mode=mode, expand=expand).body
    plain = send(client, query="为什么买现成的", top_k=2, mode=mode).body
    assert [(one["id"], one["score"]) for one in found["results"]] == [
        (one["id"], one["score"]) for one in plain["results"]
    ]
    assert "expanded" not in json.dumps(plain)
    said = json.dumps(found, ensure_ascii=False)
    for text in (*QUEUE, "排队系统买现成的"):
        assert said.count(f'"content": "{text}"') == 1
    with_chain = [one for one in found["results"] if one["expanded"]["chain"]]
    assert len(with_chain) == 1
    links = with_chain[0]["expanded"]["chain"]
    assert [link["part"] for link in links] == ["evidence"] * 3 + ["decision", "outcome"]
    assert links[3]["id"] == decision and links[4]["outcome"]["note"] == "省了一个月"
    others = [one for one in found["results"] if one is not with_chain[0]]
    assert all(one["expanded"]["chain_of"] == with_chain[0]["id"] for one in others)
    for one in found["results"]:
        ids = {turn["id"] for turn in found["turns"]} | {hit["id"] for hit in found["results"]}
        assert set(one["expanded"]["turns"]) <= ids


@pytest.mark.parametrize(
    ("expand", "field"),
    [
        ({"turns": 11}, "expand.turns"),
        ({"chain": "yes"}, "expand.chain"),
        ({"entities": 1}, "expand.entities"),
        ({"chains": True}, "expand.chains"),
        (11, "expand.turns"),
        ([], "expand"),
    ],
)
def test_what_is_refused_is_named(client, expand, field):
    reply = send(client, query="x", expand=expand)
    assert (reply.status, reply.error["details"]["field"]) == (400, field)


def test_nothing_of_another_user_stands_beside(world, client):
    decided(world, client)
    body = {"user_id": "bob", "content": "排队系统怎么样", "entities": ["排队系统"]}
    client.send("POST", "/v1/memories", {**body, "session_id": "s-9", "seq": 2})
    world.project()
    expand = {"turns": 10, "chain": True, "entities": True}
    found = client.send(
        "POST", "/v1/search", {"user_id": "bob", "query": "排队系统", "expand": expand}
    ).body
    assert len(found["results"]) == 1 and found["turns"] == []
    assert found["results"][0]["expanded"]["entities"][0]["count"] == 0
    assert "八千" not in json.dumps(found, ensure_ascii=False)
