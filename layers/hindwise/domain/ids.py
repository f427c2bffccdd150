"""Ids: ULIDs for what is new.

And ids derived from a key for what must converge when it is done twice.
"""

from collections.abc import Callable
from datetime import datetime
from hashlib import sha256

ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
ID_LENGTH = 26
NewId = Callable[[datetime], str]
"""Makes a fresh id for a moment: a ULID, so that ids sort by the time they were made."""


def _encode(number: int, length: int) -> str:
    return "".join(ALPHABET[number >> (5 * i) & 31] for i in reversed(range(length)))


def ulid(millis: int, randomness: bytes) -> str:
    """The ULID of a time and 10 random bytes (github.com/ulid/spec).

    10 characters of time, 16 of randomness.
    """
    return _encode(millis, 10) + _encode(int.from_bytes(randomness[:10]), 16)


def millis_of(made: str) -> int:
    """The time in a ULID, in milliseconds since 1970; raises ValueError where it is none."""
    number = 0
    for character in made[:10]:
        number = number << 5 | ALPHABET.index(character)
    return number


def derived_id(moment: datetime, *parts: str) -> str:
    """The id that the same moment and the same parts always give."""
    digest = sha256("\x1f".join(parts).encode()).digest()
    return ulid(int(moment.timestamp() * 1000), digest)


def key_hash(*parts: str) -> str:
    """32 hex digits that stand for `parts` in a table key, whatever they hold."""
    return sha256("\x1f".join(parts).encode()).hexdigest()[:32]


def working_id(task_id: str, key: str) -> str:
    """The id of a task's scratch value.

    `W`, then 12 characters of the task and 13 of the key, so one task can be listed.
    """
    return (
        "W" + task_prefix(task_id) + _encode(int.from_bytes(sha256(key.encode()).digest()[:9]), 13)
    )


def task_prefix(task_id: str) -> str:
    """The 12 characters that all scratch values of one task share."""
    return _encode(int.from_bytes(sha256(task_id.encode()).digest()[:8]), 12)


def is_working_id(memory_id: str) -> bool:
    """Tell a scratch value's id from a long-term one (a ULID never starts with W)."""
    return memory_id.startswith("W")
