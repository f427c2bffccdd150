"""Undoing what one source taught: counted first, then hidden, and put back as it was."""

from datetime import timedelta

import pytest

from hindwise.domain.jobs import JobState
from hindwise.domain.ports import QueueName
from hindwise.domain.scope import Origin, Role
from hindwise.runtime import reviewing
from hindwise.runtime.due import send_due
from hindwise.runtime.wiring import learner
from hindwise.usecases import sources
from hindwise.usecases.extract import extract
from tests.builders import principal, scope
from tests.integration.http_client import Client
from tests.integration.reviews import ADMIN, REVIEWER, decide, deliver, held, waiting, written
from tests.integration.test_http_openapi import conforms
from tests.lab import Killed, Port, Tripwire, die

ADA = {"user_id": "ada"}
CITY = {"type": "fact", "subject": "ada", "attribute": "city"}
FORGED = {"source": {"document": "https://forged.example/p?a=1"}}
PATH = "/v1/sources/https%3A%2F%2Fforged.example%2Fp%3Fa%3D1/quarantine"


def order(path=PATH, client=REVIEWER, **body):
    reply = client.send("POST", path, {**ADA, "kind": "document", "dry_run": False, **body})
    assert reply.status == 202, reply.body
    return conforms(reply, "quarantineSource").body


def result(ordered, client=REVIEWER):
    (one,) = ordered["jobs"]
    query = {"user_id": one["user_id"]}
    return conforms(client.send("GET", f"/v1/jobs/{one['job_id']}", query=query), "readJob").body


def undone(world, **body):
    """The result of an order that is carried out."""
    ordered = order(**body)
    deliver(world)
    job = result(ordered)
    assert job["state"] in ("succeeded", "succeeded_empty")
    return job["result"]


def states(world, *ids):
    found = world.store.get(scope(), ids)
    return [found[one].status.value for one in ids]


def planted(client):
    """A forged page: what it says, what rests on it alone, and what rests on more."""
    said = written(client, "The bank moved", **FORGED)
    fact = written(client, "The bank is in Rome", type="fact", evidence_ids=[said])
    other = written(client, "I saw a bank in Rome")
    both = written(client, "Rome has banks", type="fact", evidence_ids=[said, other])
    return said, fact, other, both


def test_a_dry_run_counts_and_changes_nothing(world, client):
    ids = planted(client)
    counts = undone(world, dry_run=True)
    told = {name: counts[name] for name in ("found", "derived", "moved", "weakened", "examined")}
    assert told == {"found": 1, "derived": 1, "moved": 2, "weakened": 1, "examined": 4}
    assert states(world, *ids) == ["active"] * 4


def test_all_of_a_source_is_quarantined_and_put_back(world, client):
    said, fact, other, both = planted(client)
    counts = undone(world)
    assert (counts["found"], counts["derived"], counts["moved"]) == (1, 1, 2)
    assert states(world, said, fact, other, both) == [
        "quarantined",
        "quarantined",
        "active",
        "active",
    ]
    weak = world.store.get(scope(), [both])[both]
    assert (weak.evidence_ids, weak.confidence, weak.flags) == (
        (other,),
        0.4,
        ("evidence_changed",),
    )
    assert {case["memory"]["id"] for case in waiting()} == {said, fact}
    assert {rule for case in waiting() for rule in case["rules"]} == {"source_quarantine"}
    again = undone(world)
    assert (again["moved"], again["weakened"]) == (2, 0)
    counts = undone(world, undo=True)
    assert counts["moved"] == 2
    assert states(world, said, fact, other, both) == ["active"] * 4
    whole = world.store.get(scope(), [both])[both]
    assert (set(whole.evidence_ids), whole.confidence, whole.flags) == ({said, other}, 0.8, ())
    assert undone(world, undo=True)["moved"] == 0


def test_what_a_source_had_superseded_stands_again(world, client):
    first = written(client, "Lives in Oslo", event_time="2026-01-01T00:00:00Z", **CITY)
    forged = {"event_time": "2026-02-01T00:00:00Z", **CITY, **FORGED}
    second = written(client, "Lives in Rome", **forged)
    third = written(client, "Lives in Bonn", **{**forged, "event_time": "2026-02-02T00:00:00Z"})
    assert states(world, first, second, third) == ["superseded", "superseded", "active"]
    assert undone(world, dry_run=True)["revived"] == 1
    assert undone(world)["revived"] == 1
    assert states(world, first, second, third) == ["active", "quarantined", "quarantined"]
    record = world.store.get(scope(), [first])[first]
    assert (record.superseded_by, record.valid_until) == (None, None)
    undone(world, undo=True)
    assert states(world, first, second, third) == ["superseded", "superseded", "active"]


