"""Shapes of events, credentials, errors, and what the service says of itself."""

import importlib
import json
from concurrent.futures import ThreadPoolExecutor
from io import StringIO

import pytest

from hindwise.domain.changes import Create
from hindwise.runtime import telemetry
from hindwise.runtime.routes import ROUTES
from tests.builders import new_id, principal, scope
from tests.integration.http_client import Client, World, call, segment

ADA = {"user_id": "ada"}
FORMS = ["v2", "url", "v1"]
ODD = ["North Gate", "p+q", "cXVpZXQ=", "李四", "v.1", "x@y.z", "50%", "p/q", "a%2Fb", "close"]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("odd", ODD)
def test_odd_names_reach_the_same_thing_by_every_way(world, form, odd):
    client = Client(form=form)
    body = {"user_id": odd, "content": "step", "task_id": odd, "key": odd}
    assert client.send("POST", "/v1/memories", body).status == 201
    query = {"user_id": odd, "kind": "working", "task_id": odd}
    for other in FORMS:
        listed = Client(form=other).send("GET", "/v1/memories", query=query)
        assert [value["key"] for value in listed.body["results"]] == [odd]
    closed = client.send("POST", f"/v1/tasks/{segment(odd)}/close", {"user_id": odd})
    assert (closed.status, closed.body) == (200, {"task_id": odd, "dropped": 1})


@pytest.mark.parametrize("form", FORMS)
def test_sessions_are_found_by_their_odd_names(world, form):
    client = Client(form=form)
    for odd in ODD:
        body = {**ADA, "content": f"in {odd}", "session_id": odd}
        assert client.send("POST", "/v1/memories", body).status == 201
    for odd in ODD:
        listed = client.send("GET", "/v1/memories", query={**ADA, "session_id": odd})
        assert [memory["content"] for memory in listed.body["results"]] == [f"in {odd}"]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    ("method", "path"), [("GET", "/no/such/route"), ("PUT", "/v1/memories"), ("GET", "/")]
)
def test_unknown_routes_are_json(world, form, method, path):
    reply = Client(form=form).send(method, path)
    assert (reply.status, reply.error["code"]) == (404, "not_found")


@pytest.mark.parametrize("nobody", [None, {}, {"lambda": None}, {"lambda": {}}], ids=repr)
@pytest.mark.parametrize("route", [route for route in ROUTES if route.role], ids=lambda r: r.key)
def test_who_is_nobody_does_nothing(world, client, route, nobody):
    """DES-55: a key that is unknown or revoked stands for nobody."""
    path = route.path.replace("{id}", "01ARZ3NDEKTSV4RRFFQ69G5FAV").replace("{task_id}", "t")
    event = client.event(route.method, path, '{"user_id":"ada","content":"a","query":"a"}', ADA)
    event["requestContext"]["authorizer"] = nobody
    reply = call(route.function, event)
    assert (reply.status, reply.error["code"]) == (401, "unauthorized")
    assert world.store.faults.backend_calls == 0


@pytest.mark.parametrize("path", ["/v1/health", "/v1/openapi.json"])
def test_what_needs_no_credential(world, client, path):
    event = client.event("GET", path, None, {})
    del event["requestContext"]["authorizer"]
    assert call("inspect", event).status == 200


def test_me(world):
    who = principal(users=("ada", "bob"))
    me = Client(who).send("GET", "/v1/me").body
    assert (me["tenant"], me["users"], me["stage"]) == ("acme", ["ada", "bob"], "test")
    assert me["features"] == world.features


def test_health_tells_when_the_table_is_silent(world, client):
    world.clock.forward(days=1)
    world.store.faults.fail_next(on="find_key")
    down = client.send("GET", "/v1/health")
    assert (down.status, down.body["status"]) == (200, "degraded")
    assert down.body["dependencies"] == {"table": "unavailable"}
    for _ in range(20):
        client.send("GET", "/v1/health")
    assert world.store.faults.backend_calls == 1
    world.clock.forward(seconds=6)
    assert client.send("GET", "/v1/health").body["status"] == "ok"


