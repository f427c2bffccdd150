"""openapi.json says what the API does: every route, and the shape of every real answer."""

import json
from pathlib import Path

import pytest
import yaml
from jsonschema import Draft202012Validator

from hindwise.domain.scope import Role
from hindwise.runtime.contracts.described import HERE, PLAIN, WORDS
from hindwise.runtime.contracts.examples import EXAMPLES
from hindwise.runtime.openapi import document
from hindwise.runtime.routes import ROUTES
from tests.builders import principal
from tests.integration.http_client import Client

ADA = {"user_id": "ada"}
TEMPLATE = Path(__file__).parents[2] / "template.yaml"


def operations():
    return {
        (method.upper(), path): operation
        for path, methods in document()["paths"].items()
        for method, operation in methods.items()
    }


def validator(schema):
    return Draft202012Validator({**schema, "components": document()["components"]})


def valid(name, instance):
    schema = validator({"$ref": f"#/components/schemas/{name}"})
    return [error.message for error in schema.iter_errors(instance)] == []


def conforms(reply, operation_id):
    operation = next(one for one in operations().values() if one["operationId"] == operation_id)
    answer = operation["responses"][str(reply.status)]
    if "$ref" in answer:
        answer = document()["components"]["responses"][answer["$ref"].rsplit("/", 1)[1]]
    schema = answer["content"]["application/json"]["schema"]
    errors = [f"{error.json_path}: {error.message}" for error in
              validator(schema).iter_errors(reply.body)]  # fmt: skip
    assert errors == [], operation_id
    return reply


def test_the_document_holds_every_route_once():
    assert set(operations()) == {(route.method, route.path) for route in ROUTES}
    ids = [operation["operationId"] for operation in operations().values()]
    assert sorted(ids) == sorted(route.operation for route in ROUTES)


def test_the_template_has_the_same_routes():
    class Loader(yaml.SafeLoader):
        pass

    Loader.add_multi_constructor("!", lambda loader, suffix, node: str(node.value))
    resources = yaml.load(TEMPLATE.read_text(), Loader)["Resources"]
    events = [
        (resource["Properties"]["CodeUri"].strip("/").rsplit("/", 1)[1], event["Properties"])
        for resource in resources.values()
        if resource["Type"] == "AWS::Serverless::Function"
        for event in resource["Properties"].get("Events", {}).values()
        if event["Type"] == "HttpApi"
    ]
    in_template = {
        (function, each["Method"], each["Path"], each.get("Auth", {}).get("Authorizer") == "NONE")
        for function, each in events
    }
    assert in_template == {
        (route.function, route.method, route.path, route.role is None) for route in ROUTES
    }


def test_every_schema_is_one_and_every_reference_leads_somewhere():
    schemas = document()["components"]["schemas"]
    for schema in schemas.values():
        Draft202012Validator.check_schema(schema)
    text = json.dumps(document())
    named = {part.split('"')[0] for part in text.split("#/components/schemas/")[1:]}
    assert named <= set(schemas)
    for route in ROUTES:
        operation = operations()[route.method, route.path]
        declared = {one["name"] for one in operation["parameters"] if one["in"] == "path"}
        assert declared == set(route.parameters)


def test_the_gateways_own_answers_are_in_the_contract():
    assert valid("GatewayAnswer", {"message": "Forbidden"})


def test_a_route_promises_the_errors_that_it_can_give_and_no_others():
    always = {"429", "500", "503"}
    of_a_user = always | {"400", "401", "403", "413"}
    promised = {
        operation["operationId"]: {code for code in operation["responses"] if code >= "400"}
        for operation in operations().values()
    }
    assert promised["health"] == promised["openapi"] == always
    assert promised["me"] == always | {"400", "401", "403"}
    assert promised["writeMemories"] == of_a_user | {"409", "422"}
    assert promised["editMemory"] == of_a_user | {"404", "409", "422"}
    assert promised["readMemory"] == promised["forgetMemory"] == of_a_user | {"404"}
    assert promised["search"] == promised["listMemories"] == of_a_user


def test_every_property_is_explained_unless_its_name_does():
    unsaid = {
        f"{name}.{key}"
        for name, schema in document()["components"]["schemas"].items()
        for key, value in schema.get("properties", {}).items()
        if key not in PLAIN and "description" not in value
    }
    unsaid |= {
        f"{operation['operationId']} {one['name']}"
        for operation in operations().values()
        for one in operation["parameters"]
        if one["name"] not in PLAIN and "description" not in one
    }
    assert unsaid == set()


def test_no_explanation_is_of_something_that_is_not_there():
    schemas = document()["components"]["schemas"]
    named = {key for schema in schemas.values() for key in schema.get("properties", {})}
    named |= {one["name"] for each in operations().values() for one in each["parameters"]}
    text = json.dumps(document(), ensure_ascii=False)
    assert {word for word in WORDS if word not in named and f'"{word}": {{' not in text} == set()
    assert named >= PLAIN
    assert {(name, key) for name, key in HERE if key not in schemas[name]["properties"]} == set()


def test_filters_of_lists_are_typed():
    listing = operations()["GET", "/v1/memories"]["parameters"]
    schemas = {one["name"]: one["schema"] for one in listing}
    assert schemas["min_importance"] == {"type": "number", "minimum": 0, "maximum": 1}
    assert schemas["event_from"] == {"type": "string", "format": "date-time"}
    assert schemas["tags_any"]["type"] == "array"
    assert schemas["kind"]["enum"] == ["working", "episodic", "semantic"]


