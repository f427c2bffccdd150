"""Events that the dev server builds look like API Gateway's."""

import base64
import json
from pathlib import Path

import pytest

from hindwise.domain.ports import QueueName
from hindwise.runtime import routes
from infra.local import template
from infra.local.events import Call, authorizer_event, match, reply, request_event
from infra.local.template import Route
from infra.local.timetable import Rate

ROOT = Path(__file__).parents[2]
ROUTES = (
    Route("GET", "/v1/memories", "Inspect", True),
    Route("GET", "/v1/memories/{id}", "Inspect", True),
    Route("GET", "/v1/memories/latest", "Inspect", True),
    Route("GET", "/v1/memories/{id}/history", "Inspect", True),
    Route("POST", "/v1/memories", "Write", True),
)
JSON = ("Content-Type", "application/json")


def call(target: str, *headers: tuple[str, str], method: str = "GET", body: bytes = b"") -> Call:
    return Call(method, target, headers, body, "127.0.0.1")


@pytest.mark.parametrize(
    ("method", "path", "wanted", "parameters"),
    [
        ("GET", "/v1/memories", "/v1/memories", {}),
        ("POST", "/v1/memories", "/v1/memories", {}),
        ("GET", "/v1/memories/01A", "/v1/memories/{id}", {"id": "01A"}),
        ("GET", "/v1/memories/latest", "/v1/memories/latest", {}),
        ("GET", "/v1/memories/latest/history", "/v1/memories/{id}/history", {"id": "latest"}),
    ],
)
def test_route_is_found(method: str, path: str, wanted: str, parameters: dict[str, str]) -> None:
    found = match(ROUTES, method, path)
    assert found is not None
    assert (found[0].method, found[0].path, found[1]) == (method, wanted, parameters)


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("DELETE", "/v1/memories"),
        ("GET", "/v1/memories/"),
        ("GET", "/v1/memories/a/b"),
        ("GET", "/V1/memories"),
        ("GET", "/"),
        ("HEAD", "/v1/memories"),
    ],
)
def test_route_is_not_found(method: str, path: str) -> None:
    assert match(ROUTES, method, path) is None


def test_path_is_decoded_and_query_stays_encoded() -> None:
    asked = call("/v1/memories/%E8%88%AA%E7%8F%AD?user_id=%E6%88%91&tag=a&tag=b%2Cc&empty=")
    found = match(ROUTES, "GET", asked.path)
    assert found is not None
    event = request_event(asked, *found)
    assert event["rawPath"] == "/v1/memories/航班"
    assert event["pathParameters"] == {"id": "航班"}
    assert event["rawQueryString"] == "user_id=%E6%88%91&tag=a&tag=b%2Cc&empty="
    assert event["queryStringParameters"] == {"user_id": "我", "tag": "a,b,c", "empty": ""}
    assert event["routeKey"] == "GET /v1/memories/{id}"


def test_decoded_question_mark_ends_the_path() -> None:
    assert call("/v1/memories/a%3Fadmin=1/history").path == "/v1/memories/a"


def test_encoded_slash_is_a_slash() -> None:
    assert match(ROUTES, "GET", call("/v1/memories/a%2Fhistory").path) == (
        ROUTES[3],
        {"id": "a"},
    )


def test_headers_are_lowered_and_joined_and_cookies_apart() -> None:
    asked = call("/v1/memories", ("X-A", "1"), ("x-a", "2"), ("Cookie", "a=1; b=2"), ("Host", "h"))
    event = request_event(asked, ROUTES[0], {})
    assert event["headers"] == {"x-a": "1,2", "host": "h"}
    assert event["cookies"] == ["a=1", "b=2"]
    assert "body" not in event and "queryStringParameters" not in event


