"""The weekly review: lay before a person what is recalled most and nobody has looked at.

What is often recalled does the most harm where it is wrong. It stands meanwhile; only its flag has
it listed. Each scope says itself when it is due, so a run needs no list, reads nothing twice, and
goes on anywhere.
"""

import logging
from collections.abc import Callable
from datetime import datetime, timedelta

from hindwise.domain.base import Model
from hindwise.domain.changes import Raced, Replace
from hindwise.domain.memory import LongTermMemory, Type, WorkingMemory
from hindwise.domain.ports import QueueName, Queues, Reviews, Users
from hindwise.domain.reviews import PERIODIC, flagged, unreviewed
from hindwise.domain.scope import Scope
from hindwise.errors import HindwiseError
from hindwise.usecases.ledger import Ledger

_log = logging.getLogger(__name__)
AGAIN = "periodic"
"""What a message of the queue points at to have the run go on."""
LONGEST = timedelta(seconds=45)
NEXT = timedelta(days=6)
"""When a scope is due again: in time for the next weekly run, wherever in the last one it was."""
BUCKETS = 16
ROUND = 100
LOOKED_AT = 1_000
"""Memories of a type that are looked at, the newest ones."""


class Periodic(Model):
    """How many scopes were looked at, and how many memories were laid before a reviewer.

    `more` tells that the time was up, and a message has the rest done.
    """

    scopes: int = 0
    flagged: int = 0
    more: bool = False


def lay_before(
    ledger_of: Callable[[Scope], Ledger],
    *,
    reviews: Reviews,
    users: Users,
    clock: Callable[[], datetime],
    queues: Queues,
) -> Periodic:
    """Look at all scopes that are due, or at as many as there is time for; twice does no harm."""
    end, done = clock() + LONGEST, Periodic()
    for bucket in range(BUCKETS):
        while due := users.due(bucket, now=clock(), limit=ROUND):
            moved = 0
            for scope in due:
                if clock() >= end:
                    queues.send(QueueName.REVIEW, scope, [AGAIN])
                    return done.model_copy(update={"more": True})
                found = _looked(scope, ledger_of, reviews=reviews, users=users, now=clock())
                if found is not None:
                    moved += 1
                    more = {"scopes": done.scopes + 1, "flagged": done.flagged + found}
                    done = done.model_copy(update=more)
            if not moved:
                break
    return done


def _looked(
    scope: Scope,
    ledger_of: Callable[[Scope], Ledger],
    *,
    reviews: Reviews,
    users: Users,
    now: datetime,
) -> int | None:
    """How many of a scope were flagged; None where it could not be done, and is due still."""
    try:
        found = chosen(scope, ledger_of(scope), reviews)
        users.looked(scope, again=now + NEXT, now=now)
    except HindwiseError as error:
        _log.warning("a scope was not looked at: %s", type(error).__name__)
        return None
    return found


def chosen(scope: Scope, ledger: Ledger, reviews: Reviews) -> int:
    """Flag the most recalled of a scope, up to as many as may wait, and tell how many they were."""
    waiting: list[LongTermMemory] = []
    fresh: list[LongTermMemory] = []
    for type_ in Type:
        ids = reviews.current(scope, type_, limit=LOOKED_AT)
        for start in range(0, len(ids), ROUND):
            for one in ledger.store.get(scope, ids[start : start + ROUND]).values():
                if not isinstance(one, WorkingMemory) and unreviewed(one):
                    (waiting if PERIODIC in one.flags else fresh).append(one)
    room = max(ledger.trust.rules.periodic_reviews - len(waiting), 0)
    fresh.sort(key=lambda one: (-one.access_count, one.id))
    return sum(_flag(one, ledger) for one in fresh[:room])


def _flag(memory: LongTermMemory, ledger: Ledger) -> bool:
    """Whether it was flagged; one that changes at this moment is left to the next week."""
    now = ledger.call.now
    flags = {"flags": flagged(memory, PERIODIC), "version": memory.version + 1, "updated_at": now}
    after, row = ledger.recorded(memory.model_copy(update=flags), "laid_before", ("periodic",))
    try:
        ledger.commit([Replace(before=memory, after=after), row])
    except Raced:
        return False
    return True
