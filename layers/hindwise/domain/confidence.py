"""How sure we still are of a memory: its base confidence, less with each idle month.

It is computed on read and never written back, so that a hit restores it at once.
"""

from datetime import datetime

from hindwise.domain.memory import MemoryBase
from hindwise.domain.retention import DEFAULT, Retention


def effective(memory: MemoryBase, now: datetime, rules: Retention = DEFAULT) -> float:
    """Give base x 0.9^floor(days since last access or creation / 30), not under min(base, 0.1).

    A last access before creation, or either in the future, counts as no time at all.
    """
    steps = steps_down(memory, now, rules)
    if steps == 0:
        return memory.confidence
    faded = memory.confidence * rules.fade_factor**steps
    return max(faded, min(memory.confidence, rules.fade_floor))


def steps_down(memory: MemoryBase, now: datetime, rules: Retention = DEFAULT) -> int:
    """How many whole months a memory has been idle, never less than none."""
    seen = memory.last_access_at
    since = memory.created_at if seen is None or seen < memory.created_at else seen
    return max((now - since) // rules.fade_step, 0)
