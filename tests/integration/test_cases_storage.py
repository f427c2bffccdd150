"""Numbers, sizes, free-form metadata, batches, edits, and an embedder that comes and goes."""

import json
from typing import Any

import pytest

from tests.integration.cases import Stage


def test_sto_1_numbers_come_out_as_they_went_in(stage: Stage) -> None:
    metadata = {
        "price": 12.65,
        "tiny": 1e-07,
        "neg": -0.0,
        "big": 12345678901234567890,
        "int": 7,
        "flag": True,
        "nested": {"list": [1, 2.5, "3"]},
        "coord": [31.2304, 121.4737],
    }
    third = 0.3333333333333333
    a = stage.write("numbers", importance=0.1, confidence=third, metadata=metadata)
    stage.project()
    for body in (stage.get(a).body, stage.search("numbers").body["results"][0]):
        assert json.dumps(body["metadata"]) == json.dumps(metadata)
        assert (body["importance"], body["confidence"]) == (0.1, third)
    assert stage.found("numbers", filters={"price": {"gte": 12.6, "lte": 12.7}}) == [a]
    assert stage.edit(a, importance=0.7).body["memory"]["importance"] == 0.7
    long = (
        '{"user_id":"u","content":"forty digits","metadata":{"x":0.1234567890123456789012345678}}'
    )
    assert stage.client.send("POST", "/v1/memories", raw=long).status in (201, 400)


def test_sto_5_what_is_too_long_is_refused_with_its_limit_and_leaves_nothing(stage: Stage) -> None:
    for content, limit in (("汉" * 160_000, "bytes"), ("x" * 40_000 + " ZEBRA-7741", "20000")):
        reply = stage.send(content)
        assert reply.status in (400, 413)
        assert limit in reply.error["message"].replace(",", "") or "limit" in str(reply.error)
    reply = stage.send("x", metadata={"k": "v" * 40_000})
    assert reply.status in (400, 413) and "metadata" in str(reply.error)
    batch = stage.many(["short one", "y" * 40_000, "short two"])
    assert [one.get("status") for one in batch.body["results"]] == ["active", "failed", "active"]
    assert len(stage.listed()) == 2
    assert stage.search("q " * 15_000).status == 400


def test_sto_7_metadata_of_any_shape_breaks_nobodys_writes(stage: Stage) -> None:
    shapes: list[dict[str, Any]] = [
        {"start": "2026-03-05", "v": 1, "x": "s"},
        {"start": "to be agreed", "v": "one", "x": {"y": 1}},
        {"start": None, "v": [1, "two", None], "x": True},
    ]
    a, b, c = (stage.write(f"m{n}", metadata=shape) for n, shape in enumerate(shapes, 1))
    for start in range(0, 90, 30):
        keyed = [
            {"content": f"many keys {n}", "metadata": {f"k{n}": str(n)}}
            for n in range(start, start + 30)
        ]
        assert stage.many(keyed).body["failed"] == 0
    stage.project()
    last = stage.write("after many keys", metadata={"brand_new_key": 1})
    assert stage.found("m", filters={"start": "to be agreed"}) == [b]
    assert stage.found("m", filters={"start": "2026-03-05"}) == [a]
    assert stage.get(c).body["metadata"] == shapes[2]
    assert last in stage.found("after many keys", top_k=100)
    assert b in stage.found("m2", top_k=100)


def test_sto_9_each_result_of_a_batch_is_tied_to_its_input(stage: Stage) -> None:
    items = [f"item {n:02d}" for n in range(60)]
    items[37] = ""
    reply = stage.many(items)
    assert [one["index"] for one in reply.body["results"]] == list(range(60))
    failed = [one["index"] for one in reply.body["results"] if "error" in one]
    assert failed == [37] and len(stage.listed()) == 59
    dup = stage.many(["dup", "dup", "dup"], user="u3")
    assert len({one["id"] for one in dup.body["results"]}) == 1
    assert len(stage.listed("u3")) == 1
    assert stage.many([], user="u4").status == 400
    over = stage.many([f"over {n}" for n in range(101)], user="u4")
    assert over.status in (400, 413) and "100" in over.error["message"]
    assert stage.listed("u4") == []


def test_sto_9_a_table_that_throttles_loses_and_doubles_nothing(stage: Stage) -> None:
    stage.world.store.faults.fail_next(3, on="commit")
    reply = stage.many([f"t{n:02d}" for n in range(60)])
    stored = {one["id"] for one in reply.body["results"] if "id" in one}
    failed = [one for one in reply.body["results"] if "error" in one]
    assert len(failed) == 3 and {one["error"]["code"] for one in failed} == {"unavailable"}
    assert set(stage.listed()) == stored


