"""Fixtures that several suites share."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from tests import opensearch_node
from tests.ministack import MiniStack, elsewhere, started

# A busy machine is no fault of what is tested: nothing passes or fails by the clock.
settings.register_profile("untimed", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("untimed")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--endpoint", help="an emulated AWS that runs already, for contract tests")
    parser.addoption(
        "--histories", type=int, help="play as many histories, other ones each time (tests/machine)"
    )
    parser.addoption("--steps", type=int, default=30, help="steps of a history at most")


@pytest.fixture(scope="session")
def ministack(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[MiniStack]:
    """The emulated AWS, one for the session."""
    if endpoint := request.config.getoption("--endpoint"):
        yield elsewhere(endpoint)
        return
    with started(tmp_path_factory.mktemp("ministack") / "log") as server:
        yield server


@pytest.fixture(scope="session")
def opensearch() -> Iterator[str]:
    """The endpoint of an OpenSearch node, one for the session: tests share it, each its indexes."""
    with opensearch_node.started("session") as node:
        yield node.endpoint


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say how long each suite took, setting up and tearing down included."""
    seconds: Counter[str] = Counter()
    tests: Counter[str] = Counter()
    for reports in terminalreporter.stats.values():
        for report in reports:
            if isinstance(report, pytest.TestReport):
                parts = Path(report.location[0]).parts
                suite = parts[1] if len(parts) > 2 else "whole"
                seconds[suite] += report.duration
                tests[suite] += report.when == "call"
    if len(seconds) > 1:
        terminalreporter.section("time per suite")
        for suite, spent in seconds.most_common():
            terminalreporter.write_line(f"{suite:12} {tests[suite]:6} tests {spent:8.1f} s")
