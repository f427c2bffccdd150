"""The audit over HTTP: who changed what, refusals, checks, watched recalls; and who may see it."""

import json

import pytest

from hindwise.domain.limits import Limits, TenantLimits
from hindwise.domain.scope import Role
from hindwise.runtime import digesting
from hindwise.runtime.wiring import wiring
from hindwise.usecases.audit import PER_MINUTE
from tests.builders import principal, scope
from tests.integration.http_client import Client, call
from tests.integration.test_http_openapi import conforms

ADA = {"user_id": "ada"}
REVIEWER = principal(name="rita", role=Role.REVIEWER)
NARROW = principal(name="nora", role=Role.REVIEWER, users=("ada",))
ZETA = principal(tenant="zeta", name="zoe", role=Role.ADMIN)
DAY = "2026-03-13"


def write(content="a canary", user="ada", who=None):
    wiring().clock.forward(seconds=1)
    reply = Client(who).send("POST", "/v1/memories", {"user_id": user, "content": content})
    assert reply.status == 201, reply.body
    return reply.body["id"]


def get(path, who=REVIEWER, **query):
    return Client(who).send("GET", path, query=query)


def walked(path, who=REVIEWER, **query):
    rows, cursor = [], {}
    while True:
        page = get(path, who, **query, **cursor)
        assert page.status == 200, page.body
        rows += page.body["results"]
        if page.body["next"] is None:
            return rows
        cursor = {"cursor": page.body["next"]}


def test_a_memorys_changes_are_told_to_whoever_may_read_it(world):
    memory_id = write()
    edit = {**ADA, "content": "other words", "reason": "a test says so"}
    Client().send("PATCH", f"/v1/memories/{memory_id}", edit)
    Client().send("DELETE", f"/v1/memories/{memory_id}", query=ADA)
    reader = principal(role=Role.READER)
    found = conforms(get("/v1/audit", reader, memory_id=memory_id, **ADA), "readAudit")
    assert [row["decision"] for row in found.body["results"]] == ["forgotten", "edited", "created"]
    assert {row["actor"] for row in found.body["results"]} == {"tester"}
    assert "canary" not in json.dumps(found.body) and "words" not in json.dumps(found.body)
    for who, user in ((reader, "bob"), (ZETA, "ada")):
        assert get("/v1/audit", who, memory_id=memory_id, user_id=user).status == 404


def test_a_users_rows_come_newest_first_over_days_and_pages(world):
    made = []
    for _ in range(4):
        made += [write(f"{n}") for n in range(3)]
        write("of bob", "bob")
        world.clock.forward(days=20)
    for limit in (1, 2, 5, 200):
        rows = walked("/v1/audit", limit=limit, **ADA)
        assert [row["memory_id"] for row in rows] == made[::-1]
    conforms(get("/v1/audit", **ADA), "readAudit")
    some = walked("/v1/audit", since="2026-04-01", until="2026-04-10", **ADA)
    assert [row["memory_id"] for row in some] == made[5:2:-1]


def test_rows_of_others_in_between_do_not_empty_a_page(world):
    mine = write()
    for n in range(40):
        write("of others", f"user-{n}")
    [row] = get("/v1/audit", limit=1, **ADA).body["results"]
    assert row["memory_id"] == mine


def test_a_day_is_for_reviewers_and_shows_whom_they_may_see(world):
    ada, bob = write(), write("b", "bob")
    assert [row["memory_id"] for row in walked("/v1/audit", day=DAY, limit=1)] == [bob, ada]
    assert [row["memory_id"] for row in walked("/v1/audit", NARROW, day=DAY)] == [ada]
    assert [row["memory_id"] for row in walked("/v1/audit", day=DAY, user_id="bob")] == [bob]
    assert walked("/v1/audit", ZETA, day=DAY) == []
    assert get("/v1/audit", NARROW, day=DAY, user_id="bob").status == 403
    assert walked("/v1/audit", day="2026-03-14") == []
    for role in (Role.READER, Role.WRITER):
        for query in ({"day": DAY}, ADA):
            assert get("/v1/audit", principal(role=role), **query).status == 403
        for path in ("verify", "recalls"):
            assert get(f"/v1/audit/{path}", principal(role=role), **ADA).status == 403


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ({}, "user_id"),
        ({"day": "13.3.2026"}, "day"),
        ({"day": "2026-02-30"}, "day"),
        ({"day": "0001-01-01"}, "day"),
        ({**ADA, "since": "2026-05-01", "until": "2026-04-01"}, "since"),
        ({**ADA, "day": DAY, "since": DAY}, "day"),
        ({**ADA, "memory_id": "x"}, "memory_id"),
        ({**ADA, "memory_id": "0" * 26, "since": DAY}, "memory_id"),
        ({**ADA, "limit": "0"}, "limit"),
        ({**ADA, "limit": "201"}, "limit"),
        ({**ADA, "cursor": "x"}, "cursor"),
        ({**ADA, "page": "2"}, "page"),
    ],
)
def test_what_is_not_understood_is_named(world, query, field):
    refused = conforms(get("/v1/audit", **query), "readAudit")
    assert (refused.status, refused.error["details"]["field"]) == (400, field)


