"""Decide again after a lost race: the one loop around what reads, decides and commits."""

from collections.abc import Callable

from hindwise.domain.changes import Action, Answered, Raced, Stands, UnderClaim
from hindwise.errors import Unavailable
from hindwise.usecases.ledger import Ledger

FINAL: tuple[type[Action], ...] = (Answered, UnderClaim, Stands)
"""Conditions that no second look would bring about."""


def until_won[A](
    attempt: Callable[[Ledger], A],
    on: str,
    *,
    ledger: Ledger,
    final: tuple[type[Action], ...] = FINAL,
) -> A:
    """Do `attempt` until no race is lost; the ledger that it gets counts the losses.

    Raises `changes.Raced` on what is `final`, and Unavailable, naming what many write `on`, when
    races did not end in time.
    """
    patience = ledger.tools.patience()
    while True:
        try:
            return attempt(ledger)
        except Raced as raced:
            if raced.on(*final):
                raise
            if not patience.again():
                raise Unavailable(f"too many writers at once on {on}; try again") from raced
            ledger = ledger.after_a_loss()
