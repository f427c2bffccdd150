"""What a caller sees of the deployed stack: through the gateway, each function under its role."""

import json
from typing import Any

import pytest

from infra.local.deployment.deployed import Deployed
from tests.e2e.deployed.conftest import Enter
from tests.e2e.deployed.person import Person, eventually

pytestmark = pytest.mark.artifacts

RELEASE = "We moved the release to Thursday."
LATER = "We moved the release to the 4th of May."
OTHER = "The espresso machine is descaled every month."


def rows(stack: Deployed) -> list[dict[str, Any]]:
    """All that the table holds."""
    pages = stack.account.client("dynamodb").get_paginator("scan")
    return [
        item
        for page in pages.paginate(TableName=stack.outputs["MemoryTable"])
        for item in page["Items"]
    ]


def projected(held: list[dict[str, Any]]) -> bool:
    """No change waits to be projected."""
    return not [item for item in held if item["sk"]["S"].startswith("D#")]


def ready(ann: Person, user: str, memory_id: str) -> None:
    eventually(lambda: ann.reads(user, memory_id), lambda seen: seen["embedding"] == "ready")


def test_written_found_edited_and_forgotten_for_good(stack: Deployed, ann: Person) -> None:
    other = ann.writes("ada", OTHER)
    wanted = ann.writes("ada", RELEASE, session_id="standup")
    ready(ann, "ada", wanted)
    ready(ann, "ada", other)
    assert ann.finds("ada", "When do we ship the new version?")[0] == RELEASE
    assert RELEASE in ann.is_told("ada", "when is the release?")
    eventually(lambda: ann.reads("ada", wanted), lambda seen: seen["access_count"] >= 1)

    edit = {"user_id": "ada", "reason": "moved again", "content": LATER}
    edited = ann.told("PATCH", f"/v1/memories/{wanted}", json=edit, headers={"if-match": '"1"'})
    assert edited["version"] == 2
    ready(ann, "ada", wanted)
    assert ann.finds("ada", "release")[0] == LATER
    history = ann.told("GET", f"/v1/memories/{wanted}/history", params={"user_id": "ada"})
    assert [one["content"] for one in history["versions"]] == [RELEASE]

    gone = ann.told("DELETE", f"/v1/memories/{wanted}", params={"user_id": "ada"})
    assert gone["status"] == "forgotten"
    nothing_of_it(stack, ann, wanted)
    assert ann.ask("PATCH", f"/v1/memories/{wanted}", json=edit).status_code == 404
    assert ann.writes("ada", "Something else.") != wanted
    nothing_of_it(stack, ann, wanted)


def nothing_of_it(stack: Deployed, ann: Person, memory_id: str) -> None:
    """A forgotten memory is in no answer, and after its projection in no row."""
    path, ada = f"/v1/memories/{memory_id}", {"user_id": "ada"}
    assert ann.ask("GET", path, params=ada).status_code == 404
    assert ann.ask("GET", f"{path}/history", params=ada).status_code == 404
    assert not [found for found in ann.finds("ada", "release") if "release" in found]
    assert "release" not in ann.is_told("ada", "when is the release?")
    listed = ann.told("GET", "/v1/memories", params=ada)["results"]
    assert memory_id not in [memory["id"] for memory in listed]
    held = json.dumps(eventually(lambda: rows(stack), projected), default=str)
    assert OTHER in held
    assert "Thursday" not in held and "4th of May" not in held


def test_facts_supersede_and_are_forgotten_and_tasks_close(ann: Person) -> None:
    slot = {"subject": "bob", "attribute": "city", "cardinality": "one", "user_id": "bob"}
    for city in ("Oslo", "Rome"):
        body = {**slot, "content": f"Bob lives in {city}.", "value": city}
        last = ann.told("POST", "/v1/memories", json=body)
    assert len(last["superseded"]) == 1
    gone = ann.told("DELETE", f"/v1/memories/{last['id']}", params={"user_id": "bob"})
    assert (gone["kind"], gone["status"]) == ("semantic", "forgotten")
    work = {"user_id": "bob", "content": "step 3", "task_id": "t1", "key": "at"}
    ann.told("POST", "/v1/memories", json=work)
    closed = ann.told("POST", "/v1/tasks/t1/close", json={"user_id": "bob"})
    assert closed == {"task_id": "t1", "dropped": 1}


