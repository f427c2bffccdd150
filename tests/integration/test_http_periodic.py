"""The weekly review: what is recalled most and nobody has looked at comes before a person."""

from datetime import timedelta

from hindwise.domain.changes import Replace, Touch
from hindwise.usecases import periodic
from tests.builders import principal, scope
from tests.integration.http_client import Client
from tests.integration.reviews import REVIEWER, decide, deliver, waiting, weekly, written
from tests.lab import Killed, Port, Tripwire, die

ADA = {"user_id": "ada"}


def recalled(world, memory_id, times, user="ada"):
    touch = Touch(memory_id=memory_id, times=times, at=world.clock())
    world.store.touch(scope(user), [touch])


def often(world, client, count, user="ada", times=9):
    made = [written(client, f"Fact number {n}", user, type="fact") for n in range(count)]
    for one in made:
        recalled(world, one, times, user)
    return made


def listed(user="ada"):
    return {case["memory"]["id"] for case in waiting(user_id=user, kind="periodic", limit=100)}


def contents(client, query):
    found = client.send("POST", "/v1/search", {**ADA, "query": query, "top_k": 100}).body
    return [one["content"] for one in found["results"]]


def test_the_wrong_one_leaves_and_the_approved_do_not_come_back(world, client):
    fine = [written(client, f"Plain fact {n}", type="fact") for n in range(32)]
    made = often(world, client, 8)
    base = made[0]
    rests = written(client, "It rests on that", type="fact", evidence_ids=[base])
    world.project()
    assert weekly(world) == {"scopes": 1, "flagged": 8, "more": False}
    assert listed() == {*made}
    assert listed().isdisjoint(fine)
    world.project()
    assert len(contents(client, "Fact number")) >= 8
    case = waiting(kind="periodic")[0]
    assert (case["memory"]["access_count"], case["memory"]["status"]) == (9, "active")
    for one in made[1:]:
        assert decide("approve", one).body["memory"]["marks"] == ["reviewed"]
    gone = {**ADA, "reason": "wrong", "marks": ["wrong"]}
    assert REVIEWER.send("PATCH", f"/v1/memories/{base}", gone).status == 200
    world.project()
    assert "Fact number 0" not in contents(client, "Fact number")
    flags = client.send("GET", f"/v1/memories/{rests}", query=ADA).body["flags"]
    assert flags == ["evidence_changed"]
    for _ in range(2):
        world.clock.forward(days=7)
        assert weekly(world) == {"scopes": 1, "flagged": 0, "more": False}
        assert listed() == set()


def test_the_most_recalled_come_first_and_no_more_than_may_wait(world, client):
    made = [written(client, f"Fact number {n}", type="fact") for n in range(25)]
    for number, one in enumerate(made):
        recalled(world, one, number + 1)
    world.project()
    assert weekly(world)["flagged"] == 20
    assert listed() == {*made[5:]}
    assert weekly(world) == {"scopes": 0, "flagged": 0, "more": False}
    world.clock.forward(days=7)
    assert weekly(world)["flagged"] == 0
    decide("approve", made[24])
    world.clock.forward(days=7)
    assert weekly(world)["flagged"] == 1
    assert listed() == {*made[4:24]}


def test_what_nobody_recalled_and_episodes_are_left_alone(world, client):
    written(client, "never recalled", type="fact")
    recalled(world, written(client, "it happened"), 9)
    world.project()
    assert weekly(world)["flagged"] == 0


def test_each_user_of_each_tenant_is_looked_at(world, client):
    often(world, client, 2, "ada")
    often(world, client, 3, "bob")
    other = Client(principal(tenant="other"))
    theirs = written(other, "Fact", type="fact")
    touch = Touch(memory_id=theirs, times=3, at=world.clock())
    world.store.touch(scope(tenant="other"), [touch])
    world.project()
    assert weekly(world) == {"scopes": 3, "flagged": 6, "more": False}
    assert len(listed("bob")) == 3


