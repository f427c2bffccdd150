"""Whether a value looks like a secret: drawn by chance, or chosen to be hard to guess."""

import math
from collections import Counter
from itertools import pairwise
from string import ascii_lowercase, ascii_uppercase

from hindwise.domain.admission.matching import compiled

_STAND_INS = """
password passwd pass pwd secret token key none null true false required optional changeme
example redacted hidden unknown empty default same reset expired incorrect wrong correct
invalid weak strong not missing here stored managed rotated shared pending string your
user value todo tbd"""
_PLACEHOLDERS = frozenset(_STAND_INS.split())
_LOWER = frozenset(ascii_lowercase)
_UPPER = frozenset(ascii_uppercase)
_EXPRESSION = r"^[A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z_][A-Za-z0-9_]*)+[\[(]|^[a-z_]*(?:env|secret)\("
"""Program text that reads a value from somewhere else."""
_VARIABLE = r"^(?:[<{\[]|\$[{(]|\$[A-Za-z_][A-Za-z_0-9]*$|%[A-Za-z_]*%?$|%\()"
_VERSION = r"^v?[0-9]+(?:[.][0-9]+)+"
_ALGORITHM = r"(?i)^(?:sha|md|aes|rsa|utf|base|argon|pbkdf|bcrypt|hs|ed)[-_]?[0-9]"


def stands_in(value: str) -> bool:
    """Tell whether a value only stands where a secret goes, or reads one from elsewhere."""
    plain = value.strip("<>{}$%*\"'`").lower()
    return (
        compiled(_EXPRESSION).search(value) is not None
        or compiled(_VARIABLE).search(value) is not None
        or not plain
        or plain in _PLACEHOLDERS
        or len(set(plain)) < 3
        or plain.replace("_", "").replace("-", "")
        in ("yourpassword", "mypassword", "dbpass", "dbpassword")
    )


def is_password(value: str, name: str, quote: str) -> bool:
    """Tell whether what is said to be a password of this name, quoted or not, is one."""
    if stands_in(value) or "://" in value:
        return False
    kinds = _kinds(value)
    if "pin" in name.lower() or name in ("门禁码", "解锁码"):
        return value.isdigit() and 4 <= len(value) <= 8
    if len(value) < 4 or value.lower().rstrip(".!?") in _PLACEHOLDERS:
        return False
    if kinds >= 2 and not is_wordlike(value):
        return True
    return (value.isdigit() and len(value) >= 4) or (
        bool(quote) and len(value) >= 6 and value.isalnum()
    )


def is_strong(value: str, name: str, quote: str) -> bool:
    """Tell whether a value is a password even where nothing says that it is one."""
    digits = sum(map(str.isdigit, value))
    odd = any(char in "!@#$%^&*~?" for char in value[:-1] + value[-1:].strip("?!"))
    return (
        len(value) >= 8
        and (digits >= 2 or (digits == 1 and odd))
        and any(map(str.isalpha, value))
        and compiled(_ALGORITHM).search(value) is None
        and is_password(value, name, quote)
    )


def is_wordlike(value: str) -> bool:
    """Tell whether a value is an ordinary word or date: `well-known`, `Don't`, `2026-01-02`."""
    core = value.strip(".,;:!?()")
    if compiled(r"^[A-Za-z]?[a-z]*(?:['’/_-][A-Za-z]?[a-z]+)*$").search(core):
        return True
    return bool(
        compiled(r"^[0-9]{1,4}(?:[-/.:][0-9]{1,4}){1,3}$|^[0-9]+\+?-?[a-z]{0,10}$").search(core)
    ) and not (core.isdigit() and len(core) >= 4)


def _kinds(value: str) -> int:
    return sum(
        (
            any(char.islower() for char in value),
            any(char.isupper() for char in value),
            any(char.isdigit() for char in value),
            any(not char.isalnum() for char in value),
        )
    )


def is_random(value: str) -> bool:
    """Tell whether a value is long and mixed enough to have been drawn by chance."""
    if len(value) < 16 or stands_in(value) or "://" in value or "[redacted" in value:
        return False
    digits = sum(char.isdigit() for char in value)
    if compiled(_VERSION).search(value) or not (digits > 1 or (digits and _switches(value) > 4)):
        return False
    return _kinds(value) >= 2 and entropy(value) >= 3.0 and not value.isdigit()


def _switches(value: str) -> int:
    """How often a small letter stands before a capital one."""
    return sum(one.islower() and other.isupper() for one, other in pairwise(value))


def is_drawn(value: str) -> bool:
    """Tell whether a value is that of no name, path or word: signs of all kinds in no order."""
    changes = sum(_sort(one) != _sort(other) for one, other in pairwise(value))
    return (
        is_random(value)
        and changes * 5 >= len(value) * 2
        and len({*value} & _LOWER) > 3
        and len({*value} & _UPPER) > 3
    )


def _sort(char: str) -> int:
    return char.islower() + 2 * char.isupper() + 4 * char.isdigit()


def is_mixed(value: str) -> bool:
    """Tell whether a value mixes letters and digits as words do not."""
    return any(map(str.isdigit, value)) and (
        (any(map(str.isupper, value)) and any(map(str.islower, value)))
        or sum(map(str.isdigit, value)) > 5
    )


def is_varied(value: str) -> bool:
    """Tell whether the part after a prefix is more than a filler of the same signs."""
    return len(set(value[4:].lower())) >= 6


def entropy(value: str) -> float:
    """Bits a character, after Shannon."""
    counts = Counter(value).values()
    return -sum(count / len(value) * math.log2(count / len(value)) for count in counts)
