"""The built functions of forgetting, fading and review, run by AWS's runtime emulator.

Each answers the gateway and its queue, two of them schedules, and what one of them sends by a
queue is what its next event holds.
"""

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import boto3
import pytest

from hindwise.domain.changes import Touch
from hindwise.domain.jobs import JobState
from hindwise.domain.memory import Status
from hindwise.domain.receipts import ReceiptState
from hindwise.domain.scope import Scope
from infra.local import built
from infra.local.invoke import Stage
from infra.local.seed import CONTENT, TALK, event
from tests.warm_stage import warm

pytestmark = pytest.mark.artifacts

SCOPE = Scope(tenant="local", user="ada")
ADA = {"user_id": "ada"}
SEEDED = event("forget")["pathParameters"]["id"]
AT_ONCE = {"RULES": json.dumps({"fading": {"cold_after": "PT0S", "trend_least": 2}})}
"""What nobody ever asked for is cold on the day that it was written."""
SWEEPS = ("purge", "archive", "decay", "tiers")


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[Stage]:
    with warm(tmp_path) as stage:
        yield stage


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return tmp_path / "function.log"


def invoked(stage: Stage, name: str, given: Any, log: Path, rules: Any = None) -> Any:
    """The answer of a function, which did all that it was to do."""
    with stage.function(name, log, rules or {}) as function:
        answer = function.invoke(given)
    assert '"level":"ERROR"' not in log.read_text(), "a variable, right or package is missing"
    assert CONTENT not in log.read_text()
    return answer


def delivered(stage: Stage, name: str, given: dict[str, Any], log: Path) -> None:
    """Bring a function a message and one that is none of ours: only that one comes back."""
    foreign = given["Records"][0] | {"messageId": "2", "body": "none of ours"}
    both = {"Records": [*given["Records"], foreign]}
    with stage.function(name, log.with_suffix(f".{name}")) as function:
        answer = function.invoke(both)
    assert answer == {"batchItemFailures": [{"itemIdentifier": "2"}]}


def call(route: str, body: Any = None, query: Any = None, /, **params: str) -> dict[str, Any]:
    """A request of the gateway from an administrator, who may also write and review."""
    given = event("write")
    method, path = route.split()
    given["rawPath"] = path.format(**params)
    given["routeKey"] = given["requestContext"]["routeKey"] = route
    http = given["requestContext"]["http"]
    http["method"], http["path"] = method, given["rawPath"]
    given["requestContext"]["authorizer"]["lambda"]["role"] = "admin"
    given["pathParameters"] = params
    given["body"] = None if body is None else json.dumps(body)
    given["queryStringParameters"] = query or {}
    given["rawQueryString"] = "&".join(f"{name}={value}" for name, value in (query or {}).items())
    return given


def told(answer: dict[str, Any], status: int = 200) -> Any:
    assert answer["statusCode"] == status, answer
    return json.loads(answer["body"])


def sent(stage: Stage, queue: str) -> dict[str, Any]:
    """An event of a queue with the one message that lies in it."""
    address = stage.outputs[stage.system.variables["WORK_QUEUES"]] + queue
    (message,) = boto3.client("sqs").receive_message(QueueUrl=address, WaitTimeSeconds=10)[
        "Messages"
    ]
    given = event("extract")
    given["Records"][0]["body"] = message["Body"]
    return given


def pointing(at: str, scope: Scope = SCOPE) -> dict[str, Any]:
    """An event of a queue with a message that points at something of a scope."""
    given = event("extract")
    body = {"tenant": scope.tenant, "user": scope.user, "id": at}
    given["Records"][0]["body"] = json.dumps(body, separators=(",", ":"))
    return given


def test_forget_works_on_what_the_call_began(stage: Stage, log: Path) -> None:
    wanted = call("POST /v1/forget", ADA | {"ids": [SEEDED], "dry_run": False})
    begun = told(invoked(stage, "forget", wanted, log), 202)
    delivered(stage, "forget", sent(stage, "forget"), log)
    assert stage.wiring().store.get(SCOPE, [SEEDED]) == {}
    invoked(stage, "sweep", {}, log)
    invoked(stage, "forget", sent(stage, "forget"), log)
    read = call("GET /v1/forgets/{id}", None, ADA, id=begun["id"])
    assert told(invoked(stage, "forget", read, log))["state"] == ReceiptState.COMPLETE


def test_a_user_is_gone_after_one_message(stage: Stage, log: Path) -> None:
    asked = ADA | {"all": True}
    foretold = told(invoked(stage, "forget", call("POST /v1/forget", asked), log))
    assert (foretold["dry_run"], foretold["ids"]) == (True, [SEEDED])
    told(invoked(stage, "forget", call("POST /v1/forget", asked | {"dry_run": False}), log), 202)
    invoked(stage, "forget", sent(stage, "forget"), log)
    learning = stage.wiring().learning
    assert stage.wiring().store.page(SCOPE, after=None, examine=10).memories == ()
    assert learning.conversations.get(SCOPE, TALK.id) is None
    assert list(learning.blobs.names(SCOPE, "")) == []
    kept = boto3.client("s3").list_objects_v2(Bucket=f"{os.environ['MEMORY_BUCKET']}-receipts")
    assert [one["Key"].partition("/")[0] for one in kept["Contents"]] == ["receipts"]


