"""A scope is carried away and brought back: the same lines come out of it again."""

import json

import pytest

from hindwise.domain.call import Call
from hindwise.domain.scope import Origin, Role
from hindwise.runtime.wiring import ledger_of
from hindwise.usecases.archive import archive, restore
from tests.builders import principal, scope
from tests.integration.http_client import Client

ADA, BO = {"user_id": "ada"}, {"user_id": "bo"}
SLOT = {"type": "fact", "subject": "ada", "attribute": "city"}


@pytest.fixture
def admin(world):
    return Client(principal(role=Role.ADMIN))


def carried(admin, user="ada"):
    """All lines of a user."""
    lines, more = [], {}
    while True:
        page = admin.send("GET", "/v1/export", query={"user_id": user, **more})
        assert page.status == 200, page.body
        lines += page.body["lines"]
        if page.body["next"] is None:
            return lines
        more = {"cursor": page.body["next"]}


def brought(admin, lines, user="bo"):
    """What became of each line."""
    reply = admin.send("POST", "/v1/import", {"user_id": user, "lines": lines})
    assert reply.status == 200, reply.body
    return reply.body["results"]


def states(results):
    return [one["status"] for one in results]


def fields(line):
    return json.loads(line)


@pytest.fixture
def life(world, admin):
    """A user who moved, was corrected, argued, talked, and forgot something."""
    send = Client(principal()).send
    for day, city in enumerate(("Oslo", "Rome")):
        at = f"2026-01-0{day + 1}T08:00:00+01:00"
        body = {**ADA, **SLOT, "content": f"Ada lives in {city}", "value": city, "event_time": at}
        assert send("POST", "/v1/memories", body).status == 201
        world.clock.forward(hours=1)
    turns = [
        {"content": f"第 {n} 句", "session_id": "s", "speaker": "ada", "metadata": {"n": n / 3}}
        for n in range(3)
    ]
    ids = [
        one["id"] for one in send("POST", "/v1/memories", {**ADA, "items": turns}).body["results"]
    ]
    edit = {**ADA, "reason": "typo", "content": "第 0 句话", "importance": 0.9}
    assert send("PATCH", f"/v1/memories/{ids[0]}", edit).status == 200
    resting = {**ADA, "type": "decision", "content": "She counts", "evidence_ids": ids[:2]}
    assert send("POST", "/v1/memories", resting).status == 201
    assert send("PATCH", f"/v1/memories/{ids[1]}", {**ADA, "reason": "no", "marks": ["wrong"]})
    gone = send("POST", "/v1/memories", {**ADA, "content": "canary"}).body["id"]
    assert send("DELETE", f"/v1/memories/{gone}", query=ADA).status == 200
    said = {"id": "talk", "messages": [
        {"role": "user", "content": "I have a boat."},
        {"role": "system", "content": "Be brief."},
        {"role": "assistant", "content": "好的。", "tool_calls": [{"id": "t", "args": {"a": [1]}}]},
    ]}  # fmt: skip
    assert send("POST", "/v1/conversations", ADA | said).status == 202
    more = {"messages": [{"role": "user", "content": "And a horse."}]}
    assert send("POST", "/v1/conversations/talk/messages", ADA | more).status == 202
    return gone


def test_what_was_brought_back_is_carried_away_as_it_was(world, admin, life):
    lines = carried(admin)
    kinds = [fields(line)["line"] for line in lines]
    assert kinds.count("memory") == 6 and kinds.count("chunk") == 2
    assert kinds.count("version") >= 3 and kinds.count("conversation") == 1
    told = {fields(line).get("status", "active") for line in lines if '"memory"' in line[:20]}
    assert told == {"active", "superseded", "rejected"}
    assert not any("canary" in line or life in line for line in lines)
    world.clock.forward(days=3)
    results = brought(admin, lines)
    assert states(results) == ["created"] * len(lines), results
    assert carried(admin, "bo") == lines
    assert carried(admin) == lines


def test_a_parameter_that_it_does_not_know_stops_an_export(world, admin):
    reply = admin.send("GET", "/v1/export", query={**ADA, "limit": "3"})
    assert (reply.status, reply.error["details"]["field"]) == (400, "limit")


def test_a_second_time_stores_nothing_twice(world, admin, life):
    lines = carried(admin)
    brought(admin, lines)
    assert set(states(brought(admin, lines))) == {"known"}
    assert set(states(brought(admin, lines, "ada"))) == {"known"}
    assert carried(admin, "bo") == lines


def test_pages_come_to_the_same(world, admin, life, monkeypatch):
    whole = carried(admin)
    monkeypatch.setattr("hindwise.usecases.export.CHARS", 1)
    monkeypatch.setattr("hindwise.usecases.export.AT_ONCE", 2)
    assert carried(admin) == whole


