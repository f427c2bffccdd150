"""How sure we still are of a memory: its base confidence, less with each idle month.

It is computed on read and never written back, so that a hit restores it at once.
"""

from datetime import datetime, timedelta

from hindwise.domain.memory import MemoryBase

STEP = timedelta(days=30)
LOSS = 0.9
FLOOR = 0.1


def effective(memory: MemoryBase, now: datetime) -> float:
    """Give base x 0.9^floor(days since last access or creation / 30), not under min(base, 0.1).

    A last access before creation, or either in the future, counts as no time at all.
    """
    seen = memory.last_access_at
    since = memory.created_at if seen is None or seen < memory.created_at else seen
    steps = (now - since) // STEP
    if steps <= 0:
        return memory.confidence
    return max(memory.confidence * LOSS**steps, min(memory.confidence, FLOOR))
