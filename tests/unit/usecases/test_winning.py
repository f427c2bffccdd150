"""The loop around a lost race: it ends by winning, by a final condition, or by patience."""

import pytest

from hindwise.domain.changes import Action, Create, Raced, Stands
from hindwise.errors import Unavailable
from hindwise.usecases.ledger import Ledger
from hindwise.usecases.winning import FINAL, until_won
from tests import builders
from tests.unit.usecases.desk import Desk

TAKEN = Create(memory=builders.fact())


def losing(times: int, on: Action = TAKEN) -> list[Raced]:
    return [Raced((on,)) for _ in range(times)]


def won(desk: Desk, losses: list[Raced], final: tuple[type[Action], ...] = FINAL) -> int:
    """How many races had been lost when one was won."""

    def attempt(ledger: Ledger) -> int:
        if losses:
            raise losses.pop()
        return ledger.lost

    return until_won(attempt, "this memory", ledger=desk.ledger(), final=final)


def test_whoever_loses_decides_again_and_knows_how_often_it_has_lost(desk: Desk):
    assert won(desk, []) == 0
    assert won(desk, losing(2)) == 2


def test_patience_ends_and_says_what_many_write_on(desk: Desk):
    with pytest.raises(Unavailable, match="too many writers at once on this memory"):
        won(desk, losing(1_000))


@pytest.mark.parametrize(("on", "final"), [(Stands(memory_id="m"), FINAL), (TAKEN, (Create,))])
def test_what_is_final_is_not_tried_again(desk: Desk, on, final):
    losses = losing(2, on)
    with pytest.raises(Raced):
        won(desk, losses, final)
    assert len(losses) == 1
