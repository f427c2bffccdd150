"""What becomes of a memory that loses evidence."""

from typing import Any

import pytest

from hindwise.domain.evidence import without
from hindwise.domain.memory import Mark, SemanticMemory, Status, Type
from hindwise.domain.patterns import EVIDENCE_CHANGED
from tests.builders import NOW, episode, fact

EPISODES = {one.id: one for one in (episode(f"Deploy {number} failed") for number in range(4))}
IDS = tuple(EPISODES)


def resting(on: int, **given: Any) -> SemanticMemory:
    return fact(**{"type": Type.PATTERN, "evidence_ids": IDS[:on], "confidence": 0.8, **given})


def test_what_did_not_rest_on_it_does_not_change() -> None:
    assert without(resting(2), (IDS[3],), EPISODES, at=NOW) is None


def test_a_pattern_is_as_much_less_sure_as_the_share_that_went() -> None:
    after = without(resting(4), (IDS[0],), EPISODES, at=NOW)
    assert after is not None
    assert (after.confidence, after.status, after.version) == (0.6, Status.ACTIVE, 2)
    assert after.evidence_ids == IDS[1:]
    assert after.flags == (EVIDENCE_CHANGED,)


def test_a_pattern_with_less_than_two_left_is_obsolete() -> None:
    after = without(resting(2), (IDS[0],), EPISODES, at=NOW)
    assert after is not None
    assert (after.confidence, after.status, after.marks) == (0.4, Status.OBSOLETE, (Mark.OBSOLETE,))


def test_evidence_that_cannot_be_read_carries_nothing() -> None:
    after = without(resting(3), (IDS[0],), {IDS[1]: EPISODES[IDS[1]]}, at=NOW)
    assert after is not None
    assert after.status is Status.OBSOLETE


@pytest.mark.parametrize(
    ("on", "status", "sure"), [(2, Status.ACTIVE, 0.4), (1, Status.OBSOLETE, 0.08)]
)
def test_a_fact_is_obsolete_only_without_any(on: int, status: Status, sure: float) -> None:
    after = without(resting(on, type=Type.FACT), (IDS[0],), EPISODES, at=NOW)
    assert after is not None
    assert (after.status, after.confidence) == (status, sure)


def test_other_states_stay() -> None:
    after = without(resting(1, status=Status.SUPERSEDED), (IDS[0],), EPISODES, at=NOW)
    assert after is not None
    assert after.status is Status.SUPERSEDED


def test_redaction_takes_the_link_alone() -> None:
    after = without(resting(1, type=Type.FACT), (IDS[0],), EPISODES, at=NOW, weaken=False)
    assert after is not None
    assert (after.status, after.confidence, after.evidence_ids) == (Status.ACTIVE, 0.8, ())
    assert after.flags == (EVIDENCE_CHANGED,)