def test_one_by_one_a_reviewer_releases_what_is_good(world, client):
    said, fact, *_ = planted(client)
    undone(world)
    assert decide("reject", said).body["status"] == "rejected"
    assert decide("approve", fact).body["memory"]["flags"] == ["evidence_changed"]
    undone(world, undo=True)
    assert states(world, said, fact) == ["rejected", "active"]


def test_what_was_held_before_is_not_released_by_undoing(world, client):
    one = held(world, "ignore all", source={"document": "https://forged.example/p?a=1"})
    assert undone(world)["moved"] == 0
    undone(world, undo=True)
    assert states(world, one) == ["quarantined"]


def test_all_that_a_principal_wrote_is_found(world, client):
    bot = Client(principal(name="bot", ceiling=Origin.AGENT))
    mine, its = written(client, "Tea is brown"), written(bot, "Tea is blue")
    assert undone(world, path="/v1/sources/bot/quarantine", kind="principal")["found"] == 1
    assert states(world, mine, its) == ["active", "quarantined"]


def test_nothing_more_is_learnt_from_a_conversation_until_it_is_put_back(world, client):

    def learn():
        while message := world.queues.take(QueueName.EXTRACT):
            extract(*message, worker=learner())

    def said(*words):
        return {**ADA, "messages": [{"role": "user", "content": one} for one in words], "end": True}

    talk = {**said("Tea is blue", "Really?"), "id": "c1", "infer": False}
    assert client.send("POST", "/v1/conversations", talk).status == 202
    learn()
    more = said("Milk is green")
    job = client.send("POST", "/v1/conversations/c1/messages", more).body["job_id"]
    path = {"path": "/v1/sources/c1/quarantine", "kind": "conversation"}
    assert undone(world, **path)["found"] == 2
    learn()
    found = world.learning.jobs.get(scope(), job)
    assert (found.state, found.reason) == (JobState.QUARANTINED, "source")
    client.send("POST", f"/v1/jobs/{job}/retry", ADA)
    learn()
    client.send("POST", "/v1/conversations/c1/messages", said("Beer is red"))
    learn()
    page = world.store.page(scope(), after=None, examine=100)
    assert {one.status.value for one in page.memories} == {"quarantined"}
    undone(world, undo=True, **path)
    learn()
    page = world.store.page(scope(), after=None, examine=100)
    told = sorted(one.content for one in page.memories if one.status.value == "active")
    assert told == ["Beer is red", "Milk is green", "Really?", "Tea is blue"]


@pytest.mark.parametrize("after", [False, True])
def test_killed_anywhere_and_done_again_it_ends_the_same(world, client, after):
    wire, call = Tripwire(), 0
    real = world.store
    planted(client)
    first = written(client, "Lives in Oslo", event_time="2026-01-01T00:00:00Z", **CITY)
    last = written(client, "Lives in Rome", event_time="2026-02-01T00:00:00Z", **CITY, **FORGED)
    undone(world)
    expected = sorted((one.content, one.status) for one in everything(real))
    while True:
        undone(world, undo=True)
        call += 1
        ordered = order()
        world.store = Port(real, wire)
        wire.arm(call, die, after=after)
        try:
            deliver(world)
        except Killed:
            died = True
        else:
            died = False
        wire.disarm()
        world.store = real
        world.clock.forward(minutes=10)
        send_again(world)
        deliver(world)
        assert result(ordered)["state"] == "succeeded"
        assert sorted((one.content, one.status) for one in everything(real)) == expected
        assert states(world, first, last) == ["active", "quarantined"]
        if not died:
            break
    assert call > 10


def everything(store):
    return store.page(scope(), after=None, examine=100).memories


def send_again(world):
    send_due(world, longest=timedelta(seconds=10))


def test_out_of_time_it_goes_on_by_queue(world, client, monkeypatch):
    for number in range(7):
        written(client, f"The bank moved {number}", **FORGED)
    monkeypatch.setattr(sources, "PAGE", 2)
    monkeypatch.setattr(sources, "LONGEST", timedelta(0))
    ordered = order()
    assert deliver(world) == 4
    assert result(ordered)["result"]["moved"] == 7


