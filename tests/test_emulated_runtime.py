"""Each built function, run by AWS's runtime emulator with its sample event on an emulated AWS.

What a function may import, which variables it has and where its files are is as on Lambda, so that
a layer or a variable that the template forgets fails here.
"""

import json
import os
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import boto3
import pytest

from hindwise.domain.memory import LongTermMemory
from hindwise.domain.scope import Scope
from hindwise.runtime.principal import principal_of
from infra.local import built, emulated_runtime
from infra.local.emulated_runtime import merge, running
from infra.local.invoke import Stage, main, staged
from infra.local.seed import CONTENT, LAPTOP, event
from tests.lambda_environment import ROOT

pytestmark = pytest.mark.artifacts

SCOPE = Scope(tenant="local", user="ada")
SEEDED = event("forget")["pathParameters"]["id"]
INIT = "INIT START"
PROBE = """
import importlib.util, json, os, sys

def handler(event, context):
    found = {name: bool(importlib.util.find_spec(name)) for name in event["names"]}
    import boto3
    return {"found": found, "boto3": boto3.__file__, "task": __file__, "path": sys.path,
            "here": os.listdir(here) if os.path.isdir(here := event["checkout"]) else [],
            "opt": sorted(os.listdir(next(p for p in sys.path if p.endswith("opt/python"))))}
"""


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[Stage]:
    with staged(tmp_path) as stage:
        yield stage


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return tmp_path / "function.log"


def invoked(stage: Stage, name: str, log: Path, *events: Any) -> list[Any]:
    """The answers of one function, to its sample event if no other is given."""
    with stage.function(name, log) as function:
        return [function.invoke(each) for each in events or [event(name)]]


def body(answer: dict[str, Any]) -> dict[str, Any]:
    read: dict[str, Any] = json.loads(answer["body"])
    return read


def memory(stage: Stage, memory_id: str = SEEDED) -> LongTermMemory:
    found = stage.wiring().store.get(SCOPE, [memory_id])[memory_id]
    assert isinstance(found, LongTermMemory)
    return found


def test_authorize_knows_its_key_and_no_other(stage: Stage, log: Path) -> None:
    foreign = event("authorize")
    foreign["identitySource"] = [f"{foreign['identitySource'][0]}1"]
    known, unknown = invoked(stage, "authorize", log, event("authorize"), foreign)
    assert known["isAuthorized"] is True
    assert principal_of({"requestContext": {"authorizer": {"lambda": known["context"]}}}) == LAPTOP
    assert unknown == {"isAuthorized": True, "context": {}}


def test_write_stores_once_and_the_second_call_is_warm(stage: Stage, log: Path) -> None:
    first, second = invoked(stage, "write", log, event("write"), event("write"))
    assert (first["statusCode"], second["statusCode"]) == (201, 200)
    said = json.loads(event("write")["body"])["content"]
    assert memory(stage, body(first)["id"]).content == said
    assert body(second)["id"] == body(first)["id"]
    text = log.read_text()
    assert (text.count(INIT), text.count("REPORT RequestId")) == (1, 2)


def test_search_finds_before_and_after_the_projection(stage: Stage, log: Path) -> None:
    (before,) = invoked(stage, "search", log)
    assert [hit["id"] for hit in body(before)["results"]] == [SEEDED]
    invoked(stage, "index", log)
    paraphrased = event("search")
    asked = json.loads(paraphrased["body"]) | {"query": "why did the release go wrong?"}
    paraphrased["body"] = json.dumps(asked)
    (after,) = invoked(stage, "search", log, paraphrased)
    (hit,) = body(after)["results"]
    assert hit["content"] == CONTENT and hit["cosine"] > 0 and not hit["why"]["matched_terms"]
    assert (body(after)["degraded"], body(after)["lag"]) == (False, False)


def test_what_search_counts_reinforce_writes_down(stage: Stage, log: Path) -> None:
    invoked(stage, "search", log)
    queue = stage.outputs[stage.system.variables["ACCESS_QUEUE_URL"]]
    (message,) = boto3.client("sqs").receive_message(QueueUrl=queue)["Messages"]
    counted = event("reinforce")
    counted["Records"][0]["body"] = message["Body"]
    assert invoked(stage, "reinforce", log, counted) == [{"batchItemFailures": []}]
    assert memory(stage).access_count == 1


def test_reinforce_counts_each_message_on_its_own(stage: Stage, log: Path) -> None:
    both = event("reinforce")
    both["Records"].append(both["Records"][0] | {"messageId": "2", "body": "none of ours"})
    (answer,) = invoked(stage, "reinforce", log, both)
    assert answer == {"batchItemFailures": [{"itemIdentifier": "2"}]}
    assert memory(stage).access_count == 1


def test_inspect_lists(stage: Stage, log: Path) -> None:
    (answer,) = invoked(stage, "inspect", log)
    assert answer["statusCode"] == 200
    assert [each["content"] for each in body(answer)["results"]] == [CONTENT]


def test_forget_leaves_nothing_to_find(stage: Stage, log: Path) -> None:
    invoked(stage, "index", log)
    (answer,) = invoked(stage, "forget", log)
    assert (answer["statusCode"], body(answer)["status"]) == (200, "forgotten")
    wiring = stage.wiring()
    assert wiring.store.get(SCOPE, [SEEDED]) == {}
    assert wiring.projections.documents(SCOPE, [SEEDED]) == {}
    (found,) = invoked(stage, "search", log)
    assert body(found)["results"] == []


