"""Jobs and queues over HTTP: lists, retry, dismiss, dead letters."""

import json

import pytest

from hindwise.domain.changes import PutJob
from hindwise.domain.jobs import JobState
from hindwise.domain.ports import QueueName
from hindwise.domain.scope import Role
from tests.builders import principal, scope
from tests.integration.http_client import Client
from tests.integration.test_http_openapi import conforms

ADA = {"user_id": "ada"}
MISSING = "01ARZ3NDEKTSV4RRFFQ69G5FAV"
ADMIN = principal(role=Role.ADMIN)


def tell(text, **more):
    body = {**ADA, "messages": text, **more}
    return Client().send("POST", "/v1/conversations", body).body["job_id"]


def become(world, job_id, state, user="ada", **changes):
    job = world.learning.jobs.get(scope(user), job_id)
    after = job.model_copy(update={"state": state, "version": job.version + 1, **changes})
    world.store.commit(scope(user), [PutJob(job=after, before=job)])


def act(job_id, what, who=None):
    return Client(who).send("POST", f"/v1/jobs/{job_id}/{what}", ADA)


def listed(**query):
    reply = Client().send("GET", "/v1/jobs", query={**ADA, **query})
    assert reply.status == 200, reply.body
    return reply.body


def test_a_failed_job_is_tried_again_and_not_twice(world):
    job_id = tell("hello")
    become(world, job_id, JobState.FAILED, reason="unusable", broken=3)
    again = conforms(act(job_id, "retry"), "retryJob")
    assert (again.status, again.body["state"], again.body["reason"]) == (202, "accepted", "")
    assert again.headers["location"] == f"/v1/jobs/{job_id}"
    assert again.body["tries"] == {"broken": 0, "waits": 0, "lost": 0}
    assert [pointed for _, _, pointed, _ in world.queues.sent] == [job_id, job_id]
    refused = conforms(act(job_id, "retry"), "retryJob")
    assert (refused.status, refused.error["details"]) == (409, {"state": "accepted"})


def test_a_job_is_let_go_and_its_conversation_stays(world):
    job_id = tell("hello", id="c")
    gone = conforms(act(job_id, "dismiss"), "dismissJob")
    assert (gone.status, gone.body["state"], gone.body["next_at"]) == (200, "dismissed", None)
    assert act(job_id, "dismiss").status == 200
    told = Client().send("GET", "/v1/conversations/c", query=ADA).body
    assert told["messages"][0]["content"] == "hello"
    become(world, job_id, JobState.SUCCEEDED)
    assert conforms(act(job_id, "dismiss"), "dismissJob").status == 409


@pytest.mark.parametrize("what", ["retry", "dismiss"])
@pytest.mark.parametrize("job_id", [MISSING, "x", "../x", "%E5%BC%A0"])
def test_what_is_no_job_is_not_found(world, what, job_id):
    assert act(job_id, what).status == 404
    assert Client().send("GET", f"/v1/jobs/{job_id}", query=ADA).status == 404


def test_a_job_takes_no_orders(world):
    reply = Client().send("POST", f"/v1/jobs/{MISSING}/retry", {**ADA, "state": "succeeded"})
    assert (reply.status, reply.error["details"]["field"]) == (400, "state")


def test_jobs_are_listed_newest_first_by_state_and_conversation(world):
    ids = []
    for number in range(7):
        ids.append(tell("hello", id=f"c{number % 2}", end=True))
        tell(f"more {number}", id=f"c{number % 2}")
        world.clock.forward(seconds=1)
    everything = conforms(Client().send("GET", "/v1/jobs", query=ADA), "listJobs").body
    assert everything["next"] is None
    found = [job["id"] for job in everything["results"]]
    assert found == sorted(found, reverse=True) and {*ids} <= {*found}
    become(world, ids[0], JobState.FAILED)
    become(world, ids[1], JobState.PARTIAL)
    assert [job["id"] for job in listed(state="failed")["results"]] == [ids[0]]
    both = listed(state=["failed", "partial"])["results"]
    assert {job["id"] for job in both} == {ids[0], ids[1]}
    assert {job["conversation_id"] for job in listed(conversation_id="c1")["results"]} == {"c1"}
    assert listed(kind="consolidate")["results"] == []
    paged, cursor = [], {}
    while cursor is not None:
        page = listed(limit=3, **cursor)
        paged += [job["id"] for job in page["results"]]
        cursor = {"cursor": page["next"]} if page["next"] else None
    assert paged == found