@pytest.mark.parametrize("function", ["write", "inspect", "search", "forget"])
def test_a_silent_table_is_503_and_says_when_to_come_back(world, client, function):
    world.store.faults.fail_next(500)
    route = next(route for route in ROUTES if route.function == function)
    body = {**ADA, "content": "a"} if function == "write" else {**ADA, "query": "a"}
    path = route.path.replace("{id}", "01ARZ3NDEKTSV4RRFFQ69G5FAV")
    given = None if route.method in ("GET", "DELETE") else body
    reply = client.send(route.method, path, given, query=ADA)
    assert (reply.status, reply.error["code"]) == (503, "unavailable")
    assert int(reply.headers["retry-after"]) >= 1


def test_a_fault_says_nothing_and_logs_no_content(world, client, monkeypatch):
    secret = "s3cret words"
    log = StringIO()  # the logger of the process keeps the stream that was there when it was made
    monkeypatch.setattr(telemetry.logger().registered_handler, "stream", log)

    class Broken:
        def __getattr__(self, name):
            raise ValueError(secret)

    world.store = Broken()
    reply = client.send("POST", "/v1/memories", {**ADA, "content": secret})
    assert reply.status == 500
    assert reply.error == {"code": "internal", "message": "internal error", "details": {}}
    logged = log.getvalue()
    assert "ValueError" in logged and "writeMemories" in logged
    assert secret not in logged


def test_many_at_once_do_not_mix(world):
    def one(number):
        user = f"user {number % 7}"
        client = Client(principal(tenant=f"tenant-{number % 3}"))
        body = {"user_id": user, "content": f"note {number}"}
        written = client.send("POST", "/v1/memories", body)
        read = client.send("GET", f"/v1/memories/{written.body['id']}", query={"user_id": user})
        return written.status, read.body["content"]

    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(one, range(60)))
    assert answers == [(201, f"note {number}") for number in range(60)]


def test_metrics_carry_no_names_of_users(world, client, capfd, monkeypatch):
    monkeypatch.delenv("POWERTOOLS_METRICS_DISABLED")
    monkeypatch.setenv("POWERTOOLS_METRICS_NAMESPACE", "hindwise")
    client.send("POST", "/v1/memories", {"user_id": "ada lovelace", "content": "her words"})
    emitted = json.loads(capfd.readouterr().out.splitlines()[-1])
    assert emitted["operation"] == "writeMemories"
    assert emitted["Requests"] == [1.0]
    assert "lovelace" not in json.dumps(emitted) and "words" not in json.dumps(emitted)


@pytest.mark.parametrize("function", ["write", "search", "inspect", "forget"])
def test_every_route_of_a_function_has_its_handler(function):
    api = importlib.import_module(f"functions.{function}.app").api
    wanted = {route.operation for route in ROUTES if route.function == function}
    assert api.operations == wanted


def test_a_wiring_is_replaced_as_a_whole():
    from hindwise.runtime.wiring import use_wiring, wiring

    with use_wiring(World()) as outer:
        with use_wiring(World()) as inner:
            assert wiring() is inner
        assert wiring() is outer


def test_an_answer_that_lambda_could_not_carry_is_a_413(world, client):
    body = {**ADA, "content": "界" * 19_900, "tool_results": ["é" * 10_000]}
    first = client.send("POST", "/v1/memories", body)
    assert first.status == 201
    one = world.store.get(scope(), [first.body["id"]])[first.body["id"]]
    for _ in range(69):
        other = one.model_copy(update={"id": new_id(), "claims": ()})
        world.store.commit(scope(), [Create(memory=other)])
    big = client.send("GET", "/v1/memories", query={**ADA, "limit": 100})
    assert (big.status, big.error["code"]) == (413, "too_large")
    assert "limit" in big.error["message"]
    assert client.send("GET", "/v1/memories", query={**ADA, "limit": 10}).status == 200