def test_out_of_time_it_goes_on_by_queue(world, client, monkeypatch):
    for user in ("ada", "bob", "eve"):
        often(world, client, 1, user)
    world.project()
    monkeypatch.setattr(periodic, "LONGEST", timedelta(0))
    assert weekly(world) == {"scopes": 0, "flagged": 0, "more": True}
    monkeypatch.setattr(periodic, "LONGEST", timedelta(seconds=45))
    assert deliver(world) == 1
    assert [len(listed(user)) for user in ("ada", "bob", "eve")] == [1, 1, 1]


def test_a_scope_that_cannot_be_read_holds_up_no_other(world, client):
    for user in ("ada", "bob"):
        often(world, client, 1, user)
    world.project()
    world.store.faults.fail_next(1, on="current")
    assert weekly(world)["scopes"] == 1
    assert weekly(world)["scopes"] == 1
    assert len(listed("ada")) + len(listed("bob")) == 2


def test_killed_anywhere_and_run_again_it_ends_the_same(world, client):
    made, call = often(world, client, 3), 0
    world.project()
    real, wire = world.store, Tripwire()
    while True:
        call += 1
        world.store = Port(real, wire)
        wire.arm(call, die, after=bool(call % 2))
        try:
            weekly(world)
        except Killed:
            died = True
        else:
            died = False
        wire.disarm()
        world.store = real
        weekly(world)
        assert listed() == {*made}
        if not died:
            break
        for one in made:
            before = real.get(scope(), [one])[one]
            fresh = {"flags": (), "version": before.version + 1}
            after = before.model_copy(update=fresh)
            real.commit(scope(), [Replace(before=before, after=after)])
        world.clock.forward(days=7)
    assert call > 4


def test_who_loses_a_race_is_left_to_the_next_week(world, client):
    often(world, client, 1)
    world.project()
    world.store.faults.race_next(1, on=Replace)
    assert weekly(world)["flagged"] == 0
    world.clock.forward(days=7)
    assert weekly(world)["flagged"] == 1


def test_marks_are_shown_and_audited_and_an_obsolete_one_sinks_but_stays(world, client):
    old = written(client, "旧机房的门牌在三号楼", type="fact")
    new = written(client, "新机房在五号楼", type="fact")
    mark = {**ADA, "reason": "搬走了", "marks": ["obsolete"]}
    assert client.send("PATCH", f"/v1/memories/{old}", mark).status == 200
    world.project()
    found = client.send("POST", "/v1/search", {**ADA, "query": "机房"}).body["results"]
    assert [(one["id"], one["status"]) for one in found] == [(new, "active"), (old, "obsolete")]
    history = client.send("GET", f"/v1/memories/{old}/history", query=ADA).body
    memory = history["memory"]
    assert (memory["marks"], memory["change_reason"]) == (["obsolete"], "搬走了")
    assert (memory["superseded_by"], memory["valid_until"]) == (None, None)
    last = history["audit"][-1]
    assert (last["decision"], last["actor"]) == ("edited", "tester")


def test_a_pinned_one_is_in_every_block_and_a_wrong_one_in_none(world, client):
    three = [written(client, f"用户养了{n}只鹦鹉", type="fact", importance=0.2) for n in "一二三"]
    for one, mark in zip(three, ("pinned", "wrong", "obsolete"), strict=True):
        body = {**ADA, "reason": "r", "marks": [mark]}
        assert client.send("PATCH", f"/v1/memories/{one}", body).status == 200
        shown = client.send("GET", f"/v1/memories/{one}", query=ADA).body
        assert shown["marks"] == [mark]
    world.project()
    block = client.send("POST", "/v1/context", {**ADA, "query": "天气"}).body
    assert "一只鹦鹉" in block["background"]
    assert "二只鹦鹉" not in str(contents(client, "鹦鹉"))