@pytest.mark.parametrize(
    ("name", "answer"),
    [
        ("index", {"batchItemFailures": []}),
        ("sweep", {"projected": 1, "failed": 0, "parked": 0}),
    ],
)
def test_a_change_is_projected(
    stage: Stage, log: Path, name: str, answer: dict[str, object]
) -> None:
    wiring = stage.wiring()
    assert len(wiring.store.backlog(SCOPE, 10).changes) == 1
    assert invoked(stage, name, log) == [answer]
    assert wiring.store.backlog(SCOPE, 10).changes == ()
    assert wiring.projections.documents(SCOPE, [SEEDED])[SEEDED].vector is not None


def test_an_unforeseen_error_has_lambdas_shape_and_no_content(stage: Stage, log: Path) -> None:
    broken = event("index")
    broken["Records"][0]["dynamodb"]["Keys"]["sk"]["S"] = "D#the door code is 4711"
    (answer,) = invoked(stage, "index", log, broken)
    assert answer["errorType"] == "WorkerFailed"
    assert answer["errorMessage"].startswith("index: ")
    assert {"requestId", "stackTrace"} <= answer.keys()
    assert "4711" not in json.dumps(answer) + log.read_text()


def test_a_missing_variable_is_named(stage: Stage, log: Path) -> None:
    with stage.function("index", log, {"MEMORY_TABLE": ""}) as function:
        answer = function.invoke(event("index"))
    assert answer["errorType"] == "Misconfigured"
    assert "MEMORY_TABLE" in answer["errorMessage"]


def refused() -> None:
    """As `unshare` answers where the system allows no namespaces."""


MODES = [emulated_runtime.unshare, refused] if emulated_runtime.unshare() else [refused]


@pytest.mark.parametrize("unshare", MODES)
def test_nothing_but_function_layers_and_runtime_can_be_imported(
    tmp_path: Path, log: Path, monkeypatch: pytest.MonkeyPatch, unshare: Callable[[], object]
) -> None:
    monkeypatch.setattr(emulated_runtime, "unshare", unshare)
    task = tmp_path / "task"
    task.mkdir()
    (task / "app.py").write_text(PROBE)
    names = ["hindwise", "pydantic", "hindwise.cli", "functions", "pytest", "moto", "numpy"]
    with running(replace(built.named("write"), task=task), {}, log) as function:
        seen = function.invoke({"names": names, "checkout": str(ROOT)})
    assert {name for name, found in seen["found"].items() if found} == {"hindwise", "pydantic"}
    assert {"hindwise", "pydantic"} <= set(seen["opt"])
    if unshare is refused:
        assert seen["task"] == str(task / "app.py")
        assert seen["boto3"].startswith(str(emulated_runtime.RUNTIME))
    else:
        assert seen["task"] == "/var/task/app.py"
        assert seen["boto3"].startswith("/var/runtime/")
        assert seen["here"] == []
        assert not [each for each in seen["path"] if each.startswith(str(ROOT))]


def test_later_layers_lie_over_earlier_ones_and_leave_them_as_they_are(tmp_path: Path) -> None:
    for number in (1, 2):
        (tmp_path / str(number) / "python").mkdir(parents=True)
        (tmp_path / str(number) / "python" / "same.py").write_text(f"of {number}")
        (tmp_path / str(number) / "python" / f"only{number}.py").write_text("")
    merge((tmp_path / "1", tmp_path / "2"), tmp_path / "opt")
    merged = tmp_path / "opt" / "python"
    assert (merged / "same.py").read_text() == "of 2"
    assert {path.name for path in merged.iterdir()} == {"same.py", "only1.py", "only2.py"}
    assert (tmp_path / "1" / "python" / "same.py").read_text() == "of 1"


def test_a_function_is_read_as_it_was_built() -> None:
    package = built.named("search")
    assert package == built.named("SearchFunction")
    layers = [layer.name for layer in package.layers]
    assert layers == ["DependenciesLayer", "HindwiseLayer", "EmbedderLayer", "OpenAILayer"]
    assert {"STAGE", "ACCESS_QUEUE_URL"} <= set(package.variables)
    assert "ACCESS_QUEUE_URL" not in built.named("write").variables
    assert (package.task / "app.py").exists()


def test_what_is_not_built_is_named(tmp_path: Path) -> None:
    with pytest.raises(built.NotBuilt, match="make build"):
        built.packages(tmp_path)
    with pytest.raises(built.NotBuilt, match="no function nothing; there are authorize, "):
        built.named("nothing")


def test_the_command_prints_the_answer_and_the_log(capfd: pytest.CaptureFixture[str]) -> None:
    before = dict(os.environ)
    assert main(["reinforce"]) == 0
    printed = capfd.readouterr()
    assert json.loads(printed.out) == {"batchItemFailures": []}
    assert "Touched" in printed.err and INIT in printed.err
    assert dict(os.environ) == before


def test_the_command_fails_where_the_function_does(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "event.json").write_text('{"Records": [{}]}')
    assert main(["index", "--event", str(tmp_path / "event.json")]) == 1
    assert json.loads(capfd.readouterr().out)["errorType"] == "WorkerFailed"
    assert main(["nothing"]) == 1
    assert "there is no function nothing" in capfd.readouterr().err
    assert main(["index", "--event", str(tmp_path / "missing.json")]) == 1
    assert "missing.json" in capfd.readouterr().err
