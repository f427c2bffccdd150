"""Say that memories are to be compared: at once when they can be found, later by the sweep.

Only pointers are sent, and losing one only delays it: what is unsettled stays listed in the table.
"""

from collections import defaultdict
from collections.abc import Iterable
from datetime import datetime, timedelta

from hindwise.domain.ports import Jobs, QueueName, Queues
from hindwise.domain.scope import Scope

BUCKETS = 16
PATIENCE = timedelta(seconds=60)
"""How long a memory may wait for its comparison before the sweep asks for it again."""
EVERY = 4
"""In how many minutes each bucket is looked through once."""
AT_ONCE = 200
"""Memories of one bucket that are sent at a time: those that have waited longest."""


def send_unsettled(found: Iterable[tuple[Scope, str]], *, queues: Queues) -> int:
    """Send pointers to memories, a scope at a time, and tell how many."""
    by_scope: dict[Scope, list[str]] = defaultdict(list)
    for scope, memory_id in found:
        by_scope[scope].append(memory_id)
    for scope, ids in by_scope.items():
        queues.send(QueueName.SETTLE, scope, ids)
    return sum(map(len, by_scope.values()))


def send_overdue(*, jobs: Jobs, queues: Queues, now: datetime) -> int:
    """Send again what has waited for a minute, in a quarter of the buckets each minute.

    So a judge that is down for long is asked again every few minutes. Raises `errors.Unavailable`.
    """
    due = now - PATIENCE
    return sum(
        send_unsettled(jobs.unsettled(bucket, before=due, limit=AT_ONCE), queues=queues)
        for bucket in range(BUCKETS)
        if bucket % EVERY == now.minute % EVERY
    )