@pytest.mark.parametrize(
    ("name", "shown"), [(name, key) for name in EXAMPLES for key in EXAMPLES[name]]
)
def test_examples_are_accepted(world, name, shown):
    value = EXAMPLES[name][shown]["value"]
    assert valid(name, value)
    seat = {"user_id": "ann", "content": "aisle", "type": "fact"}
    written = Client().send("POST", "/v1/memories", seat).body["id"]
    (method, path), *_ = [
        where
        for where, operation in operations().items()
        if operation.get("requestBody", {})
        .get("content", {})
        .get("application/json", {})
        .get("schema")
        == {"$ref": f"#/components/schemas/{name}"}
    ]
    named = written
    if "/jobs/" in path:
        told = {"user_id": "ann", "messages": "hello"}
        named = Client().send("POST", "/v1/conversations", told).body["job_id"]
        Client().send("POST", f"/v1/jobs/{named}/dismiss", value)
    path = path.format(id=named, task_id="t1", name="extract")
    assert Client(principal(role=Role.ADMIN)).send(method, path, value).status in (200, 201, 202)


def test_real_answers_have_the_promised_shape(world):
    client = Client()

    def send(operation, method, path, body=None, query=None):
        return conforms(client.send(method, path, body, query=query), operation)

    slot = {"subject": "ada", "attribute": "city", "cardinality": "one"}
    episode = {
        **ADA, "content": "Deployed", "session_id": "s", "task_id": "t", "speaker": "ada",
        "outcome": {"result": "success", "note": "green"}, "tool_results": [{"exit": 0}],
        "alternatives": [{"option": "wait"}], "source": {"author": "ada", "first_turn": 1},
        "metadata": {"a": None}, "event_time": "2026-01-15T18:30:00+08:00",
    }  # fmt: skip
    send("writeMemories", "POST", "/v1/memories", episode)
    send("writeMemories", "POST", "/v1/memories", {**ADA, "content": "Oslo", "value": "1", **slot})
    world.clock.forward(days=1)
    rome = send("writeMemories", "POST", "/v1/memories", {**ADA, "content": "Rome", **slot}).body
    send("writeMemories", "POST", "/v1/memories", {**ADA, "items": ["a", "", "a"]})
    work = {**ADA, "content": "x", "task_id": "t", "key": "k"}
    send("writeMemories", "POST", "/v1/memories", work)
    send("writeMemories", "POST", "/v1/memories", {**ADA, "content": ""})
    path = f"/v1/memories/{rome['id']}"
    send("editMemory", "PATCH", path, {**ADA, "reason": "r", "marks": ["pinned"]})
    world.project()
    for body in (
        {"query": "deployed rome", "explain": True, "expand": {"turns": 1}},
        {
            "query": "rome deployed",
            "include": ["superseded"],
            "expand": {"turns": 1, "chain": True, "entities": True},
        },
        {"filters": {"kind": "episodic"}},
        {"query": "x", "include": ["superseded"]},
    ):
        assert send("search", "POST", "/v1/search", {**ADA, **body}).body["results"]
    send("context", "POST", "/v1/context", {**ADA, "query": "rome"})
    send("diagnose", "POST", "/v1/diagnose", {**ADA, "query": "rome", "memory_id": rome["id"]})
    send("consolidate", "POST", "/v1/consolidations", ADA)
    named = send("readEntity", "GET", "/v1/entities/ROME", query=ADA).body
    assert [one["content"] for one in named["results"]] == ["Rome"]
    send("listMemories", "GET", "/v1/memories", query={**ADA, "limit": 2})
    working = {**ADA, "kind": "working", "task_id": "t"}
    send("listMemories", "GET", "/v1/memories", query=working)
    send("readMemory", "GET", path, query=ADA)
    send("readHistory", "GET", f"{path}/history", query=ADA)
    send("timeline", "GET", "/v1/timeline", query={**ADA, "step": "month"})
    send("stats", "GET", "/v1/stats", query=ADA)
    send("me", "GET", "/v1/me")
    send("health", "GET", "/v1/health")
    send("openapi", "GET", "/v1/openapi.json")
    send("closeTask", "POST", "/v1/tasks/t/close", ADA)
    send("forgetMemory", "DELETE", path, query=ADA)
    send("forgetMany", "POST", "/v1/forget", {**ADA, "all": True})
    begun = send("forgetMany", "POST", "/v1/forget", {**ADA, "all": True, "dry_run": False})
    send("readForget", "GET", begun.headers["location"], query=ADA)
    send("listForgets", "GET", "/v1/forgets", query=ADA)
    send("readMemory", "GET", path, query=ADA)


@pytest.mark.parametrize(
    ("name", "body", "fits"),
    [
        ("WriteBody", {"user_id": "ada", "content": "a"}, True),
        ("WriteBody", {"user_id": "ada", "items": ["a", {"content": "b"}]}, True),
        ("WriteBody", {"user_id": "ada", "items": []}, False),
        ("WriteBody", {"user_id": "ada"}, False),
        ("SearchRequest", {"query": "a", "filters": {"x": 1}}, True),
        ("SearchRequest", {"query": "a", "top_k": 0}, False),
        ("SearchRequest", {"query": "a", "frobnicate": 1}, False),
        ("Edit", {"user_id": "ada", "reason": "r", "content": "b"}, True),
        ("Edit", {"user_id": "ada", "content": "b"}, False),
    ],
)
def test_bodies_are_described_as_they_are_checked(name, body, fits):
    assert valid(name, body) is fits


def test_the_operations_need_a_key_where_the_routes_do():
    for route in ROUTES:
        open_to_all = operations()[route.method, route.path].get("security") == []
        assert open_to_all is (route.role is None)