@pytest.mark.parametrize("sweep", SWEEPS)
def test_fade_starts_the_sweep_that_a_schedule_names(stage: Stage, log: Path, sweep: str) -> None:
    answer = invoked(stage, "fade", {"sweep": sweep}, log)
    assert (answer["sweep"], answer["done"]) == (sweep, True)


def test_fade_goes_on_by_the_queue(stage: Stage, log: Path) -> None:
    delivered(stage, "fade", pointing(f"tiers#{SEEDED}", Scope(tenant="-", user="-")), log)


def test_a_memory_goes_into_the_archive_and_comes_back(stage: Stage, log: Path) -> None:
    wish = ADA | {"sweep": "tiers"}
    foretold = told(invoked(stage, "fade", call("POST /v1/fading", wish), log, AT_ONCE))
    assert foretold["ids"]["archived_cold"] == [SEEDED]
    done = call("POST /v1/fading", wish | {"dry_run": False})
    told(invoked(stage, "fade", done, log, AT_ONCE))
    stub = stage.wiring().store.get(SCOPE, [SEEDED])[SEEDED]
    assert (stub.status, stub.content) == (Status.ARCHIVED, "")
    back = call("POST /v1/memories/{id}/restore", ADA, id=SEEDED)
    assert told(invoked(stage, "fade", back, log))["status"] == "active"
    assert stage.wiring().store.get(SCOPE, [SEEDED])[SEEDED].content == CONTENT


@pytest.mark.parametrize("by", ["schedule", "queue"])
def test_review_lays_what_is_recalled_before_a_person(stage: Stage, log: Path, by: str) -> None:
    fact = call("POST /v1/memories", ADA | {"content": "Prod has one disk.", "type": "fact"})
    written = told(invoked(stage, "write", fact, log), 201)["id"]
    invoked(stage, "sweep", {}, log)
    wiring = stage.wiring()
    wiring.store.touch(SCOPE, [Touch(memory_id=written, times=3, at=wiring.clock())])
    assert told(invoked(stage, "review", call("GET /v1/users"), log))["results"] == [ADA]
    if by == "queue":
        delivered(stage, "review", pointing("periodic"), log)
    else:
        answer = invoked(stage, "review", event("review"), log)
        assert (answer["scopes"], answer["flagged"]) == (1, 1)
    (waits,) = told(invoked(stage, "review", call("GET /v1/reviews"), log))["results"]
    assert (waits["memory"]["id"], waits["user_id"]) == (written, "ada")
    approved = call("POST /v1/reviews/{id}", ADA | {"action": "approve"}, id=written)
    told(invoked(stage, "review", approved, log))
    assert told(invoked(stage, "review", call("GET /v1/reviews"), log))["results"] == []


def test_review_digests_the_audit_and_checks_it(stage: Stage, log: Path) -> None:
    answer = invoked(stage, "review", {"sweep": "digest"}, log)
    assert answer["differing"] == 0
    rows = told(invoked(stage, "review", call("GET /v1/audit", None, ADA), log))["results"]
    assert rows and CONTENT not in json.dumps(rows)
    checked = told(invoked(stage, "review", call("GET /v1/audit/verify", None, ADA), log))
    assert checked["checked"] > 0 and checked["faults"] == []


def test_a_source_is_withdrawn_by_the_call_and_the_queue(stage: Stage, log: Path) -> None:
    wish = ADA | {"kind": "principal", "dry_run": False}
    route = "POST /v1/sources/{id}/quarantine"
    ordered = told(invoked(stage, "review", call(route, wish, id="laptop"), log), 202)
    assert invoked(stage, "review", sent(stage, "review"), log) == {"batchItemFailures": []}
    (job_id,) = [one["job_id"] for one in ordered["jobs"]]
    job = stage.wiring().learning.jobs.get(SCOPE, job_id)
    assert job is not None and job.state is JobState.SUCCEEDED
    assert stage.wiring().store.get(SCOPE, [SEEDED])[SEEDED].status is Status.QUARANTINED


@pytest.mark.parametrize("name", ["fade", "review"])
def test_a_schedule_that_names_no_sweep_is_told_so(stage: Stage, log: Path, name: str) -> None:
    with stage.function(name, log) as function:
        answer = function.invoke({"sweep": "clean"})
    assert answer["errorType"] == "Invalid"


def test_who_admits_has_the_linear_time_patterns() -> None:
    for name in ("write", "extract", "settle", "consolidate", "review", "forget", "fade"):
        assert any((layer / "python" / "re2").exists() for layer in built.named(name).layers), name
