"""Two reviewers at once: who comes second leaves nothing behind of what they meant to do."""

from collections.abc import Callable
from typing import Any

import pytest

from hindwise.domain.changes import Replace
from hindwise.domain.memory import Status
from hindwise.errors import Conflict
from tests.unit.usecases.desk import Desk
from tests.unit.usecases.reviewing import says


def meanwhile(desk: Desk, memory_id: str, act: Callable[[], object]) -> None:
    """Have another act right before a decision on a memory commits."""
    commit = desk.store.commit

    def late(scope: Any, actions: Any) -> None:
        if any(isinstance(one, Replace) and one.before.id == memory_id for one in actions):
            desk.store.commit = commit  # type: ignore[method-assign]
            act()
        commit(scope, actions)

    desk.store.commit = late  # type: ignore[method-assign]


def resting(desk: Desk) -> tuple[str, str]:
    """A memory, and what rests on it and on another."""
    one, other = desk.known("Walls are red").id, desk.known("Doors are red").id
    return one, desk.known("All is red", evidence_ids=(one, other), type="pattern").id


def test_what_was_turned_away_meanwhile_is_no_evidence(desk: Desk) -> None:
    one, pattern = resting(desk)
    says(desk, "reopen", one)
    assert one not in desk.read(pattern).evidence_ids
    meanwhile(desk, one, lambda: says(desk, "reject", one))
    with pytest.raises(Conflict):
        says(desk, "approve", one)
    assert desk.read(one).status is Status.REJECTED
    assert one not in desk.read(pattern).evidence_ids


@pytest.mark.parametrize("action", ["reject", "reopen"])
def test_what_was_let_stand_meanwhile_is_still_evidence(desk: Desk, action: str) -> None:
    one, pattern = resting(desk)
    meanwhile(desk, one, lambda: says(desk, "approve", one))
    with pytest.raises(Conflict):
        says(desk, action, one, if_match=1)
    assert desk.read(one).status is Status.ACTIVE
    assert one in desk.read(pattern).evidence_ids