def test_a_cursor_is_of_its_list_key_and_tenant(world):
    for n in range(3):
        write(f"{n}")
    cursor = get("/v1/audit", limit=1, **ADA).body["next"]
    for who, path, query in (
        (NARROW, "/v1/audit", ADA),
        (REVIEWER, "/v1/audit", {"day": DAY}),
        (REVIEWER, "/v1/audit/verify", ADA),
        (REVIEWER, "/v1/audit/recalls", ADA),
        (ZETA, "/v1/audit", ADA),
    ):
        assert get(path, who, cursor=cursor, **query).status == 400


def test_refused_changes_are_noted_and_refused_reads_are_not(world):
    reader = principal(name="rob", role=Role.READER, users=("ada",))
    body = {"user_id": "ada", "content": "a canary"}
    assert Client(reader).send("POST", "/v1/memories", body).status == 403
    stranger = principal(name="wim", users=("ada",))
    foreign = {"user_id": "a canary's friend", "content": "x"}
    world.clock.forward(seconds=1)
    assert Client(stranger).send("POST", "/v1/memories", foreign).status == 403
    memory_id = write()
    world.clock.forward(seconds=1)
    gone = Client(reader).send("DELETE", f"/v1/memories/{memory_id}", query=ADA)
    assert gone.status == 403
    assert get("/v1/audit", reader, day=DAY).status == 403
    assert get("/v1/audit", stranger, user_id="bob").status == 403
    search = {"user_id": "bob", "query": "x"}
    assert Client(stranger).send("POST", "/v1/search", search).status == 403
    listed = conforms(get("/v1/audit", day=DAY), "readAudit")
    rows = [row for row in listed.body["results"] if row["decision"] == "refused"]
    assert [(row["actor"], row["call"], row["code"]) for row in rows] == [
        ("rob", "forgetMemory", "forbidden"),
        ("wim", "writeMemories", "forbidden"),
        ("rob", "writeMemories", "forbidden"),
    ]
    assert rows[0]["memory_id"] == memory_id and rows[2]["user_id"] == "ada"
    assert rows[1]["user_id"].startswith("~") and "canary" not in json.dumps(rows)
    own = walked("/v1/audit", NARROW, **ADA)
    assert [row["decision"] for row in own] == ["refused", "created", "refused"]


def test_orders_about_many_records_are_noted_with_who_gave_them(world):
    write()
    dry = {**ADA, "all": True}
    assert Client(REVIEWER).send("POST", "/v1/forget", dry).status < 300
    assert world.store.audit_log.notes["acme"] == []
    ordered = Client(REVIEWER).send("POST", "/v1/forget", {**dry, "dry_run": False})
    assert ordered.status == 202, ordered.body
    (row,) = [row for row in walked("/v1/audit", day=DAY) if row["decision"] == "ordered"]
    assert (row["actor"], row["call"], row["user_id"]) == ("rita", "forgetMany", "ada")


def test_refusals_are_bounded_and_never_in_the_way(world):
    reader = principal(name="rob", role=Role.READER)
    for _ in range(PER_MINUTE + 30):
        assert Client(reader).send("POST", "/v1/memories", {**ADA, "content": "x"}).status == 403
    assert len(world.store.audit_log.notes["acme"]) == PER_MINUTE
    world.clock.forward(minutes=1)
    world.store.faults.fail_next(50, on="note")
    for _ in range(50):
        assert Client(reader).send("POST", "/v1/memories", {**ADA, "content": "x"}).status == 403
    assert len(world.store.faults._failing) == 49
    event = Client().event("POST", "/v1/memories", json.dumps({**ADA, "content": "x"}), {})
    del event["requestContext"]["authorizer"]
    assert call("write", event).status == 401
    assert len(world.store.audit_log.notes["acme"]) == PER_MINUTE


