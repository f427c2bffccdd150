"""What is wrong about a conversation is named with its place and limit, and nothing stays of it."""

import pytest

from tests.integration.http_client import Client

ADA = {"user_id": "ada"}
HI = {"role": "user", "content": "I have two dogs.", "at": "2026-04-01T09:00:00+02:00"}


def nothing_left(world):
    """Nothing was kept, written or sent for anybody."""
    assert not world.blobs.held and not world.queues.sent
    for home in world.store.world.homes.values():
        assert not (home.conversations or home.jobs or home.chunks or home.audits)


LONG = "x" * 20_001
BAD = {
    "no messages": ({"messages": []}, 400, "messages", "1000"),
    "none": ({"messages": None}, 400, "messages", "list"),
    "missing": ({}, 400, "messages", "missing"),
    "a number": ({"messages": [3]}, 400, "messages.0", "object"),
    "a list of texts": ({"messages": ["hi"]}, 400, "messages.0", "object"),
    "no role": ({"messages": [{"content": "x"}]}, 400, "messages.0.role", "missing"),
    "a role": ({"messages": [HI, {"role": "alien", "content": "x"}]}, 400, "messages.1.role",
               "'alien'"),
    "a role that is a text": ({"messages": [{"role": "a b" * 40}]}, 400, "messages.0.role",
                              "must be"),
    "a naive time": ({"messages": [{**HI, "at": "2026-04-01T09:00:00"}]}, 400, "messages.0.at",
                     "zone"),
    "a naive alias": ({"messages": [{"role": "user", "content": "x", "time": "2026-04-01"}]}, 400,
                      "messages.0.at", "zone"),
    "a time before all": ({"messages": [{**HI, "at": "0001-01-01T00:00:00+14:00"}]}, 400,
                          "messages.0.at", "9998"),
    "a time after all": ({"messages": [{**HI, "at": "9999-12-31T23:59:59-14:00"}]}, 400,
                         "messages.0.at", "9998"),
    "two times": ({"messages": [{**HI, "time": HI["at"]}]}, 400, "messages.0.time", "same"),
    "a number in parts": ({"messages": [{"role": "user", "content": [1]}]}, 400,
                          "messages.0.content", "parts"),
    "a part without text": ({"messages": [{"role": "user", "content": [{"type": "text"}]}]}, 400,
                            "messages.0.content.0.text", "text"),
    "a content of truth": ({"messages": [{"role": "user", "content": True}]}, 400,
                           "messages.0.content", "parts"),
    "an unknown field": ({"messages": [{**HI, "att": "x"}]}, 400, "messages.0.att", "known"),
    "a control character": ({"messages": [{"role": "user", "content": "a\x00b"}]}, 400,
                            "messages.0.content", "control"),
    "half a pair": ({"messages": [{"role": "user", "content": ["fine", "\ud83d"]}]}, 400,
                    "messages.0.content.1", "surrogate"),
    "too long": ({"messages": [HI, {"role": "user", "content": LONG}]}, 413, "messages.1.content",
                 "20000"),
    "too long in parts": ({"messages": [{"role": "user", "content": [LONG[1:], "y"]}]}, 413,
                          "messages.0.content", "20000"),
    "too many": ({"messages": [{"role": "user", "content": "x"}] * 1_001}, 413, "messages", "1000"),
    "too large": ({"messages": "x" * 270_000}, 413, "body", "262144"),
    "two ids": ({"messages": [HI], "id": "a", "session_id": "b"}, 400, "session_id", "differ"),
    "a bad id": ({"messages": [HI], "run_id": ""}, 400, "run_id", "empty"),
    "an id of two parts": ({"messages": [HI], "run_id": "a/b"}, 400, "run_id", "paths"),
    "a long id": ({"messages": [HI], "id": "x" * 257}, 400, "id", "256"),
    "an id of a number": ({"messages": [HI], "id": 7}, 400, "id", "text"),
    "infer": ({"messages": [HI], "infer": "yes"}, 400, "infer", "true or false"),
    "a field": ({"messages": [HI], "importance": 1}, 400, "importance", "known"),
    "metadata": ({"messages": [HI], "metadata": {"a": "x" * 9_000}}, 400, "metadata", "8192"),
    "origin": ({"messages": [HI], "origin": "god"}, 400, "origin", "owner"),
    "participants": ({"messages": [HI], "participants": ["x"] * 65}, 400, "participants", "64"),
}  # fmt: skip


@pytest.mark.parametrize("name", BAD)
@pytest.mark.parametrize("path", ["/v1/conversations", "/v1/conversations/c/messages"])
def test_what_is_wrong_is_named_and_leaves_nothing_behind(world, name, path):
    body, status, field, word = BAD[name]
    if path.endswith("messages"):
        body = {key: value for key, value in body.items() if key not in ("id", "run_id")}
        if {"id", "session_id", "run_id"} & BAD[name][0].keys():
            return
    reply = Client().send("POST", path, {**ADA, **body})
    assert (reply.status, reply.error["details"]["field"]) == (status, field), reply.body
    assert word in reply.error["message"]
    assert "dogs" not in reply.error["message"]
    nothing_left(world)
