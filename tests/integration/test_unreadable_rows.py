"""One damaged row in the real table is in nobody's way, is named, and is not lost."""

import json
import logging

import boto3
import pytest

from functions.sweep.app import handler as sweep
from tests.integration.http_client import Client
from tests.integration.test_http_on_dynamodb import wired  # noqa: F401

ADA, EVE = {"user_id": "ada"}, {"user_id": "eve"}
SECRET = "the door code is 4711"
DAMAGED = [
    json.dumps({"kind": "episodic", "content": SECRET}),
    json.dumps({"kind": "dream", "content": SECRET}),
    f'{{"content": "{SECRET}',
    "",
]


def rows(pk, sk):
    """The rows of a kind: those of the base table whose keys hold these words."""
    items = boto3.client("dynamodb").scan(TableName="memories")["Items"]
    return [one for one in items if pk in one["pk"]["S"] and one["sk"]["S"].startswith(sk)]


def damage(item, **attributes):
    """Put a row's attributes in disorder."""
    boto3.client("dynamodb").put_item(TableName="memories", Item={**item, **attributes})


def listed(client, who):
    reply = client.send("GET", "/v1/memories", query=who)
    assert reply.status == 200, reply.body
    return [one["content"] for one in reply.body["results"]]


def found(client, who, query):
    reply = client.send("POST", "/v1/search", {**who, "query": query})
    assert reply.status == 200, reply.body
    return [one["content"] for one in reply.body["results"]]


@pytest.mark.parametrize("body", DAMAGED)
def test_a_damaged_memory_is_in_nobodys_way(wired, caplog, body):  # noqa: F811
    client = Client()

    def write(content, who=ADA):
        reply = client.send("POST", "/v1/memories", {**who, "content": content})
        assert reply.status == 201
        return reply.body["id"]

    write("a note before")
    broken = write(SECRET)
    write("a note after")
    write("a note of somebody else", EVE)
    [row] = rows("#U#ada", f"M#{broken}")
    damage(row, body={"S": body})
    caplog.set_level(logging.INFO)
    swept = [sweep({}, None) for _ in range(5)]
    assert swept[0]["projected"] == 3
    assert swept[-1]["parked"] == 1
    assert sweep({}, None) == {"projected": 0, "failed": 0, "parked": 1}
    [parked] = rows("#U#ada#D", "D#")
    assert broken in parked["sk"]["S"] and "cannot be read" in parked["reason"]["S"]

    assert sorted(found(client, ADA, "note code")) == ["a note after", "a note before"]
    assert found(client, EVE, "note") == ["a note of somebody else"]
    assert listed(client, ADA) == ["a note after", "a note before"]
    for path in (f"/v1/memories/{broken}", f"/v1/memories/{broken}/history"):
        assert client.send("GET", path, query=ADA).status == 404
    assert client.send("GET", "/v1/stats", query=ADA).status == 200
    assert client.send("POST", "/v1/context", {**ADA, "query": "note"}).status == 200
    assert write("a note written since")
    assert rows("#U#ada", f"M#{broken}")[0]["body"] == {"S": body}, "the row stays as it is"
    assert broken in caplog.text and SECRET not in caplog.text


def test_a_damaged_projection_is_made_anew(wired):  # noqa: F811
    client = Client()
    written = [
        client.send("POST", "/v1/memories", {**ADA, "content": f"note {n}"}).body["id"]
        for n in range(3)
    ]
    sweep({}, None)
    [row] = rows("#U#ada#V", written[1])
    for attributes in ({"facets": {"S": "{}"}}, {"body": {"S": "["}}, {"body": {"S": "{}"}}):
        damage(row, **attributes)
        assert {"note 0", "note 2"} <= set(found(client, ADA, "note"))
        edit = {**ADA, "reason": "again", "tags": [str(attributes.keys())]}
        assert client.send("PATCH", f"/v1/memories/{written[1]}", edit).status == 200
        assert sweep({}, None)["failed"] == 0
        assert "facets" in rows("#U#ada#V", written[1])[0]
        assert found(client, ADA, "note 1")[0] == "note 1"