def test_sto_11_an_edit_reaches_both_arms_and_nothing_else(stage: Stage) -> None:
    stage.at("2026-03-01T00:00:00+00:00")
    stage.embedder.known = {
        "Sings in the harbour choir": [1, 0],
        "Plays the drums in a band": [0, 1],
        "percussion": [0.1, 0.995],
        "vocal group": [0.995, 0.1],
    }
    a = stage.write(
        "Sings in the harbour choir",
        tags=["hobby"],
        metadata={"category": "music", "shelf": "s7"},
        event_time="2026-01-01T00:00:00Z",
        importance=0.6,
    )
    stage.project()
    stage.at("2026-07-01T00:00:00+00:00")
    assert stage.edit(a, content="Plays the drums in a band").status == 200
    stage.project()
    assert stage.found("percussion", min_score=0.8) == [a]
    assert stage.found("vocal group", min_score=0.8) == []
    assert stage.search("drums").body["results"][0]["why"]["matched_terms"]
    assert not stage.search("choir").body["results"][0]["why"]["matched_terms"]
    body = stage.get(a).body
    assert (body["tags"], body["importance"]) == (["hobby"], 0.6)
    assert body["metadata"] == {"category": "music", "shelf": "s7"}
    assert body["created_at"].startswith("2026-03-01") and body["event_time"].startswith(
        "2026-01-01"
    )
    assert body["updated_at"].startswith("2026-07-01")
    before = stage.embedder.asked
    assert stage.edit(a, metadata={"category": "rhythm"}).status == 200
    stage.project()
    assert stage.embedder.asked == before
    assert stage.get(a).body["metadata"] == {"category": "rhythm", "shelf": "s7"}
    version = stage.get(a).body["version"]
    for bad in ({"content": ""}, {"nonsense": 1}, {"importance": 7}):
        assert stage.edit(a, **bad).status == 400
    assert stage.get(a).body["version"] == version


def test_sto_3_an_embedder_that_is_down_costs_meaning_not_memories(stage: Stage) -> None:
    stage.embedder.known = {
        "Ticket code hint is HARBOR": [1, 0],
        "what is written on the ticket": [0.97, 0.2431],
    }
    before = stage.write("Ferry leaves at noon")
    stage.project()
    stage.embedder.down = True
    during = stage.write("Ticket code hint is HARBOR")
    stage.project()
    assert stage.get(during).body["embedding"] == "pending"
    for query, wanted in (("HARBOR", during), ("ferry", before)):
        reply = stage.search(query)
        assert reply.body["degraded"] is True and "embedder" in reply.body["reasons"]
        assert reply.body["results"][0]["id"] == wanted
    created = stage.get(during).body["created_at"]
    stage.embedder.down = False
    stage.project()
    reply = stage.search("what is written on the ticket", min_score=0.8)
    assert [one["id"] for one in reply.body["results"]] == [during]
    assert reply.body["degraded"] is False
    assert stage.get(during).body["created_at"] == created


@pytest.mark.parametrize(
    "user", ["a", "a#b", "a:b", "a/b", "a|b", "a b", "a%2Fb", "A", "张三", "a.b", "aé"]
)
def test_ten_1_odd_user_ids_stay_apart(stage: Stage, user: str) -> None:
    everyone = ["a", "a#b", "a:b", "a/b", "a|b", "a b", "a%2Fb", "A", "张三", "a.b", "aé"]
    ids = {
        one: stage.write(f"secret of user number {n}", user=one) for n, one in enumerate(everyone)
    }
    stage.project()
    assert stage.found("secret", user) == [ids[user]] == stage.listed(user)
    assert stage.get(ids[user], "a" if user != "a" else "A").status == 404


def test_ten_3_knowing_an_id_is_not_owning_it(stage: Stage) -> None:
    from tests.builders import principal

    a = stage.write("A's private note", user="u-a")
    stage.project()
    before = stage.get(a, "u-a").body
    stranger = stage.as_(principal(tenant="other"))
    nobody = "01ARZ3NDEKTSV4RRFFQ69G5FAV"
    calls: list[tuple[str, str, dict[str, Any] | None]] = [
        ("GET", "/v1/memories/{id}", None),
        ("GET", "/v1/memories/{id}/history", None),
        ("PATCH", "/v1/memories/{id}", {"reason": "r", "content": "mine now"}),
        ("DELETE", "/v1/memories/{id}", None),
        ("POST", "/v1/memories/{id}/restore", {}),
        ("POST", "/v1/forget", {"ids": ["{id}"]}),
        ("POST", "/v1/forget", {"ids": ["{id}"], "dry_run": False}),
        ("POST", "/v1/diagnose", {"id": "{id}", "query": "note"}),
    ]
    for method, path, body in calls:
        answers = []
        for asker, user, one in (
            (stranger, "u-a", a),
            (stranger, "u-a", nobody),
            (stage, "u-b", a),
        ):
            sent = (
                None if body is None else json.loads(json.dumps(body).replace('"{id}"', f'"{one}"'))
            )
            if sent is not None:
                sent["user_id"] = user
            query = {"user_id": user} if sent is None else {}
            reply = asker.client.send(method, path.replace("{id}", one), sent, query=query)
            answers.append((reply.status, json.dumps(reply.body).replace(one, "")))
        assert len(set(answers)) == 1, (method, path, answers)
        assert answers[0][0] == (200 if path.endswith("diagnose") else 404), answers
    after = stage.get(a, "u-a").body
    assert after == before
