"""Say that memories are to be compared: at once when they can be found, later by the sweep.

Only pointers are sent, and losing one only delays it: what is unsettled stays listed in the table.
"""

from collections import defaultdict
from collections.abc import Iterable
from datetime import datetime, timedelta

from hindwise.domain.changes import PutOff, Raced
from hindwise.domain.ports import MemoryStore, QueueName, Queues
from hindwise.domain.scope import Scope
from hindwise.usecases.learning import Learning

BUCKETS = 16
PATIENCE = timedelta(seconds=60)
"""How long a memory may wait for its comparison before the sweep asks for it again."""
AGAIN = timedelta(minutes=5)
"""How long it is left alone then."""
AT_ONCE = 50
"""Memories of one bucket that are sent at a time: those that have waited longest."""


def send_unsettled(found: Iterable[tuple[Scope, str]], *, queues: Queues) -> int:
    """Send pointers to memories, a scope at a time, and tell how many."""
    by_scope: dict[Scope, list[str]] = defaultdict(list)
    for scope, memory_id in found:
        by_scope[scope].append(memory_id)
    for scope, ids in by_scope.items():
        queues.send(QueueName.SETTLE, scope, ids)
    return sum(map(len, by_scope.values()))


def send_overdue(*, store: MemoryStore, learning: Learning, now: datetime) -> int:
    """Send again what has waited for a minute, and put it off before that.

    So a queue that nobody gets through, while a judge is down, does not fill with echoes. Raises
    `errors.Unavailable`.
    """
    sent = 0
    for bucket in range(BUCKETS):
        due = learning.jobs.unsettled(bucket, before=now - PATIENCE, limit=AT_ONCE)
        mine = [one for one in due if _put_off(*one, store=store, since=now + AGAIN - PATIENCE)]
        sent += send_unsettled(mine, queues=learning.queues)
    return sent


def _put_off(scope: Scope, memory_id: str, *, store: MemoryStore, since: datetime) -> bool:
    """Tell whether the memory waits still."""
    try:
        store.commit(scope, [PutOff(memory_id=memory_id, since=since)])
    except Raced:
        return False
    return True
