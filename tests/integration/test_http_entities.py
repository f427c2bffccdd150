"""`GET /v1/entities/{name}`: what a name may be, pages, and what is refused."""

from urllib.parse import quote

import pytest

ADA = {"user_id": "ada"}


def tell(client, world, count=1):
    for number in range(count):
        world.clock.forward(seconds=1)
        body = {**ADA, "content": f"{number}: Ann met Bob", "entities": ["Ann", "Bob"]}
        assert client.send("POST", "/v1/memories", body).status == 201
    city = {"type": "fact", "subject": "ANN", "attribute": "city", "value": "上海"}
    client.send("POST", "/v1/memories", {**ADA, "content": "安住在上海", **city})
    world.project()


def asked(client, name, **query):
    return client.send("GET", f"/v1/entities/{quote(name, safe='')}", query={**ADA, **query})


def test_a_name_gives_its_memories_and_the_names_beside_it(world, client):
    tell(client, world)
    found = asked(client, " ａｎｎ ").body
    assert [one["content"] for one in found["results"]] == ["安住在上海", "0: Ann met Bob"]
    assert (found["name"], found["mentions"], found["complete"]) == ("ａｎｎ", 2, True)
    assert (found["next"], found["degraded"], found["lag"]) == (None, False, False)
    city = {"subject": "ANN", "attribute": "city", "value": "上海"}
    assert {one["name"]: one["count"] for one in found["neighbours"]} == {"上海": 1, "Bob": 1}
    shanghai = next(one for one in found["neighbours"] if one["name"] == "上海")
    assert shanghai["relations"] == [{**city, "id": found["results"][0]["id"]}]
    assert asked(client, "nobody").body["results"] == []
    assert asked(client, "a/b#c?d%").status == 200


def test_pages_go_on_by_cursor(world, client):
    tell(client, world, count=7)
    first = asked(client, "ann", limit=5).body
    second = asked(client, "Ann", limit=5, cursor=first["next"]).body
    assert second["next"] is None
    ids = [one["id"] for one in first["results"] + second["results"]]
    assert len(ids) == len(set(ids)) == 8
    other = asked(client, "bob", limit=5, cursor=first["next"])
    assert (other.status, other.error["details"]["field"]) == (400, "cursor")


@pytest.mark.parametrize(
    ("name", "query", "field"),
    [
        ("a\u202eb", {}, "name"),
        ("n" * 257, {}, "name"),
        ("  ", {}, "name"),
        ("ann", {"limit": 0}, "limit"),
        ("ann", {"include": "rejected"}, "include"),
        ("ann", {"as_of": "yesterday"}, "as_of"),
        ("ann", {"kind": "episodic"}, "kind"),
        ("ann", {"cursor": "x"}, "cursor"),
    ],
)
def test_what_is_refused_is_named(client, name, query, field):
    reply = asked(client, name, **query)
    assert (reply.status, reply.error["details"]["field"]) == (400, field)
