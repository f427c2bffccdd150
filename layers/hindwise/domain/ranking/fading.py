"""How age lowers a score: the slow decay of what happened, and the fast one of what was just used.

Age is never negative: an event to come counts as one of today.
"""

from datetime import datetime, timedelta

from hindwise.domain.fading import since
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


def fresh_at(memory: LongTermMemory) -> datetime:
    """When a memory was last news: its last access, else when it happened or was written.

    The earlier of the two: what is announced for a day to come was news when it was announced.
    """
    return memory.last_access_at or min(memory.event_time, since(memory))


def recency(
    memory: LongTermMemory, now: datetime, half_life: timedelta = RECENT_HALF_LIFE
) -> float:
    """Give importance x 0.5^(time since last access / half-life), the score of the recent arm.

    It is never above the importance.
    """
    idle = now - fresh_at(memory)
    if idle <= timedelta(0):
        return memory.importance
    return float(memory.importance * 0.5 ** (idle / half_life))
