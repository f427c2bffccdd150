"""The functions run as on Lambda: nothing of the emulator is within their reach."""

import pytest

from infra.local.deployment.deployed import Deployed

pytestmark = pytest.mark.artifacts

PROBE = """
import importlib.util, os, sys
def handler(event, context):
    found = [name for name in event["modules"] if importlib.util.find_spec(name)]
    return {"found": found, "variables": sorted(os.environ),
            "runtime": "awslambdaric" in sys.modules, "arn": context.invoked_function_arn,
            "left": context.get_remaining_time_in_millis()}
"""


def test_a_function_sees_nothing_of_the_emulator(stack: Deployed) -> None:
    stack.runtime.make("probe", PROBE, stack.role_of("AuthorizeFunction"))
    modules = ["boto3", "awslambdaric", "ministack", "hypercorn", "hindwise", "pytest"]
    seen = stack.invoke("probe", {"modules": modules})
    assert seen["found"] == ["boto3", "awslambdaric"]
    assert seen["runtime"] and seen["arn"].endswith(":function:probe")
    assert 0 < seen["left"] <= 30_000
    assert not {"AUTH", "GATEWAY_PORT", "BIND_HOST", "STATE_DIR"} & set(seen["variables"])
    assert {"AWS_SESSION_TOKEN", "LAMBDA_TASK_ROOT", "_HANDLER"} <= set(seen["variables"])


def test_every_function_runs_with_its_layers(stack: Deployed) -> None:
    functions = stack.account.client("lambda")
    for name in stack.of_kind("AWS::Lambda::Function").values():
        found = functions.get_function_configuration(FunctionName=name)
        assert found["Runtime"] == "provided.al2023", name
        assert len(found["Layers"]) in (2, 3, 4), name