def test_what_was_brought_back_lives_on(world, admin, life):
    brought(admin, carried(admin))
    world.project()
    client = Client(principal())
    found = client.send("POST", "/v1/search", {**BO, "query": "where does she live?"}).body
    assert [one["content"] for one in found["results"]][:1] == ["Ada lives in Rome"]
    city = {**BO, **SLOT, "content": "Ada lives in Bonn", "value": "Bonn"}
    moved = client.send("POST", "/v1/memories", city).body
    assert len(moved["superseded"]) == 1
    decided = client.send("GET", "/v1/memories", query={**BO, "type": "decision"}).body["results"]
    history = client.send("GET", f"/v1/memories/{decided[0]['id']}/history", query=BO).body
    before = client.send("GET", f"/v1/memories/{decided[0]['id']}/history", query=ADA).body
    assert history["evidence"] == before["evidence"] != []
    assert history["dependants"] == before["dependants"]
    turn = {**BO, "content": "新的一句", "session_id": "s"}
    assert client.send("POST", "/v1/memories", turn).body["memory"]["seq"] == 4
    talk = client.send("GET", "/v1/conversations/talk", query=BO).body
    assert [one["content"] for one in talk["messages"]] == [
        "I have a boat.", "Be brief.", "好的。", "And a horse.",
    ]  # fmt: skip


def test_what_was_forgotten_stays_forgotten(world, admin, life):
    lines = carried(admin)
    by_content = {fields(line).get("content"): fields(line).get("id") for line in lines}
    gone = by_content["Ada lives in Rome"]
    assert Client().send("DELETE", f"/v1/memories/{gone}", query=ADA).status == 200
    results = brought(admin, lines, "ada")
    taken = {
        fields(line)["id"] for line, one in zip(lines, results, strict=True)
        if one["status"] == "forgotten"
    }  # fmt: skip
    assert taken == {gone}
    assert not any("Rome" in line for line in carried(admin))


def test_nobody_s_word_counts_for_more_than_the_importer_s(world, admin, life):
    lines = carried(admin)
    lower = Client(principal(role=Role.ADMIN, ceiling=Origin.DOCUMENT))
    brought(lower, lines)
    kept = carried(admin, "bo")
    assert {fields(line)["origin"] for line in kept if "origin" in fields(line)} == {"document"}
    assert {fields(line)["ceiling"] for line in kept if "ceiling" in fields(line)} == {"document"}


@pytest.mark.parametrize("role", [Role.READER, Role.WRITER, Role.REVIEWER])
def test_only_an_administrator_carries(world, life, role):
    client = Client(principal(role=role))
    assert client.send("GET", "/v1/export", query=ADA).status == 403
    assert client.send("POST", "/v1/import", {**ADA, "lines": ["{}"]}).status == 403


def test_another_s_cursor_and_tenant_lead_nowhere(world, admin, life, monkeypatch):
    monkeypatch.setattr("hindwise.usecases.export.CHARS", 1)
    cursor = admin.send("GET", "/v1/export", query=ADA).body["next"]
    other = Client(principal(tenant="other", role=Role.ADMIN))
    assert other.send("GET", "/v1/export", query={**ADA, "cursor": cursor}).status == 400
    assert admin.send("GET", "/v1/export", query={**BO, "cursor": cursor}).status == 400
    assert carried(other) == []


GOOD = {
    "line": "memory", "id": "01KF0R9N40F45T3X78B8AZAE7R", "kind": "episodic", "content": "x",
    "origin": "owner", "event_time": "2026-01-15T18:30:00+08:00",
    "created_at": "2026-01-15T10:30:00Z", "updated_at": "2026-01-15T10:30:00Z",
}  # fmt: skip


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"line": "slot"}, "line"),
        ({"id": "01KF0R9N40F45T3X78B8AZAE7"}, "id"),
        ({"id": "7ZZZZZZZZZ" + "0" * 16}, "id"),
        ({"content": "a\u0000b"}, "content"),
        ({"content": ""}, "content"),
        ({"content": "x" * 20_001}, "content"),
        ({"origin": "god"}, "origin"),
        ({"kind": "working"}, "kind"),
        ({"status": "forgotten"}, "status"),
        ({"created_at": "2126-01-15T10:30:00Z"}, "created_at"),
        ({"event_time": "0001-01-01T00:00:00Z"}, "event_time"),
        ({"event_time": 5}, "event_time"),
        ({"verdicts": [{"other": "x", "verdict": "update", "at": "soon"}]}, "verdicts.0.at"),
        ({"version": 10**12}, "version"),
        ({"seq": -1, "session_id": "s"}, "seq"),
        ({"claims": ["text"]}, "claims.0"),
        ({"evidence_ids": ["a b"]}, "evidence_ids.0"),
        ({"audit_head": "x"}, "audit_head"),
        ({"no_such": 1}, "no_such"),
        ({"metadata": {"a": "x" * 9_000}}, "metadata"),
    ],
)
def test_a_line_that_cannot_be_is_named_and_the_others_are_taken(world, admin, change, field):
    good = json.dumps(GOOD)
    bad, taken = brought(admin, [json.dumps(GOOD | change), good])
    assert bad["status"] == "failed" and bad["error"]["details"]["field"] == field
    assert taken["status"] == "created"


