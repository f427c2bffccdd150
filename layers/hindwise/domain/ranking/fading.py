"""How age lowers a score: the slow decay of what happened, and the fast one of what was just used.

Age is never negative: an event to come counts as one of today.
"""

from datetime import datetime, timedelta

from hindwise.domain.memory import LongTermMemory, SemanticMemory, Type

HALF_LIFE = timedelta(days=365)
RECENT_HALF_LIFE = timedelta(days=7)
HITS_THAT_COUNT = 20
TIMELESS = frozenset({Type.FACT, Type.PREFERENCE})


def decay(memory: LongTermMemory, now: datetime, half_life: timedelta = HALF_LIFE) -> float:
    """Give 0.5^(age / half-life), 0..1, of an event time; facts and preferences stay 1.

    Each hit lengthens the half-life, by at most a factor of two (at 20 hits).
    """
    if isinstance(memory, SemanticMemory) and memory.type in TIMELESS:
        return 1.0
    age = now - memory.event_time
    if age <= timedelta(0):
        return 1.0
    slower = 1 + min(memory.access_count, HITS_THAT_COUNT) / HITS_THAT_COUNT
    return float(0.5 ** (age / half_life / slower))


def recency(
    memory: LongTermMemory, now: datetime, half_life: timedelta = RECENT_HALF_LIFE
) -> float:
    """Give importance x 0.5^(time since last access / half-life), the score of the recent arm.

    Never accessed counts from the event time. It is never above the importance.
    """
    idle = now - (memory.last_access_at or memory.event_time)
    if idle <= timedelta(0):
        return memory.importance
    return float(memory.importance * 0.5 ** (idle / half_life))