def test_a_request_key_is_honoured(ann: Person) -> None:
    body = {"user_id": "eve", "content": "Once only."}
    first, again = (
        ann.told("POST", "/v1/memories", json=body, headers={"idempotency-key": "k1"})
        for _ in range(2)
    )
    assert first == again


@pytest.mark.parametrize("path", ["/v1/me", "/v1/stats", "/v1/timeline", "/v1/memories"])
def test_lists_and_counts(ann: Person, path: str) -> None:
    ann.told("GET", path, params={"user_id": "ada"})


def test_pages_follow_a_sealed_cursor(ann: Person) -> None:
    written = [ann.writes("pat", f"Room {number} is free.") for number in (1, 2)]
    query = {"user_id": "pat", "limit": 1}
    first = ann.told("GET", "/v1/memories", params=query)
    second = ann.told("GET", "/v1/memories", params={**query, "cursor": first["next"]})
    assert [page["results"][0]["id"] for page in (first, second)] == written[::-1]
    forged = ann.ask("GET", "/v1/memories", params={**query, "cursor": first["next"][:-2] + "xx"})
    assert forged.status_code == 400


def test_a_search_that_finds_nothing_is_explained(ann: Person) -> None:
    written = ann.writes("kay", "The heating is off at night.")
    body = {"user_id": "kay", "memory_id": written, "query": "heating"}
    assert ann.told("POST", "/v1/diagnose", json=body)


def test_who_has_no_key_is_refused(nobody: Person) -> None:
    assert nobody.ask("GET", "/v1/me").json() == {"message": "Unauthorized"}
    forged = {"authorization": "Bearer hw_ci_forged"}
    answer = nobody.ask("GET", "/v1/me", headers=forged)
    assert answer.json()["error"]["code"] == "unauthorized"
    for headers in ({}, forged):
        for method, path in (("GET", "/v1/me"), ("POST", "/v1/memories")):
            assert nobody.ask(method, path, headers=headers).status_code == 401


def test_the_gateway_knows_the_template_s_routes_alone(ann: Person, nobody: Person) -> None:
    for method, path in (("GET", "/v2/me"), ("POST", "/v1/me"), ("GET", "/")):
        answer = ann.ask(method, path)
        assert (answer.status_code, answer.json()) == (404, {"message": "Not Found"})
    assert nobody.told("GET", "/v1/health")["dependencies"] == {"table": "ok"}
    assert nobody.told("GET", "/v1/openapi.json")["openapi"].startswith("3.")


def test_another_tenant_s_key_finds_nothing(ann: Person, foreigner: Person) -> None:
    secret = ann.writes("ada", "The vault opens with 4711.")
    path, ada = f"/v1/memories/{secret}", {"user_id": "ada"}
    edit = {**ada, "content": "mine now", "reason": "theft"}
    for answer in (
        foreigner.ask("GET", path, params=ada),
        foreigner.ask("GET", f"{path}/history", params=ada),
        foreigner.ask("PATCH", path, json=edit),
        foreigner.ask("DELETE", path, params=ada),
    ):
        assert answer.status_code == 404, answer.text
        assert "4711" not in answer.text
    assert foreigner.finds("ada", "the vault opens with") == []
    assert foreigner.told("GET", "/v1/memories", params=ada)["results"] == []
    assert ann.reads("ada", secret)["content"].endswith("4711.")


def test_a_reader_s_key_reads_only(ann: Person, enter: Enter) -> None:
    written = ann.writes("liz", "The lease ends in June.")
    reader = enter("acme", "--role", "reader", "--user", "liz")
    assert reader.reads("liz", written)["content"] == "The lease ends in June."
    body = {"user_id": "liz", "content": "no"}
    assert reader.ask("POST", "/v1/memories", json=body).status_code == 403
    answer = reader.ask("GET", f"/v1/memories/{written}", params={"user_id": "ada"})
    assert answer.status_code == 403
