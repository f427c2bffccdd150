"""Any history of any calls, struck by anything: the promises of the service hold."""

import pytest
from hypothesis import HealthCheck, settings
from hypothesis.stateful import run_state_machine_as_test

from tests.machine.rules_trusting import Trusting
from tests.machine.rules_working import Working
from tests.machine.rules_writing import Writing

HISTORIES = 40
"""As many, and always the same, unless other ones are asked for: `make soak`."""


class Service(Writing, Working, Trusting):
    """All rules together."""


def test_every_history_keeps_the_promises(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("POWERTOOLS_METRICS_DISABLED", "true")
    histories = request.config.getoption("--histories")
    run_state_machine_as_test(  # type: ignore[no-untyped-call]
        Service,
        settings=settings(
            max_examples=histories or HISTORIES,
            stateful_step_count=request.config.getoption("--steps"),
            derandomize=histories is None,
            deadline=None,
            suppress_health_check=list(HealthCheck),
        ),
    )
