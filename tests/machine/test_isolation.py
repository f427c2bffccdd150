"""What one user does changes nothing of what another is told: alone and among others, word by word.

Ids aside, whole answers are compared: order, scores, the parts of scores and what they say of why.
"""

from collections.abc import Callable, Iterator

import pytest
from hypothesis import HealthCheck, given, settings

from hindwise.domain.scope import Scope
from hindwise.runtime.wiring import use_wiring
from tests.builders import scope
from tests.integration.http_client import World
from tests.integration.search_plant import SearchPlant, plant_at
from tests.machine.histories import HISTORIES, Life, Step, play

OTHERS = (scope("ada", "other"), scope("bob"))
"""The same user of another tenant, and another user of the same."""


@pytest.fixture(autouse=True)
def no_metrics(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("POWERTOOLS_METRICS_DISABLED", "true")
    yield


@pytest.fixture
def plant(opensearch: str) -> Iterator[SearchPlant]:
    """A stage that searches the session's node."""
    with plant_at(opensearch) as made:
        yield made


def played(lives: dict[str, Life]) -> dict[str, Life]:
    """Play histories in a world of their own."""
    with use_wiring(World()) as world:
        play(world, lives, world.project)
    return lives


def many(usual: int, share: float, request: pytest.FixtureRequest) -> settings:
    """As many histories as usual, always the same; or a share of those that are asked for."""
    asked = request.config.getoption("--histories")
    return settings(
        max_examples=usual if asked is None else max(1, round(asked * share)),
        derandomize=asked is None,
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )


@pytest.mark.parametrize("other", OTHERS, ids=lambda one: f"{one.tenant}-{one.user}")
def test_answers_are_the_same_alone_and_among_others(
    request: pytest.FixtureRequest, other: Scope
) -> None:
    @many(25, 0.5, request)
    @given(mine=HISTORIES, theirs=HISTORIES)
    def same(mine: list[Step], theirs: list[Step]) -> None:
        alone = played({"a": Life(scope("ada"), mine)})["a"]
        beside = played({"b": Life(other, theirs)})["b"]
        both = played({"a": Life(scope("ada"), mine), "b": Life(other, theirs)})
        assert both["a"].answers == alone.answers
        assert both["b"].answers == beside.answers

    same()


@pytest.mark.opensearch
def test_a_node_finds_the_same_in_the_same_order(
    request: pytest.FixtureRequest, plant: SearchPlant
) -> None:
    """All histories of all examples share one index, so that there are always others."""
    numbers = iter(range(1_000_000))
    settle: Callable[[], None] = plant.sweep

    @many(3, 0.05, request)
    @given(mine=HISTORIES, theirs=HISTORIES)
    def same(mine: list[Step], theirs: list[Step]) -> None:
        n = next(numbers)
        alone = Life(scope(f"alone{n}"), mine)
        play(plant.world, {"a": alone}, settle)
        both = {
            "a": Life(scope(f"mixed{n}"), mine),
            "b": Life(scope(f"mixed{n}", "other"), theirs),
        }
        play(plant.world, both, settle)
        assert both["a"].found() == alone.found()

    same()