def test_an_admin_has_it_done_for_all_users(world, client):
    for user in ("ada", "bob", "eve"):
        written(client, "The bank moved", user, **FORGED)
    world.project()
    body = {"kind": "document", "dry_run": False}
    assert REVIEWER.send("POST", PATH, body).status == 403
    reply = conforms(ADMIN.send("POST", PATH, body), "quarantineSource")
    assert [one["user_id"] for one in reply.body["jobs"]] == ["ada", "bob", "eve"]
    deliver(world)
    assert len(waiting(user_id="bob")) == 1
    some = Client(principal(role=Role.ADMIN, users=("ada", "eve")))
    jobs = some.send("POST", PATH, body).body["jobs"]
    assert [one["user_id"] for one in jobs] == ["ada", "eve"]


def test_many_users_are_ordered_for_page_by_page(world, client, monkeypatch):
    monkeypatch.setattr(reviewing, "FANOUT", 2)
    for user in ("ada", "bob", "eve"):
        written(client, "The bank moved", user, **FORGED)
    world.project()
    body = {"kind": "document", "dry_run": True}
    first = ADMIN.send("POST", PATH, body).body
    last = ADMIN.send("POST", PATH, {**body, "cursor": first["next"]}).body
    assert [one["user_id"] for one in first["jobs"] + last["jobs"]] == ["ada", "bob", "eve"]
    assert last["next"] is None
    wrong = ADMIN.send("POST", PATH, {**body, "dry_run": False, "cursor": first["next"]})
    assert wrong.error["details"]["field"] == "cursor"


def test_other_tenants_users_and_sources_are_left_alone(world, client):
    other = Client(principal(tenant="other", role=Role.ADMIN))
    mine, bobs = written(client, "The bank", **FORGED), written(client, "The bank", "bob", **FORGED)
    world.project()
    assert other.send("POST", PATH, {"kind": "document", "dry_run": False}).body["jobs"] == []
    undone(world, path="/v1/sources/p/quarantine")
    other.send("POST", PATH, {**ADA, "kind": "document", "dry_run": False})
    deliver(world)
    assert states(world, mine) == ["active"]
    undone(world)
    assert world.store.get(scope("bob"), [bobs])[bobs].status.value == "active"


@pytest.mark.parametrize("body", [{}, {"kind": "rumour"}, {"kind": "document", "reason": ""}])
def test_a_wrong_order_is_named(world, body):
    reply = REVIEWER.send("POST", PATH, {**ADA, **body})
    assert reply.status == 400
    assert reply.error["details"]["field"] in ("kind", "reason")


def test_users_are_listed_for_admins_of_their_own_tenant(world, client):
    for user in ("ann", "anna", "李四"):
        written(client, "hello", user)
    written(Client(principal(tenant="other")), "hello", "anders")
    world.project()
    reply = conforms(ADMIN.send("GET", "/v1/users", query={"limit": 2}), "listUsers")
    rest = ADMIN.send("GET", "/v1/users", query={"limit": 2, "cursor": reply.body["next"]}).body
    found = [one["user_id"] for one in reply.body["results"] + rest["results"]]
    assert (sorted(found), rest["next"]) == (["ann", "anna", "李四"], None)
    prefixed = ADMIN.send("GET", "/v1/users", query={"prefix": "an"}).body["results"]
    assert [one["user_id"] for one in prefixed] == ["ann", "anna"]
    assert ADMIN.send("GET", "/v1/users", query={"prefix": ""}).status == 400


def test_an_address_that_stands_in_no_path_is_said_in_the_body(world, client):
    said, fact, *_ = planted(client)
    undone(world, path="/v1/sources/-/quarantine", source="https://forged.example/p?a=1")
    assert states(world, said, fact) == ["quarantined", "quarantined"]
    for path, more in ((PATH, {"source": "x"}), ("/v1/sources/-/quarantine", {})):
        reply = REVIEWER.send("POST", path, {**ADA, "kind": "document", **more})
        assert (reply.status, reply.error["details"]["field"]) == (400, "source")


def test_a_secret_in_a_reason_is_cut_out_of_it(world, client):
    said, *_ = planted(client)
    undone(world, reason="it holds AKIA" + "IOSFODNN7EXAMPLE")
    memory = world.store.get(scope(), [said])[said]
    assert memory.change_reason == "it holds [redacted: aws access key]"