@pytest.mark.parametrize(
    "line", ["", "[]", "{", '{"line": "memory"}', '{"a": 1, "a": 2}', "\udc80"]
)
def test_what_is_no_line_is_refused(world, admin, line):
    reply = admin.send("POST", "/v1/import", {"user_id": "bo", "lines": [line]})
    assert reply.status in (200, 400)
    if reply.status == 200:
        assert states(reply.body["results"]) == ["failed"]


def test_words_go_only_under_their_own_conversation(world, admin, life):
    lines = carried(admin)
    chunks = [line for line in lines if fields(line)["line"] == "chunk"]
    assert set(states(brought(admin, chunks))) == {"forgotten"}
    other = {**BO, "id": "talk", "messages": [{"role": "user", "content": "another"}]}
    world.clock.forward(hours=1)
    assert Client().send("POST", "/v1/conversations", other).status == 202
    results = brought(admin, chunks)
    assert {one["error"]["code"] for one in results} == {"conflict"}
    broken = fields(chunks[0])
    broken["messages"][0]["number"] = 7
    (bad,) = brought(admin, [json.dumps(broken)])
    assert bad["error"]["details"]["field"] == "messages"


def test_more_lines_than_a_call_takes_are_refused(world, admin):
    reply = admin.send("POST", "/v1/import", {"user_id": "bo", "lines": ["{}"] * 201})
    assert (reply.status, reply.error["details"]["field"]) == (400, "lines")
    reply = admin.send("POST", "/v1/import", {"user_id": "bo", "lines": ["x" * 1_100_000]})
    assert reply.status == 413
    long = json.dumps(GOOD | {"metadata": {"a": "x" * 370_000}})
    (bad,) = brought(admin, [long])
    assert bad["error"]["details"]["field"] == "line"


def test_a_table_that_is_down_ends_the_call_and_all_can_be_sent_again(world, admin, life):
    lines = carried(admin)
    world.store.faults.fail_next(on="commit")
    reply = admin.send("POST", "/v1/import", {"user_id": "bo", "lines": lines})
    assert reply.status == 503
    brought(admin, lines)
    assert carried(admin, "bo") == lines


def test_a_value_that_stands_by_now_is_met_as_a_new_one_would(world, admin, life):
    lines = carried(admin)
    world.clock.forward(days=1)
    city = {**BO, **SLOT, "content": "Bo lives in Bonn", "value": "Bonn"}
    assert Client().send("POST", "/v1/memories", city).status == 201
    brought(admin, lines)
    values = Client().send("GET", "/v1/memories", query={**BO, "type": "fact"}).body["results"]
    assert [one["value"] for one in values if one["status"] == "active"] == ["Bonn"]


def ledger_at(world, user):
    return ledger_of(Call(scope=scope(user), principal=principal(), now=world.clock()))


def test_what_was_archived_comes_back_with_its_words(world, admin):
    client = Client(principal())
    body = {**ADA, "content": "地下室的灯坏了", "importance": 0.1}
    gone = client.send("POST", "/v1/memories", body).body["id"]
    world.clock.forward(days=31)
    client.send("POST", "/v1/memories", {**ADA, "content": "x"})
    ledger = ledger_at(world, "ada")
    archive(ledger.need(gone), [], "unimportant", ledger=ledger, blobs=world.blobs)
    lines = carried(admin)
    assert [fields(line)["line"] for line in lines] == ["memory", "memory", "archive"]
    assert fields(lines[1])["status"] == "archived" and fields(lines[1])["content"] == ""
    results = brought(admin, lines)
    assert states(results) == ["created"] * 3, results
    assert carried(admin, "bo") == lines
    assert set(states(brought(admin, lines))) == {"known"}
    back = restore(gone, ledger=ledger_at(world, "bo"), blobs=world.blobs)
    assert (back.content, back.status) == ("地下室的灯坏了", "active")
    line = fields(lines[2])
    for change in ({"data": "AAAA"}, {"data": "!"}, {"digest": "0" * 64}, {"name": "archive/x"}):
        (bad,) = brought(admin, [json.dumps(line | change)])
        assert bad["error"]["code"] == "invalid"
    lower = Client(principal(role=Role.ADMIN, ceiling=Origin.DOCUMENT))
    (bad,) = brought(lower, [lines[2]])
    assert bad["error"]["code"] == "forbidden"
