import pytest

from hindwise.errors import NotFound
from hindwise.runtime import routes
from hindwise.runtime.request import Request
from hindwise.runtime.routes import ROUTES
from tests.builders import NOW


def found(method, path, event=None, *, encoded=True):
    match = routes.find(ROUTES, event or {}, method, path, encoded=encoded)
    return match and (match[0].operation, match[1])


@pytest.mark.parametrize(
    ("method", "path", "expected"),
    [
        ("GET", "/v1/memories", ("listMemories", {})),
        ("GET", "/v1/memories/01AB", ("readMemory", {"id": "01AB"})),
        ("GET", "/v1/memories/01AB/history", ("readHistory", {"id": "01AB"})),
        ("DELETE", "/v1/memories/01AB", ("forgetMemory", {"id": "01AB"})),
        ("POST", "/v1/tasks/North%20Gate/close", ("closeTask", {"task_id": "North Gate"})),
        ("POST", "/v1/tasks/p+q/close", ("closeTask", {"task_id": "p+q"})),
        ("POST", "/v1/tasks/cXVpZXQ=/close", ("closeTask", {"task_id": "cXVpZXQ="})),
        ("POST", "/v1/tasks/%E6%9D%8E%E5%9B%9B/close", ("closeTask", {"task_id": "李四"})),
        ("POST", "/v1/tasks/50%25/close", ("closeTask", {"task_id": "50%"})),
        ("POST", "/v1/tasks/a%252Fb/close", ("closeTask", {"task_id": "a%2Fb"})),
        ("POST", "/v1/tasks/p%2Fq/close", ("closeTask", {"task_id": "p/q"})),
        ("POST", "/v1/tasks/close/close", ("closeTask", {"task_id": "close"})),
        ("POST", "/v1/tasks/%0A/close", ("closeTask", {"task_id": "\n"})),
        ("POST", "/v1/tasks//close", None),
        ("PUT", "/v1/memories", None),
        ("GET", "/v1/memories/", None),
        ("GET", "/no/such/route", None),
        ("GET", "", None),
    ],
)
def test_encoded_paths_find_their_route(method, path, expected):
    assert found(method, path) == expected


def test_decoded_paths_keep_what_looks_encoded():
    for task in ("p/q", "a%2Fb", "50%", "李四"):
        path = f"/v1/tasks/{task}/close"
        assert found("POST", path, encoded=False) == ("closeTask", {"task_id": task})


def test_the_gateways_own_match_wins():
    event = {"routeKey": "POST /v1/tasks/{task_id}/close", "pathParameters": {"task_id": "a%2Fb"}}
    assert found("POST", "/v1/tasks/a%2Fb/close", event) == ("closeTask", {"task_id": "a%2Fb"})


def test_operations_are_named_once():
    assert len({route.operation for route in ROUTES}) == len(ROUTES)
    assert len({route.key for route in ROUTES}) == len(ROUTES)


@pytest.mark.parametrize(
    "text",
    ["", "x", "01ARZ3NDEKTSV4RRFFQ69G5FA", "../../etc", "01arz3ndektsv4rrffq69g5fav", "张" * 26],
)
def test_malformed_ids_look_like_missing_ones(text):
    with pytest.raises(NotFound):
        _ = Request({}, NOW, {"id": text}).memory_id


def test_ids_of_ours_pass():
    given = "01ARZ3NDEKTSV4RRFFQ69G5FAV"
    assert Request({}, NOW, {"id": given}).memory_id == given