def test_a_user_and_a_day_are_checked_over_http(world):
    memory_id = write()
    world.project()
    world.clock.forward(days=1)
    assert digesting.digested()["rows"] == 1
    checked = conforms(get("/v1/audit/verify", **ADA), "verifyAudit")
    assert (checked.status, checked.body["faults"]) == (200, [])
    assert checked.body["next"] is not None

    def faults(**query):
        found, cursor = [], {}
        while True:
            page = conforms(get("/v1/audit/verify", **query, **cursor), "verifyAudit").body
            found += page["faults"]
            if page["next"] is None:
                return found
            cursor = {"cursor": page["next"]}

    assert faults(**ADA) == faults(day=DAY) == []
    rows = world.store.world.home(scope()).audits[memory_id]
    rows[0] = rows[0].model_copy(update={"actor": "mallory"})
    for query in (ADA, {"day": DAY}):
        assert [one["wrong"] for one in faults(**query)] == ["altered"]
    assert get("/v1/audit/verify", day=DAY, **ADA).error["details"]["field"] == "day"
    assert get("/v1/audit/verify").error["details"]["field"] == "user_id"


def test_recalls_are_written_down_in_audit_mode_alone_encrypted_and_for_reviewers(world):
    write("the blue kettle whistles")
    ask = {**ADA, "query": "我的蓝色 kettle?"}
    assert Client().send("POST", "/v1/search", ask).status == 200
    assert walked("/v1/audit/recalls") == []
    world.trust = world.trust.__class__(**{**vars(world.trust), "audit": world.auditing(watch=1)})
    found = Client().send("POST", "/v1/search", ask).body
    block = Client().send("POST", "/v1/context", ask).body
    rows = conforms(get("/v1/audit/recalls", **ADA), "readRecalls").body["results"]
    assert [(row["id"], row["call"]) for row in rows] == [
        (block["recall_id"], "context"),
        (found["recall_id"], "search"),
    ]
    assert {row["query"] for row in rows} == {ask["query"]}
    place = rows[1]["results"][0]
    assert (place["rank"], place["id"]) == (1, found["results"][0]["id"])
    assert place["arms"] and place["score"] == found["results"][0]["score"]
    assert walked("/v1/audit/recalls", limit=1) == rows
    assert walked("/v1/audit/recalls", NARROW) == rows
    stored = world.store.world.home(scope()).recalls
    assert "kettle" not in "".join(one.model_dump_json() for one in stored.values())
    assert walked("/v1/audit/recalls", ZETA) == []
    assert get("/v1/audit/recalls", NARROW, user_id="bob").status == 403
    moved = stored[found["recall_id"]]
    altered = moved.model_copy(update={"query": "z" + moved.query[1:]})
    stored[found["recall_id"]] = altered
    assert walked("/v1/audit/recalls", **ADA)[1]["query"] is None
    world.store.faults.fail_next(on="put_recall")
    assert Client().send("POST", "/v1/search", ask).status == 200
    world.clock.forward(days=7, seconds=1)
    assert walked("/v1/audit/recalls", **ADA) == []


def test_over_its_limits_a_tenant_is_told_which_and_when_to_come_back(world):
    limits = Limits(writes_per_minute=2, tenants={"zeta": TenantLimits(writes_per_minute=0)})
    world.trust = world.trust.__class__(**{**vars(world.trust), "limiter": world.limiter(limits)})
    for n in range(2):
        write(f"{n}")
    over = conforms(Client().send("POST", "/v1/memories", {**ADA, "content": "x"}), "writeMemories")
    assert (over.status, over.error["code"]) == (429, "limited")
    assert over.headers["retry-after"] == "58"
    assert over.error["details"]["limit"] == "writes_per_minute"
    assert Client().send("POST", "/v1/search", {**ADA, "query": "x"}).status == 200
    for n in range(5):
        write(f"{n}", who=principal(tenant="zeta"))
    told = conforms(Client().send("GET", "/v1/me"), "me").body["limits"]
    assert told["writes_per_minute"] == 2 and "embeddings_per_day" in told
    assert Client().send("GET", "/v1/health").status == 200
