"""Memories as they are shown: what is null, and what is left out."""

import pytest

ADA = {"user_id": "ada"}


@pytest.mark.parametrize("more", [{}, {"type": "fact"}, {"task_id": "t", "key": "k"}])
def test_what_every_memory_has_a_state_of_is_null_and_not_missing(client, more):
    written = client.send("POST", "/v1/memories", {**ADA, "content": "a", **more}).body
    read = client.send("GET", f"/v1/memories/{written['id']}", query=ADA).body
    for shown in (written["memory"], read):
        for name in ("last_access_at", "superseded_by", "valid_from", "valid_until"):
            assert shown[name] is None
        assert not {"session_id", "speaker", "scene", "summary", "external_id"} & shown.keys()
    until = "2027-01-01T00:00:00+08:00"
    dated = client.send("POST", "/v1/memories", {**ADA, "content": "b", "valid_until": until})
    assert dated.body["memory"]["valid_until"] == until