@pytest.mark.parametrize(
    ("content_type", "body", "encoded"),
    [
        ("application/json; charset=utf-8", '{"a":"你好"}'.encode(), False),
        ("text/plain", b"hi", False),
        ("application/x-www-form-urlencoded", b"a=1", True),
        ("application/json", b"\xff\xfe", True),
        ("image/png", b"\x89PNG", True),
    ],
)
def test_body_arrives_as_text_or_base64(content_type: str, body: bytes, encoded: bool) -> None:
    asked = call("/v1/memories", ("content-type", content_type), method="POST", body=body)
    event = request_event(asked, ROUTES[4], {})
    assert event["isBase64Encoded"] is encoded
    given = event["body"]
    assert (base64.b64decode(given) if encoded else given.encode()) == body


def test_authorizer_is_asked_without_the_body() -> None:
    asked = call("/v1/memories", JSON, ("Authorization", "Bearer k"), method="POST", body=b"{}")
    event = authorizer_event(request_event(asked, ROUTES[4], {}), "Bearer k")
    assert event["type"] == "REQUEST" and event["identitySource"] == ["Bearer k"]
    assert "body" not in event
    assert event["routeArn"].endswith("/$default/POST/v1/memories")


def test_answers_of_every_shape() -> None:
    plain = reply({"statusCode": 201, "body": "hé", "headers": {"X-A": 1, "Content-Length": "9"}})
    assert (plain.status, plain.body) == (201, "hé".encode())
    assert ("x-a", "1") in plain.headers
    assert ("content-type", "text/plain;charset=UTF-8") in plain.headers
    assert not any(name == "content-length" for name, _ in plain.headers)
    encoded = {"statusCode": 200, "body": "AQI=", "isBase64Encoded": True, "cookies": ["a=1"]}
    assert reply(encoded).body == b"\x01\x02"
    assert ("set-cookie", "a=1") in reply(encoded).headers
    bare = reply({"anything": 1})
    assert (bare.status, json.loads(bare.body)) == (200, {"anything": 1})
    with pytest.raises(ValueError, match="invalid literal"):
        reply({"statusCode": "many"})


def test_template_is_read_whole() -> None:
    system = template.read(ROOT / "template.yaml")
    assert {function.folder for function in system.functions.values()} == {
        f"functions/{name}"
        for name in [
            "authorize",
            "write",
            "search",
            "inspect",
            "forget",
            "index",
            "sweep",
            "reinforce",
            "extract",
            "settle",
            "consolidate",
            "fade",
            "review",
        ]
    }
    assert len(system.routes) == len(routes.ROUTES)
    assert {route.path for route in system.routes if not route.guarded} == {
        "/v1/health",
        "/v1/openapi.json",
    }
    assert system.authorizer == "AuthorizeFunction" and system.authorizer_ttl == 60
    pace = {each.name: (each.timetable, each.input) for each in system.schedules}
    assert pace["sweep"] == (Rate(60), None) and pace["consolidate"] == (Rate(900), None)
    told = {name: given for name, (_, given) in pace.items() if given}
    named = ("purge", "archive", "decay", "tiers", "digest")
    assert told == {"review": {"sweep": "periodic"}} | {name: {"sweep": name} for name in named}
    assert (system.rate, system.burst) == (500, 1000)
    assert set(system.stack["Resources"]) == {
        "MemoryTable",
        "MemoryBucket",
        "ReceiptsBucket",
        "SealSecret",
        "AccessQueue",
        "AccessDlq",
        "ProjectionDlq",
        "ScheduleDlq",
        *(f"{name}{kind}" for name in map(str.title, QueueName) for kind in ("Queue", "Dlq")),
    }


def test_template_whose_functions_disagree_is_refused(tmp_path: Path) -> None:
    text = (ROOT / "template.yaml").read_text()
    changed = text.replace("ACCESS_QUEUE_URL: !Ref AccessQueue", "STAGE: !Ref Embedder", 1)
    (tmp_path / "template.yaml").write_text(changed)
    with pytest.raises(ValueError, match="STAGE differs between functions"):
        template.read(tmp_path / "template.yaml")