def test_a_list_is_bound_to_its_filters_and_says_what_is_wrong(world):
    for number in range(3):
        tell("hello", id=f"c{number}")
    cursor = listed(limit=1)["next"]
    for query, field in (
        ({"cursor": cursor, "state": "failed"}, "cursor"),
        ({"cursor": "x"}, "cursor"),
        ({"limit": "0"}, "limit"),
        ({"limit": "many"}, "limit"),
        ({"state": "done"}, "state.0"),
        ({"kind": "x"}, "kind"),
        ({"conversation_id": ""}, "conversation_id"),
        ({"user": "x"}, "user"),
    ):
        reply = Client().send("GET", "/v1/jobs", query={**ADA, **query})
        assert (reply.status, reply.error["details"]["field"]) == (400, field), query
    of_bob = {"user_id": "bob", "cursor": cursor, "limit": 1}
    assert Client().send("GET", "/v1/jobs", query=of_bob).status == 400


def test_how_much_waits_is_for_administrators(world):
    tell("hello")
    reply = conforms(Client(ADMIN).send("GET", "/v1/queues"), "queues")
    by_name = {one["name"]: one for one in reply.body["queues"]}
    assert by_name["extract"]["waiting"] == 1 and by_name["settle"]["dead"] == 0
    assert conforms(Client().send("GET", "/v1/queues"), "queues").status == 403
    world.queues.down = True
    assert conforms(Client(ADMIN).send("GET", "/v1/queues"), "queues").status == 503


def redrive(name="extract", who=ADMIN, body=None):
    return Client(who).send("POST", f"/v1/queues/{name}/redrive", body)


def test_dead_letters_are_tried_again(world):
    job_id = tell("hello")
    become(world, job_id, JobState.FAILED, reason="unusable")
    world.queues.bury(QueueName.EXTRACT, scope(), job_id)
    reply = conforms(redrive(body=ADA), "redriveQueue")
    assert reply.body == {"name": "extract", "sent": 1}
    job = Client().send("GET", f"/v1/jobs/{job_id}", query=ADA).body
    assert job["state"] == "accepted"
    world.clock.forward(minutes=1)
    assert redrive().body["sent"] == 0


def test_nobody_redrives_for_others(world):
    job_id = tell("hello")
    become(world, job_id, JobState.FAILED)
    world.queues.bury(QueueName.EXTRACT, scope(), job_id)
    other = principal(role=Role.ADMIN, tenant="other")
    bobs = principal(role=Role.ADMIN, users=("bob",))
    for who in (other, bobs):
        assert redrive(who=who).body["sent"] == 0
        world.clock.forward(minutes=1)
    assert redrive().body["sent"] == 1


def test_only_administrators_redrive_and_only_queues(world):
    assert redrive(who=principal()).status == 403
    assert conforms(redrive("nope"), "redriveQueue").status == 404
    assert redrive(body={"all": True}).error["details"]["field"] == "all"


def test_no_word_of_a_conversation_is_in_jobs_queues_or_requests(world):
    Client().send(
        "POST", "/v1/conversations", {**ADA, "messages": "secret-word", "intent": "i"},
        idempotency_key="k",
    )  # fmt: skip
    rows = [job.model_dump_json() for job in world.learning.jobs.page(scope(), after=None, limit=9)]
    rows += [request.model_dump_json() for request in world.store.world.requests.values()]
    rows += [json.dumps(list(map(str, world.queues.sent)))]
    home = world.store.world.homes[scope()]
    rows += [chunk.model_dump_json() for chunk in home.chunks.values()]
    assert rows and not any("secret-word" in row for row in rows)
