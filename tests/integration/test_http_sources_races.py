"""Undoing a source while others write: races, jobs that were open, keys that were given anew."""

from hindwise.domain.changes import PutConversation, Replace
from hindwise.domain.jobs import JobState
from hindwise.domain.ports import QueueName
from hindwise.runtime.wiring import learner
from hindwise.usecases import sources
from hindwise.usecases.extract import extract
from tests.builders import principal, scope
from tests.integration.http_client import Client
from tests.integration.reviews import REVIEWER, decide, deliver, written
from tests.integration.test_http_sources import FORGED, order, planted, result, states, undone

ADA = {"user_id": "ada"}
TALK = {"path": "/v1/sources/c1/quarantine", "kind": "conversation"}


def said(*words):
    return {**ADA, "messages": [{"role": "user", "content": one} for one in words], "end": True}


def converse(client):
    return client.send("POST", "/v1/conversations", {**said("Tea is blue"), "id": "c1"}).body


def learn(world):
    while message := world.queues.take(QueueName.EXTRACT):
        extract(*message, worker=learner())


def test_lost_races_are_run_again(world, client):
    said_, fact, *_ = planted(client)
    world.store.faults.race_next(3, on=Replace)
    assert undone(world)["moved"] == 2
    world.store.faults.race_next(3, on=Replace)
    assert undone(world, undo=True)["moved"] == 2
    assert states(world, said_, fact) == ["active", "active"]


def test_who_loses_every_race_puts_the_job_off(world, client):
    planted(client)
    world.store.faults.race_next(150, on=Replace)
    ordered = order()
    deliver(world)
    job = result(ordered)
    assert (job["state"], job["tries"]["waits"]) == ("accepted", 1)


def test_a_job_that_is_let_go_of_in_between_changes_nothing_more(world, client, monkeypatch):
    ids = planted(client)
    ordered = order()
    job = ordered["jobs"][0]["job_id"]
    real = sources._page

    def let_go(page, now, ledger):
        client.send("POST", f"/v1/jobs/{job}/dismiss", ADA)
        return real(page, now, ledger)

    monkeypatch.setattr(sources, "_page", let_go)
    deliver(world)
    assert result(ordered)["state"] == "dismissed"
    assert states(world, *ids) == ["active"] * 4


def test_an_open_job_is_put_aside_and_goes_on_when_all_is_put_back(world, client):
    taken = converse(client)
    world.store.faults.race_next(1, on=PutConversation)
    undone(world, **TALK)
    job = world.learning.jobs.get(scope(), taken["job_id"])
    assert (job.state, job.reason) == (JobState.QUARANTINED, "source")
    learn(world)
    assert world.store.page(scope(), after=None, examine=10).memories == ()
    undone(world, undo=True, **TALK)
    learn(world)
    assert world.learning.jobs.get(scope(), taken["job_id"]).state is JobState.SUCCEEDED


def test_what_is_still_to_be_learnt_from_a_principal_is_put_aside(world, client):
    bot = Client(principal(name="bot"))
    its = converse(bot)
    mine = client.send("POST", "/v1/conversations", {**said("Milk is white"), "id": "c2"}).body
    undone(world, path="/v1/sources/bot/quarantine", kind="principal")
    learn(world)
    jobs = [world.learning.jobs.get(scope(), one["job_id"]) for one in (its, mine)]
    assert [job.state for job in jobs] == [JobState.QUARANTINED, JobState.SUCCEEDED]
    undone(world, path="/v1/sources/bot/quarantine", kind="principal", undo=True)
    learn(world)
    assert world.learning.jobs.get(scope(), its["job_id"]).state is JobState.SUCCEEDED


def test_what_was_given_anew_under_its_id_stays_quarantined(world, client):
    old = written(client, "The bank moved", external_id="crm-1", **FORGED)
    undone(world)
    written(client, "The bank stayed", external_id="crm-1")
    assert undone(world, undo=True)["moved"] == 0
    assert states(world, old) == ["quarantined"]
    assert decide("approve", old).status == 409


def test_evidence_is_given_back_however_often_a_race_is_lost(world, client):
    said_, _, other, both = planted(client)
    assert decide("reject", said_).status == 200
    world.store.faults.race_next(2, on=Replace)
    body = {**ADA, "reason": "it was right", "marks": []}
    decide("reopen", said_)
    assert decide("approve", said_).status == 200
    memory = REVIEWER.send("GET", f"/v1/memories/{both}", query=ADA).body
    assert set(memory["evidence_ids"]) == {said_, other}
    assert client.send("PATCH", f"/v1/memories/{both}", body).status == 200
